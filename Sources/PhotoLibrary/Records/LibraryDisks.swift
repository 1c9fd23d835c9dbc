// Folders of the library that are disks of their own, and the marks by which each disk is known.

import Foundation
import Logging

/// The disks in the place of a library's folders, as they are mounted now.
///
/// A disk gets a mark with an id of its own, a hidden file in the folder in whose place it is mounted. The library's own
/// hidden folder names the marks that were seen, so that every index and every journal knows of them. A mark tells a disk
/// from another one in its place, and a folder that is bound there (a bind mount) from what is beneath it; numbers of the
/// kernel don't, as most file systems take another one at each mount.
struct LibraryDisks {
  let folder: LibraryFolder
  let disk: Disk
  private let device: UInt64?
  private let mountPoints: Set<String>

  init(of folder: LibraryFolder, disk: Disk) {
    (self.folder, self.disk) = (folder, disk)
    device = disk.status(folder.path)?.device
    mountPoints = disk.system.mountPoints()
  }

  private static let version: Int64 = 1
  private static let logger = Logger(label: "photome.library.disks")
  private static let markName = ".photome-disk.json"
  private static func mark(_ path: String) -> String { "\(path)/\(markName)" }

  /// Whether a folder directly in the library's is another disk, or a folder of another place that is bound there.
  ///
  /// - Parameter name: Empty for the library's folder itself.
  func isDisk(_ name: String) -> Bool {
    guard !name.isEmpty else { return false }
    // One that was pulled out may not even have a status.
    if mountPoints.contains(folder.absolute(name)) { return true }
    guard let status = disk.status(folder.absolute(name)), status.kind == .folder else { return false }
    return status.device != device
  }

  /// The id of the disk that is in the place of a folder, or whose contents were copied there; `nil` when it has no mark.
  func id(at name: String) -> String? {
    name.isEmpty ? nil : text("id", in: Self.mark(folder.absolute(name))).flatMap { AssetIdentity.isID($0) ? $0 : nil }
  }

  /// The ids of the disks that were seen in the place of a folder.
  func known(at name: String) -> Set<String> { Set(noted(at: name).map(\.id)) }

  /// The files in which they are noted, absolute.
  func notes(of name: String) -> [String] { noted(at: name).map(\.path).sorted() }

  private func noted(at name: String) -> [(id: String, path: String)] {
    (disk.names(in: folder.disks) ?? []).filter { $0.hasSuffix(".json") }.compactMap { file in
      let path = "\(folder.disks)/\(file)"
      guard text("folder", in: path) == name, let id = text("id", in: path), AssetIdentity.isID(id) else { return nil }
      return (id, path)
    }
  }

  /// The id of a disk that is mounted in the place of a folder. It gets a mark, and is noted in the library, unless
  /// nothing was ever written to that.
  ///
  /// - Returns: `nil` when there is no disk, or it has no mark and can't be written to: then its disk isn't known from
  ///   others.
  func mark(_ name: String) -> String? {
    guard isDisk(name) else { return nil }
    var id = id(at: name)
    guard LibraryMark.read(folder, disk: disk) != nil else { return id }
    if id == nil {
      write(["id": .text(AssetIdentity.makeID())], to: Self.mark(folder.absolute(name)))
      id = self.id(at: name)
    }
    guard let id else { return nil }
    let note = path(ofNote: id, name)
    if disk.status(note) == nil { write(["id": .text(id), "folder": .text(name)], to: note) }
    return id
  }

  /// Forgets the disks that were seen in the place of a folder.
  func forget(_ name: String) { for id in known(at: name) { disk.discard(path(ofNote: id, name)) } }

  /// One disk may be mounted at one folder today, and at another one tomorrow.
  private func path(ofNote id: String, _ name: String) -> String {
    "\(folder.disks)/\(AssetIdentity.digest(Data("\(id)/\(name)".utf8)).prefix(32)).json"
  }

  private func text(_ key: String, in path: String) -> String? {
    guard let data = try? disk.read(path, range: 0..<UInt64(AssetRecord.largestFile)) else { return nil }
    return JSONValue(parsing: data)?.object?[key]?.text
  }

  /// Writes a file unless there is one. A disk that can't be written to is known by its place alone.
  private func write(_ object: [String: JSONValue], to path: String) {
    let token = LibraryFolder.makeToken()
    let temporary =
      "\(Disk.parent(of: path))/" + LibraryFolder.temporaryName(for: Disk.name(of: path), token: token, number: 1)
    do throws(PhotoLibraryError) {
      let json = JSONValue.object(object.merging(["version": .integer(Self.version)]) { first, _ in first }).data
      try FileWriter(disk: disk).write(json, to: temporary)
      if try !disk.renameNew(temporary, to: path) { disk.discard(temporary) }
      try disk.synchronizeFolder(Disk.parent(of: path))
    } catch {
      Self.logger.debug("\(error.description)")
      disk.discard(temporary)
    }
  }
}
