// The content of a recorded file: a movie, certainly nothing, or something that can't be told.

import CameraCore
import Foundation
import Localization
import MediaFormats

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The content of a recording's file, finished or broken off. Only a file with certainly nothing in it may be removed: a
/// disk that can't be read now may be readable tomorrow.
enum RecordedContent: Equatable {
  /// It can be played, for so many seconds.
  case movie(seconds: Double)
  /// No frame is in it, or only the beginning of a first fragment, whose description was never written.
  case nothing
  /// The reason why it can't be told, the end of a sentence about the file.
  case unreadable(reason: String)

  /// In seconds; `nil` for what can't be played.
  var seconds: Double? { if case .movie(let seconds) = self { seconds } else { nil } }

  /// More boxes than the fragments of several days have.
  private static let largestBoxCount = 8_000_000

  /// Reads the file of a path. Blocks for as long as the disk takes.
  init(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      self = .unreadable(reason: ReadFailure(code: errno).reason)
      return
    }
    do throws(FormatError) {
      self = try Self.read(MovieStretch(URL(fileURLWithPath: path), range: 0..<UInt64(max(0, status.st_size))))
    } catch { self = .unreadable(reason: error.reason) }
  }

  /// Reads a file.
  ///
  /// - Throws: `FormatError.read`.
  static func read(_ source: any ByteSource) throws(FormatError) -> RecordedContent {
    var walker = MP4BoxWalker(ByteWindow(source), in: 0..<source.count, limit: largestBoxCount)
    var (hasMedia, hasIndex) = (false, false)
    while let box = try walker.next() {
      if box.type == "moov" { hasIndex = true }
      // The first one gets its size with its description.
      let isUndescribed = box.type == "mdat" && box.isOpenEnded && !hasIndex && !hasMedia
      if !descriptions.contains(box.type), !box.content.isEmpty, !isUndescribed { hasMedia = true }
    }
    switch walker.damage {
    case nil: break
    case .cutShort(let offset):
      let type = try walker.bytes.number(at: offset + 4, bytes: 4)
      // A description may be torn; anything else may be media.
      if let type, !Self.descriptions.contains(MP4Type(code: UInt32(truncatingIfNeeded: type))) { hasMedia = true }
    case .impossible, .tooMany: return .unreadable(reason: localized("the file is damaged"))
    }
    guard hasMedia else { return .nothing }
    guard hasIndex, let seconds = try MP4Head(source, range: 0..<source.count)?.duration, seconds > 0 else {
      return .unreadable(reason: localized("the file has no index"))
    }
    return .movie(seconds: seconds)
  }

  /// The boxes of a recording in which there is no media. Where no frame came at all, the muxer renames the first one, as
  /// if it were a description that it hides (GStreamer 1.22).
  private static let descriptions: Set<MP4Type> = ["ftyp", "htyp", "free", "moov", "moof"]
}
