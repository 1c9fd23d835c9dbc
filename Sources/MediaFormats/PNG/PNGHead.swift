// The facts of a PNG file that an index needs, and copies with other metadata.

import CameraCore
import Foundation
import Localization

/// The size and the metadata blocks of a PNG file.
///
/// Nothing is decoded, and the input is untrusted.
public struct PNGHead: PictureContainer {
  /// As coded, before EXIF's orientation.
  public var size: PixelSize
  /// The TIFF structure in `eXIf`.
  public var exif: Data?
  /// The XMP packet in `iTXt`.
  public var xmp: Data?
  /// Behind `IEND`, or behind the last chunk that can be read.
  public var end: UInt64
  /// The first compressed pixels, which stay the same when a program changes metadata.
  public var imageData: Range<UInt64>
  /// All compressed pixels, chunk by chunk.
  public var imageRanges: [Range<UInt64>]

  public var isAnimated: Bool

  public static func begins(in source: any ByteSource) throws(FormatError) -> Bool { try PNGFile.begins(in: source) }

  /// - Returns: `nil` when the file is not a PNG with pixels in it.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource) throws(FormatError) {
    guard let file = try PNGFile(source), let pixels = file.chunks.first(where: { $0.type == "IDAT" }) else {
      return nil
    }
    size = file.size
    isAnimated = file.chunks.contains { $0.type == "acTL" }
    imageData = pixels.content
    imageRanges = file.chunks.filter { $0.type == "IDAT" }.map(\.content)
    end = file.chunks.last?.range.upperBound ?? pixels.range.upperBound
    if let chunk = file.chunks.first(where: { $0.type == "eXIf" }), chunk.content.count <= Self.longestBlock,
      chunk.content.count > 8
    {
      exif = try source.data(at: chunk.content.lowerBound, count: chunk.content.count)
    }
    if let (_, packet) = try file.xmp(in: source), packet.count <= Self.longestBlock, !packet.isEmpty {
      xmp = try source.data(at: packet.lowerBound, count: packet.count)
    }
  }

  /// The pieces of a copy up to the end of the picture, with other metadata. Changed chunks stay where they are; new
  /// ones come before the pixels. So undoing a change gives the old bytes.
  ///
  /// - Throws: `FormatError.refused` when it isn't a complete PNG.
  public static func pieces<Source: ByteSource>(
    of source: Source, _ change: PictureMetadata
  ) throws(FormatError) -> [BytePiece<Source>] {
    guard let file = try PNGFile(source), file.isComplete, let last = file.chunks.last,
      let pixels = file.chunks.first(where: { $0.type == "IDAT" })
    else { throw .refused(reason: localized("the PNG file is incomplete or damaged")) }
    var splice = ByteSplice()
    let exif = file.chunks.first { $0.type == "eXIf" }
    let xmp = try file.xmp(in: source)?.chunk
    var new: [UInt8] = []
    // A second packet would hide what the first one says from readers that take the last, or the other way round.
    if change.needsXMP, !change.dropsOthers {
      guard try file.packets(in: source) == [xmp].compactMap(\.self) else {
        throw .refused(reason: localized("the metadata (XMP) is compressed or stored more than once"))
      }
      // One that wasn't read isn't replaced by what was made without it.
      guard xmp.map({ $0.content.count <= longestBlock }) ?? true else {
        throw .refused(reason: localized("the metadata (XMP) is too long"))
      }
    }
    if let records = change.records, !change.dropsOthers {
      if records.removesPlace || change.exif != .kept { try file.checkEXIF() }
      for (chunk, bytes) in try file.placelessTexts(in: source, records) { splice.replace(chunk.range, with: bytes) }
    }
    if change.profile != .kept {
      var chunk: [UInt8] = []
      if case .replaced(let data) = change.profile {
        // A name, and compression by zlib.
        chunk = PNGFile.chunk("iCCP", Array("ICC profile\0\0".utf8) + PNGFile.stored([UInt8](data)))
      }
      if let old = file.chunks.first(where: { $0.type == "iCCP" }) { splice.replace(old.range, with: chunk) }
    }
    if change.exif != .kept {
      var chunk: [UInt8] = []
      if case .replaced(let data) = change.exif { chunk = PNGFile.chunk("eXIf", [UInt8](data)) }
      if let exif { splice.replace(exif.range, with: chunk) } else { new += chunk }
    }
    if change.xmp != .kept {
      var chunk: [UInt8] = []
      if case .replaced(let data) = change.xmp {
        // No compression, no language, no translated keyword.
        chunk = PNGFile.chunk("iTXt", PNGFile.xmpKeyword + [0, 0, 0, 0] + [UInt8](data))
      }
      if let xmp { splice.replace(xmp.range, with: chunk) } else { new += chunk }
    }
    if let date = change.records?.date, !change.dropsOthers {
      for (chunk, bytes) in try file.creationTimes(in: source, date) { splice.replace(chunk.range, with: bytes) }
    }
    if change.dropsOthers {
      for chunk in file.chunks where !chunk.isNeeded && chunk != exif && chunk != xmp {
        splice.replace(chunk.range, with: [])
      }
    }
    if !new.isEmpty { splice.replace(pixels.range.lowerBound..<pixels.range.lowerBound, with: new) }
    try splice.sort()
    return splice.pieces(of: source, upTo: change.dropsOthers ? last.range.upperBound : source.count)
  }

  /// Walks all chunks and compares their checksums.
  ///
  /// - Throws: `FormatError.read`.
  public static func walk(_ source: any ByteSource) throws(FormatError) -> PictureWalk {
    guard let file = try PNGFile(source) else { return .damaged(at: 0) }
    for chunk in file.chunks {
      var sum = PNGChecksum()
      var offset = chunk.range.lowerBound + 4
      let end = chunk.range.upperBound - 4
      while offset < end {
        let piece = try source.prefix(at: offset, count: Int(min(end - offset, 1 << 18)))
        guard !piece.isEmpty else { return .cutShort }
        piece.withUnsafeBytes { sum.add($0) }
        offset += UInt64(piece.count)
      }
      let stated = try source.prefix(at: end, count: 4)
      guard stated.count == 4 else { return .cutShort }
      guard BigEndian.number(stated, at: 0, count: 4) == UInt64(sum.value) else {
        return .damaged(at: chunk.range.lowerBound)
      }
    }
    return file.isComplete ? .complete : .cutShort
  }
}
