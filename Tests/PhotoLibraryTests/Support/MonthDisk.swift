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
  private var path: String { "\(scratch.pictures.path)/\(Self.month)" }

  /// A disk that isn't mounted yet.
  init(_ scratch: Scratch) throws {
    self.scratch = scratch
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

  /// The library as it is with the disk, or without it.
  func library(
    fault: (@Sendable (Disk.Step, String) -> Int32?)? = nil, now: @escaping @Sendable () -> Date = { Date() }
  ) async throws -> PhotoLibrary {
    let system: any FileSystem = isMounted ? SimulatedFileSystem(.nfs, at: path) : KernelFileSystem()
    let trash = DesktopTrash(disk: Disk(system: system), home: scratch.path + "/Trash")
    let disk = Disk(system: system, fault: fault)
    let library = try await PhotoLibrary.open(
      at: scratch.pictures, index: scratch.index, disk: disk, trash: trash, now: now)
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
