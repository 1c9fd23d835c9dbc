// The DNG of a picture's raw frame, beside the picture.

import CameraCore
import Foundation
import Localization
import MediaFormats

/// A picture that was saved with its raw frame is one asset of two files: the picture, which is shown, and beside it a DNG
/// of the same base name, which goes with it wherever it goes.
///
/// The files alone tell what belongs together: the DNG has the picture's name and, in DNG's `RawDataUniqueID`, the
/// picture's id. A DNG of another program, or of another picture, is never taken for one of these. A picture that another
/// program has saved under the same base name in another format keeps the id in its EXIF, and is a copy without a DNG.
enum RawCompanion {
  static let ending = ".dng"

  /// The name of the DNG that belongs to a picture's name or path.
  static func path(beside picture: String) -> String { stem(of: picture) + ending }

  /// A name or path without the file extension.
  static func stem(of path: String) -> String {
    let name = Disk.name(of: path)
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return path }
    return String(decoding: path.utf8.dropLast(name.utf8[dot...].count), as: UTF8.self)
  }

  /// The DNG of a picture's base name, and the id of the picture that it belongs to. That may be another one of this name:
  /// see `LibraryIndex.raw(of:at:in:disk:)`.
  ///
  /// - Parameter path: Of the picture's file, absolute.
  /// - Returns: `nil` where there is none.
  /// - Throws: When a file of that name can't be read.
  static func find(
    beside path: String, disk: Disk
  ) throws(PhotoLibraryError) -> (path: String, picture: Asset.ID)? {
    guard mayHaveOne(path) else { return nil }
    let raw = Self.path(beside: path)
    guard let status = try disk.checkedStatus(raw), status.kind == .file else { return nil }
    return try uniqueID(of: raw, disk: disk).map { (raw, $0) }
  }

  /// Whether a DNG may belong to a file by its name: a picture that isn't a raw file itself.
  static func mayHaveOne(_ path: String) -> Bool {
    guard case .picture(let format)? = FileFacts.Kind(name: Disk.name(of: path)) else { return false }
    return format != .raw
  }

  /// The id of the picture that a DNG belongs to; `nil` for other files.
  ///
  /// - Throws: When the file can't be read.
  static func uniqueID(of path: String, disk: Disk) throws(PhotoLibraryError) -> Asset.ID? {
    try ReadableFile(path, disk: disk).parse { file throws(FormatError) in try DNGHead.uniqueID(of: file) }
  }

  /// The DNG of a shot.
  ///
  /// The place is in the picture alone, so that a copy without it needs no other DNG.
  ///
  /// - Throws: `unusableFile` when the frame is too large for the format.
  static func data(
    _ frame: BayerFrame, metadata: PhotoMetadata, id: Asset.ID
  ) throws(PhotoLibraryError) -> Data {
    let time = LocalTime(milliseconds: metadata.date.millisecondsSince1970, utcOffset: metadata.utcOffset)
    let description = DNGFile.Description(
      id: id, cameraMake: metadata.cameraMake, cameraName: metadata.cameraName, software: metadata.software,
      date: time.exifDate, subseconds: time.exifSubseconds, utcOffset: time.exifOffset, preview: metadata.thumbnail)
    do throws(FormatError) { return try DNGFile(frame, description).data } catch {
      throw PhotoLibraryError(error, path: localized("The RAW photo"))
    }
  }
}
