// A JPEG XL file as boxes.

import CameraCore

/// The boxes of a JPEG XL file, or its bare codestream. Untrusted input.
///
/// Source: ISO/IEC 18181-2, 4 (bare codestreams) and 9 (boxes).
struct JXLFile: Sendable {
  /// The first box.
  static let signature: [UInt8] = [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0d, 0x0a, 0x87, 0x0a]
  /// The second box: brand, version, and the brand again.
  static let fileType: [UInt8] = [0, 0, 0, 20] + Array("ftypjxl ".utf8) + [0, 0, 0, 0] + Array("jxl ".utf8)
  /// Codestreams that were written while they were encoded are in many boxes.
  private static let mostBoxes = 1 << 16
  /// In bytes: the number in front of a part of a codestream. Its highest bit marks the last part.
  static let partHeadLength: UInt64 = 4

  /// In order, as far as they can be read; none of a bare codestream.
  let boxes: [MP4BoxHead]
  /// The reason why there are no more.
  let damage: MP4Damage?
  let isBare: Bool
  /// The parts of the codestream in the order of the file, the last one as far as it is there. Never overlapping.
  let codestream: [Range<UInt64>]
  /// `nil` when it can't be read.
  let header: JXLImageHeader?
  /// The types of the boxes that are compressed, by Brotli.
  let compressedTypes: Set<MP4Type>

  static func begins(in source: any ByteSource) throws(FormatError) -> Bool {
    let head = try source.prefix(at: 0, count: signature.count)
    return head == signature || head.starts(with: JXLImageHeader.signature)
  }

  /// - Returns: `nil` when it doesn't begin as a JPEG XL file.
  /// - Throws: `FormatError.read`.
  init?(_ source: any ByteSource) throws(FormatError) {
    guard try Self.begins(in: source), source.count <= UInt64(Int64.max) else { return nil }
    guard try source.prefix(at: 0, count: Self.signature.count) == Self.signature else {
      (boxes, damage, isBare, compressedTypes) = ([], nil, true, [])
      codestream = [0..<source.count]
      header = JXLImageHeader(try source.prefix(at: 0, count: JXLImageHeader.longest))
      return
    }
    var walker = MP4BoxWalker(ByteWindow(source), in: 0..<source.count, limit: Self.mostBoxes)
    var (boxes, parts, compressed): ([MP4BoxHead], [Range<UInt64>], Set<MP4Type>) = ([], [], [])
    while let box = try walker.next() {
      boxes.append(box)
      if let part = Self.part(box.type, box.content) { parts.append(part) }
      if box.type == "brob", box.content.count >= 4,
        let code = try walker.bytes.number(at: box.content.lowerBound, bytes: 4)
      {
        compressed.insert(MP4Type(code: UInt32(truncatingIfNeeded: code)))
      }
    }
    if case .cutShort(let offset) = walker.damage, let type = try walker.bytes.number(at: offset + 4, bytes: 4),
      let size = try walker.bytes.number(at: offset, bytes: 4)
    {
      let start = offset + (size == 1 ? 16 : 8)
      let type = MP4Type(code: UInt32(truncatingIfNeeded: type))
      if start < source.count, let part = Self.part(type, start..<source.count) { parts.append(part) }
    }
    (self.boxes, damage, isBare, codestream, compressedTypes) = (boxes, walker.damage, false, parts, compressed)
    // The first bytes may be spread over several parts.
    var head: [UInt8] = []
    for part in parts where head.count < JXLImageHeader.longest && !part.isEmpty {
      head += try source.prefix(at: part.lowerBound, count: min(part.count, JXLImageHeader.longest - head.count))
    }
    header = JXLImageHeader(head)
  }

  /// The part of the codestream in a box; `nil` for another box.
  private static func part(_ type: MP4Type, _ content: Range<UInt64>) -> Range<UInt64>? {
    if type == "jxlc" { return content }
    guard type == "jxlp", content.upperBound - content.lowerBound >= partHeadLength else { return nil }
    return content.lowerBound + partHeadLength..<content.upperBound
  }

  /// The first box of a type.
  func box(_ type: MP4Type) -> MP4BoxHead? { boxes.first { $0.type == type } }

  /// The TIFF structure of an EXIF box: behind the number that tells its offset, and what this skips.
  static func exif(of box: MP4BoxHead, in source: any ByteSource) throws(FormatError) -> Range<UInt64>? {
    let content = box.content
    guard content.count <= JXLHead.longestBlock, content.count > 4 + 8 else { return nil }
    let skipped = BigEndian.number(try source.bytes(at: content.lowerBound, count: 4), at: 0, count: 4)
    guard skipped <= UInt64(content.count - 4 - 8) else { return nil }
    return content.lowerBound + 4 + skipped..<content.upperBound
  }

  /// Whether the boxes end where the file ends, and the codestream is all there.
  ///
  /// - Throws: `FormatError.read`.
  func walk(_ source: any ByteSource) throws(FormatError) -> PictureWalk {
    if isBare {
      return header != nil ? .complete : source.count < JXLImageHeader.longest ? .cutShort : .damaged(at: 0)
    }
    switch damage {
    case .cutShort: return .cutShort
    case .impossible(let offset), .tooMany(let offset): return .damaged(at: offset)
    case nil: break
    }
    var window = ByteWindow(source)
    var (next, isEnded): (UInt64, Bool) = (0, false)
    for (index, box) in boxes.enumerated() {
      let damage = PictureWalk.damaged(at: box.range.lowerBound)
      if index == 1, box.type != "ftyp" { return damage }
      guard box.type == "jxlc" || box.type == "jxlp" else { continue }
      guard !isEnded else { return damage }
      if box.type == "jxlc" {
        guard next == 0 else { return damage }
        isEnded = true
      } else {
        guard let number = try window.number(at: box.content.lowerBound, bytes: 4),
          box.content.count >= Self.partHeadLength, number & 0x7fff_ffff == next
        else { return damage }
        isEnded = number >= 0x8000_0000
        next += 1
      }
    }
    guard isEnded, boxes.last?.range.upperBound == source.count else { return .cutShort }
    guard header != nil else { return .damaged(at: codestream.first?.lowerBound ?? 0) }
    return .complete
  }
}
