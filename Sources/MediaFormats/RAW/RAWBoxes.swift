// Canon's raw files that consist of boxes.

import CameraCore
import Foundation

/// A CR3 file: boxes of ISO/IEC 14496-12, with Canon's metadata, previews and raw pictures in them. Untrusted input.
///
/// Source: the tags of CR3 files in the documentation of ExifTool.
enum RAWBoxes {
  /// Of the box in `moov` with the metadata, and of the one with the preview at the top level.
  private static let metadataID: [UInt8] = [
    0x85, 0xc0, 0xb6, 0x87, 0x82, 0x0f, 0x11, 0xe0, 0x81, 0x11, 0xf4, 0xce, 0x46, 0x2b, 0x6a, 0x48,
  ]
  private static let previewID: [UInt8] = [
    0xea, 0xf4, 0x2b, 0x5e, 0x1c, 0x98, 0x4b, 0x88, 0xb9, 0xfb, 0xb7, 0xdc, 0x40, 0x6e, 0x4d, 0x16,
  ]
  private static let xmpID: [UInt8] = [
    0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac,
  ]
  private static let mostBoxes = 4096
  private static let exifWidth: UInt16 = 40_962
  private static let exifHeight: UInt16 = 40_963
  /// Of a preview's box: what is before its JPEG.
  private static let previewHead: UInt64 = 16

  static func begins(in source: any ByteSource) throws(FormatError) -> Bool {
    var window = ByteWindow(source)
    return try window.begins(with: "ftypcrx ", at: 4)
  }

  /// - Throws: `FormatError.read`.
  static func parts(of source: any ByteSource) throws(FormatError) -> RAWHead.Parts {
    var parts = RAWHead.Parts()
    var walker = MP4BoxWalker(ByteWindow(source), in: 0..<source.count, limit: mostBoxes)
    var blocks: [MP4Type: Range<UInt64>] = [:]
    /// The chunk of each track.
    var (offsets, lengths): ([UInt64], [UInt64]) = ([], [])
    while let box = try walker.next() {
      switch box.type {
      case "moov", "trak", "mdia", "minf", "stbl": walker.enter(box)
      case "uuid":
        let id = try source.prefix(at: box.content.lowerBound, count: 16)
        let start = box.content.lowerBound + 16
        guard start <= box.content.upperBound else { break }
        if id == metadataID {
          walker.enter(inside(box, from: start))
        } else if id == previewID, start + 8 <= box.content.upperBound {
          walker.enter(inside(box, from: start + 8))
        } else if id == xmpID, box.content.upperBound - start <= RAWHead.longestBlock {
          parts.xmp = try source.data(at: start, count: Int(box.content.upperBound - start))
        }
      case "CMT1", "CMT2", "CMT4": blocks[box.type] = blocks[box.type] ?? box.content
      case "PRVW":
        let start = box.content.lowerBound + previewHead
        if start < box.content.upperBound { parts.previews.append(start..<box.content.upperBound) }
      case "stsz":
        // One sample: its length is that of all.
        if let length = try walker.bytes.number(at: box.content.lowerBound + 4, bytes: 4) { lengths.append(length) }
      case "co64":
        if let offset = try walker.bytes.number(at: box.content.lowerBound + 8, bytes: 8) { offsets.append(offset) }
      default: break
      }
    }
    for (offset, length) in zip(offsets, lengths) where length > 0 && offset < 1 << 62 {
      let range = offset..<offset + length
      if try source.prefix(at: offset, count: 3) == [0xff, 0xd8, 0xff] {
        parts.previews.append(range)
      } else {
        parts.pixels.append(range)
      }
    }
    try describe(&parts, blocks, source)
    return parts
  }

  private static func inside(_ box: MP4BoxHead, from start: UInt64) -> MP4BoxHead {
    var box = box
    box.content = start..<box.content.upperBound
    return box
  }

  /// Puts the directories of the picture, of EXIF and of positions, each of them a TIFF structure of its own, together to an
  /// EXIF block.
  private static func describe(
    _ parts: inout RAWHead.Parts, _ blocks: [MP4Type: Range<UInt64>], _ source: any ByteSource
  ) throws(FormatError) {
    var (left, fields, isBigEndian): (Int, [TIFFField], Bool?) = (RAWHead.longestBlock, [], nil)
    for (type, tag) in [("CMT1", nil), ("CMT2", TIFFTag.exif), ("CMT4", TIFFTag.positions)] as [(MP4Type, UInt16?)] {
      guard let range = blocks[type], var reader = try TIFFReader(SourceStretch(source, range: range)),
        isBigEndian ?? reader.isBigEndian == reader.isBigEndian
      else { continue }
      isBigEndian = reader.isBigEndian
      let directory = try reader.directory(at: reader.firstDirectory)
      let (width, height) = tag == nil ? (TIFFTag.width, TIFFTag.height) : (exifWidth, exifHeight)
      if tag != TIFFTag.positions, let width = try reader.value(directory[width]), (1..<1 << 16).contains(width),
        let height = try reader.value(directory[height]), (1..<1 << 16).contains(height)
      {
        // EXIF's, which comes later, is that of the finished picture.
        parts.size = PixelSize(width: Int(width), height: Int(height))
      }
      guard let tag else {
        fields += try reader.exif(of: directory, &left)
        continue
      }
      var inner: [TIFFField] = []
      for entry in directory.entries {
        if let field = try reader.field(entry, &left) { inner.append(field) }
      }
      if !inner.isEmpty { fields.append(TIFFField(tag, directory: inner.sorted { $0.tag < $1.tag })) }
    }
    guard !fields.isEmpty, left >= 0, let isBigEndian else { return }
    parts.exif = TIFFHead.block(fields.sorted { $0.tag < $1.tag }, isBigEndian: isBigEndian)
  }
}
