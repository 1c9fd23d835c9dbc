// PNG files: their facts, copies with other metadata, and damaged ones.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite("PNG files")
struct PNGFileTests {
  static let exif = Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  static let packet = Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)
  static let text = HandMadePNG.chunk("tEXt", Array("Comment\0a secret place".utf8))

  static func joined(_ data: Data, _ change: PictureMetadata) throws -> Data {
    try PNGHead.pieces(of: DataSource(data, name: "picture"), change).joined()
  }

  @Test("Size, EXIF and XMP are read, wherever they are")
  func facts() throws {
    let chunks = [HandMadePNG.chunk("eXIf", Self.exif), HandMadePNG.xmp(Self.packet)]
    for data in [HandMadePNG.data(front: chunks), HandMadePNG.data(back: chunks)] {
      let head = try #require(try PNGHead(MemorySource(data)))
      #expect(head.size == PixelSize(width: 64, height: 48))
      #expect(head.exif == Data(Self.exif))
      #expect(head.xmp == Data(Self.packet))
      #expect(head.end == UInt64(data.count))
      #expect(head.imageData.count == 40)
      #expect(try PNGHead.walk(MemorySource(data)) == .complete)
    }
    let plain = try #require(try PNGHead(MemorySource(HandMadePNG.data())))
    #expect(plain.exif == nil && plain.xmp == nil)
  }

  @Test(
    "A frame of an animation is shown as long as it was, also for minutes and hours",
    arguments: [
      (1, 0.001), (65_535, 65.535), (65_536, 65.54), (90_000, 90), (655_350, 655.35), (655_900, 656), (7_200_000, 7200),
    ])
  func delays(_ milliseconds: Int, _ seconds: Double) throws {
    var writer = PNGAnimationWriter()
    for duration in [40, milliseconds] { try writer.append(Data(HandMadePNG.data()), milliseconds: duration) }
    let data = writer.file()
    let animation = try #require(try PNGAnimation(DataSource(data, name: "png")))
    #expect(animation.frames.map(\.duration) == [0.04, seconds])
  }

  @Test("The file of an animation is whole after each frame, and nothing is copied to end it")
  func endOfAnimation() throws {
    var writer = PNGAnimationWriter()
    for count in 1...3 {
      try writer.append(Data(HandMadePNG.data()), milliseconds: 40)
      let (file, again) = (writer.file(), writer.file())
      #expect(file.count == writer.byteCount)
      file.withUnsafeBytes { file in again.withUnsafeBytes { #expect(file.baseAddress == $0.baseAddress) } }
      let animation = try #require(try PNGAnimation(DataSource(file, name: "png")))
      #expect(animation.frames.count == count && animation.loopCount == 0)
      #expect(try PNGHead.walk(MemorySource(file)) == .complete)
    }
  }

  @Test(
    "A head that is too long to be copied for each frame makes a still picture", arguments: [(1, true), (9, false)])
  func longHead(megabytes: Int, isAnimated: Bool) throws {
    let profile = HandMadePNG.chunk("iCCP", [UInt8](repeating: 7, count: megabytes << 20))
    var writer = PNGAnimationWriter()
    for _ in 0..<2 { try writer.append(Data(HandMadePNG.data(front: [profile])), milliseconds: 40) }
    #expect(try (PNGAnimation(DataSource(writer.file(), name: "png")) != nil) == isAnimated)
  }

  @Test("New metadata are found, and undoing gives the old bytes")
  func metadata() throws {
    let (newExif, newPacket) = (Data(Self.exif + [1, 2, 3]), Data(Self.packet + Self.packet))
    let files = [
      HandMadePNG.data(front: [Self.text]),
      HandMadePNG.data(front: [HandMadePNG.xmp(Self.packet)], back: [HandMadePNG.chunk("eXIf", Self.exif), Self.text]),
    ]
    for data in files {
      let old = try #require(try PNGHead(MemorySource(data)))
      let changed = try Self.joined(data, PictureMetadata(exif: .replaced(newExif), xmp: .replaced(newPacket)))
      let head = try #require(try PNGHead(MemorySource(changed)))
      #expect(head.exif == newExif && head.xmp == newPacket)
      #expect(try PNGHead.walk(MemorySource(changed)) == .complete)
      #expect(changed.range(of: Data("secret".utf8)) != nil)
      let back = try Self.joined(
        changed, PictureMetadata(exif: MetadataBlock(old.exif), xmp: MetadataBlock(old.xmp)))
      #expect(back == data)
    }
  }

  @Test("A copy without the rest keeps what shows the picture")
  func withoutOthers() throws {
    let gamma = HandMadePNG.chunk("gAMA", HandMadeMovie.words(45455))
    let data = HandMadePNG.data(front: [gamma, Self.text, HandMadePNG.xmp(Self.packet)], back: [Self.text])
    let bare = try Self.joined(data + Data("secret".utf8), PictureMetadata(dropsOthers: true))
    #expect(bare == HandMadePNG.data(front: [gamma, HandMadePNG.xmp(Self.packet)]))
  }

  @Test("An XMP packet that can't be read, or a second one, is left alone by changes")
  func otherPackets() throws {
    let compressed = HandMadePNG.chunk("iTXt", PNGFile.xmpKeyword + [1, 0, 0, 0] + PNGFile.stored(Self.packet))
    let packet = HandMadePNG.xmp(Self.packet)
    for chunks in [[compressed], [packet, packet], [packet, compressed]] {
      let data = HandMadePNG.data(front: chunks)
      #expect(throws: FormatError.self) { try Self.joined(data, PictureMetadata(xmp: .replaced(Data(Self.packet)))) }
      #expect(throws: FormatError.self) { try Self.joined(data, PictureMetadata(xmp: .removed)) }
      let bare = try Self.joined(data, PictureMetadata(xmp: .removed, dropsOthers: true))
      #expect(bare == HandMadePNG.data())
    }
  }

  @Test("A color profile is replaced where it is, by one of any length, and has no name")
  func profile() throws {
    let old = HandMadePNG.chunk("iCCP", Array("a secret place\0\0".utf8) + PNGFile.stored([1, 2, 3]))
    for count in [0, 1, 65_535, 65_536, 140_000] {
      var change = PictureMetadata(dropsOthers: true)
      change.profile = .replaced(Data(repeating: 7, count: count))
      let changed = try Self.joined(HandMadePNG.data(front: [old]), change)
      #expect(changed.range(of: Data("secret".utf8)) == nil)
      #expect(try PNGHead.walk(MemorySource(changed)) == .complete)
    }
    var change = PictureMetadata()
    change.profile = .removed
    #expect(try Self.joined(HandMadePNG.data(front: [old]), change) == HandMadePNG.data())
  }

  @Test("Cut and damaged files are told from complete ones")
  func damage() throws {
    let data = HandMadePNG.data(front: [HandMadePNG.chunk("eXIf", Self.exif)])
    for count in 0..<data.count {
      let source = MemorySource(data.prefix(count))
      #expect(try PNGHead.walk(source) != .complete)
      #expect(throws: FormatError.self) { try Self.joined(data.prefix(count), PictureMetadata(xmp: .removed)) }
      _ = try PNGHead(source)
    }
    for index in data.indices {
      var bad = data
      bad[index] ^= 0x55
      #expect(try PNGHead.walk(MemorySource(bad)) != .complete, "byte \(index)")
      _ = try? Self.joined(bad, PictureMetadata(exif: .removed, xmp: .replaced(Data(Self.packet))))
    }
  }

  @Test("A compressed packet is not taken for a plain one")
  func compressed() throws {
    let chunk = HandMadePNG.chunk("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 1, 0, 0, 0] + Self.packet)
    #expect(try PNGHead(MemorySource(HandMadePNG.data(front: [chunk])))?.xmp == nil)
  }
}
