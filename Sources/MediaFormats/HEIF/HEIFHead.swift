// The facts of a HEIC or AVIF file that an index needs.

import CameraCore
import Foundation
import Localization

/// The size and the metadata blocks of a HEIC or AVIF file, and the movie behind its picture.
///
/// Nothing is decoded, and the input is untrusted.
public struct HEIFHead: Sendable {
  public var format: PhotoFormat
  /// As decoders give it: turned and cropped as the file says. EXIF's orientation is for information only.
  public var size: PixelSize
  /// The TIFF structure.
  public var exif: Data?
  /// The XMP packet.
  public var xmp: Data?
  /// Behind the last byte of the picture; then the movie's box follows, or nothing.
  public var end: UInt64
  /// The MP4 of a live photo, in the box `mpvd`; `nil` without one.
  public var movie: Range<UInt64>?
  /// The first coded bytes of the picture, which stay the same when a program changes metadata.
  public var imageData: Range<UInt64>
  /// All coded bytes of the picture, tile by tile.
  public var imageRanges: [Range<UInt64>]
  /// Whether it is an AVIF with an image sequence.
  public var isAnimated: Bool

  /// In bytes: metadata that are longer are ignored.
  static let longestBlock: UInt64 = 8 << 20

  /// - Returns: `nil` when the file is not a HEIF file with a coded picture in it.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource) throws(FormatError) {
    guard let file = try HEIFFile(source) else { return nil }
    let directory = file.directory
    let coded = directory.codedItems(of: directory.primary)
    let entries = directory.locations.entries(of: Set(coded))
    guard let size = directory.properties.size(of: directory.primary), let first = coded.first,
      let entry = entries[first],
      entry.isInFile || entry.isInBox
    else { return nil }
    self.size = size
    format = file.format
    isAnimated = format == .avif && file.boxes.contains { $0.type == "moov" }
    if entry.isInFile {
      guard let range = try? directory.locations.ranges(of: entry, upTo: source.count).first, !range.isEmpty else {
        return nil
      }
      imageData = range
      imageRanges = coded.flatMap { id -> [Range<UInt64>] in
        guard let entry = entries[id], entry.isInFile else { return [] }
        return (try? directory.locations.ranges(of: entry, upTo: source.count)) ?? []
      }
    } else {
      imageData = file.meta.content
      imageRanges = [imageData]
    }
    if let item = directory.metadata(HEIFDirectory.isExif),
      let bytes = try file.bytes(of: item.id, in: source, atMost: Self.longestBlock)
    {
      exif = Self.tiff(in: bytes)
    }
    if let item = directory.metadata(HEIFDirectory.isXMP),
      let bytes = try file.bytes(of: item.id, in: source, atMost: Self.longestBlock), !bytes.isEmpty
    {
      xmp = Data(bytes)
    }
    end = file.end(of: source)
    if let box = file.movieBox, try MP4Head.begins(in: source, at: box.content.lowerBound) {
      movie = try Self.movie(in: box.content, of: source)
    }
  }

  /// The TIFF structure of an item: behind the number that tells its offset, and perhaps `Exif\0\0`.
  static func tiff(in item: [UInt8]) -> Data? {
    guard item.count > 8 else { return nil }
    let offset = BigEndian.number(item, at: 0, count: 4)
    guard offset < UInt64(item.count - 4) else { return nil }
    return Data(item[(4 + Int(offset))...])
  }

  /// The MP4 without what makers put behind it, such as Samsung's `sefd`.
  private static func movie(
    in range: Range<UInt64>, of source: any ByteSource
  ) throws(FormatError) -> Range<UInt64> {
    var walker = MP4BoxWalker(ByteWindow(source), in: range, limit: 4096)
    while let box = try walker.next() {
      if box.type == "sefd", box.range.lowerBound > range.lowerBound { return range.lowerBound..<box.range.lowerBound }
    }
    return range
  }

  /// The head of the box that the movie of a live photo is in (Motion Photo 1.0, “HEIC and AVIF”); the MP4 follows.
  ///
  /// - Throws: `FormatError.refused` for a movie that is too long.
  public static func movieBoxHead(movieLength: UInt64) throws(FormatError) -> Data {
    guard movieLength <= UInt64(UInt32.max) - 8 else {
      throw .refused(reason: localized("the video is too long for a live photo"))
    }
    return Data(BigEndian.words(movieLength + 8) + Array("mpvd".utf8))
  }

  /// The number of bytes between the picture and its movie.
  public static let moviePadding = MotionPhotoDescription.paddingOfHEIF

  /// The first fault of a file whose head can be read; `nil` for a complete one.
  ///
  /// All boxes must fill the file, and all items must be in it.
  ///
  /// - Throws: `FormatError.read`.
  public static func damage(of source: any ByteSource) throws(FormatError) -> MP4Damage? {
    guard let file = try HEIFFile(source) else { return .impossible(at: 0) }
    if let damage = file.damage { return damage }
    if let last = file.boxes.last, last.range.upperBound < source.count { return .cutShort(at: last.range.upperBound) }
    for entry in file.directory.locations.entries where entry.isInFile {
      guard (try? file.directory.locations.ranges(of: entry, upTo: source.count)) != nil else {
        return .cutShort(at: entry.base)
      }
    }
    return nil
  }
}
