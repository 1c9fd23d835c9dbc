// The facts of a movie of any format.

import CameraCore

/// The facts of a movie file that an index needs, whatever its format.
public struct MovieHead: Sendable, Hashable {
  public var format: MovieFormat
  /// In seconds; `nil` when it doesn't tell.
  public var duration: Double?
  /// Upright; `nil` without a picture.
  public var size: PixelSize?
  /// The clockwise quarter turns after which the decoded picture is upright, 0…3, where GStreamer's demuxer doesn't tell
  /// them itself.
  public var quarterTurns = 0
  /// In seconds since 1970; `nil` when it doesn't tell.
  public var created: Int64?
  /// The same where the offset from UTC isn't known: `2003:06:15 10:20:30`.
  public var createdLocally: String?
  /// With the offset from UTC: `2026-11-21T07:31:06+0100`; `nil` when it doesn't tell.
  public var date: String?
  /// The position at which it was recorded, in the form of ISO 6709; `nil` when it doesn't tell.
  public var position: String?
  public var make: String?
  public var model: String?
  /// The range of the first media data, for a digest.
  public var mediaRange: Range<UInt64>?
  /// Whether there is sound and no picture.
  public var hasOnlySound: Bool
  /// The id of the asset that it is an edit of; see `MovieIdentity`.
  public var assetID: String?

  /// The format of a file, by its first bytes; `nil` when it is no movie.
  ///
  /// - Throws: `FormatError.read`.
  public static func format(of source: any ByteSource) throws(FormatError) -> MovieFormat? {
    if try MP4Head.begins(in: source, at: 0) {
      var window = ByteWindow(source)
      return try window.begins(with: "qt  ", at: 8) ? .mov : .mp4
    }
    if try AVIHead.begins(in: source) { return .avi }
    return try MatroskaHead.isWebM(source).map { $0 ? .webm : .mkv }
  }

  /// - Returns: `nil` when it is no movie.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource) throws(FormatError) {
    guard let format = try Self.format(of: source) else { return nil }
    self.format = format
    switch format.structure {
    case .boxes:
      guard let head = try MP4Head(source, range: 0..<source.count) else { return nil }
      (duration, size, created, position) = (head.duration, head.size, head.created, head.position)
      date = head.date
      (mediaRange, hasOnlySound, assetID) = (head.mediaRange, head.hasOnlySound, head.assetID)
    case .elements:
      guard let head = try MatroskaHead(source) else { return nil }
      (duration, size, created, position) = (head.duration, head.size, head.created, head.position)
      (mediaRange, hasOnlySound) = (head.mediaRange, head.hasSound && !head.hasPicture)
      (quarterTurns, make, model) = (head.quarterTurns, head.make, head.model)
    case .chunks:
      guard let head = try AVIHead(source) else { return nil }
      (duration, size, createdLocally) = (head.duration, head.size, head.created)
      (mediaRange, hasOnlySound) = (head.mediaRange, head.hasSound && !head.hasPicture)
    }
  }

  /// Looks for damage in a file that isn't made of boxes, without decoding; `nil` for others.
  ///
  /// - Throws: `FormatError.read`.
  public static func walk(_ source: any ByteSource) throws(FormatError) -> PictureWalk? {
    switch try format(of: source)?.structure {
    case .elements: try MatroskaHead(source)?.walk ?? .cutShort
    case .chunks: try AVIHead(source)?.walk
    case .boxes, nil: nil
    }
  }
}
