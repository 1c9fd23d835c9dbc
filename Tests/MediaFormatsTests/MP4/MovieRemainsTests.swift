// Places that stay in a movie when its position is removed: the change is refused, or they go as well.

import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite struct MovieRemainsTests {
  private static let place = Array("+48.8583+002.2945/".utf8)

  private func changed(_ data: Data, _ position: MovieCaptureMetadata.Changes.Position = .removed) throws -> Data {
    var new = data
    let edits = try MovieCaptureMetadata.edits(
      of: DataSource(data, name: "movie"), range: 0..<UInt64(data.count), .init(position: position), mayGrow: true)
    for edit in edits.reversed() {
      new.replaceSubrange(Int(edit.range.lowerBound)..<Int(edit.range.upperBound), with: edit.bytes)
    }
    return new
  }

  /// A movie with a further track of one sample.
  private static func movie(_ kind: MP4Type, _ entry: MP4Type, _ sample: [UInt8], key: String = "") -> Data {
    func data(_ offset: UInt64) -> Data {
      var entries = HandMadeMovie.words(0, 1)
      MP4Box(entry, HandMadeMovie.words(0, 1) + Array(key.utf8)).write(to: &entries)
      let table = [
        MP4Box("stsd", entries), MP4Box("stts", HandMadeMovie.words(0, 1, 1, 3000)),
        MP4Box("stsc", HandMadeMovie.words(0, 1, 1, 1, 1)),
        MP4Box("stsz", HandMadeMovie.words(0, 0, 1, UInt64(sample.count))),
        MP4Box("stco", HandMadeMovie.words(0, 1, offset)),
      ]
      let track = MP4Box(
        "trak",
        children: [
          MP4Box("tkhd", HandMadeMovie.words(3, 0, 0, 3, 0, 3000, 0, 0, 0, 0)),
          MP4Box(
            "mdia",
            children: [
              MP4Box("mdhd", HandMadeMovie.words(0, 0, 0, 90_000, 3000, 0x55c4_0000)),
              MP4Box("hdlr", HandMadeMovie.words(0, 0, UInt64(kind.code), 0, 0, 0) + [0]),
              MP4Box("minf", children: [MP4Box("nmhd", HandMadeMovie.words(0)), MP4Box("stbl", children: table)]),
            ]),
        ])
      return HandMadeMovie(more: [track], top: [MP4Box("mdat", sample)]).data
    }
    let start = data(0).firstRange(of: Data(sample))?.lowerBound ?? 0
    return data(UInt64(start))
  }

  @Test(
    arguments: [
      ("sbtl", "tx3g", "\u{0}\u{19}GPS(46.9480,7.4470,19)   ", true), ("text", "text", "46.9480, 7.4474", true),
      ("sbtl", "tx3g", "\u{0}\u{9}Ada waves", false), ("text", "text", "Chapter 1", false),
      ("meta", "gpmd", "DEVC", true), ("meta", "camm", "1234", true), ("camm", "camm", "1234", true),
      ("tmcd", "tmcd", "1234", false), ("abcd", "abcd", "1234", true),
    ] as [(MP4Type, MP4Type, String, Bool)])
  func aTrackThatMayTellThePlaceIsRefused(_ kind: MP4Type, _ entry: MP4Type, sample: String, isRefused: Bool) throws {
    let data = Self.movie(kind, entry, Array(sample.utf8))
    if isRefused {
      #expect(throws: FormatError.self) { try changed(data) }
    } else {
      #expect(try changed(data) == data)
    }
    // Nothing is promised of a new position.
    #expect(try changed(data, .set(latitude: 1, longitude: 2)) != data)
  }

  @Test(arguments: [("mdta com.apple.quicktime.location.ISO6709", true), ("mdta com.apple.quicktime.face", false)])
  func aTrackOfKeysIsRefusedForItsKeys(key: String, isRefused: Bool) throws {
    let data = Self.movie("meta", "mebx", [1, 2, 3, 4], key: key)
    if isRefused {
      #expect(throws: FormatError.self) { try changed(data) }
    } else {
      #expect(try changed(data) == data)
    }
  }

  private static func preview(hasPosition: Bool) throws -> [UInt8] {
    var block = try EXIFBlock(nil)
    try block.set([.dateTimeOriginal: "2020:05:06 07:08:09"])
    if hasPosition { try block.setPosition(latitude: 1, longitude: 2) }
    return [0xff, 0xd8, 0xff, 0xe1, 0, 0] + Array("Exif\0\0".utf8) + block.bytes
  }

  @Test func dataOfMakersThatMayTellThePlaceAreRefused() throws {
    for box in [
      MP4Box("GPMF", [1, 2, 3]), MP4Box("smta", Array("GPSLatitude".utf8)), MP4Box("abcd", Self.place),
      MP4Box("CNTH", try Self.preview(hasPosition: true)),
    ] {
      #expect(throws: FormatError.self) { try changed(HandMadeMovie(facts: [box]).data) }
      #expect(throws: FormatError.self) { try changed(HandMadeMovie(more: [box]).data) }
      #expect(throws: FormatError.self) { try changed(HandMadeMovie(top: [box]).data) }
    }
    var keys = QuickTimeMetadata()
    keys.set("com.maker.gps", "something")
    #expect(throws: FormatError.self) { try changed(HandMadeMovie(more: [keys.box]).data) }
    for box in [
      MP4Box("smta", Array("A camera".utf8)), MP4Box("CNTH", try Self.preview(hasPosition: false)),
      // A title stays, as a caption does.
      MP4Box("©nam", [0, 18, 0x15, 0xc7] + Self.place),
    ] {
      let data = HandMadeMovie(facts: [box]).data
      #expect(try changed(data) == data)
    }
  }

  /// Long boxes are looked at in pieces of a mebibyte.
  @Test(arguments: [1, 2]) func aPlaceAcrossTwoPiecesOfALongBoxIsRefused(pieces: Int) throws {
    for (bytes, before) in [(Self.place, 9), (try Self.preview(hasPosition: true), 9)] {
      let content = BigEndian.zeros(pieces << 20 - before) + bytes + BigEndian.zeros(600)
      #expect(throws: FormatError.self) { try changed(HandMadeMovie(top: [MP4Box("abcd", content)]).data) }
    }
  }

  private static func exifMarks(_ count: Int) throws -> [UInt8] {
    let preview = try preview(hasPosition: false)
    return (0..<count).flatMap { _ in preview }
  }

  @Test func moreEXIFBlocksThanCamerasWriteAreRefused() throws {
    let some = HandMadeMovie(facts: [MP4Box("CNTH", try Self.exifMarks(20))]).data
    #expect(try changed(some) == some)
    let many = HandMadeMovie(facts: [MP4Box("CNTH", try Self.exifMarks(2000))]).data
    #expect(throws: FormatError.self) { try changed(many) }
  }

  private static func keys() -> MP4Box {
    var keys = QuickTimeMetadata()
    keys.set("com.maker.gps", "something")
    return keys.box
  }

  @Test func dataInFragmentsThatMayTellThePlaceAreRefused() throws {
    let head = MP4Box("tfhd", HandMadeMovie.words(0, 1))
    func data(_ inFragment: [MP4Box], _ inTrack: [MP4Box] = []) -> Data {
      let boxes = [MP4Box("mfhd", HandMadeMovie.words(0, 1))] + inFragment
      return HandMadeMovie(
        top: [MP4Box("moof", children: boxes + [MP4Box("traf", children: [head] + inTrack)])], isFragmented: true
      ).data
    }
    for box in [
      Self.keys(), MP4Box("udta", children: [MP4Box("abcd", Self.place)]), MP4Box("GPMF", [1, 2, 3]),
      MP4Box("udta", children: [MP4Box("camm", [1, 2, 3])]), MP4Box("free", Self.place),
    ] {
      #expect(throws: FormatError.self, "\(box.type)") { try changed(data([box])) }
      #expect(throws: FormatError.self, "\(box.type)") { try changed(data([], [box])) }
    }
    let harmless = MP4Box("udta", children: [MP4Box("smta", Array("A camera".utf8))])
    let file = data([harmless], [harmless, MP4Box("trun", HandMadeMovie.words(0, 0))])
    #expect(try changed(file) == file)
  }

  @Test(arguments: [["mdia"], ["mdia", "minf"], ["mdia", "minf", "stbl"], ["edts"]])
  func dataInsideATrackThatMayTellThePlaceAreRefused(path: [String]) throws {
    func data(_ box: MP4Box) throws -> Data {
      let movie = HandMadeMovie(isDescribedFirst: false).data
      let boxes = try MP4Box.boxes(in: [UInt8](movie)[...])
      var bytes: [UInt8] = []
      for var outer in boxes {
        outer.changeAll("trak") { track in Self.add(box, to: &track, path[...]) }
        outer.write(to: &bytes)
      }
      return Data(bytes)
    }
    for box in [
      MP4Box("abcd", Self.place), MP4Box("camm", [1, 2, 3]), MP4Box("udta", children: [MP4Box("GPMF", [1])]),
    ] {
      #expect(throws: FormatError.self, "\(box.type)") { try changed(data(box)) }
    }
    let file = try data(MP4Box("abcd", Array("A camera".utf8)))
    #expect(try changed(file) == file)
  }

  private static func add(_ box: MP4Box, to outer: inout MP4Box, _ path: ArraySlice<String>) {
    guard let name = path.first else {
      outer.children?.append(box)
      return
    }
    let type = MP4Type(code: name.utf8.reduce(0) { $0 << 8 | UInt32($1) })
    if outer[type] == nil { outer.children?.append(MP4Box(type, children: [])) }
    outer.changeAll(type) { add(box, to: &$0, path.dropFirst()) }
  }

  /// A dashcam's index leads to blocks among the samples.
  @Test func blocksOfADashcamAreRefused() throws {
    func data(_ offset: UInt64) -> Data {
      HandMadeMovie(
        more: [MP4Box("gps ", HandMadeMovie.words(0x101, 1, offset, 32))],
        top: [MP4Box("mdat", HandMadeMovie.words(32) + Array("freeGPS and numbers in bytes".utf8))]
      ).data
    }
    let start = try #require(data(0).firstRange(of: Data("freeGPS".utf8))).lowerBound - 4
    #expect(throws: FormatError.self) { try changed(data(UInt64(start))) }
    // One that leads nowhere goes.
    #expect(try changed(data(0)).firstRange(of: Data("gps ".utf8)) == nil)
  }

  /// There may be a former description, also one that another program has left.
  @Test func unusedSpaceTellsNoPlace() throws {
    let former = try #require(MP4Box.boxes(in: [UInt8](HandMadeMovie.placed().data)[...]).first { $0.type == "moov" })
    var bytes: [UInt8] = []
    for box in former.children ?? [] where box.type != "uuid" { box.write(to: &bytes) }
    for content in [bytes, Self.place] {
      let data = HandMadeMovie(top: [MP4Box("free", content)]).data
      let new = try changed(data)
      #expect(new.count == data.count && new.firstRange(of: Data(Self.place)) == nil)
      #expect(try changed(new) == new)
      #expect(try HandMadeMovie.samples(of: 0, in: new) == HandMadeMovie.samples(of: 0, in: data))
    }
    let long = HandMadeMovie(top: [MP4Box("free", Self.place + [UInt8](repeating: 1, count: 40_000))]).data
    #expect(throws: FormatError.self) { try changed(long) }
  }
}
