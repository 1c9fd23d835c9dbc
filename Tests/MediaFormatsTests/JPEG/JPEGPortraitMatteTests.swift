// The matte behind a JPEG's picture: found by its own packet, in whatever order, and never outside of the index.

import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite("Mattes in JPEG files")
struct JPEGPortraitMatteTests {
  /// A gray JPEG.
  private static let gray = HandMadeJPEG(side: 16).data

  private static func xmp(_ packet: [UInt8]) -> [UInt8] {
    JPEGSample.segment(0xe1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + packet)
  }

  private static let gainMap = Data(
    JPEGSample(front: [xmp(Array("<x xmlns:hdrgm=\"\(XMPNamespace.gainMap)\"/>".utf8))]).bytes)

  /// A picture with others behind it, and an index of them.
  ///
  /// - Parameter sizes: Those in the index; `nil` for the true ones.
  private static func file(_ others: [Data], sizes: [Int]? = nil) throws -> Data {
    let sizes = sizes ?? others.map(\.count)
    func first(_ length: Int) -> Data {
      // Offsets count from the byte order mark, behind SOI, marker, length and name.
      let block = MultiPictureIndex.block(sizes: [length] + sizes, distance: max(0, length - 10))
      return Data(JPEGSample(front: [JPEGSample.segment(0xe2, [UInt8](block))]).bytes)
    }
    return others.reduce(first(first(0).count), +)
  }

  private func matte(in data: Data, upTo limit: Int? = nil) throws -> Data? {
    try JPEGPortraitMatte(MemorySource(data), upTo: UInt64(limit ?? data.count)).map {
      data[Int($0.range.lowerBound)..<Int($0.range.upperBound)]
    }
  }

  @Test("It is found beside a gain map, in either order, and before a movie") func itIsFound() throws {
    let matte = try JPEGPortraitMatte.described(Self.gray)
    for others in [[matte], [Self.gainMap, matte], [matte, Self.gainMap]] {
      let data = try Self.file(others)
      #expect(try self.matte(in: data) == matte)
      #expect(try self.matte(in: data + Data("a movie".utf8), upTo: data.count) == matte)
      let source = MemorySource(data)
      // Neither is taken for the other.
      let map = try JPEGGainMap(source, upTo: source.count)
      #expect(map?.range.count == (others.count == 1 ? nil : Self.gainMap.count))
    }
  }

  @Test("A file without one has none") func none() throws {
    #expect(try matte(in: Data(JPEGSample().bytes)) == nil)
    #expect(try matte(in: Self.file([Self.gainMap, Self.gray])) == nil)
    #expect(try matte(in: Data()) == nil)
    // In the file, but not in its index.
    let matte = try JPEGPortraitMatte.described(Self.gray)
    #expect(try self.matte(in: Data(JPEGSample().bytes) + matte) == nil)
    #expect(try self.matte(in: Self.file([Self.gainMap]) + matte) == nil)
  }

  @Test("It has its own packet and no other metadata, and the same pixels") func described() throws {
    let segments = try JPEGSegments(parsing: Self.gray)
    let tagged = segments.assemble(front: [JPEGSample.exif, JPEGSample.xmp].map { Data($0) })
    let matte = try JPEGPortraitMatte.described(tagged)
    #expect(matte == (try JPEGPortraitMatte.described(Self.gray)))
    let parsed = try JPEGSegments(parsing: matte)
    #expect(parsed.hasOneComponent && parsed.segments.count { $0.kind != .tables } == 1)
    #expect(parsed.bytes(parsed.scan) == segments.bytes(segments.scan))
    let packet = try XMPPacket(XMPPacket.portraitMatte)
    #expect(packet.hasProperties && packet.elements.count { $0.name.namespace == XMPNamespace.pixelDataInfo } == 4)
    #expect(throws: JPEGStreamError.self) { try JPEGPortraitMatte.described(Self.gray.dropLast(2)) }
  }

  @Test("Cut short anywhere, or with a wrong length in the index, it is none or stays in the file") func damaged()
    throws
  {
    let matte = try JPEGPortraitMatte.described(Self.gray)
    let data = try Self.file([Self.gainMap, matte])
    for count in 0..<data.count { #expect(try self.matte(in: data.prefix(count)) == nil) }
    for size in [0, 1, matte.count - 1, matte.count + 1, Int(UInt32.max)] {
      #expect(try self.matte(in: Self.file([matte], sizes: [size])) == nil)
      #expect(try self.matte(in: Self.file([Self.gainMap, matte], sizes: [size, matte.count])) == nil)
    }
    for index in 0..<data.count {
      for value in [0, 0x7f, 0xff] as [UInt8] {
        var bad = data
        bad[index] = value
        if let found = try self.matte(in: bad) { #expect(found.count <= matte.count) }
      }
    }
  }

  @Test("A failed read is an error") func failure() throws {
    let data = try Self.file([JPEGPortraitMatte.described(Self.gray)])
    #expect(throws: FormatError.read(ReadFailure(code: EIO))) {
      try JPEGPortraitMatte(MemorySource(data, failure: (20, EIO)), upTo: UInt64(data.count))
    }
  }

  // MARK: The picture's packet

  /// The items of a packet's directory, with their lengths.
  private func directory(_ packet: XMPPacket) -> [String] {
    packet.elements.filter { $0.name == XMPPacket.containerItem }.map { item in
      let length = item.attributes.first { $0.name.local == "Length" }.map { packet.source($0.value) }
      return "\(packet.semantic(of: item) ?? "") \(length ?? "")"
    }
  }

  @Test("In a directory it is listed where it is in the file", arguments: [true, false], [true, false])
  func listed(hasGainMap: Bool, hasMovie: Bool) throws {
    var packet = try XMPPacket(XMPPacket.empty)
    if hasMovie { try packet.setMovie(length: 777, presentationTime: 5) }
    if hasGainMap { try packet.setGainMap(length: 88) }
    let before = packet.bytes
    try packet.addPortraitMatte(length: 99)
    guard hasGainMap || hasMovie else {
      #expect(packet.bytes == before)
      return
    }
    let items = [
      "Primary 0", hasGainMap ? "GainMap 88" : nil, "PortraitEffectsMatte 99", hasMovie ? "MotionPhoto 777" : nil,
    ]
    #expect(directory(packet) == items.compactMap(\.self))
    guard hasMovie else { return }
    let described = MotionPhotoDescription(xmp: Data(packet.bytes))
    #expect(described?.movieLength == 777 && described?.presentationTime == 5)
    try packet.removeMovie(keepsPictures: true)
    #expect(directory(packet) == items.dropLast().compactMap(\.self))
  }

  @Test("A directory of another form is refused") func unusual() throws {
    var packet = try XMPPacket.described(
      """
      xmlns:Container="\(XMPNamespace.container)" xmlns:Item="\(XMPNamespace.item)"
      """, "<Container:Directory><Container:Item Item:Semantic=\"Primary\"/></Container:Directory>")
    #expect(throws: FormatError.self) { try packet.addPortraitMatte(length: 9) }
    #expect(throws: FormatError.self) { try packet.setGainMap(length: 9) }
  }
}
