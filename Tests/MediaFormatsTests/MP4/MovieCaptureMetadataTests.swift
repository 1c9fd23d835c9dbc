// Dates and positions of movies, changed without a move of their samples.

import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite struct MovieCaptureMetadataTests {
  private static let changes = MovieCaptureMetadata.Changes(
    time: .init(seconds: 1_795_242_666, text: "2026-11-21T07:31:06+0100"),
    position: .set(latitude: -46.948, longitude: 7.4474))

  private func changed(
    _ data: Data, _ changes: MovieCaptureMetadata.Changes, mayGrow: Bool = true
  ) throws -> Data {
    let source = DataSource(data, name: "movie")
    let range = 0..<UInt64(data.count)
    var new = data
    for edit in try MovieCaptureMetadata.edits(of: source, range: range, changes, mayGrow: mayGrow).reversed() {
      new.replaceSubrange(Int(edit.range.lowerBound)..<Int(edit.range.upperBound), with: edit.bytes)
    }
    return new
  }

  @Test(arguments: [true, false], [true, false])
  func theSamplesStayWhereTheyAre(isDescribedFirst: Bool, isLong: Bool) throws {
    var movie = HandMadeMovie()
    (movie.isDescribedFirst, movie.isLong) = (isDescribedFirst, isLong)
    let data = movie.data
    let new = try changed(data, Self.changes)
    let head = try #require(try MP4Head(DataSource(new, name: "movie"), range: 0..<UInt64(new.count)))
    #expect(head.date == "2026-11-21T07:31:06+0100" && head.position == "-46.948000+007.447400/")
    for track in 0..<2 {
      #expect(try HandMadeMovie.samples(of: track, in: new) == HandMadeMovie.samples(of: track, in: data))
    }
    // The same again changes only the times in the headers.
    let again = try changed(new, .init(position: .set(latitude: 1, longitude: 2)))
    #expect(again.count == new.count)
    let removed = try changed(again, .init(position: .removed))
    #expect(try MP4Head(DataSource(removed, name: "movie"), range: 0..<UInt64(removed.count))?.position == nil)
  }

  /// A movie with its location in all the ways that can be changed.
  private static var changeable: HandMadeMovie {
    var movie = HandMadeMovie.placed()
    movie.more.removeAll { $0.type == "uuid" }
    movie.top.removeAll { $0.type == "uuid" }
    return movie
  }

  @Test func everyPositionThatReadersKnowGoes() throws {
    let data = Self.changeable.data
    let new = try changed(data, .init(position: .removed))
    let head = try #require(try MP4Head(DataSource(new, name: "movie"), range: 0..<UInt64(new.count)))
    #expect(head.position == nil)
    #expect(try HandMadeMovie.samples(of: 0, in: new) == HandMadeMovie.samples(of: 0, in: data))
  }

  @Test func keysInTheUserDataAreChangedAsWell() throws {
    var keys = QuickTimeMetadata()
    keys.hasVersion = true
    keys.set(QuickTimeMetadata.creationDate, "2001-01-01T00:00:00+0000")
    keys.set("location", "+01.0000+002.0000/")
    let data = HandMadeMovie(facts: [keys.box]).data
    let new = try changed(data, Self.changes)
    let head = try #require(try MP4Head(DataSource(new, name: "movie"), range: 0..<UInt64(new.count)))
    #expect(head.date == "2026-11-21T07:31:06+0100" && head.position == "-46.948000+007.447400/")
    #expect(new.firstRange(of: Data("+01.0000".utf8)) == nil)
  }

  @Test func aMovieThatMustNotGrowKeepsItsLength() throws {
    let data = Self.changeable.data
    for position in [MovieCaptureMetadata.Changes.Position.removed, .set(latitude: 1, longitude: 2), .kept] {
      var changes = Self.changes
      changes.position = position
      #expect(try changed(data, changes, mayGrow: false).count == data.count)
    }
    let moved = try changed(data, .init(position: .set(latitude: 10.5, longitude: -20)), mayGrow: false)
    let position = try MP4Head(DataSource(moved, name: "movie"), range: 0..<UInt64(moved.count))?.position
    #expect(moved.count == data.count && position?.hasPrefix("+10.5000") == true)
  }

  @Test func noFormerPositionIsLeftInTheFreedSpace() throws {
    var movie = HandMadeMovie.placed()
    // Without those in other kinds of boxes, which stay.
    movie.more.removeAll { $0.type == "uuid" }
    movie.facts.removeAll { $0.type == "XMP_" }
    movie.top = []
    let data = movie.data
    let place = Data("+48.8583".utf8)
    let new = try changed(data, Self.changes)
    #expect(new.count > data.count, "the old description has become free space")
    // A dashcam's index stays in the new one and the free space.
    var count = 0
    var from = new.startIndex
    while let found = new.range(of: place, in: from..<new.endIndex) { (count, from) = (count + 1, found.upperBound) }
    #expect(count == 2)
    let description = try #require(try MP4Box.boxes(in: Array(new)[...]).last { $0.type == "moov" })
    #expect(description["gps "] != nil)
    #expect(try HandMadeMovie.samples(of: 0, in: new) == HandMadeMovie.samples(of: 0, in: data))
    var removed = Self.changes
    removed.position = .removed
    removed.time?.text = "2026-11-21T07:31:06+0100" + String(repeating: " ", count: 500)
    let bare = try changed(data, removed)
    #expect(bare.count > data.count)
    #expect(bare.range(of: place) == nil)
  }

  @Test(.timeLimit(.minutes(30))) func aShortPositionIsntSearchedForInALongDescription() throws {
    // Each of these zeros would be the former position.
    let movie = HandMadeMovie(
      more: [MP4Box("skip", [UInt8](repeating: 0, count: 1 << 20))], facts: [MP4Box("©xyz", [0, 1, 0x55, 0xc4, 0])])
    let data = movie.data
    let source = DataSource(data, name: "movie")
    let edits = try MovieCaptureMetadata.edits(
      of: source, range: 0..<UInt64(data.count), Self.changes, mayGrow: true)
    #expect(edits.count < 10)
  }

  @Test func whatAListHoldsBesidesKnownItemsStays() throws {
    var keys = QuickTimeMetadata()
    keys.set("com.apple.quicktime.model", "A camera")
    keys.otherItems = [.init(key: MP4Box("abcd", Array("a key".utf8)), value: Array("a value".utf8))]
    keys.otherBoxes = [MP4Box("ctry", [0, 0, 0, 0, 0, 0, 0, 0])]
    #expect(QuickTimeMetadata(keys.box) == keys)
    let new = try changed(HandMadeMovie(more: [keys.box]).data, Self.changes)
    let description = try #require(try MP4Box.boxes(in: Array(new)[...]).last { $0.type == "moov" })
    let list = try #require(description["meta"].flatMap { QuickTimeMetadata($0) })
    #expect(list.otherItems == keys.otherItems && list.otherBoxes == keys.otherBoxes)
    #expect(list.text("com.apple.quicktime.model") == "A camera")
    #expect(list.text(QuickTimeMetadata.creationDate) == "2026-11-21T07:31:06+0100")
  }

  /// A movie whose headers of the movie, of tracks and of media, all with 32 bits, have these creation times.
  private func movie(_ movie: UInt64, tracks: UInt64, _ data: Data = HandMadeMovie().data) throws -> Data {
    var bytes = data
    for (type, number) in [("mvhd", movie), ("tkhd", tracks), ("mdhd", tracks)] {
      var from = bytes.startIndex
      while let place = bytes.range(of: Data(type.utf8), in: from..<bytes.endIndex) {
        let at = place.upperBound + 4
        bytes.replaceSubrange(at..<at + 4, with: HandMadeMovie.bytes(number, 4))
        from = at
      }
    }
    return bytes
  }

  /// The creation times in the last header of a type each: the first one may be in freed space.
  private func times(_ data: Data) throws -> [UInt64] {
    try ["mvhd", "tkhd", "mdhd"].map { type in
      let place = try #require(data.range(of: Data(type.utf8), options: .backwards))
      return data[place.upperBound + 4..<place.upperBound + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  @Test func timesOfTracksGoAlongAndNonsenseIsReplaced() throws {
    let from1904: UInt64 = 2_082_844_800
    let new = from1904 + 1_795_242_666
    let changes = MovieCaptureMetadata.Changes(time: Self.changes.time)
    let now = from1904 + 1_600_000_000
    #expect(try times(changed(movie(now, tracks: now - 5), changes)) == [new, new - 5, new - 5])
    #expect(try times(changed(movie(now, tracks: 0), changes)) == [new, 0, 0])
    // A day after the beginning of 1904, and seconds since 1970.
    for nonsense: UInt64 in [86_400, 1_600_000_000] {
      #expect(try times(changed(movie(nonsense, tracks: nonsense), changes)) == [new, new, new])
      #expect(try times(changed(movie(now, tracks: nonsense), changes)) == [new, new, new])
    }
    // The tracks' would be after 2040.
    let late = UInt64(UInt32.max) - 5
    #expect(try times(changed(movie(now, tracks: late), changes)) == [new, late, late])
  }

  @Test func zerosAtTheEndOfTheUserDataStay() throws {
    let name = MP4Box("©nam", [0, 1, 0, 0, 65])
    var content: [UInt8] = []
    name.write(to: &content)
    content += [0, 0, 0, 0]
    let data = HandMadeMovie(more: [MP4Box("udta", content)]).data
    let new = try changed(data, Self.changes)
    let head = try #require(try MP4Head(DataSource(new, name: "movie"), range: 0..<UInt64(new.count)))
    #expect(head.date == "2026-11-21T07:31:06+0100", "\(head)")
    #expect(head.position == "-46.948000+007.447400/")
    #expect(try HandMadeMovie.samples(of: 0, in: new) == HandMadeMovie.samples(of: 0, in: data))
    let movie = try #require(try MP4Box.boxes(in: Array(new)[...]).last { $0.type == "moov" })
    var written: [UInt8] = []
    try #require(movie["udta"]).write(to: &written)
    #expect(written.suffix(4) == [0, 0, 0, 0])
  }

  @Test func everyDamageIsRefusedOrSurvived() throws {
    let whole = HandMadeMovie.placed().data
    for count in stride(from: 0, to: whole.count, by: 7) { _ = try? changed(whole.prefix(count), Self.changes) }
    for index in stride(from: 0, to: whole.count, by: 3) {
      var damaged = whole
      damaged[index] ^= 0xff
      _ = try? changed(damaged, Self.changes)
    }
  }
}
