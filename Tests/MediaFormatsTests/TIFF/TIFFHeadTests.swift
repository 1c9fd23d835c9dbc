// The facts of TIFF files, and damaged ones.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite("TIFF files")
struct TIFFHeadTests {
  static let packet = Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)
  static let profile = [UInt8](repeating: 5, count: 130)
  static let note = Array("Maker\0 in any byte order".utf8)

  /// Byte order, BigTIFF, and whether the pixels are behind the directories.
  static let forms = [false, true].flatMap { order in
    [false, true].flatMap { big in [false, true].map { (order, big, $0) } }
  }

  /// A file with everything that a picture's directory may hold.
  static func described(isBigEndian: Bool = false, isBigTIFF: Bool = false, isBehind: Bool = false) -> HandMadeTIFF {
    var file = HandMadeTIFF()
    (file.isBigEndian, file.isBigTIFF, file.hasPixelsBehind) = (isBigEndian, isBigTIFF, isBehind)
    file.pages[0].fields += [
      .text(270, "a secret place"), .text(271, "Maker"), .short(274, 6), .rational(282, 300, 1), .text(315, "Ada"),
      .bytes(700, packet), .bytes(33_723, Array("secret record".utf8), type: 7),
      .bytes(34_377, Array("8BIM secret".utf8), type: 7), .bytes(34_675, profile, type: 7),
      .bytes(65_000, Array("private secret".utf8)),
      .directory(
        34_665,
        [
          .rational(33_434, 1, 50), .text(36_867, "2026:11:21 07:31:06"), .bytes(37_500, note, type: 7),
          .directory(40_965, [.text(1, "R98")]),
        ]),
      .directory(34_853, [.bytes(0, [2, 3, 0, 0]), .rational(2, 48, 1, 51, 1, 30, 1)]),
    ]
    return file
  }

  /// The values of all entries of an EXIF block, by directory and tag.
  static func values(_ exif: Data?) throws -> [String: [UInt8]] {
    let block = try #require(exif)
    let tiff = try #require(TIFFStructure([UInt8](block)))
    var values: [String: [UInt8]] = [:]
    func collect(_ name: String, at offset: Int) throws {
      for entry in tiff.entries(at: offset) {
        let inner = [34_665: "exif", 34_853: "gps", 40_965: "interop"][entry.tag]
        if let inner {
          try collect(inner, at: try #require(tiff.number(at: entry.value.lowerBound, bytes: 4)))
        } else {
          values["\(name) \(entry.tag)"] = Array(tiff.bytes[entry.value])
        }
      }
    }
    try collect("image", at: tiff.firstDirectory)
    return values
  }

  @Test("Files of every version and byte order are TIFFs, and not raw files", arguments: [false, true], [false, true])
  func format(order: Bool, big: Bool) throws {
    let source = MemorySource(Self.described(isBigEndian: order, isBigTIFF: big).data)
    #expect(try PictureHead.format(of: source) == .tiff)
  }

  @Test("Size, pixels and metadata are read, in every form", arguments: forms)
  func facts(_ order: Bool, _ big: Bool, _ behind: Bool) throws {
    let file = Self.described(isBigEndian: order, isBigTIFF: big, isBehind: behind)
    let data = file.data
    let head = try #require(try TIFFHead(MemorySource(data)))
    #expect(try TIFFHead.begins(in: MemorySource(data)))
    #expect(head.size == PixelSize(width: 8, height: 6))
    #expect((head.bitsPerSample, head.pageCount, head.isRaw, head.isAnimated) == (8, 1, false, false))
    #expect(head.xmp == Data(Self.packet))
    #expect(head.profile == Data(Self.profile))
    #expect(head.end == UInt64(data.count))
    #expect(head.imageRanges.count == 1)
    let pixels = head.imageRanges.flatMap { data[Int($0.lowerBound)..<Int($0.upperBound)] }
    #expect(pixels == file.pages[0].strips.flatMap { $0 })
    let values = try Self.values(head.exif)
    #expect(head.exif?.prefix(2) == Data((order ? "MM" : "II").utf8))
    #expect(
      Set(values.keys) == [
        "image 270", "image 271", "image 274", "image 282", "image 315", "exif 33434", "exif 36867", "exif 37500",
        "interop 1", "gps 0", "gps 2",
      ])
    #expect(values["image 271"] == Array("Maker\0".utf8))
    #expect(values["image 274"] == file.number(6, 2))
    #expect(values["exif 37500"] == Self.note)
    #expect(values["interop 1"] == Array("R98\0".utf8))
    #expect(values["gps 2"] == [48, 1, 51, 1, 30, 1].flatMap { file.number($0, 4) })
    #expect(try TIFFHead.walk(MemorySource(data)) == .complete)
  }

  @Test("A plain file has no metadata")
  func plain() throws {
    var file = HandMadeTIFF()
    file.pages[0].isTiled = true
    let head = try #require(try TIFFHead(MemorySource(file.data)))
    #expect(head.exif == nil && head.xmp == nil && head.profile == nil)
    #expect(head.imageRanges == [8..<56])
  }

  @Test("The first full picture counts, wherever it is")
  func pages() throws {
    var file = HandMadeTIFF()
    file.pages = [
      HandMadeTIFF.Page(width: 2, kind: 1), HandMadeTIFF.Page(width: 20, kind: 2, first: 9),
      HandMadeTIFF.Page(width: 30, kind: 2), HandMadeTIFF.Page(width: 3, kind: 4),
    ]
    var head = try #require(try TIFFHead(MemorySource(file.data)))
    #expect((head.size.width, head.pageCount, head.isRaw) == (20, 2, false))
    #expect(try MemorySource(file.data).bytes(at: head.imageRanges[0].lowerBound, count: 1) == [9])
    // A raw file has a preview in front, and the picture below it.
    file.pages = [HandMadeTIFF.Page(width: 2, kind: 1)]
    file.pages[0].subpages = [HandMadeTIFF.Page(width: 4, kind: 1), HandMadeTIFF.Page(width: 40, first: 7)]
    file.pages[0].subpages[1].fields.removeAll { $0.tag == 262 }
    file.pages[0].subpages[1].fields.append(.short(262, 32_803))
    head = try #require(try TIFFHead(MemorySource(file.data)))
    #expect((head.size.width, head.pageCount, head.isRaw) == (40, 1, true))
    file.pages[0].subpages = []
    file.pages[0].fields.append(.bytes(50_706, [1, 4, 0, 0]))
    head = try #require(try TIFFHead(MemorySource(file.data)))
    #expect((head.size.width, head.isRaw) == (2, true))
  }

  @Test("Pixels of which only the place is stated have the length that their size tells")
  func lonePixels() throws {
    var file = HandMadeTIFF()
    file.pages[0].strips = []
    file.pages[0].fields.append(.long(273, 8))
    file.unused = [UInt8](repeating: 1, count: 48)
    #expect(try TIFFHead(MemorySource(file.data))?.imageRanges == [8..<56])
    #expect(try TIFFHead.walk(MemorySource(file.data)) == .complete)
    file.pages[0].fields.removeAll { $0.tag == 259 }
    file.pages[0].fields.append(.short(259, 5))
    #expect(try TIFFHead(MemorySource(file.data)) == nil)
  }

  @Test("Raw files with other signatures are no TIFF")
  func otherFiles() throws {
    let tail: [UInt8] = [16, 0, 0, 0, 0x43, 0x52, 2, 0] + [UInt8](repeating: 0, count: 20)
    for start in ["II*\0", "IIRO", "IIRS", "IIU\0", "MMOR", "MM\0+", "II+\0", "IM*\0", "II", ""] {
      let source = MemorySource(Array(start.utf8) + (start.count == 4 ? tail : []))
      #expect(try !TIFFHead.begins(in: source), "\(start)")
      #expect(try TIFFHead(source) == nil)
      #expect(try TIFFHead.walk(source) == .damaged(at: 0))
    }
  }

  @Test("Cut files are told from complete ones", arguments: forms)
  func cut(_ order: Bool, _ big: Bool, _ behind: Bool) throws {
    var file = Self.described(isBigEndian: order, isBigTIFF: big, isBehind: behind)
    file.pages.append(HandMadeTIFF.Page(width: 9))
    let data = file.data
    for count in 0..<data.count {
      let source = MemorySource(data.prefix(count))
      let walk = try TIFFHead.walk(source)
      #expect(walk == .cutShort || count < file.headCount, "\(count) bytes")
      #expect(walk != .complete, "\(count) bytes")
      _ = try TIFFHead(source)
      for change in [PictureMetadata(xmp: .removed), PictureMetadata(exif: .removed, dropsOthers: true)] {
        #expect(throws: FormatError.self) {
          _ = try TIFFHead.pieces(of: DataSource(data.prefix(count), name: "cut"), change)
        }
      }
    }
  }

  @Test("Damaged files stop nothing", arguments: [false, true], [false, true])
  func damaged(_ order: Bool, _ big: Bool) throws {
    var file = Self.described(isBigEndian: order, isBigTIFF: big, isBehind: order)
    file.pages.append(HandMadeTIFF.Page(width: 9))
    file.pages[0].subpages = [HandMadeTIFF.Page(width: 4, kind: 1)]
    let data = file.data
    for index in data.indices {
      for mask in [UInt8(0xff), UInt8(1 << (index % 8))] {
        var bad = data
        bad[index] ^= mask
        let source = MemorySource(bad)
        _ = try TIFFHead(source)
        _ = try TIFFHead.walk(source)
        guard !big, mask == 0xff else { continue }
        for drops in [false, true] {
          let change = PictureMetadata(exif: .removed, xmp: .replaced(Data(Self.packet)), dropsOthers: drops)
          _ = try? TIFFHead.pieces(of: DataSource(bad, name: "bad"), change).joined()
        }
      }
    }
  }

  @Test("Directories that can't be are found")
  func impossible() throws {
    // A chain that ends in itself.
    var data = HandMadeTIFF().data
    let first = Int(data[4])
    data.replaceSubrange(data.count - 4..<data.count, with: [UInt8(first), 0, 0, 0])
    #expect(try TIFFHead.walk(MemorySource(data)) == .damaged(at: UInt64(first)))
    #expect(try TIFFHead(MemorySource(data))?.pageCount == 1)
    // No directory, and an empty one.
    #expect(try TIFFHead.walk(MemorySource([73, 73, 42, 0, 0, 0, 0, 0, 0, 0])) == .damaged(at: 4))
    #expect(try TIFFHead.walk(MemorySource([73, 73, 42, 0, 8, 0, 0, 0] + BigEndian.zeros(20))) == .damaged(at: 8))
    // Fewer lengths than offsets.
    var file = HandMadeTIFF()
    file.pages[0].strips = []
    file.pages[0].fields += [.long(273, 8, 8), .long(279, 4)]
    file.unused = BigEndian.zeros(8)
    #expect(try TIFFHead(MemorySource(file.data)) == nil)
    #expect(try TIFFHead.walk(MemorySource(file.data)) == .damaged(at: 24))
  }

  @Test("Numbers without bounds take neither time nor memory")
  func hostile() throws {
    // Directories with as many entries as there can be, all in the same bytes, and each the next one of the one before.
    let entry: [UInt8] = [0xff, 0xff, 0xff, 0xff] + BigEndian.zeros(8)
    let bytes = Array("II*\0".utf8) + [8, 0, 0, 0] + [0xff, 0xff] + (0..<70_000).flatMap { _ in entry }
    #expect(try TIFFHead(MemorySource(bytes)) == nil)
    _ = try TIFFHead.walk(MemorySource(bytes))
    // Every value of every type is said to be as long as possible, in BigTIFF longer than any number.
    for (head, count) in [("II*\0\u{8}\0\0\0", 4), ("II+\0\u{8}\0\0\0\u{10}\0\0\0\0\0\0\0", 8)] {
      var bytes = Array(head.utf8) + [200, 0] + BigEndian.zeros(count == 8 ? 6 : 0)
      for tag in 0..<200 {
        let number = [256, 257, 258, 259, 262, 270, 273, 279, 330, 700, 34_665, 34_853, 34_675, 254][tag % 14]
        bytes += [UInt8(number & 255), UInt8(number >> 8), UInt8(tag / 14 + 1), 0]
        bytes += [UInt8](repeating: 0xff, count: count) + [UInt8](repeating: 0xff, count: count)
      }
      let source = MemorySource(bytes, count: UInt64.max)
      #expect(try TIFFHead(source) == nil)
      _ = try TIFFHead.walk(source)
    }
  }

  @Test("A file that can't be read throws")
  func unreadable() throws {
    let source = MemorySource(HandMadeTIFF().data, failure: (0, EIO))
    #expect(throws: FormatError.read(ReadFailure(code: EIO))) { _ = try TIFFHead(source) }
    #expect(throws: FormatError.read(ReadFailure(code: EIO))) { _ = try TIFFHead.walk(source) }
  }
}

extension HandMadeTIFF {
  /// The bytes without which a file is no TIFF.
  fileprivate var headCount: Int { isBigTIFF ? 16 : 10 }
}
