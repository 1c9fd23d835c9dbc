// Mattes in HEIC files: added, found, removed, kept by later changes of metadata, and hostile files.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite("Mattes in HEIF files")
struct HEIFPortraitMatteTests {
  /// The coded bytes of a hand-made matte.
  private static let coded = HandMadeHEIF.coded(0)
  private static let exif = Data(HEIFFileTests.exif + [7])
  private static let packet = Data(HEIFFileTests.packet + HEIFFileTests.packet)

  /// A file whose picture is a matte.
  private static func matte(_ brand: String = "heic", changing change: (inout HandMadeHEIF) -> Void = { _ in }) -> Data
  {
    var file = HandMadeHEIF()
    (file.brand, file.size) = (brand, (32, 24))
    file.ownProperties = [
      MP4Box(brand == "heic" ? "hvcC" : "av1C", [UInt8](repeating: 9, count: 40)),
      MP4Box("colr", Array("nclx".utf8) + [0, 1, 0, 13, 0, 6, 0x80]), MP4Box("pixi", [0, 0, 0, 0, 1, 8]),
    ]
    change(&file)
    return file.data
  }

  private static func joined(_ data: Data, _ matte: Data?) throws -> Data {
    try HEIFCopy.pieces(of: DataSource(data, name: "picture"), portraitMatte: matte.map { MemorySource($0) }).joined()
  }

  private static func found(_ data: Data) throws -> [UInt8]? {
    try HEIFPortraitMatte(MemorySource(data))?.ranges.flatMap { data[Int($0.lowerBound)..<Int($0.upperBound)] }
  }

  @Test("It is found, the picture stays, and removing it gives the old bytes", arguments: HEIFFileTests.files.indices)
  func roundTrip(_ index: Int) throws {
    let file = HEIFFileTests.files[index]
    let data = file.data
    #expect(try Self.found(data) == nil)
    let with = try Self.joined(data, Self.matte(file.brand))
    let matte = try #require(try HEIFPortraitMatte(MemorySource(with)))
    #expect(matte.size == PixelSize(width: 32, height: 24))
    #expect(try Self.found(with) == Self.coded)
    // The picture and its metadata are what they were.
    let head = try #require(try HEIFHead(MemorySource(with)))
    #expect(head.size == PixelSize(width: 64, height: 48))
    #expect(head.exif.map { [UInt8]($0) } == file.exif && head.xmp.map { [UInt8]($0) } == file.xmp)
    #expect(try HEIFFileTests.coded(with) == HEIFFileTests.coded(data))
    #expect(try HEIFHead.damage(of: MemorySource(with)) == nil)
    // Once more is the same, and nothing is left of it.
    #expect(try Self.joined(with, Self.matte(file.brand)) == with)
    #expect(try Self.joined(with, nil) == data)
    #expect(try Self.joined(data, nil) == data)
  }

  @Test("A picture whose bytes are in the movie behind it isn’t copied without them", arguments: [true, false])
  func inMovie(hasMatte: Bool) throws {
    var data = HandMadeHEIF().data
    if hasMatte { data = try Self.joined(data, Self.matte()) }
    let last = try #require(data.range(of: Data("mdat".utf8), options: .backwards))
    data.replaceSubrange(last, with: Data("mpvd".utf8))
    #expect(try HEIFHead.damage(of: MemorySource(data)) == nil)
    #expect(throws: FormatError.self) { try Self.joined(data, nil) }
    #expect(throws: FormatError.self) {
      try HEIFCopy.pieces(of: DataSource(data, name: "picture"), PictureMetadata(exif: .removed, xmp: .kept)).joined()
    }
  }

  @Test("It is an item as phones write it: hidden, described, with all it needs to be decoded") func item() throws {
    let data = try Self.joined(HandMadeHEIF().data, Self.matte())
    let source = MemorySource(data)
    let file = try #require(try HEIFFile(source))
    let directory = file.directory
    let item = try #require(directory.auxiliary(XMPPacket.portraitMatteType))
    #expect(item.type == "hvc1" && item.id == 2)
    // Behind the box's head: version and flags.
    #expect(Array(item.box[8..<12]) == [2, 0, 0, 1])
    #expect(directory.properties.all(of: item.id).map(\.type) == ["hvcC", "ispe", "colr", "pixi", "auxC"])
    let about = directory.references.filter { $0.to == [item.id] }
    #expect(about.map(\.type) == ["cdsc"])
    let packet = try #require(try file.bytes(of: about[0].from, in: source, atMost: 1 << 16))
    #expect(packet == XMPPacket.portraitMatte)
    // Each in a box of its own, right behind the directory.
    #expect(file.boxes.map(\.type) == ["ftyp", "meta", "mdat", "mdat", "mdat"])
    // Its packet isn't the picture's.
    #expect(try HEIFHead(source)?.xmp == nil)
  }

  @Test("It is turned like its picture", arguments: 0..<4) func turned(_ turns: Int) throws {
    var file = HandMadeHEIF()
    file.turns = turns
    let directory = try #require(try HEIFFile(MemorySource(Self.joined(file.data, Self.matte())))).directory
    let matte = try #require(directory.auxiliary(XMPPacket.portraitMatteType))
    let found = directory.properties.all(of: matte.id).filter { $0.type == "irot" }
    #expect(found == (turns == 0 ? [] : [MP4Box("irot", [UInt8(turns)])]))
  }

  @Test("Later changes of metadata keep it", arguments: HEIFFileTests.files.indices) func metadata(_ index: Int) throws
  {
    let file = HEIFFileTests.files[index]
    let with = try Self.joined(file.data, Self.matte(file.brand))
    for change in [
      PictureMetadata(exif: .replaced(Self.exif)), PictureMetadata(xmp: .replaced(Self.packet)),
      PictureMetadata(exif: .replaced(Self.exif), xmp: .replaced(Self.packet)),
      PictureMetadata(exif: .removed, xmp: .removed), PictureMetadata(dropsOthers: true),
      PictureMetadata(exif: .removed, xmp: .removed, dropsOthers: true),
    ] {
      let changed = try HEIFFileTests.joined(with, change)
      #expect(try Self.found(changed) == Self.coded)
      #expect(try HEIFFileTests.coded(changed) == HEIFFileTests.coded(file.data))
      #expect(try HEIFHead.damage(of: MemorySource(changed)) == nil)
      let head = try #require(try HEIFHead(MemorySource(changed)))
      if case .replaced(let xmp) = change.xmp { #expect(head.xmp == xmp) }
      if case .replaced(let exif) = change.exif { #expect(head.exif == exif) }
      if change.xmp == .removed { #expect(head.xmp == nil) }
      // A copy without the rest has no packet about it, and it can be removed all the same.
      #expect((changed.range(of: Data(XMPPacket.portraitMatte)) == nil) == change.dropsOthers)
      #expect(try Self.found(Self.joined(changed, nil)) == nil)
    }
  }

  @Test("The movie of a live photo stays behind the picture") func movie() throws {
    var file = HandMadeHEIF()
    file.movie = HandMadeMovie().data
    let with = try Self.joined(file.data, Self.matte())
    #expect(try Self.found(with) == Self.coded)
    #expect(try with == Self.joined(HandMadeHEIF().data, Self.matte()))
    // As while a live photo is assembled: the head of the movie's box, and no movie yet.
    let head = try HEIFHead.movieBoxHead(movieLength: 5000)
    #expect(try Self.joined(HandMadeHEIF().data + head, Self.matte()) == with + head)
  }

  @Test("Files and mattes of other kinds are refused") func others() throws {
    let picture = HandMadeHEIF().data
    for bad in [
      Data(), HandMadeMovie().data, HandMadePNG.data(), Self.matte("avif"), Self.matte { $0.ownProperties = [] },
      Self.matte { $0.tiles = 2 },
    ] {
      #expect(throws: FormatError.self) { try Self.joined(picture, bad) }
    }
    for bad in [Data(), HandMadeMovie().data, HandMadePNG.data()] {
      #expect(throws: FormatError.self) { try Self.joined(bad, Self.matte()) }
    }
    // An image sequence has offsets of its own.
    var sequence = HandMadeHEIF()
    sequence.more = [MP4Box("moov", [1, 2, 3, 4])]
    #expect(throws: FormatError.self) { try Self.joined(sequence.data, Self.matte()) }
  }

  @Test("A list of properties that would be written otherwise, or has no room, is refused") func properties() throws {
    func add(_ container: [MP4Box], _ associations: [[UInt8]], id: UInt32 = 9) throws {
      var content: [UInt8] = []
      var list: [UInt8] = []
      for box in container { box.write(to: &list) }
      MP4Box("ipco", list).write(to: &content)
      for bytes in associations { MP4Box("ipma", bytes).write(to: &content) }
      var properties = try HEIFProperties(content)
      try properties.add([(MP4Box("auxC", [1]), true), (MP4Box("ispe", [0]), false)], to: id)
      #expect(properties.all(of: id).map(\.type) == ["auxC", "ispe"])
      // Those of others are what they were, and it is read as it is written.
      let again = try HEIFProperties(properties.bytes)
      for id in [1, id] { #expect(again.all(of: id) == properties.all(of: id)) }
      #expect(again.all(of: 1) == (container.isEmpty ? [] : [container[0]]))
      try properties.remove(id)
      #expect(properties.bytes == content)
    }
    let size = MP4Box("ispe", [0])
    let one: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1]
    try add([size], [one])
    try add([size], [[0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1]])
    try add([size], [[1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1]], id: 70_000)
    try add([], [[0, 0, 0, 0, 0, 0, 0, 0]])
    for (container, associations, id) in [
      // None, two, bytes behind it, a number of no property, no ascending ids, ids and numbers that have no room.
      ([size], [], 9), ([size], [one, one], 9), ([size], [one + [0]], 9),
      ([size], [[0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 2]], 9), ([size], [one], 1), ([size], [one], 70_000),
      ((0..<127).map { MP4Box("free", [$0]) }, [one], 9),
    ] as [([MP4Box], [[UInt8]], UInt32)] {
      #expect(throws: FormatError.self) { try add(container, associations, id: id) }
    }
    // Cut short anywhere, and more than the box holds.
    for count in 0..<one.count { #expect(throws: FormatError.self) { try add([size], [Array(one.prefix(count))]) } }
    #expect(throws: FormatError.self) { try add([size], [[0, 0, 0, 0, 255, 255, 255, 255, 0, 1, 1, 1]]) }
  }

  @Test("What is said about an item that isn't there isn't said of the matte") func orphans() throws {
    var parsed = try #require(try HEIFFile(MemorySource(HandMadeHEIF().data))).directory
    let id = try parsed.addAuxiliary("hvc1", properties: [(MP4Box("auxC", [1]), true)], length: 5)
    parsed.remove(id)
    let next = try parsed.addAuxiliary("hvc1", properties: [(MP4Box("auxC", [2]), true)], length: 5)
    #expect(next > id && parsed.properties.all(of: next) == [MP4Box("auxC", [2])])
    // Nor is one removed to which another refers, or the picture itself.
    _ = try parsed.addMetadata("mime", contentType: "text/plain", of: next, length: 5)
    #expect(throws: FormatError.self) { try parsed.removePicture(next) }
    #expect(throws: FormatError.self) { try parsed.removePicture(parsed.primary) }
  }

  @Test("A file or a matte that is cut short anywhere is survived") func cutShort() throws {
    let (data, matte) = (try Self.joined(HandMadeHEIF().data, Self.matte()), Self.matte())
    for count in 0..<data.count {
      let part = data.prefix(count)
      if let found = try Self.found(part) { #expect(found == Self.coded) }
      for change in [matte, nil] { _ = try? Self.joined(part, change) }
    }
    for count in 0..<matte.count {
      guard let copy = try? Self.joined(HandMadeHEIF().data, matte.prefix(count)) else { continue }
      #expect(try HEIFHead.damage(of: MemorySource(copy)) == nil)
    }
  }

  @Test("Any single wrong byte is survived, and a copy that is made has all its items in it") func damaged() throws {
    let matte = Self.matte()
    var file = HandMadeHEIF()
    (file.exif, file.version, file.hasBases) = (HEIFFileTests.exif, 1, true)
    let data = try Self.joined(file.data, matte)
    for index in 0..<data.count {
      for value in [0, 1, 0x7f, 0xff] as [UInt8] {
        var bad = data
        bad[index] = value
        let source = MemorySource(bad)
        if let found = try HEIFPortraitMatte(source) { #expect(found.ranges.allSatisfy { $0.upperBound <= bad.count }) }
        for change in [matte, nil] {
          guard let copy = try? Self.joined(bad, change) else { continue }
          #expect(copy.count < data.count + 4096)
          guard try HEIFHead.damage(of: source) == nil else { continue }
          #expect(try HEIFHead.damage(of: MemorySource(copy)) == nil)
        }
      }
    }
    for index in 0..<matte.count {
      for value in [0, 1, 0x7f, 0xff] as [UInt8] {
        var bad = matte
        bad[index] = value
        guard let copy = try? Self.joined(HandMadeHEIF().data, bad) else { continue }
        #expect(try HEIFHead.damage(of: MemorySource(copy)) == nil)
        #expect(try HEIFFileTests.coded(copy) == [HandMadeHEIF.coded(0)])
      }
    }
  }

  @Test("A failed read is an error") func failure() throws {
    let data = try Self.joined(HandMadeHEIF().data, Self.matte())
    #expect(throws: FormatError.read(ReadFailure(code: EIO))) {
      try HEIFPortraitMatte(MemorySource(data, failure: (20, EIO)))
    }
    let source = DataSource(HandMadeHEIF().data, name: "picture")
    let matte = MemorySource(Self.matte(), failure: (40, EIO))
    #expect(throws: FormatError.read(ReadFailure(code: EIO))) { try HEIFCopy.pieces(of: source, portraitMatte: matte) }
  }
}
