// HEIC and AVIF files: their facts, copies with other metadata, and damaged ones.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite("HEIF files")
struct HEIFFileTests {
  static let exif = Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  static let packet = Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)

  /// Files of all forms: offsets from bases or not, grids, with metadata or not.
  static let files: [HandMadeHEIF] = (0..<2).flatMap { form in
    (0..<3).flatMap { version in
      [0, 3].map { tiles in
        var file = HandMadeHEIF()
        file.brand = version == 1 ? "avif" : "heic"
        (file.version, file.tiles, file.hasBases) = (UInt8(version), tiles, form == 1)
        if form == 1 { (file.exif, file.xmp) = (exif, packet) }
        return file
      }
    }
  }

  static func joined(_ data: Data, _ change: PictureMetadata) throws -> Data {
    try HEIFCopy.pieces(of: DataSource(data, name: "picture"), change).joined()
  }

  /// The coded bytes of all pictures, as the file's own directory places them.
  static func coded(_ data: Data) throws -> [[UInt8]] {
    let source = MemorySource(data)
    let file = try #require(try HEIFFile(source))
    return try file.directory.codedItems(of: file.directory.primary).map {
      try #require(try file.bytes(of: $0, in: source, atMost: 1 << 20))
    }
  }

  @Test("Size, format, EXIF and XMP are read", arguments: files.indices)
  func facts(_ index: Int) throws {
    let file = Self.files[index]
    let head = try #require(try HEIFHead(MemorySource(file.data)))
    #expect(head.format == (file.brand == "avif" ? .avif : .heic))
    #expect(head.size == PixelSize(width: 64, height: 48))
    #expect(head.exif.map { [UInt8]($0) } == file.exif)
    #expect(head.xmp.map { [UInt8]($0) } == file.xmp)
    #expect(head.movie == nil)
    #expect(head.end == UInt64(file.data.count))
    #expect(
      [UInt8](file.data[Int(head.imageData.lowerBound)..<Int(head.imageData.upperBound)]) == HandMadeHEIF.coded(0))
    #expect(try HEIFHead.damage(of: MemorySource(file.data)) == nil)
  }

  @Test("A quarter turn exchanges width and height", arguments: [0, 1, 2, 3])
  func turned(_ turns: Int) throws {
    var file = HandMadeHEIF()
    file.turns = turns
    let head = try #require(try HEIFHead(MemorySource(file.data)))
    #expect(head.size == (turns % 2 == 0 ? PixelSize(width: 64, height: 48) : PixelSize(width: 48, height: 64)))
  }

  @Test("New metadata are found, the coded pictures stay, and undoing gives the old bytes", arguments: files.indices)
  func metadata(_ index: Int) throws {
    let file = Self.files[index]
    let data = file.data
    let (newExif, newPacket) = (Data(Self.exif + [1, 2, 3]), Data(Self.packet + Self.packet))
    for (exif, xmp) in [(newExif, nil), (nil, newPacket), (newExif, newPacket)] as [(Data?, Data?)] {
      let change = PictureMetadata(
        exif: exif.map { .replaced($0) } ?? .kept, xmp: xmp.map { .replaced($0) } ?? .kept)
      let changed = try Self.joined(data, change)
      let head = try #require(try HEIFHead(MemorySource(changed)))
      #expect(head.exif == exif ?? file.exif.map { Data($0) })
      #expect(head.xmp == xmp ?? file.xmp.map { Data($0) })
      #expect(head.size == PixelSize(width: 64, height: 48))
      #expect(try Self.coded(changed) == Self.coded(data))
      #expect(try HEIFHead.damage(of: MemorySource(changed)) == nil)
      #expect(try Self.joined(data, change) == changed)
      // Back to what it was.
      let back = PictureMetadata(
        exif: exif == nil ? .kept : MetadataBlock(file.exif.map { Data($0) }),
        xmp: xmp == nil ? .kept : MetadataBlock(file.xmp.map { Data($0) }))
      #expect(try Self.joined(changed, back) == data)
    }
    let bare = try Self.joined(data, PictureMetadata(exif: .removed, xmp: .removed))
    let head = try #require(try HEIFHead(MemorySource(bare)))
    #expect(head.exif == nil && head.xmp == nil)
    #expect(bare.range(of: Data(Self.packet)) == nil)
    #expect(try Self.coded(bare) == Self.coded(data))
  }

  @Test("A copy without the rest has no boxes of other programs and no bytes of theirs")
  func withoutOthers() throws {
    var file = HandMadeHEIF()
    (file.exif, file.xmp) = (Self.exif, Self.packet)
    file.more = [MP4Box("uuid", Array("a secret place".utf8)), MP4Box("free", Array("a secret place".utf8))]
    file.movie = HandMadeMovie().data
    let bare = try Self.joined(file.data, PictureMetadata(dropsOthers: true))
    #expect(bare.range(of: Data("secret".utf8)) == nil)
    #expect(bare.range(of: Data("mpvd".utf8)) == nil)
    #expect(try Self.coded(bare) == Self.coded(file.data))
    #expect(try HEIFHead(MemorySource(bare))?.xmp == Data(Self.packet))
  }

  @Test("A copy without the rest has no texts about its pictures either, and nothing that belongs to none of them")
  func withoutTexts() throws {
    var file = HandMadeHEIF()
    (file.exif, file.xmp, file.tiles) = (Self.exif, Self.packet, 2)
    let secret = Array("a secret place".utf8)
    file.properties = [
      MP4Box("udes", [0, 0, 0, 0] + Array("en\0".utf8) + secret + [0, 0, 0]),
      MP4Box("uuid", [UInt8](repeating: 7, count: 16) + secret),
      MP4Box("colr", Array("prof".utf8) + BigEndian.words(UInt64(132 + 14)) + secret),
    ]
    file.itemName = "a secret place"
    file.unused = secret
    var second: [UInt8] = []
    MP4Box("xml ", secret).write(to: &second)
    file.more = [MP4Box("meta", [0, 0, 0, 0] + second)]
    let data = file.data
    for change in [
      PictureMetadata(dropsOthers: true), PictureMetadata(xmp: .removed, dropsOthers: true),
      PictureMetadata(exif: .replaced(Data(Self.exif + [9])), xmp: .replaced(Data(Self.packet)), dropsOthers: true),
    ] {
      var places = PlaceNames()
      places.insert("a secret place")
      let bare = try HEIFCopy.pieces(of: DataSource(data, name: "picture"), change, naming: places).joined()
      #expect(bare.range(of: Data("secret".utf8)) == nil)
      #expect(try Self.coded(bare) == Self.coded(data))
      let head = try #require(try HEIFHead(MemorySource(bare)))
      #expect(head.xmp == (change.xmp == .removed ? nil : Data(Self.packet)))
      #expect(try HEIFHead.damage(of: MemorySource(bare)) == nil)
    }
    #expect(try Self.joined(data, PictureMetadata(xmp: .replaced(Data(Self.packet)))).count == data.count)
  }

  @Test("A packet that is removed takes all others with it") func otherPackets() throws {
    var file = HandMadeHEIF()
    file.xmp = [UInt8](repeating: 65, count: Int(HEIFHead.longestBlock) + 1)
    let bare = try Self.joined(file.data, PictureMetadata(xmp: .removed, dropsOthers: true))
    #expect(bare.count < 2000)
    // What can't be read isn't replaced either.
    #expect(throws: FormatError.self) {
      try Self.joined(file.data, PictureMetadata(xmp: .replaced(Data(Self.packet))))
    }
  }

  @Test("A directory of more associations than pictures have is refused") func manyAssociations() throws {
    for count in [10, 1000] {
      var list: [UInt8] = [0, 0, 0, 0] + BigEndian.words(UInt64(count))
      for id in 1...count {
        list += [UInt8(id >> 8), UInt8(id & 255), 255] + [UInt8](repeating: 1, count: 255)
      }
      var container: [UInt8] = []
      MP4Box("irot", [0]).write(to: &container)
      var properties: [UInt8] = []
      MP4Box("ipco", container).write(to: &properties)
      MP4Box("ipma", list).write(to: &properties)
      var content: [UInt8] = [0, 0, 0, 0]
      MP4Box("pitm", [0, 0, 0, 0, 0, 1]).write(to: &content)
      MP4Box("iinf", [0, 0, 0, 0, 0, 0]).write(to: &content)
      MP4Box("iloc", [0, 0, 0, 0, 0x44, 0, 0, 0]).write(to: &content)
      MP4Box("iprp", properties).write(to: &content)
      if count == 10 {
        #expect(try HEIFDirectory(content).isPlain)
      } else {
        #expect(throws: FormatError.self) { try HEIFDirectory(content) }
      }
    }
  }

  @Test("The movie of a live photo is in its box, behind the picture")
  func movie() throws {
    var file = HandMadeHEIF()
    let movie = HandMadeMovie().data
    file.xmp = Self.packet
    let still = file.data
    file.movie = movie
    let data = file.data
    let head = try #require(try HEIFHead(MemorySource(data)))
    let range = try #require(head.movie)
    #expect(data[Int(range.lowerBound)..<Int(range.upperBound)] == movie)
    #expect(head.end == UInt64(still.count))
    #expect(range.lowerBound - head.end == HEIFHead.moviePadding)
    #expect(try still + HEIFHead.movieBoxHead(movieLength: UInt64(movie.count)) + movie == data)
    // Maker's data behind the MP4 are none of it.
    var trailer: [UInt8] = []
    MP4Box("sefd", Array("SEFH and more".utf8)).write(to: &trailer)
    file.movie = movie + trailer
    #expect(try HEIFHead(MemorySource(file.data))?.movie?.count == movie.count)
    // A box without a movie is none.
    file.movie = Data("no video at all, but long enough".utf8)
    #expect(try HEIFHead(MemorySource(file.data))?.movie == nil)
  }

  @Test("Copies of a live photo end where its picture does")
  func copyOfLivePhoto() throws {
    var file = HandMadeHEIF()
    file.movie = HandMadeMovie().data
    let changed = try Self.joined(file.data, PictureMetadata(xmp: .replaced(Data(Self.packet))))
    #expect(try HEIFHead(MemorySource(changed))?.movie == nil)
    #expect(try HEIFHead(MemorySource(changed))?.xmp == Data(Self.packet))
    #expect(changed.count < file.data.count)
  }

  @Test("Files of other kinds are none, and movies stay movies")
  func others() throws {
    for data in [HandMadeMovie().data, HandMadePNG.data(), Data(JPEGSample().bytes), Data(), Data(count: 40)] {
      #expect(try HEIFHead(MemorySource(data)) == nil)
      #expect(throws: FormatError.self) { try Self.joined(data, PictureMetadata(xmp: .removed)) }
    }
    #expect(try PictureHead.format(of: MemorySource(HandMadeMovie().data)) == nil)
    #expect(try PictureHead.format(of: MemorySource(HandMadePNG.data())) == .png)
    #expect(try PictureHead.format(of: MemorySource(HandMadeHEIF().data)) == .heic)
  }

  @Test("A file that is cut short anywhere is refused, damaged or none")
  func cutShort() throws {
    var file = HandMadeHEIF()
    (file.exif, file.xmp, file.tiles, file.version) = (Self.exif, Self.packet, 2, 1)
    let data = file.data
    for count in 0..<data.count {
      let source = MemorySource(data.prefix(count))
      if try HEIFHead(source) != nil { #expect(try HEIFHead.damage(of: source) != nil) }
      _ = try? Self.joined(data.prefix(count), PictureMetadata(exif: .removed, xmp: .replaced(Data(Self.packet))))
    }
  }

  @Test("Any single wrong byte is survived, and a copy that is made has all its items in it")
  func damaged() throws {
    var file = HandMadeHEIF()
    (file.exif, file.xmp, file.tiles, file.version, file.hasBases) = (Self.exif, Self.packet, 2, 1, true)
    let data = file.data
    let change = PictureMetadata(exif: .replaced(Data(Self.exif)), xmp: .replaced(Data(Self.packet + Self.packet)))
    for index in 0..<data.count {
      for value in [0, 1, 0x7f, 0xff] as [UInt8] {
        var bad = data
        bad[index] = value
        let source = MemorySource(bad)
        _ = try HEIFHead(source)
        _ = try HEIFHead.damage(of: source)
        for change in [change, PictureMetadata(exif: .removed, xmp: .removed, dropsOthers: true)] {
          guard let copy = try? Self.joined(bad, change) else { continue }
          #expect(copy.count < data.count + 4096)
          guard try HEIFHead.damage(of: source) == nil else { continue }
          #expect(try HEIFHead.damage(of: MemorySource(copy)) == nil)
        }
      }
    }
  }

  @Test("Pictures in what is replaced are never lost: such files are refused", arguments: [true, false])
  func pictureElsewhere(isInDirectory: Bool) throws {
    var file = HandMadeHEIF()
    file.xmp = Self.packet
    file.more = [MP4Box("free", HandMadeHEIF.coded(0))]
    let data = file.data
    var parsed = try #require(try HEIFFile(MemorySource(data)))
    let free = try #require(parsed.boxes.first { $0.type == "free" })
    let place = isInDirectory ? parsed.meta.range.lowerBound + 30 : free.content.lowerBound
    parsed.directory.locations.entries[0].extents[0].offset = place
    var meta: [UInt8] = []
    MP4Box("meta", parsed.directory.bytes).write(to: &meta)
    var bad = data
    bad.replaceSubrange(Int(parsed.meta.range.lowerBound)..<Int(parsed.meta.range.upperBound), with: meta)
    #expect(bad.count == data.count)
    #expect(throws: FormatError.refused(reason: "the picture is stored in a form that can’t be changed")) {
      try Self.joined(bad, PictureMetadata(xmp: .replaced(Data(Self.packet + Self.packet)), dropsOthers: true))
    }
  }

  @Test("Metadata in a form that can't be changed are refused")
  func unusual() throws {
    var file = HandMadeHEIF()
    file.xmp = Self.packet
    // The picture's bytes and the packet's overlap.
    let data = file.data
    let source = MemorySource(data)
    var parsed = try #require(try HEIFFile(source))
    let picture = parsed.directory.locations.entries[0].extents[0]
    parsed.directory.locations.entries[1].extents[0].offset = picture.offset + 2
    var meta: [UInt8] = []
    MP4Box("meta", parsed.directory.bytes).write(to: &meta)
    let bad = data.prefix(Int(parsed.meta.range.lowerBound)) + meta + data.dropFirst(Int(parsed.meta.range.upperBound))
    #expect(throws: FormatError.refused(reason: "the metadata is stored in a form that can’t be changed")) {
      try Self.joined(Data(bad), PictureMetadata(xmp: .removed))
    }
  }
}
