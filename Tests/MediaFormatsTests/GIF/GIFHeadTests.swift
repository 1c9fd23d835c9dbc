// GIF files: facts, copies with other metadata, and damage.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite("GIF files")
struct GIFHeadTests {
  private static let xmp = Data("<x:xmpmeta>packet</x:xmpmeta>".utf8)
  private static let place = Array("Zürich".utf8)

  private static func file(loops: Int? = nil, extensions: [UInt8] = [], frames: Int = 2) -> Data {
    var gif = HandMadeGIF(
      width: 8, height: 6, frames: (0..<frames).map { .init(width: 8, height: 6, color: UInt8($0 % 100)) })
    (gif.loops, gif.extensions) = (loops, extensions)
    return gif.data
  }

  /// An extension made of blocks.
  private static func blocks(_ label: UInt8, _ identifier: String, _ contents: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = [0x21, label]
    if !identifier.isEmpty { bytes += [UInt8(identifier.utf8.count)] + Array(identifier.utf8) }
    for content in contents { bytes += [UInt8(content.count)] + content }
    return bytes + [0]
  }

  private static func changed(_ data: Data, _ change: PictureMetadata) throws -> Data {
    try GIFHead.pieces(of: DataSource(data, name: "file"), change).joined()
  }

  private static func head(_ data: Data) throws -> GIFHead { try #require(try GIFHead(MemorySource(data))) }

  @Test("A packet is found, the same twice, and undoing gives the old bytes", arguments: [nil, 0, 3])
  func roundTrip(loops: Int?) throws {
    let data = Self.file(loops: loops)
    #expect(try Self.head(data).xmp == nil && Self.head(data).isAnimated)
    let change = PictureMetadata(xmp: .replaced(Self.xmp))
    let changed = try Self.changed(data, change)
    #expect(try Self.head(changed).xmp == Self.xmp)
    #expect(try GIFHead.walk(MemorySource(changed)) == .complete)
    #expect(try Self.changed(changed, change) == changed)
    #expect(try Self.changed(changed, PictureMetadata(xmp: .removed)) == data)
    // Decoders look for the repetitions right behind the colors.
    let first = 13 + 3 * 128
    let identifier = changed[(first + 3)..<(first + 14)]
    #expect(identifier.elementsEqual((loops == nil ? "XMP DataXMP" : "NETSCAPE2.0").utf8))
  }

  @Test("A packet in blocks is read whole, and stays in blocks", arguments: [10, 255, 256, 700])
  func packetInBlocks(length: Int) throws {
    let packet = [UInt8](repeating: UInt8(ascii: "a"), count: length)
    let contents = stride(from: 0, to: length, by: 255).map { Array(packet[$0..<min($0 + 255, length)]) }
    let data = Self.file(extensions: Self.blocks(0xff, "XMP DataXMP", contents))
    #expect(try Self.head(data).xmp == Data(packet))
    let changed = try Self.changed(data, PictureMetadata(xmp: .replaced(Self.xmp)))
    #expect(try Self.head(changed).xmp == Self.xmp)
    #expect(try Self.changed(changed, PictureMetadata(xmp: .replaced(Data(packet)))) == data)
  }

  @Test("A copy without the rest has the pictures, the repetitions and one packet")
  func bare() throws {
    let extensions =
      Self.blocks(0xfe, "", [Self.place]) + Self.blocks(0xff, "GPS DATA1.0", [Self.place])
      + Self.blocks(0x01, "", [[UInt8](repeating: 0, count: 12), Self.place])
      + GIFFile.block(xmp: Self.place) + GIFFile.block(xmp: Self.place)
      + Self.blocks(0xff, "NETSCAPE2.0", [[1, 3, 0], Self.place]) + Self.blocks(0xff, "ANIMEXTS1.0", [Self.place])
    // Bytes behind the file go as well.
    let data = Self.file(extensions: extensions) + Data(Self.place)
    for xmp in [MetadataBlock.removed, .replaced(Self.xmp)] {
      let bare = try Self.changed(data, PictureMetadata(xmp: xmp, dropsOthers: true))
      #expect(bare.range(of: Data(Self.place)) == nil)
      #expect(bare.range(of: Data("NETSCAPE2.0\u{3}\u{1}\u{3}\0\0".utf8)) != nil)
      #expect(try GIFHead.walk(MemorySource(bare)) == .complete)
      #expect(try Self.head(bare).imageRanges.count == 2)
      #expect(try Self.head(bare).xmp == (xmp == .removed ? nil : Self.xmp))
    }
  }

  @Test("Files of very many pictures are whole")
  func manyPictures() throws {
    let frame: [UInt8] = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4c, 1, 0]
    let head = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0] + [UInt8](repeating: 0, count: 6)
    let data = Data(head + (0..<66_000).flatMap { _ in frame } + [0x3b])
    #expect(try GIFHead.walk(MemorySource(data)) == .complete)
    #expect(try Self.head(data).isAnimated)
  }

  @Test("Cut files are told from damaged ones, and nothing stops")
  func damage() throws {
    let data = try Self.changed(Self.file(loops: 0), PictureMetadata(xmp: .replaced(Self.xmp)))
    for count in 13..<data.count {
      #expect(try GIFHead.walk(MemorySource(data.prefix(count))) != .complete, "\(count)")
    }
    var numbers = SeededNumbers(state: 7)
    for _ in 0..<3_000 {
      var damaged = data
      for _ in 0..<Int.random(in: 1...4, using: &numbers) {
        damaged[Int.random(in: 0..<data.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
      }
      _ = try GIFHead(MemorySource(damaged))
      _ = try GIFHead.walk(MemorySource(damaged))
      do throws(FormatError) {
        _ = try GIFHead.pieces(
          of: DataSource(damaged, name: "file"), PictureMetadata(xmp: .replaced(Self.xmp), dropsOthers: true))
      } catch {
        guard case .refused = error else { throw error }
      }
    }
  }
}
