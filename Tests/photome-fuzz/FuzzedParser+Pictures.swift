// HEIC, AVIF and PNG files, and copies of them with other metadata.

import CameraCore
import Foundation
import MediaFormats

extension FuzzedParser {
  static let ofPictures = [
    FuzzedParser(name: "heif", seeds: Seeds.heifs, words: Words.heif + Words.boxes) { bytes in
      let file = FuzzedBytes(bytes)
      guard let head = try HEIFHead(file) else { return }
      precondition(head.size.width > 0 && head.size.height > 0, "a size of nothing")
      precondition(head.end <= file.count && head.imageData.upperBound <= file.count, "bytes beyond the file")
      precondition(head.movie.map { $0.upperBound <= file.count } ?? true, "a movie beyond the file")
      _ = try HEIFCodedSize(file)
      let matte = try HEIFPortraitMatte(file)
      precondition(matte?.ranges.allSatisfy { $0.upperBound <= file.count } ?? true, "a matte beyond the file")
      let isWhole = try HEIFHead.damage(of: file) == nil
      let source = DataSource(bytes, name: "picture")
      let copies =
        changes.map { change in try? HEIFCopy.pieces(of: source, change).joined() }
        // The picture is a matte of itself.
        + [source, nil].map { matte in try? HEIFCopy.pieces(of: source, portraitMatte: matte).joined() }
      for copy in copies.compactMap(\.self) {
        let damage = try HEIFHead.damage(of: DataSource(copy, name: "copy"))
        precondition(!isWhole || damage == nil, "a damaged copy")
      }
    },
    FuzzedParser(name: "png", seeds: Seeds.pngs, words: Words.png) { bytes in
      let file = FuzzedBytes(bytes)
      guard let head = try PNGHead(file) else { return }
      precondition(head.end <= file.count && head.imageData.upperBound <= file.count, "bytes beyond the file")
      let isWhole = try PNGHead.walk(file) == .complete
      for change in changes {
        guard let copy = try? PNGHead.pieces(of: DataSource(bytes, name: "picture"), change).joined() else { continue }
        let walk = try PNGHead.walk(DataSource(copy, name: "copy"))
        precondition(!isWhole || walk == .complete, "a damaged copy")
      }
    },
  ]

  private static let changes = [
    PictureMetadata(exif: .replaced(Data("II*\0\u{8}\0\0\0\0\0".utf8)), xmp: .replaced(Data("<x/>".utf8))),
    PictureMetadata(exif: .removed, xmp: .removed, dropsOthers: true),
  ]
}

extension Seeds {
  /// One picture with EXIF in items of the boxes that HEIF needs, and the same with a matte.
  static func heifs() throws -> [Data] {
    func box(_ type: MP4Type, _ content: [UInt8]) -> [UInt8] {
      var bytes: [UInt8] = []
      MP4Box(type, content).write(to: &bytes)
      return bytes
    }
    func number(_ value: Int, _ count: Int) -> [UInt8] { ByteWriter.number(value, count) }
    return try ["heic", "avif"].flatMap { brand in
      let type = box("ftyp", Array(brand.utf8) + number(0, 4) + Array("mif1".utf8))
      func directory(_ start: Int) -> [UInt8] {
        let places: [[UInt8]] = [
          number(0, 4), [0x44, 0], number(2, 2), number(1, 2), number(0, 2), number(1, 2), number(start, 4),
          number(20, 4), number(2, 2), number(0, 2), number(1, 2), number(start + 20, 4), number(18, 4),
        ]
        let code = Array((brand == "heic" ? "hvc1" : "av01").utf8)
        let head: [UInt8] = [2, 0, 0, 0]
        let picture = box("infe", [head, number(1, 2), number(0, 2), code, [0]].flatMap { $0 })
        let exif = box("infe", [head, number(2, 2), number(0, 2), Array("Exif".utf8), [0]].flatMap { $0 })
        let size = box("ispe", [number(0, 4), number(64, 4), number(48, 4)].flatMap { $0 })
        let links = box("ipma", [number(0, 4), number(1, 4), number(1, 2), [3, 0x81, 0x82, 0x83]].flatMap { $0 })
        let settings = box(brand == "heic" ? "hvcC" : "av1C", ByteWriter.zeros(23))
        let description = box("cdsc", [number(2, 2), number(1, 2), number(1, 2)].flatMap { $0 })
        let boxes: [[UInt8]] = [
          number(0, 4), box("pitm", number(1, 6)), box("iloc", places.flatMap { $0 }),
          box("iinf", [number(0, 4), number(2, 2), picture, exif].flatMap { $0 }),
          box("iref", number(0, 4) + description), box("iprp", box("ipco", size + box("irot", [1]) + settings) + links),
        ]
        return box("meta", boxes.flatMap { $0 })
      }
      let front = type + directory(type.count + directory(0).count + 8)
      let exif = number(0, 4) + Array("II*\0\u{8}\0\0\0".utf8) + ByteWriter.zeros(6)
      let plain = Data(front + box("mdat", ByteWriter.zeros(20) + exif) + box("mpvd", [UInt8](movies()[0])))
      let source = DataSource(plain, name: "seed")
      return [plain, try HEIFCopy.pieces(of: source, portraitMatte: source).joined()]
    }
  }

  /// A PNG with EXIF and XMP; its checksums are made by the writer.
  static func pngs() throws -> [Data] {
    let head: [UInt8] = [0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0]
    func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
      let parts: [[UInt8]] = [ByteWriter.number(content.count, 4), Array(type.utf8), content, ByteWriter.zeros(4)]
      return parts.flatMap { $0 }
    }
    let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    let chunks = [chunk("IHDR", head), chunk("IDAT", ByteWriter.zeros(8)), chunk("IEND", [])]
    let plain = Data(signature + chunks.flatMap { $0 })
    let change = PictureMetadata(
      exif: .replaced(Data("II*\0\u{8}\0\0\0\0\0".utf8)), xmp: .replaced(Data("<x/>".utf8)))
    return [plain, try PNGHead.pieces(of: DataSource(plain, name: "seed"), change).joined()]
  }
}

extension Words {
  static let heif = [
    "pitm", "iloc", "iinf", "infe", "iref", "cdsc", "dimg", "iprp", "ipco", "ipma", "ispe", "idat", "mpvd",
    "auxl", "auxC", XMPPacket.portraitMatteType,
  ]
  static let png = ["IHDR", "IDAT", "IEND", "eXIf", "iTXt", "XML:com.adobe.xmp\0\0\0\0\0", "iCCP"]
}
