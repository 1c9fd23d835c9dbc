// Copies of TIFF files with other metadata.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite("Copies of TIFF files")
struct TIFFPiecesTests {
  static func joined(_ data: Data, _ change: PictureMetadata) throws -> Data {
    try TIFFHead.pieces(of: DataSource(data, name: "picture"), change).joined()
  }

  static func head(_ data: Data) throws -> TIFFHead { try #require(try TIFFHead(MemorySource(data))) }

  static func pixels(_ data: Data) throws -> [UInt8] {
    try head(data).imageRanges.flatMap { data[Int($0.lowerBound)..<Int($0.upperBound)] }
  }

  /// An EXIF block with other values, in a byte order, as other programs and formats have them.
  static func block(isBigEndian: Bool, artist: String = "Grace") -> Data {
    var file = HandMadeTIFF()
    file.isBigEndian = isBigEndian
    // A thumbnail, and what describes it.
    file.pages.append(HandMadeTIFF.Page(width: 99, kind: 1))
    file.pages[0].fields += [
      .short(274, 3), .text(315, artist), .bytes(34_675, [1, 2, 3, 4, 5], type: 7), .bytes(65_001, [1, 2, 3, 4, 5]),
      .directory(34_665, [.rational(33_434, 1, 125), .bytes(37_500, TIFFHeadTests.note, type: 7)]),
    ]
    return file.data
  }

  static func files() -> [HandMadeTIFF] {
    [false, true].flatMap { order in
      [false, true].map { behind in
        var file = TIFFHeadTests.described(isBigEndian: order, isBehind: behind)
        file.pages[0].strips[1].removeLast()
        file.pages.append(HandMadeTIFF.Page(width: 9, kind: 2, first: 40))
        return file
      }
    }
  }

  @Test("New metadata are found, in the byte order of the file", arguments: files(), [false, true])
  func metadata(_ file: HandMadeTIFF, _ order: Bool) throws {
    let data = file.data
    var change = PictureMetadata(
      exif: .replaced(Self.block(isBigEndian: order)), xmp: .replaced(Data("<a/>".utf8)))
    change.profile = .replaced(Data(repeating: 8, count: 200))
    let changed = try Self.joined(data, change)
    let head = try Self.head(changed)
    let values = try TIFFHeadTests.values(head.exif)
    #expect(values["image 274"] == file.number(3, 2))
    #expect(values["image 315"] == Array("Grace\0".utf8))
    #expect(values["exif 33434"] == file.number(1, 4) + file.number(125, 4))
    #expect(values["exif 37500"] == TIFFHeadTests.note)
    #expect(values.count == 4)
    #expect(head.xmp == Data("<a/>".utf8) && head.profile == Data(repeating: 8, count: 200))
    #expect((head.size, head.pageCount) == (PixelSize(width: 8, height: 6), 2))
    #expect(try Self.pixels(changed) == Self.pixels(data))
    #expect(try TIFFHead.walk(MemorySource(changed)) == .complete)
    // What isn't EXIF's stays.
    var reader = try #require(try TIFFReader(MemorySource(changed)))
    let directory = try reader.directory(at: reader.firstDirectory)
    for (tag, text) in [(UInt16(33_723), "secret record"), (34_377, "8BIM secret"), (65_000, "private secret")] {
      let range = try #require(directory[tag].flatMap { reader.range(of: $0) })
      #expect(try reader.bytes(range) == Array(text.utf8))
    }
    #expect(directory[65_001] == nil)
    #expect(directory.entries.map(\.tag) == directory.entries.map(\.tag).sorted())
    #expect(directory.repeated.isEmpty)
  }

  @Test("The same change gives the same bytes, and undoing gives the old ones, whatever the way", arguments: files())
  func undoing(_ file: HandMadeTIFF) throws {
    let data = file.data
    let old = try Self.head(data)
    let blocks = [nil, old.exif, Self.block(isBigEndian: false), Self.block(isBigEndian: true, artist: "Alan")]
    let packets = [nil, old.xmp, Data("<a/>".utf8), Data("<a></a>".utf8)]
    var known: [[Data?]: Data] = [[old.exif, old.xmp, old.profile]: data]
    var current = data
    var numbers = SeededNumbers(state: 11)
    for _ in 0..<200 {
      var change = PictureMetadata()
      if Bool.random(using: &numbers) { change.exif = MetadataBlock(blocks.randomElement(using: &numbers) ?? nil) }
      if Bool.random(using: &numbers) { change.xmp = MetadataBlock(packets.randomElement(using: &numbers) ?? nil) }
      if Bool.random(using: &numbers) {
        change.profile = Bool.random(using: &numbers) ? .removed : MetadataBlock(old.profile)
      }
      let changed = try Self.joined(current, change)
      #expect(try Self.joined(changed, change) == changed)
      let head = try Self.head(changed)
      #expect(try Self.pixels(changed) == Self.pixels(data))
      #expect(head.pageCount == 2)
      // As many bytes as the metadata need, and no remains of the changes before.
      let facts = [head.exif, head.xmp, head.profile]
      #expect(known[facts, default: changed] == changed)
      known[facts] = changed
      current = changed
    }
    #expect(known.count > 20)
    var back = PictureMetadata(exif: MetadataBlock(old.exif), xmp: MetadataBlock(old.xmp))
    back.profile = MetadataBlock(old.profile)
    #expect(try Self.joined(current, back) == data)
  }

  @Test("A block that says the same as the file changes nothing")
  func sameBlocks() throws {
    for file in Self.files() {
      let head = try Self.head(file.data)
      let change = PictureMetadata(exif: MetadataBlock(head.exif), xmp: MetadataBlock(head.xmp))
      #expect(try Self.joined(file.data, change) == file.data)
      #expect(try Self.joined(file.data, PictureMetadata()) == file.data)
    }
  }

  @Test("Values beyond the file's end stay beyond it, however long it becomes")
  func valuesElsewhere() throws {
    var file = HandMadeTIFF()
    file.pages[0].fields.append(.bytes(65_000, [UInt8](repeating: 7, count: 100)))
    var data = file.data
    let at = try #require(data.range(of: Data([0xe8, 0xfd, 1, 0, 100, 0, 0, 0])))
    let end = HandMadeMovie.bytes(UInt64(data.count - 50), 4)
    data.replaceSubrange(at.upperBound..<at.upperBound + 4, with: end.reversed())
    let change = PictureMetadata(xmp: .replaced(Data(repeating: 65, count: 1000)))
    let changed = try Self.joined(data, change)
    #expect(try Self.joined(changed, change) == changed)
    #expect(try Self.joined(changed, PictureMetadata(xmp: .removed)) == data)
  }

  @Test("What another program appends to a changed file stays")
  func othersChanges() throws {
    let data = HandMadeTIFF().data
    let changed = try Self.joined(data, PictureMetadata(xmp: .replaced(Data("<a/>".utf8)))) + Data("more".utf8)
    let again = try Self.joined(changed, PictureMetadata(xmp: .replaced(Data("<b/>".utf8))))
    #expect(again.dropFirst(8).starts(with: changed.dropFirst(8)))
    #expect(try Self.head(again).xmp == Data("<b/>".utf8))
  }

  @Test("A copy without the rest has the pages with their pixels and nothing else", arguments: files())
  func withoutOthers(_ file: HandMadeTIFF) throws {
    var file = file
    file.unused = Array("an unused secret".utf8)
    file.pages[0].subpages = [HandMadeTIFF.Page(width: 4, kind: 1, first: 200)]
    file.pages[1].fields += [.text(270, "another secret"), .short(274, 8), .bytes(700, Array("secret packet".utf8))]
    file.pages.append(HandMadeTIFF.Page(width: 3, kind: 1, first: 100))
    let changed = try Self.joined(file.data, PictureMetadata(xmp: .replaced(Data("<secret/>".utf8))))
    for data in [file.data, changed] {
      for exif in [MetadataBlock.removed, .replaced(Self.block(isBigEndian: false))] {
        var change = PictureMetadata(exif: exif, xmp: .replaced(Data("<a/>".utf8)), dropsOthers: true)
        change.profile = .replaced(Data(repeating: 8, count: 20))
        let bare = try Self.joined(data, change)
        for text in ["secret", "8BIM", "PhotoMe", "Ada", "Maker\0\0"] {
          #expect(bare.range(of: Data(text.utf8)) == nil, "\(text)")
        }
        let head = try Self.head(bare)
        #expect((head.size, head.pageCount) == (PixelSize(width: 8, height: 6), 2))
        #expect(head.xmp == Data("<a/>".utf8) && head.profile == Data(repeating: 8, count: 20))
        #expect(try exif == .removed ? head.exif == nil : TIFFHeadTests.values(head.exif).count == 4)
        #expect(try Self.pixels(bare) == Self.pixels(data))
        #expect(try TIFFHead.walk(MemorySource(bare)) == .complete)
        for number in [UInt8(200), 100] { #expect(bare.range(of: Data(repeating: number, count: 6)) == nil) }
        // The second page is turned as before.
        var copy = try #require(try TIFFFile(MemorySource(bare)))
        #expect(copy.chain.count == 2)
        let page = try #require(copy.chain.last)
        #expect(try copy.reader.value(page[274]) == 8)
        #expect(try copy.pixels(of: page).ranges.map { bare[Int($0.lowerBound)] } == [40, 41])
        #expect(try Self.joined(bare, change) == bare)
        #expect(try Self.joined(bare, PictureMetadata(dropsOthers: true)) == bare)
      }
    }
  }

  @Test("A copy without the rest keeps metadata that aren't changed")
  func keptMetadata() throws {
    let file = TIFFHeadTests.described()
    let old = try Self.head(file.data)
    let bare = try Self.head(try Self.joined(file.data, PictureMetadata(dropsOthers: true)))
    #expect(bare.exif == old.exif && bare.xmp == old.xmp && bare.profile == old.profile)
  }

  @Test("A color profile of another page is replaced only where it is the same")
  func profiles() throws {
    var file = TIFFHeadTests.described()
    for bytes in [TIFFHeadTests.profile, Array("another secret".utf8)] {
      file.pages.append(HandMadeTIFF.Page())
      file.pages[file.pages.count - 1].fields.append(.bytes(34_675, bytes, type: 7))
    }
    var change = PictureMetadata(exif: .removed, dropsOthers: true)
    change.profile = .replaced(Data("new".utf8))
    let bare = try Self.joined(file.data, change)
    #expect(bare.range(of: Data("secret".utf8)) == nil)
    let copy = try #require(try TIFFFile(MemorySource(bare)))
    #expect(copy.chain.map { $0[34_675]?.count } == [3, 3, nil])
  }

  @Test("Strips that share bytes, and lie in any order, stay what they are")
  func sharedStrips() throws {
    var file = HandMadeTIFF()
    file.pages[0].strips = []
    file.unused = (100..<160).map { UInt8($0) }
    file.pages[0].fields += [.long(273, 41, 8, 12, 0, 50), .long(279, 5, 10, 10, 0, 3)]
    let old = try Self.pixels(file.data)
    #expect(old.count == 28)
    let bare = try Self.joined(file.data, PictureMetadata(exif: .removed, dropsOthers: true))
    #expect(try Self.pixels(bare) == old)
    #expect(!bare.contains(120) && !bare.contains(140) && !bare.contains(159))
  }

  @Test("Files of which too little is known are refused")
  func refused() throws {
    let bare = PictureMetadata(exif: .removed, dropsOthers: true)
    let packet = PictureMetadata(xmp: .replaced(Data("<a/>".utf8)))
    func expectRefusal(_ file: HandMadeTIFF, _ changes: PictureMetadata...) {
      for change in changes { #expect(throws: FormatError.self) { _ = try Self.joined(file.data, change) } }
    }
    var file = HandMadeTIFF()
    file.isBigTIFF = true
    expectRefusal(file, bare, packet)
    // A raw picture needs tags that aren't known here.
    file = HandMadeTIFF()
    file.pages[0].fields.append(.bytes(50_706, [1, 4, 0, 0]))
    expectRefusal(file, bare)
    #expect(try Self.head(Self.joined(file.data, packet)).isRaw)
    // The oldest form of JPEG compression, WebP, and an unknown one.
    for compression in [UInt64(6), 50_001, 60_000] {
      file = HandMadeTIFF()
      file.pages[0].fields.removeAll { $0.tag == 259 }
      file.pages[0].fields.append(.short(259, compression))
      expectRefusal(file, bare)
      _ = try Self.joined(file.data, packet)
    }
    // Two packets.
    file = TIFFHeadTests.described()
    file.pages[0].fields.append(.bytes(700, Array("<another/>".utf8)))
    expectRefusal(file, packet)
    #expect(try Self.joined(file.data, bare).range(of: Data("another".utf8)) == nil)
    // A block that is none.
    expectRefusal(HandMadeTIFF(), PictureMetadata(exif: .replaced(Data("no block".utf8))))
  }

  @Test("JPEG streams with metadata in them are refused where these would stay")
  func streams() throws {
    let tables: [UInt8] = [0xff, 0xdb, 0, 4, 1, 1]
    let jfif: [UInt8] = [0xff, 0xe0, 0, 16] + Array("JFIF\0".utf8) + BigEndian.zeros(9)
    let exif: [UInt8] = [0xff, 0xe1, 0, 8] + Array("secret".utf8)
    let comment: [UInt8] = [0xff, 0xff, 0xfe, 0, 8] + Array("secret".utf8)
    let scan: [UInt8] = [0xff, 0xda, 0, 2, 1, 2, 0xff, 0xe1, 0xff, 0xd9]
    let cases: [(head: [UInt8], isFine: Bool)] = [
      (tables, true), (jfif + tables, true), (tables + exif, false), (exif, false), (comment, false),
    ]
    for (head, isFine) in cases {
      var file = HandMadeTIFF()
      file.pages[0].fields.removeAll { $0.tag == 259 }
      file.pages[0].fields.append(.short(259, 7))
      file.pages[0].strips = [[0xff, 0xd8] + tables + scan, [0xff, 0xd8] + head + scan]
      let change = PictureMetadata(exif: .removed, dropsOthers: true)
      if isFine {
        _ = try Self.joined(file.data, change)
      } else {
        #expect(throws: FormatError.self) { _ = try Self.joined(file.data, change) }
      }
      file.pages[0].strips.removeLast()
      file.pages[0].fields.append(.bytes(347, [0xff, 0xd8] + head + [0xff, 0xd9], type: 7))
      let copy = try? Self.joined(file.data, change)
      #expect((copy != nil) == isFine)
    }
  }

  @Test("Damage in a changed file, the mark of changes included, stops nothing")
  func damagedMark() throws {
    let data = TIFFHeadTests.described().data
    let changed = try Self.joined(data, PictureMetadata(xmp: .replaced(Data("<a/>".utf8))))
    let change = PictureMetadata(exif: .replaced(Self.block(isBigEndian: true)), xmp: .replaced(Data("<b/>".utf8)))
    for index in Array(0..<8) + Array(data.count..<changed.count) {
      for mask in [UInt8(0xff), 0x80, 1] {
        var bad = changed
        bad[index] ^= mask
        guard let again = try? Self.joined(bad, change) else { continue }
        #expect(again[8..<data.count] == data[8...])
      }
    }
  }

  @Test("Pixels that reach into the file's head would change with it, and are refused")
  func pixelsInTheHead() throws {
    let data = HandMadeTIFF().data
    let places = try #require(data.range(of: Data([8, 0, 0, 0, 32, 0, 0, 0])))
    var changed = data
    changed[places.lowerBound] = 0
    #expect(try TIFFHead(MemorySource(changed)) != nil)
    #expect(throws: FormatError.self) { try Self.joined(changed, PictureMetadata(xmp: .replaced(Data("<a/>".utf8)))) }
    #expect(throws: Never.self) { try Self.joined(data, PictureMetadata(xmp: .replaced(Data("<a/>".utf8)))) }
  }
}
