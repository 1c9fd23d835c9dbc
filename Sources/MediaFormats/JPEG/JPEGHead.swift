// The beginning of a JPEG file, read in small pieces, however large the file is.

import CameraCore
import Foundation

/// The size and the metadata blocks of a JPEG file, from the segments before its first scan.
///
/// Nothing is decoded, and the input is untrusted: every length is checked, and the number of segments is limited.
public struct JPEGHead: Sendable {
  /// As coded, before any rotation.
  public var size: PixelSize
  /// The TIFF structure behind `Exif\0\0`.
  public var exif: Data?
  /// The XMP packet.
  public var xmp: Data?
  /// The offset of the first scan in the file.
  public var scanOffset: UInt64
  /// The payload of the frame header, for a digest.
  public var frameHeader: Data
  /// Whether it has Adobe's segment: then printing colors are stored inverted.
  public var hasAdobeSegment = false
  /// The pieces of the color profile, with their numbers, which count from 1.
  private var profilePieces: [(number: UInt64, range: Range<UInt64>)] = []

  /// Segments before the scan. A file with more is an attack.
  private static let largestSegmentCount = 4096
  /// Fill bytes between segments. A file with more is an attack.
  private static let largestFill = 64 << 10

  private static let mostProfilePieces = 255

  /// The ICC profile; `nil` without one, and for one whose pieces aren't all there.
  ///
  /// Source: ICC.1:2022, B.4.
  ///
  /// - Parameter source: The same file.
  /// - Throws: `FormatError.read`.
  public func profile(in source: any ByteSource) throws(FormatError) -> Data? {
    let pieces = profilePieces.sorted { $0.number < $1.number }
    guard !pieces.isEmpty, pieces.enumerated().allSatisfy({ UInt64($0.offset + 1) == $0.element.number }) else {
      return nil
    }
    var profile = Data()
    for piece in pieces { profile += try source.data(at: piece.range.lowerBound, count: piece.range.count) }
    return profile
  }

  /// Reads the head of a file.
  ///
  /// - Returns: `nil` when the file is not a JPEG with a picture in it.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource) throws(FormatError) {
    var window = ByteWindow(source)
    guard try window.number(at: 0, bytes: 2) == 0xffd8 else { return nil }
    var frame: (size: PixelSize, payload: Data)?
    var offset: UInt64 = 2
    var fill = 0
    for _ in 0..<Self.largestSegmentCount {
      // Any number of 0xFF may precede a marker's code.
      var code = try window.byte(at: offset + 1)
      guard try window.byte(at: offset) == 0xff else { return nil }
      while code == 0xff {
        offset += 1
        fill += 1
        guard fill <= Self.largestFill else { return nil }
        code = try window.byte(at: offset + 1)
      }
      guard let code, code >= 0xc0, !JPEGMarker.standsAlone(code) else { return nil }
      guard let length = try window.number(at: offset + 2, bytes: 2).map({ Int($0) }), length >= 2 else { return nil }
      let payload = offset + 4
      switch code {
      case JPEGMarker.startOfScan:
        guard let frame else { return nil }
        (size, frameHeader) = (frame.size, frame.payload)
        scanOffset = offset
        return
      case _ where JPEGMarker.isFrameHeader(code):
        let bytes = [UInt8](try window.bytes(at: payload, count: length - 2))
        guard bytes.count >= 6 else { return nil }
        let size = PixelSize(width: Int(bytes[3]) << 8 | Int(bytes[4]), height: Int(bytes[1]) << 8 | Int(bytes[2]))
        guard size.width > 0, size.height > 0 else { return nil }
        frame = (size, Data(bytes))
      case JPEGMarker.app1:
        if exif == nil, try window.begins(with: "Exif\0", at: payload), length > 8 {
          exif = try source.data(at: payload + 6, count: length - 8)
        } else if xmp == nil, try window.begins(with: "http://ns.adobe.com/xap/1.0/\0", at: payload), length > 31 {
          xmp = try source.data(at: payload + 29, count: length - 31)
        }
      case JPEGMarker.app2:
        guard profilePieces.count < Self.mostProfilePieces, length > 16,
          try window.begins(with: "ICC_PROFILE\0", at: payload),
          let number = try window.number(at: payload + 12, bytes: 1)
        else { break }
        profilePieces.append((number, payload + 14..<offset + 2 + UInt64(length)))
      case JPEGMarker.app14:
        if try window.begins(with: "Adobe", at: payload) { hasAdobeSegment = true }
      default:
        break
      }
      offset += 2 + UInt64(length)
    }
    return nil
  }
}
