// The formats of MediaFormats read from the library's files, with the library's errors.

import CameraCore
import Foundation
import Localization
import MediaFormats

extension ReadableFile: ByteSource {
  var name: String { path }
  var count: UInt64 { size }

  /// Reads with a parser or writer of a format.
  ///
  /// - Throws: Its error as one of the library, which names this file.
  func parse<Result>(
    _ body: (ReadableFile) throws(FormatError) -> Result
  ) throws(PhotoLibraryError) -> Result {
    do throws(FormatError) { return try body(self) } catch { throw PhotoLibraryError(error, path: path) }
  }
}

extension PhotoLibraryError {
  /// An error of a format, with the file's path.
  init(_ error: FormatError, path: String) {
    switch error {
    case .refused(let reason): self = .unusableFile(path: path, reason: reason)
    case .read(let failure): self = .system(.read, path, code: failure.code)
    }
  }
}

/// A piece of a file that is to be written, perhaps a stretch of one in the library.
typealias FilePart = BytePiece<ReadableFile>

extension [FilePart] {
  /// The number of bytes of all pieces.
  var byteCount: UInt64 { reduce(0) { $0 + $1.count } }
}

extension JPEGHead {
  /// - Throws: `PhotoLibraryError` when the file can't be read.
  init?(_ file: ReadableFile) throws(PhotoLibraryError) {
    guard let head = try file.parse({ file throws(FormatError) in try JPEGHead(file as any ByteSource) }) else {
      return nil
    }
    self = head
  }
}

extension PictureHead {
  /// - Throws: `PhotoLibraryError` when the file can't be read.
  init?(_ file: ReadableFile) throws(PhotoLibraryError) {
    guard let head = try file.parse({ file throws(FormatError) in try PictureHead(file as any ByteSource) }) else {
      return nil
    }
    self = head
  }

  /// Of a picture in memory.
  ///
  /// - Parameter path: For the error.
  /// - Throws: `unusableFile` when it isn't a picture.
  init(_ data: Data, path: String) throws(PhotoLibraryError) {
    let head: PictureHead?
    do throws(FormatError) { head = try PictureHead(DataSource(data, name: path)) } catch {
      throw PhotoLibraryError(error, path: path)
    }
    guard let head else { throw .unusableFile(path: path, reason: localized("it isn’t a complete picture")) }
    self = head
  }
}

extension MP4Head {
  /// - Throws: `PhotoLibraryError` when the file can't be read.
  init?(_ file: ReadableFile, range: Range<UInt64>) throws(PhotoLibraryError) {
    let head = try file.parse { file throws(FormatError) in try MP4Head(file as any ByteSource, range: range) }
    guard let head else { return nil }
    self = head
  }

  /// Whether the bytes at an offset begin an MP4.
  ///
  /// - Throws: `PhotoLibraryError` when the file can't be read.
  static func begins(in file: ReadableFile, at offset: UInt64) throws(PhotoLibraryError) -> Bool {
    try file.parse { file throws(FormatError) in try MP4Head.begins(in: file as any ByteSource, at: offset) }
  }
}

extension MovieHead {
  /// - Throws: `PhotoLibraryError` when the file can't be read.
  init?(_ file: ReadableFile) throws(PhotoLibraryError) {
    let head = try file.parse { file throws(FormatError) in try MovieHead(file as any ByteSource) }
    guard let head else { return nil }
    self = head
  }

  /// The format of a file, by its first bytes; `nil` when it is no movie.
  ///
  /// - Throws: `PhotoLibraryError` when the file can't be read.
  static func format(of file: ReadableFile) throws(PhotoLibraryError) -> MovieFormat? {
    try file.parse { file throws(FormatError) in try MovieHead.format(of: file as any ByteSource) }
  }
}

extension MotionPhoto {
  /// - Throws: `PhotoLibraryError` when the file can't be read.
  init?(_ file: ReadableFile, head: PictureHead) throws(PhotoLibraryError) {
    let photo = try file.parse { file throws(FormatError) in try MotionPhoto(file as any ByteSource, head: head) }
    guard let photo else { return nil }
    self = photo
  }
}

extension AppleContentIdentifier {
  /// The identifier of a movie.
  ///
  /// - Throws: `PhotoLibraryError` when the file can't be read.
  static func movie(_ file: ReadableFile) throws(PhotoLibraryError) -> String? {
    try file.parse { file throws(FormatError) in try AppleContentIdentifier.movie(file as any ByteSource) }
  }
}

extension AppleLivePhotoTrack {
  /// When the still of a movie is shown, in seconds from the movie's start.
  ///
  /// - Throws: `PhotoLibraryError` when the file can't be read.
  static func stillTime(of file: ReadableFile) throws(PhotoLibraryError) -> Double? {
    try file.parse { file throws(FormatError) in try stillTime(in: file as any ByteSource) }
  }
}

extension MovieCopy {
  /// The pieces of a copy of the movie in a range of a file.
  ///
  /// - Throws: `PhotoLibraryError.unusableFile` when the movie is damaged, or in a form in which the changes can't be made;
  ///   others when it can't be read.
  static func parts(
    of file: ReadableFile, range: Range<UInt64>, _ changes: Changes
  ) throws(PhotoLibraryError) -> [FilePart] {
    try file.parse { file throws(FormatError) in try pieces(of: file, range: range, changes) }
  }
}

extension MoviePackets {
  /// - Throws: `PhotoLibraryError` when the file can't be read.
  init(_ file: ReadableFile, range: Range<UInt64>) throws(PhotoLibraryError) {
    self = try file.parse { file throws(FormatError) in try MoviePackets(file as any ByteSource, range: range) }
  }

  /// The packets that can be parsed.
  ///
  /// - Throws: `PhotoLibraryError` when the file can't be read.
  func parsed(_ file: ReadableFile) throws(PhotoLibraryError) -> [XMPPacket] {
    try file.parse { file throws(FormatError) in try parsed(file as any ByteSource) }
  }
}

extension AppleLivePhotoTrack.Pair {
  init(contentIdentifier: String, stillTime: Double?, created: LocalTime, location: GeoLocation?) {
    let date = created.exifDate.replacing(" ", with: "T")
    let day = date.prefix(10).replacing(":", with: "-")
    self.init(
      contentIdentifier: contentIdentifier, stillTime: stillTime,
      creationDate: day + date.dropFirst(10) + created.exifOffset.replacing(":", with: ""),
      location: location?.iso6709)
  }
}
