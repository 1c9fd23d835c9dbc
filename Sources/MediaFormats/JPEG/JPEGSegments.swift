// A JPEG file as a list of segments, for changes of its metadata without decoding.

import CameraCore
import Foundation

/// The segments of a JPEG: metadata and tables, the scans, and the bytes behind the picture.
///
///     let segments = try JPEGSegments(parsing: jpeg)
///     let exif = try JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data("Exif\0\0".utf8) + tiff)
///     let tagged = segments.removing([.jfif, .exif, .xmp]).assemble(front: [exif])
///
/// Tables and scan data are copied byte for byte. `Data` may have any start index; all offsets here count from its first
/// byte.
public struct JPEGSegments: Sendable {
  /// The purpose of a segment, as far as metadata go.
  public enum Kind: Hashable, Sendable {
    /// APP0 `JFIF` and its thumbnail block `JFXX`.
    case jfif
    /// APP0 `AVI1`, of Motion JPEG.
    case avi
    /// APP1 `Exif`.
    case exif
    /// APP1 with an XMP packet.
    case xmp
    /// APP1 with a piece of an XMP packet that is too long for one segment.
    case extendedXMP
    /// APP2 `ICC_PROFILE`.
    case colorProfile
    /// APP2 `MPF`: the index of further pictures in the file.
    case multiPicture
    /// APP14 `Adobe`: the color transform; needed to decode the picture.
    case adobe
    /// Another APPn, or a segment that is reserved for extensions (JPGn).
    case application
    case comment
    /// DQT, DHT, DRI, SOF, …: needed to decode the picture.
    case tables
  }

  /// One segment before the first scan.
  public struct Segment: Hashable, Sendable {
    /// The marker's second byte.
    public var marker: UInt8
    public var kind: Kind
    /// From the marker to the end of the segment.
    public var range: Range<Int>
    /// The bytes behind marker and length, identifier included.
    public var payload: Range<Int>
  }

  /// All segments between SOI and the first SOS, in order; fewer after `removing`.
  public private(set) var segments: [Segment]
  /// Of the picture, in pixels.
  public let size: PixelSize
  /// From the first SOS marker to EOI inclusive, tables between scans included.
  public let scan: Range<Int>
  /// Segments in `scan` that no decoder needs: comments, APPn, and those reserved for extensions. Behind the first scan
  /// nobody looks for metadata, and nothing else writes them.
  public private(set) var lateMetadata: [Range<Int>]
  /// The bytes that were parsed.
  public let data: Data

  /// The offset behind EOI: in a Motion Photo, the movie or padding before it begins here.
  public var end: Int { scan.upperBound }
  /// The bytes behind the picture.
  public var trailer: Range<Int> { end..<data.count }

  /// Reads the picture that begins at the first byte.
  ///
  /// - Throws: `JPEGStreamError` when it isn't a JPEG, ends before EOI, or has damaged segments.
  public init(parsing data: Data) throws(JPEGStreamError) {
    self.data = data
    // A closure can't throw typed errors through `Data`, hence the `Result`.
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(JPEGStreamError) in try Self.parse(bytes) }
    }
    (segments, size, scan, lateMetadata) = try result.get()
  }

  /// A copy whose scans have no metadata between or behind them.
  public func removingLateMetadata() -> Self {
    var copy = self
    copy.isWithoutLateMetadata = true
    return copy
  }

  private var isWithoutLateMetadata = false

  /// A copy without the segments of these kinds.
  public func removing(_ kinds: Set<Kind>) -> Self { removing { kinds.contains($0.kind) } }

  /// A copy without the segments for which the closure returns true.
  public func removing(where isUnwanted: (Segment) -> Bool) -> Self {
    var copy = self
    copy.segments.removeAll(where: isUnwanted)
    return copy
  }

  /// Whether the picture is gray.
  public var hasOneComponent: Bool {
    // Behind precision, height and width.
    segments.first { JPEGMarker.isFrameHeader($0.marker) }.map { bytes($0.payload).dropFirst(5).first == 1 } ?? false
  }

  /// The payload of the first segment of a kind, identifier included (`Exif\0\0…`, `http://ns.adobe.com/xap/1.0/\0…`).
  public func payload(of kind: Kind) -> Data? {
    segments.first { $0.kind == kind }.map { bytes($0.payload) }
  }

  /// The JPEG from SOI to EOI: the given segments, the remaining segments, the scans. Bytes behind EOI are left out.
  ///
  /// - Parameter front: Whole segments, made by `segment(marker:payload:)`, in order.
  public func assemble(front: [Data] = []) -> Data {
    let count = 2 + front.reduce(0) { $0 + $1.count } + segments.reduce(0) { $0 + $1.range.count } + scan.count
    var result = Data(capacity: count)
    result.append(contentsOf: [0xff, JPEGMarker.startOfImage])
    for segment in front { result.append(segment) }
    for segment in segments { result.append(bytes(segment.range)) }
    var start = scan.lowerBound
    if isWithoutLateMetadata {
      for range in lateMetadata {
        result.append(bytes(start..<range.lowerBound))
        start = range.upperBound
      }
    }
    result.append(bytes(start..<scan.upperBound))
    return result
  }

  /// A whole segment: marker, length, payload.
  ///
  /// - Throws: `JPEGStreamError.segmentTooLong` past 65,533 bytes.
  public static func segment(marker: UInt8, payload: Data) throws(JPEGStreamError) -> Data {
    let length = payload.count + 2
    guard length <= 0xffff else { throw .segmentTooLong(count: payload.count) }
    return Data([0xff, marker, UInt8(length >> 8), UInt8(length & 0xff)]) + payload
  }

  /// The bytes of a segment, or of its payload.
  public func bytes(_ range: Range<Int>) -> Data {
    data[data.startIndex + range.lowerBound..<data.startIndex + range.upperBound]
  }
}

extension JPEGSegments {
  private static func parse(
    _ bytes: UnsafeRawBufferPointer
  ) throws(JPEGStreamError) -> ([Segment], PixelSize, Range<Int>, [Range<Int>]) {
    var reader = try JPEGMarkerReader(bytes)
    var tables = JPEGTableCheck(bytes: bytes)
    var segments: [Segment] = []
    var late: [Range<Int>] = []
    var scanStart: Int?
    while true {
      let step = try reader.next()
      if step.code == JPEGMarker.endOfImage { break }
      guard !JPEGMarker.standsAlone(step.code) else { throw .damaged(offset: step.range.lowerBound) }
      if JPEGMarker.isFrameHeader(step.code) { try tables.frame(step.payload, code: step.code) }
      if step.code == JPEGMarker.startOfScan {
        if scanStart == nil { scanStart = step.range.lowerBound }
        try reader.skipScanData()
      } else {
        let kind = Kind(marker: step.code, payload: step.payload, in: bytes)
        if scanStart == nil {
          segments.append(Segment(marker: step.code, kind: kind, range: step.range, payload: step.payload))
        } else if kind != .tables {
          late.append(step.range)
        }
      }
    }
    guard let size = tables.size, let scanStart else { throw .damaged(offset: reader.position - 2) }
    return (segments, size, scanStart..<reader.position, late)
  }
}

extension JPEGSegments.Kind {
  fileprivate init(marker: UInt8, payload: Range<Int>, in bytes: UnsafeRawBufferPointer) {
    func begins(_ text: StaticString) -> Bool { bytes.has(text, at: payload) }
    self =
      switch marker {
      case JPEGMarker.app0 where begins("JFIF\0") || begins("JFXX\0"): .jfif
      case JPEGMarker.app0 where begins("AVI1"): .avi
      case JPEGMarker.app1 where begins("Exif\0"): .exif
      case JPEGMarker.app1 where begins("http://ns.adobe.com/xap/1.0/\0"): .xmp
      case JPEGMarker.app1 where begins("http://ns.adobe.com/xmp/extension/\0"): .extendedXMP
      case JPEGMarker.app2 where begins("ICC_PROFILE\0"): .colorProfile
      case JPEGMarker.app2 where begins("MPF\0"): .multiPicture
      case JPEGMarker.app14 where begins("Adobe"): .adobe
      // JPG0 … JPG13 are reserved for extensions.
      case 0xe0...0xfd: .application
      case JPEGMarker.comment: .comment
      default: .tables
      }
  }
}
