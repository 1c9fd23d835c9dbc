// Copies of movies: the same samples at the same times, with other metadata.

import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite(.timeLimit(.minutes(30))) struct MovieCopyTests {
  private let pair = AppleLivePhotoTrack.Pair(
    contentIdentifier: "07979BDE-C0B0-4BA3-963F-174120B7FFBF", stillTime: 0.2,
    creationDate: "2026-11-21T07:31:06+0100")

  private func copy(_ movie: Data, _ changes: MovieCopy.Changes, before: Int = 0) throws -> Data {
    let source = MemorySource(Data(repeating: 7, count: before) + movie)
    return try MovieCopy.pieces(of: source, range: UInt64(before)..<source.count, changes).reduce(into: Data()) {
      data, piece in
      switch piece {
      case .bytes(let bytes): data += bytes
      case .file(let source, let range): data += try source.data(at: range.lowerBound, count: range.count)
      }
    }
  }

  private func check(_ movie: HandMadeMovie, _ copy: Data, hasSound: Bool) throws {
    #expect(try HandMadeMovie.samples(of: 0, in: copy) == (0..<movie.frames).map(HandMadeMovie.frame))
    if hasSound {
      #expect(try HandMadeMovie.samples(of: 1, in: copy) == (0..<movie.sounds).map(HandMadeMovie.sound))
    }
  }

  private func table(_ box: MP4Type, _ track: Int, _ data: Data) throws -> MP4Box? {
    let tracks = try HandMadeMovie.description(in: data).children?.filter { $0.type == "trak" } ?? []
    return tracks[track].child("mdia", "minf", "stbl", box)
  }

  @Test(arguments: [true, false], [true, false])
  func aQuickTimeMovieHasTheSameSamplesAndNamesItsStill(isFirst: Bool, isLong: Bool) throws {
    var movie = HandMadeMovie(isDescribedFirst: isFirst, isLong: isLong)
    movie.top = [MP4Box("free", [UInt8](repeating: 3, count: 100))]
    let source = movie.data
    let copy = try copy(source, MovieCopy.Changes(pair: pair), before: 1000)
    try check(movie, copy, hasSound: true)
    for (track, name) in [(0, "stts"), (0, "stsz"), (1, "stts"), (1, "stsz")] as [(Int, MP4Type)] {
      #expect(try table(name, track, copy) == table(name, track, source))
    }
    #expect(copy[4..<12] == Data("ftypqt  ".utf8))
    #expect(try AppleContentIdentifier.movie(MemorySource(copy)) == pair.contentIdentifier)
    // The third track: one sample at the still's time, which describes the first.
    #expect(try HandMadeMovie.samples(of: 2, in: copy) == [AppleLivePhotoTrack.sample])
    let description = try HandMadeMovie.description(in: copy)
    let track = try #require(description.children?.filter { $0.type == "trak" }.last)
    #expect(try track.trackID() == 3)
    #expect(track.child("tref", "cdsc")?.bytes == HandMadeMovie.words(1))
    let edits = try #require(track.child("edts", "elst"))
    #expect(try edits.number(at: 8, 4) == 18_000 && edits.number(at: 12, 4) == 0xffff_ffff)
    #expect(try description["mvhd"]?.number(at: 96, 4) == 4)
    let time = try #require(try AppleLivePhotoTrack.stillTime(in: MemorySource(copy)))
    #expect(abs(time - 0.2) < 1e-6)
    #expect(try AppleLivePhotoTrack.stillTime(in: MemorySource(source)) == nil)
    for count in stride(from: 0, to: copy.count, by: 97) {
      _ = try AppleLivePhotoTrack.stillTime(in: MemorySource(copy.prefix(count)))
    }
    // AAC in QuickTime's form keeps its decoder's settings.
    let entry = try #require(try table("stsd", 1, copy)?.bytes)
    #expect(String(decoding: entry, as: UTF8.self).contains("wave"))
    #expect(entry.count(where: { $0 == 3 }) >= 1)
  }

  @Test func aMovieThatIsQuickTimeAlreadyIsNotMadeItTwice() throws {
    let movie = HandMadeMovie()
    let once = try copy(movie.data, MovieCopy.Changes(pair: pair))
    var other = pair
    other.contentIdentifier = AppleContentIdentifier.make()
    let twice = try copy(once, MovieCopy.Changes(pair: other))
    try check(movie, twice, hasSound: true)
    let (first, second) = (try HandMadeMovie.description(in: once), try HandMadeMovie.description(in: twice))
    #expect(first.children?.map(\.type) == second.children?.map(\.type))
    #expect(second.children?.count { AppleLivePhotoTrack.isStillTime($0) } == 1)
    let facts = try #require(second["meta"].flatMap { QuickTimeMetadata($0) })
    #expect(
      facts.items.map(\.name).sorted() == [
        "com.apple.quicktime.content.identifier", "com.apple.quicktime.creationdate",
      ])
    #expect(twice.range(of: Data(pair.contentIdentifier.utf8)) == nil)
  }

  /// FFmpeg keeps the keys of a phone's movie in the user data, where readers may find the identifier before the new one.
  @Test(arguments: [true, false]) func anIdentifierInTheUserDataIsNotKept(isISO: Bool) throws {
    var keys = QuickTimeMetadata()
    keys.hasVersion = isISO
    keys.set("com.apple.quicktime.content.identifier", AppleContentIdentifier.make())
    keys.set("com.apple.quicktime.model", "iPhone")
    var movie = HandMadeMovie()
    movie.facts = [MP4Box("name", [1, 2, 3]), keys.box]
    let copy = try copy(movie.data, MovieCopy.Changes(pair: pair))
    try check(movie, copy, hasSound: true)
    let data = try #require(try HandMadeMovie.description(in: copy)["udta"])
    #expect(data["name"] != nil)
    #expect(data["meta"].flatMap { QuickTimeMetadata($0) }?.items.map(\.name) == ["com.apple.quicktime.model"])
    #expect(try AppleContentIdentifier.movie(MemorySource(copy)) == pair.contentIdentifier)
  }

  @Test(arguments: [nil, -3, 0, 0.2, 1e9, Double.nan])
  func theStillsTimeIsInsideOfTheMovie(time: Double?) throws {
    var pair = pair
    pair.stillTime = time
    let copy = try copy(HandMadeMovie().data, MovieCopy.Changes(pair: pair))
    let description = try HandMadeMovie.description(in: copy)
    let track = try #require(description.children?.filter { $0.type == "trak" }.last)
    let duration = try #require(try description["mvhd"]?.number(at: 16, 4))
    #expect(try #require(try track["tkhd"]?.number(at: 20, 4)) <= duration)
  }

  @Test func withoutSoundNoByteOfItIsLeft() throws {
    let movie = HandMadeMovie()
    let copy = try copy(movie.data, MovieCopy.Changes(dropsSound: true))
    try check(movie, copy, hasSound: false)
    let description = try HandMadeMovie.description(in: copy)
    #expect(description.children?.count { $0.type == "trak" } == 1)
    #expect(description.children?.first { $0.type == "trak" }?["tref"] == nil)
    // The longest that is left.
    #expect(try description["mvhd"]?.number(at: 16, 4) == 36_000)
    for sound in 0..<movie.sounds { #expect(copy.range(of: Data(HandMadeMovie.sound(sound))) == nil) }
    // A movie that has none stays as it is.
    let silent = HandMadeMovie(sounds: 0).data
    #expect(try self.copy(silent, MovieCopy.Changes(dropsSound: true)) == silent)
  }

  @Test(arguments: [false, true]) func noPlaceIsLeft(isFragmented: Bool) throws {
    var movie = HandMadeMovie.placed()
    movie.isFragmented = isFragmented
    let source = movie.data
    let copy = try copy(source, MovieCopy.Changes(dropsLocation: true))
    try check(movie, copy, hasSound: true)
    #expect(source.range(of: Data("48.85".utf8)) != nil && copy.range(of: Data("48.85".utf8)) == nil)
    #expect(copy.range(of: Data("A camera".utf8)) != nil && copy.range(of: Data("a program".utf8)) != nil)
    // The targets of fragments' offsets must not move.
    if isFragmented { #expect(copy.count == source.count) }
    let again = try self.copy(copy, MovieCopy.Changes(dropsLocation: true))
    #expect(try HandMadeMovie.description(in: again)["udta"] == HandMadeMovie.description(in: copy)["udta"])
  }

  @Test(arguments: [false, true]) func factsKeepTheirForm(hasVersion: Bool) throws {
    var facts = QuickTimeMetadata()
    facts.hasVersion = hasVersion
    facts.set("com.apple.quicktime.location.ISO6709", "+48.8583+002.2945/")
    facts.set("com.apple.quicktime.model", "A camera")
    let movie = HandMadeMovie(more: [facts.box], facts: [facts.box])
    let copy = try copy(movie.data, MovieCopy.Changes(dropsLocation: true))
    facts.items.removeFirst()
    let description = try HandMadeMovie.description(in: copy)
    #expect(description["meta"] == facts.box && description.child("udta", "meta") == facts.box)
    #expect(description["meta"].flatMap { QuickTimeMetadata($0) } == facts)
  }

  @Test func samplesInOtherFilesAreNotFollowed() throws {
    func movie(flags: UInt64) -> Data {
      var list = HandMadeMovie.words(0, 1)
      MP4Box("url ", HandMadeMovie.words(flags) + (flags == 0 ? Array("other.mov\0".utf8) : [])).write(to: &list)
      var placement: [UInt8] = []
      MP4Box("dref", list).write(to: &placement)
      return HandMadeMovie(placement: placement).data
    }
    try check(
      HandMadeMovie(), try copy(movie(flags: 1), MovieCopy.Changes(pair: pair)), hasSound: true)
    let error = try #require(throws: FormatError.self) {
      try copy(movie(flags: 0), MovieCopy.Changes(pair: pair))
    }
    #expect(error.reason.contains("another file"))
  }

  @Test func aTrackThatFragmentsDescribeUnreadablyIsNotLeftOut() throws {
    var movie = HandMadeMovie.inFragments(.recorded)
    let place = try #require(movie.indices.dropLast(4).last { movie[$0..<$0 + 4].elementsEqual("trun".utf8) })
    movie.replaceSubrange(place..<place + 4, with: "senc".utf8)
    let error = try #require(throws: FormatError.self) {
      try copy(Data(movie), MovieCopy.Changes(pair: pair))
    }
    #expect(error.reason.contains("protected"))
  }

  /// An index leaves out a damaged track; a copy would lose it.
  @Test func aDamagedTrackIsNotLeftOut() throws {
    let damaged = try HandMadeMovie(isDescribedFirst: false).changed { track in
      if track.handler == "soun" { track = track.withJunk(in: "trak") }
    }
    #expect(throws: FormatError.self) { try copy(damaged, MovieCopy.Changes(dropsLocation: true)) }
  }

  /// Every number in it is false once, in several ways: it is copied or refused, and never takes long.
  @Test func aMovieThatLiesIsRefusedInWords() throws {
    let source = [UInt8](HandMadeMovie(frames: 4, sounds: 8).data)
    let media = source.count - (0..<4).reduce(0) { $0 + HandMadeMovie.frame($1).count } - 8 * 7
    let changes = MovieCopy.Changes(dropsSound: true, dropsLocation: true, pair: pair)
    var refusals = 0
    for at in stride(from: 0, to: media, by: 4) {
      for lie in [0, 1, 7, 0x7fff_ffff, 0xffff_ffff] as [UInt64] {
        var bytes = source
        bytes.replaceSubrange(at..<at + 4, with: HandMadeMovie.words(lie))
        do { _ = try copy(Data(bytes), changes) } catch let error as FormatError {
          refusals += 1
          #expect(!error.reason.isEmpty)
        }
      }
    }
    #expect(refusals > 100)
    for length in stride(from: 0, to: source.count, by: 13) {
      #expect(throws: FormatError.self) { try copy(Data(source[..<length]), changes) }
    }
    // Boxes in boxes in boxes.
    var deep: [UInt8] = []
    for _ in 0..<2000 { deep = HandMadeMovie.words(UInt64(deep.count + 8)) + Array("trak".utf8) + deep }
    let nested = MP4Box("ftyp", Array("mp42mp42".utf8))
    var bytes: [UInt8] = []
    nested.write(to: &bytes)
    MP4Box("moov", deep).write(to: &bytes)
    #expect(throws: FormatError.self) { try copy(Data(bytes), changes) }
  }
}
