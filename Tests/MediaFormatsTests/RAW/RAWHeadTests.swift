// Raw files of cameras: size, metadata and preview of each form, and damage.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite("Raw files")
struct RAWHeadTests {
  /// A JPEG of a known size.
  private static func jpeg(_ side: Int) -> [UInt8] { [UInt8](HandMadeJPEG(side: side).data) }

  /// Directories as most makers write them: a thumbnail with EXIF, and below it the sensor's samples and a large JPEG.
  private static func directories(isBigEndian: Bool = false) -> HandMadeTIFF {
    var file = HandMadeTIFF()
    file.isBigEndian = isBigEndian
    file.pages = [HandMadeTIFF.Page(width: 2, height: 2, kind: 1)]
    file.pages[0].fields += [
      .text(271, "Maker"), .text(272, "Camera"), .short(274, 6),
      .directory(34_665, [.text(36_867, "2026:11:21 07:31:06"), .long(40_962, 64), .long(40_963, 64)]),
      .bytes(700, Array("<x:xmpmeta/>".utf8)),
    ]
    var samples = HandMadeTIFF.Page(width: 72, height: 68, first: 7)
    samples.fields.removeAll { $0.tag == 262 }
    samples.fields.append(.short(262, 32_803))
    var preview = HandMadeTIFF.Page(width: 64, height: 64, kind: 1)
    preview.fields.removeAll { $0.tag == 259 }
    preview.fields.append(.short(259, 6))
    preview.strips = [jpeg(64)]
    file.pages[0].subpages = [samples, preview]
    return file
  }

  private static func head(_ data: Data) throws -> PictureHead {
    let head = try #require(try PictureHead(MemorySource(data)))
    #expect(head.format == .raw)
    return head
  }

  @Test("Directories of TIFF, in both byte orders", arguments: [false, true])
  func tiff(isBigEndian: Bool) throws {
    let data = Self.directories(isBigEndian: isBigEndian).data
    let head = try Self.head(data)
    #expect(head.size == PixelSize(width: 64, height: 64))
    #expect(head.orientationCounts)
    #expect(head.xmp == Data("<x:xmpmeta/>".utf8))
    let preview = try #require(head.preview)
    #expect(preview.size == PixelSize(width: 64, height: 64))
    #expect(data[Int(preview.range.lowerBound)..<Int(preview.range.upperBound)].elementsEqual(Self.jpeg(64)))
    #expect(head.imageRanges.map { $0.count } == [48])
    #expect(try MemorySource(data).bytes(at: head.imageOffset, count: 1) == [7])
    let block = try #require(head.exif)
    var exif = try #require(try TIFFReader(DataSource(block, name: "EXIF")))
    let first = try exif.directory(at: exif.firstDirectory)
    #expect(try exif.value(first[274]) == 6)
    #expect(first[34_665] != nil && first[256] == nil)
    #expect(try RAWHead.walk(MemorySource(data)) == .complete)
  }

  @Test("EXIF's size counts unless it is that of a much smaller picture")
  func sizes() throws {
    var file = Self.directories()
    file.pages[0].fields.removeAll { $0.tag == 34_665 }
    #expect(try Self.head(file.data).size == PixelSize(width: 72, height: 68))
    file.pages[0].fields.append(.directory(34_665, [.long(40_962, 32), .long(40_963, 32)]))
    #expect(try Self.head(file.data).size == PixelSize(width: 72, height: 68))
    // DNG tells the size without the borders, in whole or rational numbers.
    file.pages[0].fields.append(.bytes(50_706, [1, 4, 0, 0]))
    file.pages[0].subpages[0].fields.append(.short(50_720, 70, 66))
    #expect(try Self.head(file.data).size == PixelSize(width: 70, height: 66))
    file.pages[0].subpages[0].fields.removeAll { $0.tag == 50_720 }
    file.pages[0].subpages[0].fields.append(.rational(50_720, 140, 2, 66, 1))
    #expect(try Self.head(file.data).size == PixelSize(width: 70, height: 66))
  }

  @Test("Previews are JPEGs of 8 bits with the picture's aspect ratio")
  func previews() throws {
    var file = Self.directories()
    // A raw picture may be a JPEG of more bits.
    var lossless = Self.jpeg(64)
    let precision = try #require(
      lossless.indices.first { lossless[$0] == 0xff && (0xc0...0xc3).contains(lossless[$0 + 1]) })
    lossless[precision + 4] = 14
    file.pages[0].subpages[1].strips = [lossless]
    #expect(try Self.head(file.data).preview == nil)
    file.pages[0].subpages[1].strips = [[1, 2, 3, 4]]
    #expect(try Self.head(file.data).preview == nil)
    file.pages[0].subpages[1].strips = [Self.jpeg(64)]
    file.pages[0].fields.removeAll { $0.tag == 34_665 }
    file.pages[0].subpages[0].fields.removeAll { $0.tag == 257 }
    file.pages[0].subpages[0].fields.append(.short(257, 30))
    #expect(try Self.head(file.data).preview == nil)
  }

  @Test("Olympus' and Panasonic's versions of TIFF", arguments: [0x4f52, 0x5352, 0x55] as [UInt16])
  func versions(_ version: UInt16) throws {
    var file = HandMadeTIFF()
    file.pages = [HandMadeTIFF.Page(width: 40, height: 40)]
    file.pages[0].fields += [
      .text(271, "Maker"), .short(4, 2), .short(5, 2), .short(6, 32), .short(7, 42),
      .bytes(0x2e, Self.jpeg(32), type: 7),
    ]
    if version == 0x55 { file.pages[0].fields.removeAll { $0.tag == 256 || $0.tag == 257 } }
    var data = file.data
    data[2] = UInt8(version & 255)
    data[3] = UInt8(version >> 8)
    let head = try Self.head(data)
    #expect(head.size == (version == 0x55 ? PixelSize(width: 40, height: 30) : PixelSize(width: 40, height: 40)))
    #expect((head.preview?.size.width == 32) == (version != 0x55))
    #expect(try TIFFReader(MemorySource(data)) == nil)
  }

  @Test("Canon's mark behind the header, and its samples in the last directory")
  func canon() throws {
    var file = HandMadeTIFF()
    file.unused = [1, 2]
    file.pages = [HandMadeTIFF.Page(width: 64, height: 64), HandMadeTIFF.Page(width: 32, height: 32, first: 5)]
    file.pages[0].fields.removeAll { $0.tag == 259 }
    file.pages[0].fields.append(.short(259, 6))
    file.pages[0].strips = [Self.jpeg(64)]
    file.pages[1].fields.removeAll { [256, 257, 262].contains($0.tag) }
    var data = file.data
    // The mark takes the place of the first pixels, which come before the directories here.
    #expect(try PictureHead(MemorySource(data))?.format == .tiff)
    let jpeg = data[8..<8 + Self.jpeg(64).count]
    data.replaceSubrange(8..<12, with: Array("CR".utf8) + [2, 0])
    let head = try Self.head(data)
    #expect(head.size == PixelSize(width: 64, height: 64) && head.preview == nil)
    #expect(try MemorySource(data).bytes(at: head.imageOffset, count: 1) == [5])
    #expect(jpeg.starts(with: [0xff, 0xd8]))
  }

  /// A RAF file with a JPEG, facts and samples.
  private static var fujifilm: Data {
    let jpeg = jpeg(64)
    let facts = [0, 0, 0, 2] + [1, 0, 0, 4, 0, 70, 0, 74] + [1, 0x11, 0, 4, 0, 64, 0, 64] as [UInt8]
    let start = 108
    func word(_ number: Int) -> [UInt8] { HandMadeMovie.bytes(UInt64(number), 4) }
    var data = Data("FUJIFILMCCD-RAW 0201FF000000Camera".utf8)
    data += Data(count: 84 - data.count)
    data += word(start) + word(jpeg.count) + word(start + jpeg.count) + word(facts.count)
    data += word(start + jpeg.count + facts.count) + word(10)
    return data + jpeg + facts + [UInt8](repeating: 9, count: 10)
  }

  @Test("Fujifilm's header")
  func raf() throws {
    let data = Self.fujifilm
    let head = try Self.head(data)
    #expect(head.size == PixelSize(width: 64, height: 64) && head.preview?.size == head.size)
    #expect(try MemorySource(data).bytes(at: head.imageOffset, count: 1) == [9])
    #expect(try RAWHead.walk(MemorySource(data)) == .complete)
    #expect(try RAWHead.walk(MemorySource(data.dropLast())) == .cutShort)
  }

  /// A CR3 file with metadata, a large JPEG and samples.
  private static var boxes: Data {
    func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
      HandMadeMovie.bytes(UInt64(content.count + 8), 4) + Array(type.utf8) + content
    }
    func tiff(_ fields: [HandMadeTIFF.Field]) -> [UInt8] {
      var file = HandMadeTIFF()
      file.pages[0].fields = fields
      file.pages[0].strips = []
      return [UInt8](file.data)
    }
    let id: [UInt8] = [
      0x85, 0xc0, 0xb6, 0x87, 0x82, 0x0f, 0x11, 0xe0, 0x81, 0x11, 0xf4, 0xce, 0x46, 0x2b, 0x6a, 0x48,
    ]
    let canon =
      id + box("CMT1", tiff([.short(256, 80), .short(257, 80), .text(271, "Canon"), .short(274, 8)]))
      + box("CMT2", tiff([.text(36_867, "2026:11:21 07:31:06"), .short(40_962, 64), .short(40_963, 64)]))
      + box("CMT4", tiff([.text(1, "N")]))
    let jpeg = jpeg(64)
    func track(_ offset: Int, _ length: Int) -> [UInt8] {
      let table =
        box("stsz", HandMadeMovie.bytes(0, 4) + HandMadeMovie.bytes(UInt64(length), 4) + HandMadeMovie.bytes(1, 4))
        + box("co64", HandMadeMovie.bytes(0, 4) + HandMadeMovie.bytes(1, 4) + HandMadeMovie.bytes(UInt64(offset), 8))
      return box("trak", box("mdia", box("minf", box("stbl", table))))
    }
    let type = box("ftyp", Array("crx ".utf8) + [0, 0, 0, 1] + Array("crx isom".utf8))
    func movie(_ start: Int) -> [UInt8] {
      box("moov", box("uuid", canon) + track(start, jpeg.count) + track(start + jpeg.count, 10))
    }
    let start = type.count + movie(0).count + 8
    return Data(type + movie(start) + box("mdat", jpeg + [UInt8](repeating: 9, count: 10)))
  }

  @Test("Canon's boxes")
  func cr3() throws {
    let data = Self.boxes
    let head = try Self.head(data)
    #expect(head.size == PixelSize(width: 64, height: 64) && head.preview?.size == head.size)
    #expect(try MemorySource(data).bytes(at: head.imageOffset, count: 1) == [9])
    let block = try #require(head.exif)
    var exif = try #require(try TIFFReader(DataSource(block, name: "EXIF")))
    let first = try exif.directory(at: exif.firstDirectory)
    #expect(try exif.value(first[274]) == 8)
    #expect(first[34_665] != nil && first[34_853] != nil)
    #expect(try RAWHead.walk(MemorySource(data)) == .complete)
    #expect(try RAWHead.walk(MemorySource(data.dropLast())) == .cutShort)
  }

  private static let files: [(name: String, data: Data)] = [
    ("directories", directories().data), ("Fujifilm", fujifilm), ("boxes", boxes),
  ]

  @Test("Cut and damaged files stop nothing", arguments: files.indices)
  func damage(_ index: Int) throws {
    let data = Self.files[index].data
    for count in 0..<data.count {
      let source = MemorySource(data.prefix(count))
      _ = try PictureHead(source)
      _ = try RAWHead.walk(source)
    }
    var numbers = SeededNumbers(state: UInt64(index + 1))
    for _ in 0..<2_000 {
      var damaged = data
      for _ in 0..<Int.random(in: 1...4, using: &numbers) {
        damaged[Int.random(in: 0..<data.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
      }
      let source = MemorySource(damaged)
      if let head = try RAWHead(source) {
        #expect(head.imageRanges.allSatisfy { !$0.isEmpty && $0.upperBound <= source.count })
        #expect(head.preview.map { $0.range.upperBound <= source.count } ?? true)
      }
      _ = try RAWHead.walk(source)
    }
  }

  @Test("Directories that lead in a circle end")
  func circle() throws {
    var data = Self.directories().data
    let reader = try #require(try TIFFReader(MemorySource(data)))
    var first = reader
    let directory = try first.directory(at: reader.firstDirectory)
    data.replaceSubrange(
      Int(directory.range.upperBound) - 4..<Int(directory.range.upperBound),
      with: HandMadeTIFF().number(reader.firstDirectory, 4))
    #expect(try RAWHead(MemorySource(data)) != nil)
  }

  @Test("They are never changed", arguments: files.indices)
  func unchanged(_ index: Int) throws {
    let source = DataSource(Self.files[index].data, name: "file")
    #expect(try RAWHead.pieces(of: source, PictureMetadata()).joined() == Self.files[index].data)
    #expect(throws: FormatError.self) {
      try RAWHead.pieces(of: source, PictureMetadata(xmp: .replaced(Data("<x:xmpmeta/>".utf8))))
    }
  }

  @Test("A DNG is PhotoMe's part of a shot when it says so and names the picture")
  func shots() throws {
    let frame = try DNGFileTests.frame(BayerLayout(pattern: .rggb, bits: 10))
    var description = DNGFileTests.description
    #expect(try DNGHead.isOfShot(MemorySource(DNGFile(frame, description).data)))
    description.software = "Another 1"
    let other = try DNGFile(frame, description).data
    #expect(try !DNGHead.isOfShot(MemorySource(other)))
    #expect(try !DNGHead.isOfShot(MemorySource(Self.directories().data)))
    #expect(try Self.head(other).size == PixelSize(width: 64, height: 48))
  }
}
