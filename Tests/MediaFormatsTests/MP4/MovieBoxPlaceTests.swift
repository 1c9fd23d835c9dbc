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
      box.changeAll("trak") { track in
        let isPicture = track.handler == "vide"
        track.changeSampleTable { table in
          table.changeAll("stsd") { description in
            // The first entry follows the head and the number of entries, behind its own head.
            guard var entry = (try? MP4Box.boxes(in: description.bytes[8...]))?.first else { return }
            if isPicture {
              // A length and 31 characters.
              entry.bytes.replaceSubrange(42..<43 + trace.count, with: [UInt8(trace.count)] + trace)
            }
            for type in ["uuid", "free", "pasp", "name"] as [MP4Type] {
              MP4Box(type, type == "pasp" ? HandMadeMovie.words(1, 1) : trace).write(to: &entry.bytes)
            }
            description.bytes.removeSubrange(8...)
            entry.write(to: &description.bytes)
          }
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
