// JPEG XL files: their facts, copies with other metadata, and damaged ones.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite("JPEG XL files")
struct JXLHeadTests {
  static let exif = Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  static let packet = Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)
  static let codestream = HandMadeJXL().codestream
  static let whole = MP4Box("jxlc", codestream)
  static let level = MP4Box("jxll", [5])
  static let secret = MP4Box("Xtra", Array("a secret place".utf8))
  static let jpeg = MP4Box("jbrd", [1, 2, 3, 4])
  static let exifBox = HandMadeJXL.exif(exif)
  static let xmpBox = MP4Box("xml ", packet)

  /// The codestream in parts, the first ones of which are shorter than its head.
  static func parts(_ bytes: [UInt8] = codestream, of lengths: [Int] = [1, 0, 3]) -> [MP4Box] {
    var (boxes, rest): ([MP4Box], ArraySlice<UInt8>) = ([], bytes[...])
    for length in lengths {
      boxes.append(HandMadeJXL.part(UInt64(boxes.count), isLast: false, rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return boxes + [HandMadeJXL.part(UInt64(boxes.count), isLast: true, rest)]
  }

  static func joined(_ data: Data, _ change: PictureMetadata) throws -> Data {
    try JXLHead.pieces(of: DataSource(data, name: "picture"), change).joined()
  }

  static func head(_ data: Data) throws -> JXLHead { try #require(try JXLHead(MemorySource(data))) }

  static func pixels(_ data: Data) throws -> [UInt8] {
    try head(data).imageRanges.flatMap { data[Int($0.lowerBound)..<Int($0.upperBound)] }
  }

  @Test("Sizes of every form are read, and turned as decoders do")
  func sizes() throws {
    let sizes = [
      (64, 48), (256, 256), (264, 8), (1, 1), (511, 513), (512, 8192), (8193, 70_000), (300_000, 3), (1 << 24, 9),
    ]
    for (width, height) in sizes {
      for orientation in 1...8 {
        var file = HandMadeJXL()
        (file.size, file.orientation) = ((width, height), orientation)
        file.isAnimated = orientation % 3 == 0
        for preview in [nil, (16, 32), (40, 8), (1000, 264), (1, 64), (65, 320), (321, 1344), (1345, 2000)] {
          file.preview = preview
          file.intrinsicSize = orientation % 2 == 0 ? (1000, 7) : nil
          let head = try Self.head(Data(file.codestream))
          #expect(
            head.size
              == (orientation < 5 ? PixelSize(width: width, height: height) : PixelSize(width: height, height: width)))
          #expect(head.isAnimated == file.isAnimated)
        }
      }
    }
    // A width in proportion to the height.
    for (ratio, width) in [(1, 120), (2, 144), (3, 160), (4, 180), (5, 213), (6, 150), (7, 240)] {
      var file = HandMadeJXL()
      (file.size, file.ratio) = ((0, 120), ratio)
      #expect(try Self.head(Data(file.codestream)).size == PixelSize(width: width, height: 120))
    }
    var file = HandMadeJXL()
    file.size.width = 1 << 24 + 1
    #expect(try JXLHead(MemorySource(file.codestream)) == nil)
  }

  @Test("Metadata and codestream are read, in one piece or many, wherever they are")
  func facts() throws {
    let metadata = [Self.exifBox, Self.xmpBox]
    for boxes in [
      metadata + [Self.whole], [Self.whole] + metadata, [Self.level] + metadata + Self.parts(), Self.parts() + metadata,
    ] {
      let data = HandMadeJXL.container(boxes)
      let head = try Self.head(data)
      #expect(try JXLHead.begins(in: MemorySource(data)))
      #expect((head.size, head.isAnimated) == (PixelSize(width: 64, height: 48), false))
      #expect(head.exif == Data(Self.exif) && head.xmp == Data(Self.packet))
      #expect(head.end == UInt64(data.count))
      #expect(!head.hasJPEG && !head.hasCompressedMetadata)
      #expect(try Self.pixels(data) == Self.codestream)
      #expect(try JXLHead.walk(MemorySource(data)) == .complete)
    }
    let bare = try Self.head(Data(Self.codestream))
    #expect(bare.exif == nil && bare.xmp == nil)
    #expect(bare.imageRanges == [0..<UInt64(Self.codestream.count)])
    #expect(try JXLHead.walk(MemorySource(Self.codestream)) == .complete)
    let prefixed = HandMadeJXL.container([
      HandMadeJXL.exif(Self.exif, prefix: Array("Exif\0\0".utf8)), Self.jpeg, Self.whole,
    ])
    #expect(try Self.head(prefixed).exif == Data(Self.exif))
    #expect(try Self.head(prefixed).hasJPEG)
  }

  @Test("New metadata are found, and undoing gives the old bytes")
  func metadata() throws {
    let (newExif, newPacket) = (Data(Self.exif + [1, 2, 3]), Data(Self.packet + Self.packet))
    let files = [
      Data(Self.codestream), HandMadeJXL.container([Self.whole]), HandMadeJXL.container([Self.level] + Self.parts()),
      HandMadeJXL.container([Self.exifBox, Self.whole]), HandMadeJXL.container([Self.xmpBox, Self.whole, Self.secret]),
      HandMadeJXL.container([Self.whole, Self.xmpBox]), HandMadeJXL.container([Self.whole, Self.exifBox]),
      HandMadeJXL.container([Self.whole, Self.exifBox, Self.xmpBox]),
      HandMadeJXL.container([Self.secret, HandMadeJXL.exif(Self.exif, prefix: [1, 2]), Self.whole, Self.xmpBox]),
    ]
    for data in files {
      let old = try Self.head(data)
      let change = PictureMetadata(exif: .replaced(newExif), xmp: .replaced(newPacket))
      let changed = try Self.joined(data, change)
      let head = try Self.head(changed)
      #expect(head.exif == newExif && head.xmp == newPacket)
      #expect(try Self.pixels(changed) == Self.codestream)
      #expect(try JXLHead.walk(MemorySource(changed)) == .complete)
      #expect(try Self.joined(changed, change) == changed)
      let back = PictureMetadata(exif: MetadataBlock(old.exif), xmp: MetadataBlock(old.xmp))
      #expect(try Self.joined(changed, back) == data)
      #expect(try Self.joined(data, back) == data)
      #expect(try Self.joined(data, PictureMetadata()) == data)
      // One block after the other, in either order.
      let one = try Self.joined(
        try Self.joined(data, PictureMetadata(xmp: change.xmp)), PictureMetadata(exif: change.exif))
      #expect(one == changed)
      let other = try Self.joined(
        try Self.joined(data, PictureMetadata(exif: change.exif)), PictureMetadata(xmp: change.xmp))
      #expect(other == changed)
      let half = try Self.joined(changed, PictureMetadata(exif: back.exif))
      #expect(try Self.joined(half, PictureMetadata(xmp: back.xmp)) == data)
    }
  }

  @Test("A bare codestream becomes bare again, and no other file does")
  func bare() throws {
    let removal = PictureMetadata(exif: .removed, xmp: .removed)
    for boxes in [[Self.whole, Self.exifBox], [Self.whole, Self.xmpBox], [Self.whole, Self.exifBox, Self.xmpBox]] {
      #expect(try Self.joined(HandMadeJXL.container(boxes), removal) == Data(Self.codestream))
    }
    let others = [
      [Self.whole], [Self.exifBox, Self.whole], [Self.level, Self.whole, Self.exifBox],
      [Self.whole, Self.xmpBox, Self.exifBox], [Self.whole, HandMadeJXL.exif(Self.exif, prefix: [1])],
      Self.parts() + [Self.xmpBox],
    ]
    for boxes in others {
      let plain = boxes.filter { !["Exif", "xml "].contains($0.type) }
      #expect(try Self.joined(HandMadeJXL.container(boxes), removal) == HandMadeJXL.container(plain))
    }
  }

  @Test("A box without a length stays the last one")
  func openEnded() throws {
    for last in [Self.whole, Self.exifBox, Self.xmpBox] {
      var data = HandMadeJXL.container(last == Self.whole ? [last] : [Self.whole, last])
      let start = data.count - last.count
      data.replaceSubrange(start..<start + 4, with: [0, 0, 0, 0])
      #expect(try JXLHead.walk(MemorySource(data)) == .complete)
      for change in [
        PictureMetadata(xmp: .replaced(Data("<a/>".utf8))), PictureMetadata(exif: .replaced(Data(Self.exif + [1]))),
      ] {
        let changed = try Self.joined(data, change)
        let head = try Self.head(changed)
        #expect(head.xmp == Data("<a/>".utf8) || head.exif == Data(Self.exif + [1]))
        #expect(try Self.pixels(changed) == Self.codestream)
        #expect(try JXLHead.walk(MemorySource(changed)) == .complete)
      }
    }
  }

  @Test("A copy without the rest keeps what shows the picture")
  func withoutOthers() throws {
    let fileType = MP4Box("ftyp", Array("jxl \0\0\0\0jxl sec.".utf8))
    var bytes = HandMadeJXL.signature
    let prefixed = HandMadeJXL.exif(Self.exif, prefix: Array("secret".utf8))
    let compressed = MP4Box("brob", Array("xml secret".utf8))
    let boxes =
      [fileType, Self.level, Self.secret, Self.jpeg, prefixed, compressed] + Self.parts()
      + [Self.xmpBox, MP4Box("xml ", Array("<secret/>".utf8)), Self.secret]
    for box in boxes { box.write(to: &bytes) }
    let data = Data(bytes)
    let kept = [Self.level, Self.exifBox] + Self.parts()
    #expect(
      try Self.joined(data, PictureMetadata(dropsOthers: true)) == HandMadeJXL.container(kept + [Self.xmpBox]))
    let bare = PictureMetadata(exif: .replaced(Data(Self.exif)), xmp: .removed, dropsOthers: true)
    #expect(try Self.joined(data, bare) == HandMadeJXL.container(kept))
    #expect(try Self.joined(HandMadeJXL.container(kept), bare) == HandMadeJXL.container(kept))
    let packet = Data("<a/>".utf8)
    let changed = try Self.joined(data, PictureMetadata(exif: .removed, xmp: .replaced(packet), dropsOthers: true))
    #expect(changed.range(of: Data("secret".utf8)) == nil)
    #expect(try Self.head(changed).xmp == packet)
  }

  @Test("What would reconstruct a JPEG goes when its metadata change")
  func reconstruction() throws {
    let boxes = [Self.jpeg, Self.exifBox, Self.xmpBox, Self.whole]
    let data = HandMadeJXL.container(boxes)
    let same = PictureMetadata(exif: .replaced(Data(Self.exif)), xmp: .replaced(Data(Self.packet)))
    #expect(try Self.joined(data, same) == data)
    #expect(try Self.joined(data, PictureMetadata(xmp: .removed)) == HandMadeJXL.container([Self.exifBox, Self.whole]))
    let changed = try Self.joined(data, PictureMetadata(exif: .replaced(Data(Self.exif + [1]))))
    #expect(try !Self.head(changed).hasJPEG)
  }

  @Test("Compressed metadata and second blocks are left alone by changes")
  func otherBlocks() throws {
    let (exif, packet) = (MetadataBlock.replaced(Data(Self.exif)), MetadataBlock.replaced(Data(Self.packet)))
    let cases: [(box: MP4Box, isExif: Bool, isCompressed: Bool)] = [
      (MP4Box("brob", Array("Exif123".utf8)), true, true), (MP4Box("brob", Array("xml 123".utf8)), false, true),
      (Self.exifBox, true, false), (Self.xmpBox, false, false),
    ]
    for (box, isExif, isCompressed) in cases {
      let data = HandMadeJXL.container([isExif ? Self.exifBox : Self.xmpBox, Self.whole, box])
      #expect(try Self.head(data).hasCompressedMetadata == isCompressed)
      for block in [MetadataBlock.removed, isExif ? exif : packet] {
        let change = isExif ? PictureMetadata(exif: block) : PictureMetadata(xmp: block)
        #expect(throws: FormatError.self) { _ = try Self.joined(data, change) }
      }
      let other = isExif ? PictureMetadata(xmp: packet) : PictureMetadata(exif: exif)
      #expect(try Self.joined(data, other).count > data.count)
      let bare = PictureMetadata(exif: .removed, xmp: .removed, dropsOthers: true)
      #expect(try Self.joined(data, bare) == HandMadeJXL.container([Self.whole]))
    }
    // Of a box that is too short to say what is compressed in it.
    #expect(try !Self.head(HandMadeJXL.container([Self.whole, MP4Box("brob", [1])])).hasCompressedMetadata)
  }

  @Test("Codestreams that can't be are found")
  func impossible() throws {
    func walk(_ boxes: [MP4Box]) throws -> PictureWalk { try JXLHead.walk(MemorySource(HandMadeJXL.container(boxes))) }
    let parts = Self.parts()
    #expect(try walk(Array(parts.dropLast())) == .cutShort)
    #expect(try walk([Self.exifBox]) == .cutShort)
    #expect(try walk(Array(parts.dropFirst())) == .damaged(at: 32))
    #expect(try walk([parts[0], parts[0]]) == .damaged(at: 32 + 13))
    #expect(try walk(parts + [Self.whole]) != .complete)
    #expect(try walk([Self.whole, Self.whole]) != .complete)
    #expect(try walk([parts[0], Self.whole]) != .complete)
    #expect(try walk([MP4Box("jxlp", [0x80, 0, 0])]) == .damaged(at: 32))
    #expect(try walk([MP4Box("jxlc", [UInt8](repeating: 0, count: 50))]) == .damaged(at: 40))
    var bytes = HandMadeJXL.signature
    Self.whole.write(to: &bytes)
    #expect(try JXLHead.walk(MemorySource(bytes)) == .damaged(at: 12))
    for bytes in [[], [0xff], Array("GIF89a".utf8), Array(HandMadeJXL.signature.prefix(11))] {
      #expect(try !JXLHead.begins(in: MemorySource(bytes)) && JXLHead(MemorySource(bytes)) == nil)
      #expect(try JXLHead.walk(MemorySource(bytes)) == .damaged(at: 0))
    }
  }

  @Test("Cut and damaged files are told from complete ones, and stop nothing")
  func damage() throws {
    let files = [
      HandMadeJXL.container([Self.exifBox, Self.xmpBox, Self.whole]),
      HandMadeJXL.container([Self.level, Self.xmpBox, Self.jpeg] + Self.parts()),
    ]
    for data in files {
      for count in 0..<data.count {
        let source = MemorySource(data.prefix(count))
        #expect(try JXLHead.walk(source) == (count < 12 ? .damaged(at: 0) : .cutShort), "\(count) bytes")
        // The size is known as soon as its bits are there.
        if count > data.count - 32 { #expect(try JXLHead(source)?.size == PixelSize(width: 64, height: 48)) }
        #expect(throws: FormatError.self) { _ = try Self.joined(data.prefix(count), PictureMetadata(xmp: .removed)) }
      }
      for index in data.indices {
        for mask in [UInt8(0xff), 0x80, 1] {
          var bad = data
          bad[index] ^= mask
          let source = MemorySource(bad)
          _ = try JXLHead(source)
          _ = try JXLHead.walk(source)
          for drops in [false, true] {
            let change = PictureMetadata(
              exif: .replaced(Data(Self.exif + Self.exif)), xmp: .removed, dropsOthers: drops)
            _ = try? Self.joined(bad, change)
          }
        }
      }
    }
    for count in 0..<Self.codestream.count {
      let source = MemorySource(Self.codestream.prefix(count))
      #expect(try JXLHead.walk(source) == (count < 2 ? .damaged(at: 0) : count < 4 ? .cutShort : .complete), "\(count)")
      _ = try JXLHead(source)
    }
  }

  @Test("Lengths without bounds take neither time nor memory")
  func hostile() throws {
    let huge = BigEndian.words(1) + Array("Exif".utf8) + [0x7f] + [UInt8](repeating: 0xff, count: 7)
    let source = MemorySource(HandMadeJXL.container([Self.whole]) + huge, count: UInt64(Int64.max))
    _ = try JXLHead(source)
    #expect(try JXLHead.walk(source) != .complete)
    #expect(try JXLHead(MemorySource(Self.codestream, count: UInt64.max)) == nil)
    // Empty boxes without end.
    let empty = BigEndian.words(8) + Array("free".utf8)
    let many = MemorySource(HandMadeJXL.container([Self.whole]) + (0..<70_000).flatMap { _ in empty })
    #expect(try JXLHead.walk(many) != .complete)
  }
}
