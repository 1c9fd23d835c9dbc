// Reading the records of assets and albums from the disk.

import Foundation
import Localization

/// The record files of one library.
struct RecordStore: Sendable {
  let folder: LibraryFolder
  let disk: Disk

  /// A small file and its status when it was read; `nil` when it doesn't exist.
  ///
  /// - Throws: `unusableFile` when it is too long, or the error of the disk.
  func file(_ path: String) throws(PhotoLibraryError) -> (data: Data, status: Disk.Status)? {
    guard disk.status(path) != nil else { return nil }
    let file: ReadableFile
    do throws(PhotoLibraryError) { file = try ReadableFile(path, disk: disk) } catch {
      if case .fileMissing = error { return nil }
      throw error
    }
    guard file.size <= UInt64(AssetRecord.largestFile) else {
      throw .unusableFile(path: path, reason: localized("it’s too long for a record"))
    }
    return (try file.data(at: 0, count: Int(file.size)), file.status)
  }

  /// A small file and its marks; `nil` when it doesn't exist.
  ///
  /// - Throws: As `file`.
  func marked(_ path: String) throws(PhotoLibraryError) -> (data: Data, mark: FileMark)? {
    try file(path).map { ($0.data, FileMark($0.status, data: $0.data)) }
  }

  /// The record of an asset; an empty one where there is none.
  ///
  /// - Throws: `unusableFile` for a record that can't be understood, which must not be overwritten, or the error of the
  ///   disk.
  func record(_ id: Asset.ID) throws(PhotoLibraryError) -> AssetRecord {
    let path = folder.record(id)
    guard let file = try file(path) else { return AssetRecord() }
    return try AssetRecord(json: file.data, path: path)
  }

  /// The record of an album or a folder of albums; `nil` when there is none with that id.
  ///
  /// - Throws: As `record`.
  func collection(_ id: String) throws(PhotoLibraryError) -> CollectionRecord? {
    let path = folder.album(id)
    return try file(path).map { file throws(PhotoLibraryError) in try CollectionRecord(json: file.data, path: path) }
  }
}
