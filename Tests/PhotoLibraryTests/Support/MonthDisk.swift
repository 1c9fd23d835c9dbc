// A month of a library that is a disk of its own, and can be unmounted.

import ForeignDisks
import Foundation
import Testing

@testable import PhotoLibrary

/// The month of the samples on a disk of its own. What lies beneath its mount point is hidden while it is mounted.
final class MonthDisk {
  let scratch: Scratch
  static let month = "2026-11"
  private(set) var isMounted = false
  /// Whether it is a folder of the same file system that is bound there (a bind mount).
  let isBound: Bool
  var path: String { "\(scratch.pictures.path)/\(Self.month)" }

  /// A kernel with one more mount point.
  private struct Bound: FileSystem {
    let path: String

    func mountPoints() -> Set<String> { KernelFileSystem().mountPoints().union([path]) }
  }

  /// A disk that isn't mounted yet.
  init(_ scratch: Scratch, isBound: Bool = false) throws {
    (self.scratch, self.isBound) = (scratch, isBound)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: "\(scratch.path)/disk", withIntermediateDirectories: false)
  }

  func mount() throws {
    try FileManager.default.moveItem(atPath: path, toPath: "\(scratch.path)/beneath")
    try FileManager.default.moveItem(atPath: "\(scratch.path)/disk", toPath: path)
    isMounted = true
  }

  func unmount() throws {
    try FileManager.default.moveItem(atPath: path, toPath: "\(scratch.path)/disk")
    try FileManager.default.moveItem(atPath: "\(scratch.path)/beneath", toPath: path)
    isMounted = false
  }

  /// Mounts another disk in its place, an empty one at first; then the first one again.
  func exchange() throws {
    let other = "\(scratch.path)/other"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: path, toPath: "\(scratch.path)/exchanged")
    try FileManager.default.moveItem(atPath: other, toPath: path)
    try FileManager.default.moveItem(atPath: "\(scratch.path)/exchanged", toPath: other)
  }

  /// The library as it is with the disk, or without it.
  ///
  /// - Parameter index: Of another user, or on another computer; `nil` for the first one's.
  func library(
    index: URL? = nil,
    fault: (@Sendable (Disk.Step, String) -> Int32?)? = nil, now: @escaping @Sendable () -> Date = { Date() }
  ) async throws -> PhotoLibrary {
    let mounted: any FileSystem = isBound ? Bound(path: path) : SimulatedFileSystem(.nfs, at: path)
    let system = isMounted ? mounted : KernelFileSystem()
    let trash = DesktopTrash(disk: Disk(system: system), home: scratch.path + "/Trash")
    let disk = Disk(system: system, fault: fault)
    let library = try await PhotoLibrary.open(
      at: scratch.pictures, index: index ?? scratch.index, disk: disk, trash: trash, now: now)
    try await library.refresh()
    return library
  }
}

extension PhotoLibrary {
  /// Adds a picture of the samples' month.
  func shoot(second: Double = 0) async throws -> Asset {
    try await createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(date: Samples.date.addingTimeInterval(second))))
  }

  /// Edits a picture, and marks it as a favorite.
  func retouch(_ id: Asset.ID, shade: UInt8 = 10) async throws {
    var request = AssetChangeRequest(for: id, isFavorite: true)
    request.contentEditingOutput = ContentEditingOutput(
      photo: try Samples.jpeg(shade: shade),
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    let change = request
    try await performChanges { $0.change(change) }
  }
}
