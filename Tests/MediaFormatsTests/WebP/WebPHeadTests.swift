// WebP files: facts, copies with other metadata, and damage.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite("WebP files")
struct WebPHeadTests {
  typealias Chunk = HandMadeWebP.Chunk
  private static let exif = [UInt8]("II*\0\u{8}\0\0\0\0\0\0\0\0\0".utf8)
  private static let xmp = [UInt8]("<x:xmpmeta/>".utf8)
  private static let place = [UInt8]("Zürich".utf8)

  /// Every form that a file may begin with.
  private static let files: [(name: String, file: HandMadeWebP)] = [
    ("simple", HandMadeWebP([.picture(width: 20, height: 10)])),
    ("lossless", HandMadeWebP([.lossless(width: 20, height: 10)])),
    ("transparent", HandMadeWebP([.lossless(width: 20, height: 10, isTransparent: true)])),
    (
      "opacity",
      HandMadeWebP([
        .extended(0x10, width: 20, height: 10), Chunk("ALPH", [1, 2, 3]), .picture(width: 20, height: 10),
      ])
    ),
    (
      "EXIF",
      HandMadeWebP([
        .extended(0x08, width: 20, height: 10), .picture(width: 20, height: 10), Chunk("EXIF", exif),
      ])
    ),
    (
      "XMP",
      HandMadeWebP([
        .extended(0x04, width: 20, height: 10), .picture(width: 20, height: 10), Chunk("XMP ", xmp),
      ])
    ),
    (
      "all, in another order",
      HandMadeWebP([
        .extended(0x2c, width: 20, height: 10), Chunk("ICCP", [9, 9, 9]), .picture(width: 20, height: 10),
        Chunk("XMP ", xmp), Chunk("EXIF", Array("Exif\0\0".utf8) + exif), Chunk("zzzz", place),
      ])
    ),
    (
      "animated",
      HandMadeWebP([
        .extended(0x02, width: 20, height: 10), Chunk("ANIM", [0, 0, 0, 0, 0, 0]),
        .frame(width: 20, height: 10, [.picture(width: 20, height: 10)]),
        .frame(width: 20, height: 10, [Chunk("ALPH", [1]), .picture(width: 20, height: 10), Chunk("zzzz", place)]),
      ])
    ),
    ("canvas", HandMadeWebP([.extended(0, width: 40, height: 30), .picture(width: 20, height: 10)])),
  ]

  private static func changed(_ data: Data, _ change: PictureMetadata) throws -> Data {
    try WebPHead.pieces(of: DataSource(data, name: "file"), change).joined()
  }

  private static func head(_ data: Data) throws -> WebPHead { try #require(try WebPHead(MemorySource(data))) }

  @Test("Sizes and blocks are read", arguments: files.indices)
  func facts(_ index: Int) throws {
    let (name, file) = Self.files[index]
    let head = try Self.head(file.data)
    #expect(head.size == (name == "canvas" ? PixelSize(width: 40, height: 30) : PixelSize(width: 20, height: 10)))
    #expect((head.exif == Data(Self.exif)) == ["EXIF", "all, in another order"].contains(name))
    #expect((head.xmp == Data(Self.xmp)) == ["XMP", "all, in another order"].contains(name))
    #expect(head.isAnimated == (name == "animated"))
    #expect(head.isLossless == ["lossless", "transparent"].contains(name))
    #expect(try WebPHead.walk(MemorySource(file.data)) == .complete)
  }

  @Test("New metadata are found, the same twice, and undoing gives the old bytes", arguments: files.indices)
  func roundTrip(_ index: Int) throws {
    let data = Self.files[index].file.data
    let old = try Self.head(data)
    let new = PictureMetadata(exif: .replaced(Data(Self.exif + [1, 2, 3])), xmp: .replaced(Data(Self.xmp + [32])))
    let changed = try Self.changed(data, new)
    let head = try Self.head(changed)
    #expect(head.exif == Data(Self.exif + [1, 2, 3]) && head.xmp == Data(Self.xmp + [32]))
    #expect(head.size == old.size && head.profile == old.profile && head.isAnimated == old.isAnimated)
    #expect(try WebPHead.walk(MemorySource(changed)) == .complete)
    #expect(try Self.changed(changed, new) == changed)
    let pixels = try old.imageRanges.map { try MemorySource(data).bytes(at: $0.lowerBound, count: $0.count) }
    #expect(
      try head.imageRanges.map { try MemorySource(changed).bytes(at: $0.lowerBound, count: $0.count) } == pixels)
    let back = PictureMetadata(exif: MetadataBlock(old.exif), xmp: MetadataBlock(old.xmp))
    #expect(try Self.changed(changed, back) == data)
    // One after the other, in both orders.
    for first in [true, false] {
      let one = PictureMetadata(exif: first ? new.exif : .kept, xmp: first ? .kept : new.xmp)
      let two = PictureMetadata(exif: first ? .kept : new.exif, xmp: first ? new.xmp : .kept)
      #expect(try Self.head(Self.changed(Self.changed(data, one), two)).exif == head.exif)
      let undone = try Self.changed(Self.changed(Self.changed(Self.changed(data, one), two), back), PictureMetadata())
      #expect(try Self.head(undone).exif == old.exif && Self.head(undone).xmp == old.xmp)
    }
  }

  @Test("New EXIF stands before XMP")
  func order() throws {
    let file = HandMadeWebP([
      .extended(0x04, width: 20, height: 10), .picture(width: 20, height: 10), Chunk("XMP ", Self.xmp),
    ])
    let changed = try Self.changed(file.data, PictureMetadata(exif: .replaced(Data(Self.exif))))
    let types = try #require(try WebPFile(MemorySource(changed))).chunks.map(\.type)
    #expect(types == ["VP8X", "VP8 ", "EXIF", "XMP "])
  }

  @Test("A copy without the rest has the picture and one block of each kind")
  func bare() throws {
    let exif = Chunk("EXIF", Self.place)
    let packet = Chunk("XMP ", Self.place)
    let files = [
      HandMadeWebP([
        .extended(0x2c, width: 20, height: 10), Chunk("ICCP", [9, 9]), Chunk("ICCP", Self.place),
        .picture(width: 20, height: 10), exif, exif, packet, packet, Chunk("GPS ", Self.place),
      ]),
      HandMadeWebP([
        .extended(0x02, width: 20, height: 10), Chunk("ANIM", [0, 0, 0, 0, 0, 0]),
        .frame(width: 20, height: 10, [.picture(width: 20, height: 10), Chunk("zzzz", Self.place)]),
        .frame(
          width: 20, height: 10,
          [Chunk("ALPH", [1, 2]), .picture(width: 20, height: 10), .picture(width: 20, height: 10), exif, packet]),
        Chunk("zzzz", Self.place),
      ]),
    ]
    for file in files {
      // Bytes behind the file go as well.
      let data = file.data + Data(Self.place)
      var change = PictureMetadata(exif: .removed, xmp: .removed, dropsOthers: true)
      let bare = try Self.changed(data, change)
      #expect(bare.range(of: Data(Self.place)) == nil)
      #expect(try WebPHead.walk(MemorySource(bare)) == .complete)
      let head = try Self.head(bare)
      #expect(head.size == PixelSize(width: 20, height: 10) && head.exif == nil && head.xmp == nil)
      #expect(try Self.changed(bare, change) == bare)
      change.exif = .replaced(Data(Self.exif))
      change.xmp = .replaced(Data(Self.xmp))
      let clean = try Self.changed(data, change)
      #expect(clean.range(of: Data(Self.place)) == nil)
      #expect(try Self.head(clean).exif == Data(Self.exif) && Self.head(clean).xmp == Data(Self.xmp))
    }
  }

  @Test("Cut files are told from damaged ones, and nothing stops", arguments: files.indices)
  func damage(_ index: Int) throws {
    let data = Self.files[index].file.data
    for count in 12..<data.count {
      #expect(try WebPHead.walk(MemorySource(data.prefix(count))) == .cutShort, "\(count)")
      #expect(throws: FormatError.self) {
        try Self.changed(data.prefix(count), PictureMetadata(xmp: .replaced(Data(Self.xmp))))
      }
    }
    var numbers = SeededNumbers(state: UInt64(index + 1))
    for _ in 0..<2_000 {
      var damaged = data
      for _ in 0..<Int.random(in: 1...4, using: &numbers) {
        damaged[Int.random(in: 0..<data.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
      }
      _ = try WebPHead(MemorySource(damaged))
      _ = try WebPHead.walk(MemorySource(damaged))
      let change = PictureMetadata(exif: .removed, xmp: .replaced(Data(Self.xmp)), dropsOthers: true)
      do throws(FormatError) {
        _ = try WebPHead.pieces(of: DataSource(damaged, name: "file"), change)
      } catch {
        guard case .refused = error else { throw error }
      }
    }
  }
}
