// Movies without their place: boxes that nobody knows, names of programs and addresses in their sample tables.

import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite struct MovieBoxPlaceTests {
  private let trace = Array("Zernez 46.7003,10.0981".utf8)

  private func copy(_ movie: Data, _ places: PlaceNames = PlaceNames()) throws -> Data {
    let source = MemorySource(movie)
    let changes = MovieCopy.Changes(dropsLocation: true, places: places)
    return try MovieCopy.pieces(of: source, range: 0..<source.count, changes).reduce(into: Data()) { data, piece in
      switch piece {
      case .bytes(let bytes): data += bytes
      case .file(let source, let range): data += try source.data(at: range.lowerBound, count: range.count)
      }
    }
  }

  /// The movie with its description changed, which lies behind the samples, so that their offsets stay right.
  private func changed(_ movie: HandMadeMovie, _ change: (inout MP4Box) -> Void) throws -> Data {
    var movie = movie
    movie.isDescribedFirst = false
    var bytes: [UInt8] = []
    for var box in try MP4Box.boxes(in: [UInt8](movie.data)[...]) {
      if box.type == "moov" { change(&box) }
      box.write(to: &bytes)
    }
    return Data(bytes)
  }

  private func changeInformation(_ movie: inout MP4Box, _ change: (inout MP4Box) -> Void) {
    movie.changeAll("trak") { track in
      guard track.handler == "vide" else { return }
      track.changeAll("mdia") { media in media.changeAll("minf", change) }
    }
  }

  /// Changes the only description of the samples in each track.
  private func changeEntries(_ movie: inout MP4Box, _ change: (inout MP4Box) -> Void) {
    movie.changeAll("trak") { track in
      track.changeSampleTable { table in
        table.changeAll("stsd") { description in
          // It follows the head and the number of entries.
          guard var entry = (try? MP4Box.boxes(in: description.bytes[8...]))?.first else { return }
          change(&entry)
          description.bytes.removeSubrange(8...)
          entry.write(to: &description.bytes)
        }
      }
    }
  }

  private func check(_ copy: Data, _ movie: HandMadeMovie) throws {
    for trace in ["Zernez", "46.7"] { #expect(copy.range(of: Data(trace.utf8)) == nil, "\(trace) is left") }
    #expect(try HandMadeMovie.samples(of: 0, in: copy) == (0..<12).map(HandMadeMovie.frame))
    #expect(try HandMadeMovie.samples(of: 1, in: copy) == (0..<24).map(HandMadeMovie.sound))
  }

  @Test(arguments: [false, true]) func unknownBoxesInSampleTablesGo(isFragmented: Bool) throws {
    let movie = HandMadeMovie(isFragmented: isFragmented)
    let data = try changed(movie) { box in
      changeInformation(&box) { information in
        information.changeAll("stbl") { table in
          for type in ["uuid", "udta", "zzzz", "sgpd", "free"] as [MP4Type] {
            table.children?.append(MP4Box(type, [0, 0, 0, 0] + trace))
          }
          table.children?.append(MP4Box("sdtp", [0, 0, 0, 0] + [UInt8](repeating: 0x20, count: 12)))
        }
      }
      box.changeAll("mvex") { $0.children?.append(MP4Box("uuid", trace)) }
      box.changeAll("trak") { $0.children?.append(MP4Box("edts", children: [MP4Box("uuid", trace)])) }
    }
    #expect(data.range(of: Data(trace)) != nil)
    let copy = try copy(data)
    try check(copy, movie)
    // What players need stays.
    let table = try #require(try HandMadeMovie.description(in: copy).tracks.first?.sampleTable)
    #expect(table["sdtp"] != nil && table["stsz"] != nil)
  }

  @Test(arguments: [false, true]) func sampleDescriptionsNameNothing(isFragmented: Bool) throws {
    let movie = HandMadeMovie(isFragmented: isFragmented)
    let data = try changed(movie) { box in
      changeEntries(&box) { entry in
        if entry.type == "avc1" {
          // A length and 31 characters.
          entry.bytes.replaceSubrange(42..<43 + trace.count, with: [UInt8(trace.count)] + trace)
        }
        for type in ["uuid", "free", "pasp", "name"] as [MP4Type] {
          MP4Box(type, type == "pasp" ? HandMadeMovie.words(1, 1) : trace).write(to: &entry.bytes)
        }
      }
    }
    #expect(data.range(of: Data(trace)) != nil)
    let copy = try copy(data)
    try check(copy, movie)
    for (track, box) in try HandMadeMovie.description(in: copy).tracks.enumerated() {
      let entry = try #require(box.sampleTable?["stsd"]?.bytes)
      #expect(Data(entry).range(of: Data("pasp".utf8)) != nil, "track \(track)")
      #expect(Data(entry).range(of: Data("esds".utf8)) != nil || track == 0)
    }
  }

  @Test(arguments: [false, true]) func referencesNameNoAddress(isFragmented: Bool) throws {
    var movie = HandMadeMovie.selfContained()
    movie.isFragmented = isFragmented
    let data = try changed(movie) { box in
      changeInformation(&box) { information in
        information.changeAll("dinf") { place in
          var list: [UInt8] = HandMadeMovie.words(0, 2)
          for _ in 0..<2 {
            MP4Box("url ", HandMadeMovie.words(1) + Array("file:///".utf8) + trace + [0]).write(to: &list)
          }
          MP4Box("uuid", trace).write(to: &list)
          place.bytes = []
          MP4Box("dref", list).write(to: &place.bytes)
          MP4Box("free", trace).write(to: &place.bytes)
        }
      }
    }
    #expect(data.range(of: Data(trace)) != nil)
    let copy = try copy(data)
    try check(copy, movie)
    let place = try #require(try HandMadeMovie.description(in: copy).tracks.first?.child("mdia", "minf", "dinf"))
    let list = try #require(try MP4Box.boxes(in: place.bytes[...]).first { $0.type == "dref" })
    #expect(try list.number(at: 4, 4) == 2)
    let entries = try MP4Box.boxes(in: list.bytes[8...])
    #expect(entries.map(\.type) == ["url ", "url "])
    #expect(try entries.allSatisfy { try $0.number(at: 0, 4) == 1 })
  }

  // MARK: Descriptions of samples

  /// The bytes of a codec look like anything now and then, and the movie must be decoded without its place as well.
  @Test(arguments: [false, true]) func decodersKeepTheirBoxes(isFragmented: Bool) throws {
    let movie = HandMadeMovie(isFragmented: isFragmented)
    let look: [UInt8] = [1, 0x67, 0x64, 0, 0x1f, 0] + Array("Ulm".utf8) + [0xff]
    let types: [MP4Type] = ["avcC", "hvcC", "av1C", "vpcC", "esds", "dOps", "colr", "pasp", "btrt", "zzzz"]
    let data = try changed(movie) { box in
      changeEntries(&box) { entry in
        for type in types { MP4Box(type, look).write(to: &entry.bytes) }
        MP4Box("avcC", trace).write(to: &entry.bytes)
      }
      changeInformation(&box) { $0.changeAll("stbl") { $0.children?.append(MP4Box("sgpd", look)) } }
    }
    var places = PlaceNames()
    for name in ["gd", "Ulm"] { places.insert(name) }
    let copy = try copy(data, places)
    for box in try HandMadeMovie.description(in: copy).tracks {
      let entry = Data(try #require(box.sampleTable?["stsd"]?.bytes))
      for type in types where entry.range(of: Data(BigEndian.words(UInt64(type.code)) + look)) == nil {
        Issue.record("\(type) is gone")
      }
      #expect(entry.range(of: Data(Array("avcC".utf8) + trace)) != nil, "not even for a text")
    }
    #expect(try HandMadeMovie.description(in: copy).tracks.first?.sampleTable?["sgpd"]?.bytes == look)
  }

  /// QuickTime has the boxes of its sound codecs in another one.
  @Test(arguments: [false, true]) func nestedBoxesNameNothing(isFragmented: Bool) throws {
    let movie = HandMadeMovie(isFragmented: isFragmented)
    let data = try changed(movie) { box in
      changeEntries(&box) { entry in
        guard entry.type == "mp4a" else { return }
        var inner: [UInt8] = []
        let boxes = [
          MP4Box("frma", Array("mp4a".utf8)), MP4Box("uuid", trace), MP4Box("zzzz", trace), MP4Box("esds", [9, 8, 7]),
        ]
        for box in boxes { box.write(to: &inner) }
        // The terminator is a box without a type.
        MP4Box("wave", inner + HandMadeMovie.words(8, 0)).write(to: &entry.bytes)
      }
    }
    let copy = try copy(data)
    try check(copy, movie)
    let left = HandMadeMovie.words(12) + Array("frmamp4a".utf8) + HandMadeMovie.words(11) + Array("esds".utf8)
    #expect(copy.range(of: Data(Array("wave".utf8) + left + [9, 8, 7] + HandMadeMovie.words(8, 0))) != nil)
  }

  @Test(arguments: [false, true]) func nothingIsBehindTheDescriptions(isFragmented: Bool) throws {
    let movie = HandMadeMovie(isFragmented: isFragmented)
    let data = try changed(movie) { box in
      changeEntries(&box) { entry in
        MP4Box("pasp", HandMadeMovie.words(1, 1)).write(to: &entry.bytes)
        // Not even a box.
        entry.bytes += HandMadeMovie.words(3, 3) + trace
      }
      box.changeAll("trak") { track in
        track.changeSampleTable { table in
          table.changeAll("stsd") { MP4Box("zzzz", trace).write(to: &$0.bytes) }
        }
      }
    }
    let copy = try copy(data)
    try check(copy, movie)
    for box in try HandMadeMovie.description(in: copy).tracks {
      let description = try #require(box.sampleTable?["stsd"])
      #expect(try MP4Box.boxes(in: description.bytes[8...]).count == 1)
      #expect(Data(description.bytes).range(of: Data("pasp".utf8)) != nil)
    }
  }

  /// Decoders need the profile but not its name, and the first block of FLAC's settings but not its comments.
  @Test(arguments: [false, true]) func textsInSettingsGo(isFragmented: Bool) throws {
    let name: [UInt8] = trace.flatMap { byte -> [UInt8] in [0, byte] }
    var places = Array("mluc".utf8) + HandMadeMovie.words(0, 1, 12) + Array("deCH".utf8)
    places += HandMadeMovie.words(UInt64(name.count), 28) + name
    let curve = Array("curv".utf8) + HandMadeMovie.words(0, 0)
    var profile = [UInt8](repeating: 0, count: 128) + HandMadeMovie.words(2) + Array("desc".utf8)
    profile += HandMadeMovie.words(156, UInt64(places.count)) + Array("kTRC".utf8)
    profile += HandMadeMovie.words(156 + UInt64(places.count), 12) + places + curve
    let settings = HandMadeMovie.words(0, 34) + [UInt8](repeating: 7, count: 34)
    let comments = HandMadeMovie.words(0x8400_0000 + UInt64(trace.count)) + trace
    let movie = HandMadeMovie(isFragmented: isFragmented)
    let data = try changed(movie) { box in
      changeEntries(&box) { entry in
        MP4Box("colr", Array("prof".utf8) + profile).write(to: &entry.bytes)
        MP4Box("dfLa", settings + comments).write(to: &entry.bytes)
      }
    }
    let copy = try copy(data)
    try check(copy, movie)
    #expect(copy.range(of: Data(name)) == nil)
    var kept = Array("colrprof".utf8) + profile.prefix(156)
    kept += Array("mluc".utf8) + HandMadeMovie.words(0, 0, 12)
    kept += [UInt8](repeating: 0, count: places.count - 16) + curve
    #expect(copy.range(of: Data(kept)) != nil, "the profile")
    var last = HandMadeMovie.words(50) + Array("dfLa".utf8)
    last += HandMadeMovie.words(0, 0x8000_0022) + settings.suffix(34)
    #expect(copy.range(of: Data(last)) != nil, "the settings")
  }

  // MARK: Fragments

  /// What stands in fragments isn't described anywhere else; the bytes around stay where they are.
  @Test func unknownBoxesInFragmentsGo() throws {
    var fragment: [UInt8] = []
    MP4Box("mfhd", HandMadeMovie.words(0, 1)).write(to: &fragment)
    var part: [UInt8] = []
    MP4Box("tfhd", HandMadeMovie.words(0x020000, 1)).write(to: &part)
    MP4Box("trun", HandMadeMovie.words(0, 0)).write(to: &part)
    MP4Box("uuid", [UInt8](repeating: 2, count: 16) + trace).write(to: &part)
    MP4Box("zzzz", trace).write(to: &part)
    MP4Box("traf", part).write(to: &fragment)
    MP4Box("uuid", trace).write(to: &fragment)
    MP4Box("meta", trace).write(to: &fragment)
    var movie = HandMadeMovie(isFragmented: true)
    movie.top = [
      MP4Box("styp", trace), MP4Box("prft", trace), MP4Box("moof", fragment),
      MP4Box("mfra", [0, 0, 0, 30] + Array("zzzz".utf8) + trace),
    ]
    let data = movie.data
    #expect(data.range(of: Data(trace)) != nil)
    let copy = try copy(data)
    try check(copy, movie)
    #expect(copy.count == data.count)
    for type in ["mfhd", "tfhd", "trun"] {
      #expect(copy.range(of: Data(type.utf8)) == data.range(of: Data(type.utf8)), "\(type)")
    }
  }

  /// An index has as many entries as it says, and groups of samples are numbers.
  @Test(arguments: [false, true]) func indexAndGroupsOfFragmentsNameNothing(isTold: Bool) throws {
    let more = isTold ? trace : []
    var part: [UInt8] = []
    MP4Box("tfhd", HandMadeMovie.words(0x020000, 1)).write(to: &part)
    MP4Box("sgpd", HandMadeMovie.words(0) + Array("roll".utf8) + HandMadeMovie.words(1) + [0xff, 0xff] + more)
      .write(to: &part)
    var fragment: [UInt8] = []
    MP4Box("traf", part).write(to: &fragment)
    var movie = HandMadeMovie(isFragmented: true)
    let index = HandMadeMovie.words(0, 1, 90_000, 0, 0, 1, 100, 3000, 0x9000_0000)
    movie.top = [MP4Box("sidx", index + more), MP4Box("moof", fragment)]
    let data = movie.data
    let copy = try copy(data)
    try check(copy, movie)
    #expect(copy.count == data.count)
    for type in ["sidx", "sgpd"] { #expect((copy.range(of: Data(type.utf8)) == nil) == isTold, "\(type)") }
  }

  /// Found by the fuzzer: what is unknown in a box that is emptied as a whole is no hole in the next.
  @Test func aPartOfAFragmentOutsideOfOneIsEmptied() throws {
    var part: [UInt8] = []
    MP4Box("mfhd", HandMadeMovie.words(0, 1)).write(to: &part)
    MP4Box("zzzz", trace).write(to: &part)
    var movie = HandMadeMovie(isFragmented: true)
    movie.top = [MP4Box("traf", part), MP4Box("mdat", [0, 0, 0, 0])]
    let data = movie.data
    let copy = try copy(data)
    try check(copy, movie)
    #expect(copy.count == data.count)
  }

  /// Some programs write a second box of user data instead of changing the first.
  @Test func everyBoxOfUserDataNamesThePlace() throws {
    var movie = HandMadeMovie()
    movie.facts = [MP4Box("©swr", [0, 13, 0x15, 0xc7] + Array("Zernez2024App".utf8))]
    movie.more = [MP4Box("udta", children: [MP4Box("loci", [0, 0, 0, 0, 0x15, 0xc7] + Array("Zernez\0\u{1}".utf8))])]
    try check(copy(movie.data), movie)
  }

  @Test func mediaHeadersNameNothing() throws {
    let movie = HandMadeMovie()
    let data = try changed(movie) { box in
      changeInformation(&box) { $0.children?.append(MP4Box("gmhd", trace)) }
    }
    try check(copy(data), movie)
  }
}
