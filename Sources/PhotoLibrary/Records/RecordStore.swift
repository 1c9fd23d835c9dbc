// Reads records and albums from the disk, where they are the truth.

import Foundation

/// Access to the files under `.photome` that people's choices are in.
struct RecordStore: Sendable {
  let folder: LibraryFolder
  let disk: Disk

  /// A small file and the state in which it was read; `nil` when it isn't there.
  func file(_ path: String) throws(PhotoLibraryError) -> (data: Data, status: Disk.Status)? {
    guard disk.status(path) != nil else { return nil }
    let file: ReadableFile
    do throws(PhotoLibraryError) { file = try ReadableFile(path, disk: disk) } catch {
      if case .fileMissing = error { return nil }
      throw error
    }
    guard file.size <= UInt64(AssetRecord.largestFile) else {
      throw .unusableFile(path: path, reason: "it is too long for a record")
    }
    return (try file.data(at: 0, count: Int(file.size)), file.status)
  }

  /// What is known of an asset beside its file; nothing where there is no record.
  ///
  /// - Throws: Where there is one that can't be understood, which must not be written over.
  func record(_ id: Asset.ID) throws(PhotoLibraryError) -> AssetRecord {
    let path = folder.record(id)
    guard let file = try file(path) else { return AssetRecord() }
    return try AssetRecord(json: file.data, path: path)
  }

  /// An album, or a folder of albums; `nil` when there is none of that id.
  func collection(_ id: String) throws(PhotoLibraryError) -> CollectionRecord? {
    let path = folder.album(id)
    return try file(path).map { file throws(PhotoLibraryError) in try CollectionRecord(json: file.data, path: path) }
  }
}
