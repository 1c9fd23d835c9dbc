// The facts of a GIF file that an index needs, and copies with other metadata.

import CameraCore
import Foundation
import Localization

/// The size and the XMP packet of a GIF file. There is no EXIF in this format.
///
/// Nothing is decoded, and the input is untrusted.
///
/// Sources: CompuServe, Graphics Interchange Format, version 89a; Adobe, XMP Specification, part 3, 1.1.2.
public struct GIFHead: PictureContainer {
  public let size: PixelSize
  public var exif: Data? { nil }
  public var xmp: Data?
  public let end: UInt64
  public let imageRanges: [Range<UInt64>]
  public let isAnimated: Bool

  public static func begins(in source: any ByteSource) throws(FormatError) -> Bool {
    let head = try source.prefix(at: 0, count: 6)
    return head.elementsEqual("GIF89a".utf8) || head.elementsEqual("GIF87a".utf8)
  }

  /// - Returns: `nil` when it isn't a GIF with pixels in it.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource) throws(FormatError) {
    guard let file = try GIFFile(source), !file.images.isEmpty else { return nil }
    (size, end, imageRanges, isAnimated) = (file.size, file.end, file.images, file.images.count > 1)
    let length = file.packet.reduce(0) { $0 + $1.count }
    if length > 0, length <= Self.longestBlock {
      var packet = Data(capacity: length)
      for range in file.packet { packet += try source.data(at: range.lowerBound, count: range.count) }
      xmp = packet
    }
  }

  public static func walk(_ source: any ByteSource) throws(FormatError) -> PictureWalk {
    guard let file = try GIFFile(source), !file.images.isEmpty else { return .damaged(at: 0) }
    return file.result
  }

  /// The pieces of a copy with another XMP packet.
  ///
  /// - Throws: `FormatError.refused`, also for new EXIF metadata.
  public static func pieces<Source: ByteSource>(
    of source: Source, _ change: PictureMetadata
  ) throws(FormatError) -> [BytePiece<Source>] {
    guard let file = try GIFFile(source), file.result == .complete, !file.images.isEmpty else {
      throw .refused(reason: localized("the GIF file is incomplete or damaged"))
    }
    if case .replaced = change.exif { throw .refused(reason: localized("GIF files can’t hold EXIF metadata")) }
    guard change.xmp == .kept || change.dropsOthers || file.packetCount <= 1 else {
      throw .refused(reason: localized("the metadata (XMP) is stored more than once"))
    }
    var splice = ByteSplice()
    if change.xmp != .kept {
      var block: [UInt8] = []
      if case .replaced(let data) = change.xmp {
        block = GIFFile.block(xmp: [UInt8](data), isInBlocks: file.hasPacketInBlocks)
      }
      if let old = file.packetBlock {
        splice.replace(old, with: block)
      } else if !block.isEmpty {
        splice.replace(file.placeOfPacket..<file.placeOfPacket, with: block)
        // The older version has no extensions.
        splice.replace(0..<6, with: Array("GIF89a".utf8))
      }
    }
    if change.dropsOthers {
      for range in file.others where range != file.packetBlock { splice.replace(range, with: []) }
      // What isn't the number of repetitions may be anything.
      for (range, loop) in file.loops where UInt64(range.count) != UInt64(loop.count) {
        splice.replace(range, with: loop)
      }
    }
    try splice.sort()
    return splice.pieces(of: source, upTo: change.dropsOthers ? file.end : source.count)
  }
}

/// The blocks of a GIF file.
struct GIFFile: Sendable {
  let size: PixelSize
  /// Coded pixels.
  private(set) var images: [Range<UInt64>] = []
  /// The first extension with an XMP packet, and the stretches of the packet in it.
  private(set) var packetBlock: Range<UInt64>?
  private(set) var packet: [Range<UInt64>] = []
  /// Whether that packet is made of blocks like other extensions' contents, and not in one piece as XMP's specification has it.
  private(set) var hasPacketInBlocks = false
  /// Where a new packet goes: behind the number of repetitions, which decoders look for right behind the colors.
  private(set) var placeOfPacket: UInt64
  /// The extensions with the number of repetitions, and what they are without anything else in them.
  private(set) var loops: [(range: Range<UInt64>, plain: [UInt8])] = []
  private(set) var packetCount = 0
  /// Comments, texts, and the extensions of programs but for that of loops.
  private(set) var others: [Range<UInt64>] = []
  private(set) var end: UInt64
  private(set) var result = PictureWalk.cutShort

  private static let mostBlocks = 1 << 20
  private static let mostImages = 1 << 16
  private static let packetIdentifier = Array("XMP DataXMP".utf8)
  /// Behind a packet, which isn't made of blocks: wherever a reader that takes it for some gets to, it finds the end.
  private static let trailer: [UInt8] = [1] + (0...255).reversed().map { UInt8($0) } + [0]

  /// - Returns: `nil` when it doesn't begin as a GIF.
  /// - Throws: `FormatError.read`.
  init?(_ source: any ByteSource) throws(FormatError) {
    guard try GIFHead.begins(in: source) else { return nil }
    var window = ByteWindow(source)
    let head = Array(try window.bytes(at: 6, count: 7))
    guard head.count == 7 else { return nil }
    size = PixelSize(width: Int(head[0]) | Int(head[1]) << 8, height: Int(head[2]) | Int(head[3]) << 8)
    guard size.width > 0, size.height > 0 else { return nil }
    var offset: UInt64 = 13 + Self.tableLength(head[4])
    (placeOfPacket, end) = (offset, offset)
    for _ in 0..<Self.mostBlocks {
      let start = offset
      switch try window.byte(at: offset) {
      case nil: return
      case 0x3b:
        end = offset + 1
        result = .complete
        return
      case 0x2c:
        guard let flags = try window.byte(at: offset + 9) else { return }
        let data = offset + 10 + Self.tableLength(flags)
        guard let next = try Self.skip(from: data + 1, &window, in: source) else { return }
        if images.count < Self.mostImages { images.append(data..<next) }
        offset = next
      case 0x21:
        guard let label = try window.byte(at: offset + 1),
          let next = try Self.skip(from: offset + 2, &window, in: source)
        else { return }
        offset = next
        try note(label, start..<next, &window)
      // Some programs write a zero too many between blocks.
      case 0: offset += 1
      default:
        result = .damaged(at: offset)
        return
      }
      end = offset
    }
    result = .damaged(at: offset)
  }

  private static func tableLength(_ flags: UInt8) -> UInt64 { flags & 0x80 == 0 ? 0 : 3 << (UInt64(flags & 7) + 1) }

  /// - Returns: Behind the blocks' end; `nil` when the file ends before.
  private static func skip(
    from offset: UInt64, _ window: inout ByteWindow, in source: any ByteSource
  ) throws(FormatError) -> UInt64? {
    var offset = offset
    while let length = try window.byte(at: offset) {
      offset += 1 + UInt64(length)
      if length == 0 { return offset <= source.count ? offset : nil }
    }
    return nil
  }

  private mutating func note(_ label: UInt8, _ range: Range<UInt64>, _ window: inout ByteWindow) throws(FormatError) {
    // Of the next frame: its time and its transparent color.
    guard label != 0xf9 else { return }
    let identifier = try window.bytes(at: range.lowerBound + 3, count: Self.packetIdentifier.count)
    if label == 0xff, identifier.elementsEqual(Self.packetIdentifier) {
      packetCount += 1
      if packetBlock == nil { try notePacket(range, &window) }
    } else if label == 0xff, ["NETSCAPE2.0", "ANIMEXTS1.0"].contains(where: { identifier.elementsEqual($0.utf8) }) {
      if images.isEmpty { placeOfPacket = range.upperBound }
      // The length of a block, its kind, and the number.
      let start = Array(try window.bytes(at: range.lowerBound, count: Self.loopLength))
      let isLoop = start.count == Self.loopLength && start.suffix(4).starts(with: [3, 1])
      loops.append((range, isLoop ? start + [0] : []))
      return
    }
    others.append(range)
  }

  /// Of the extension with the number of repetitions, without the block that ends it.
  private static let loopLength = 18

  private mutating func notePacket(_ range: Range<UInt64>, _ window: inout ByteWindow) throws(FormatError) {
    packetBlock = range
    let content = range.lowerBound + 3 + UInt64(Self.packetIdentifier.count)
    let length = UInt64(Self.trailer.count)
    if range.upperBound >= content + length,
      try window.bytes(at: range.upperBound - length, count: Self.trailer.count).elementsEqual(Self.trailer)
    {
      packet = [content..<range.upperBound - length]
      return
    }
    hasPacketInBlocks = true
    var (offset, total) = (content, 0)
    while let length = try window.byte(at: offset), length > 0, total <= GIFHead.longestBlock {
      packet.append(offset + 1..<offset + 1 + UInt64(length))
      offset += 1 + UInt64(length)
      total += Int(length)
    }
  }

  /// The extension of an XMP packet.
  static func block(xmp: [UInt8], isInBlocks: Bool = false) -> [UInt8] {
    let head = [0x21, 0xff, UInt8(packetIdentifier.count)] + packetIdentifier
    guard isInBlocks else { return head + xmp + trailer }
    let blocks = stride(from: 0, to: xmp.count, by: 255).flatMap { start in
      let block = xmp[start..<min(start + 255, xmp.count)]
      return [UInt8(block.count)] + block
    }
    return head + blocks + [0]
  }
}
