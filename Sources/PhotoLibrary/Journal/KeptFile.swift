// Versions of files that other programs have made, kept beside the library's own.

import Foundation

/// A file that was given a name of its own.
struct KeptFile: Sendable, Hashable {
  /// Absolute.
  var path: String
  /// The absolute path of the record that hides it, as the picture beside it is hidden.
  var record: String?
}

extension JournalRunner {
  /// Gives a file a name of its own beside a path; for a file in the hidden folder, in `.photome/kept`.
  ///
  /// A version of a hidden picture is hidden as well, before it has a visible name.
  func keep(_ file: String, of path: String) throws(PhotoLibraryError) -> KeptFile {
    let (stem, ending) = LibraryFolder.keptParts(ofName: Disk.name(of: path))
    let parent = try isHidden(path) ? keptFolder() : Disk.parent(of: path)
    let content = isConcealed(file, of: path) ? try facts(of: file)?.contentID : nil
    try disk.makeFolder(parent)
    var attempt = 1
    while true {
      let kept = "\(parent)/\(LibraryFolder.name(stem: stem, extension: ending, attempt: attempt))"
      attempt += 1
      guard try disk.checkedStatus(kept) == nil else { continue }
      var record: String?
      if let content {
        record = try conceal(kept, content)
        // An earlier picture of this name has one.
        guard record != nil else { continue }
      }
      if try disk.renameNew(file, to: kept) { return KeptFile(path: kept, record: record) }
      if let record { try disk.remove(record) }
    }
  }

  /// Whether a record says that the picture with this path is hidden, or can't be read: it may say so. Reads all of them,
  /// as this is rare.
  ///
  /// - Parameter file: A version of the picture. A record that names no file is known by its content.
  private func isConcealed(_ file: String, of path: String) -> Bool {
    guard !isHidden(path), let relative = folder.relative(path) else { return false }
    let ids = (try? facts(of: file))?.possibleIDs(at: relative) ?? []
    let store = RecordStore(folder: folder, disk: disk)
    return (disk.names(in: folder.records) ?? []).contains { name in
      guard let id = LibraryFolder.recordID(name) else { return false }
      guard let record = try? store.record(id) else { return true }
      return record.isHidden && (record.file.map { PathBytes($0.path) == PathBytes(relative) } ?? ids.contains(id))
    }
  }

  /// - Returns: `nil` when it isn't a picture, and so isn't shown.
  private func facts(of file: String) throws(PhotoLibraryError) -> FileFacts? {
    do throws(PhotoLibraryError) { return try FileFacts(ReadableFile(file, disk: disk)) } catch {
      if case .unusableFile = error { return nil }
      throw error
    }
  }

  /// Writes the record of a hidden picture that is going to have this path.
  ///
  /// - Returns: The record's path; `nil` when there is one already.
  private func conceal(_ path: String, _ content: Asset.ID) throws(PhotoLibraryError) -> String? {
    let (id, record) = AssetRecord.hidden(content, at: folder.relative(path) ?? path)
    let target = folder.record(id)
    let name = LibraryFolder.temporaryName(for: "\(id).json", token: LibraryFolder.makeToken(), number: 1)
    let temporary = "\(folder.records)/\(name)"
    try FileWriter(disk: disk).write(record.json, to: temporary)
    do throws(PhotoLibraryError) {
      guard try disk.renameNew(temporary, to: target) else {
        disk.discard(temporary)
        return nil
      }
    } catch {
      disk.discard(temporary)
      throw error
    }
    try disk.synchronizeFolder(folder.records)
    return target
  }
}

extension AssetRecord {
  /// The id and the record of a copy that is hidden from the start.
  ///
  /// - Parameter path: Of the copy, relative to the library's folder.
  static func hidden(_ content: Asset.ID, at path: String) -> (id: Asset.ID, record: AssetRecord) {
    var record = AssetRecord()
    record.isHidden = true
    record.file = File(path: path, content: content)
    return (AssetIdentity.id(ofCopy: content, at: path), record)
  }
}
