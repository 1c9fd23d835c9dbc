// The index of a movie: truthful, lying and damaged tables, and assembled movies.

import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite(.timeLimit(.minutes(30))) struct MP4IndexTests {
  private func file(_ pieces: [BytePiece<any ByteSource>]) throws -> Data {
    try pieces.reduce(into: Data()) { data, piece in
      switch piece {
      case .bytes(let bytes): data += bytes
      case .file(let source, let range): data += try source.data(at: range.lowerBound, count: range.count)
      }
    }
  }

  private func index(_ movie: HandMadeMovie) throws -> MP4Index { try MP4Index(MemorySource(movie.data)) }

  @Test(arguments: [true, false], [true, false])
  func tracksAreRead(isFirst: Bool, isLong: Bool) throws {
    let index = try index(HandMadeMovie(isDescribedFirst: isFirst, isLong: isLong))
    let (picture, sound) = (try #require(index.picture), try #require(index.sound))
    #expect(index.timescale == 90_000 && index.fragmentsEnd == nil && index.soundRefusal == nil)
    #expect(picture.sizes.count == 12 && picture.timescale == 90_000 && picture.duration == 36_000)
    #expect(picture.start(ofSample: 3) == 9000 && picture.sample(at: 9000) == 3 && picture.sample(at: 8999) == 2)
    #expect(picture.startTimes.count == 12 && picture.startTimes[3] == 0.1)
    #expect(picture.frameCount(within: nil) == 12)
    #expect(sound.chunks(within: 2..<4).reduce(0) { $0 + $1.samples.count } == 2)
    #expect(sound.chunks(within: 0..<sound.sizes.count) == sound.chunks)
    #expect(picture.chunks.first?.byteCount == 81)
  }

  @Test func anAssembledMovieHasTheSamplesOfBoth() throws {
    let (first, second) = (HandMadeMovie(frames: 6, sounds: 0), HandMadeMovie())
    var assembly = MP4Assembly(try index(first))
    #expect(!assembly.hasSound)
    assembly.addSound(of: try index(second), window: nil)
    #expect(assembly.hasSound)
    let data = try file(assembly.pieces())
    #expect(try HandMadeMovie.samples(of: 0, in: data) == (0..<6).map(HandMadeMovie.frame))
    #expect(try HandMadeMovie.samples(of: 1, in: data) == (0..<24).map(HandMadeMovie.sound))
    let again = try MP4Index(MemorySource(data))
    #expect(again.sound?.duration == 36_000 && again.movie["mvhd"].map { try? $0.number(at: 96, 4) } == 3)
    // The track of another movie counts from 1 again, and its edit list is in this movie's units.
    #expect(try again.movie.tracks.map { try $0.trackID() } == [1, 2])
    // A part of it: whole packets, and one more in front.
    var cut = MP4Assembly(try index(first))
    cut.addSound(of: try index(second), window: 0.1...0.2)
    let part = try MP4Index(MemorySource(try file(cut.pieces())))
    #expect(part.sound?.sizes.count == 7 && part.sound?.mediaStart == 1500)
  }

  @Test func samplesThatCanNotBeReadAreRefusedInWords() throws {
    var list = HandMadeMovie.words(0, 1)
    MP4Box("url ", HandMadeMovie.words(0) + Array("other.mov\0".utf8)).write(to: &list)
    var placement: [UInt8] = []
    MP4Box("dref", list).write(to: &placement)
    let elsewhere = try index(HandMadeMovie(placement: placement))
    #expect(elsewhere.picture == nil && elsewhere.sound == nil && elsewhere.tracks.isEmpty)
    #expect(elsewhere.soundRefusal?.reason.contains("another file") == true)
    #expect(elsewhere.pictureRefusal?.reason.contains("another file") == true)
    let silent = try index(HandMadeMovie(sounds: 0))
    #expect(silent.sound == nil && silent.soundRefusal == nil && silent.pictureRefusal == nil)
    // Uncompressed sound in QuickTime's count: bytes can't be found by these tables.
    #expect(try changed("stsz") { $0.setNumber(1, at: 4, 4) }.soundRefusal?.reason.contains("uncompressed") == true)
    // Samples of equal size, more than any movie has.
    #expect(
      try changed("stsz") {
        $0.setNumber(7, at: 4, 4)
        $0.setNumber(0xffff_ffff, at: 8, 4)
      }.soundRefusal != nil)
  }

  /// The index of a movie whose sound has another table.
  private func changed(_ table: MP4Type, _ change: (inout MP4Box) -> Void) throws -> MP4Index {
    let movie = try HandMadeMovie(isDescribedFirst: false).changed { track in
      if track.handler == "soun" { track.changeSampleTable { $0.changeAll(table, change) } }
    }
    return try MP4Index(MemorySource(movie))
  }

  // MARK: Uncompressed sound

  /// A movie, of which one track has six million samples of four bytes, a second of them 90,000 units long.
  private func long(_ handler: MP4Type) throws -> MP4Index {
    let movie = try HandMadeMovie(isDescribedFirst: false).changed { track in
      guard track.handler == handler else { return }
      track.changeSampleTable { table in
        table.changeAll("stsz") { $0 = MP4Box("stsz", BigEndian.words(0, 4, 6_000_000)) }
        table.changeAll("stsc") { $0.setNumber(1_000_000, at: 12, 4) }
        table.changeAll("stts") { $0.setNumber(6_000_000, at: 8, 4) }
      }
    }
    return try MP4Index(MemorySource(movie, count: 1 << 30))
  }

  /// LPCM has a sample for every frame of sound: a limit of their number would be one of two minutes.
  @Test func soundOfEqualSamplesMayHaveAnyNumberOfThem() throws {
    let index = try long("soun")
    let sound = try #require(index.sound)
    #expect(sound.sizes == .equal(4, count: 6_000_000))
    // Nothing is made for each of them.
    #expect(sound.startTimes.isEmpty && sound.frameCount(within: 0...1) == nil)
    var assembly = MP4Assembly(try self.index(HandMadeMovie(sounds: 0)))
    assembly.addSound(of: index, window: 10...20)
    guard case .bytes(let head)? = try assembly.pieces().first else {
      Issue.record("There is no index.")
      return
    }
    #expect(head.count < 4096)
    // 60 samples a second, and one more in front.
    let cut = try MP4Index(MemorySource(head, count: 1 << 30))
    #expect(cut.sound?.sizes == .equal(4, count: 601))
  }

  @Test func picturesOfEqualSizeAreLimited() throws {
    let index = try long("vide")
    #expect(index.picture == nil && index.pictureRefusal?.reason.contains("too many samples") == true)
  }

  /// QuickTime counts all uncompressed sound in samples of one byte; of some it is true.
  @Test(
    arguments: [
      ("ulaw", 1, 16, true), ("alaw", 1, 16, true), ("raw ", 1, 8, true), ("sowt", 1, 8, true), ("twos", 1, 8, true),
      ("ulaw", 2, 16, false), ("sowt", 1, 16, false), ("twos", 2, 8, false), ("in24", 1, 8, false),
    ] as [(MP4Type, UInt64, UInt64, Bool)])
  func samplesOfOneByteAreTakenWhereTheyAre(format: MP4Type, channels: UInt64, bits: UInt64, isTaken: Bool) throws {
    let movie = try HandMadeMovie(isDescribedFirst: false).changed { track in
      guard track.handler == "soun" else { return }
      track.changeSampleTable { table in
        table.changeAll("stsd") { entries in
          // The first entry begins at 8, with its length and format.
          entries.setNumber(UInt64(format.code), at: 12, 4)
          entries.setNumber(channels, at: 32, 2)
          entries.setNumber(bits, at: 34, 2)
        }
        table.changeAll("stsz") { $0 = MP4Box("stsz", BigEndian.words(0, 1, 24 * 7)) }
        table.changeAll("stsc") { $0.setNumber(4 * 7, at: 12, 4) }
      }
    }
    let index = try MP4Index(MemorySource(movie))
    let sizes: MP4SampleTable.Sizes? = isTaken ? .equal(1, count: 24 * 7) : nil
    #expect(index.sound?.sizes == sizes)
    #expect(index.soundRefusal?.reason.contains("uncompressed") == (isTaken ? nil : true))
  }

  // MARK: Harmless damage

  @Test(arguments: ["trak", "mdia", "minf", "stbl"] as [MP4Type], ["vide", "soun"] as [MP4Type])
  func junkInOneTrackRefusesThatTrack(place: MP4Type, handler: MP4Type) throws {
    let movie = try HandMadeMovie(isDescribedFirst: false).changed { track in
      if track.handler == handler { track = track.withJunk(in: place) }
    }
    let index = try MP4Index(MemorySource(movie))
    let others: [MP4Type] = handler == "vide" ? ["soun"] : ["vide"]
    #expect(index.tracks.map(\.handler) == others)
    #expect((index.pictureRefusal != nil) == (handler == "vide"))
    #expect((index.soundRefusal != nil) == (handler == "soun"))
    #expect((index.picture?.sizes.count ?? 12) == 12 && (index.sound?.sizes.count ?? 24) == 24)
  }

  @Test func aDamagedTrackOfAnUnknownKindRefusesTheMovie() throws {
    let movie = try HandMadeMovie(isDescribedFirst: false).changed { track in
      guard track.handler == "soun" else { return }
      track["mdia"] = nil
      track = track.withJunk(in: "trak")
    }
    #expect(throws: FormatError.self) { try MP4Index(MemorySource(movie)) }
  }

  @Test func chunksWithoutSamplesDoNoHarm() throws {
    let whole = try changed("stsz") { _ in }
    let offsets = try #require(whole.sound).chunks.map(\.offset)
    // Behind the last sample, with an offset behind the end.
    let trailing = try changed("stco") { $0 = MP4SampleTable.offsetBox(offsets + [0xffff_fff0], isLong: false) }
    #expect(trailing.sound?.chunks == whole.sound?.chunks)
    // Between samples, as a run of its own.
    let movie = try HandMadeMovie(isDescribedFirst: false).changed { track in
      guard track.handler == "soun" else { return }
      track.changeSampleTable { table in
        table.changeAll("stsc") { $0.bytes = BigEndian.words(0, 3, 1, 4, 1, 2, 0, 1) + BigEndian.words(3, 4, 1) }
        table.changeAll("stco") {
          $0 = MP4SampleTable.offsetBox([offsets[0], 0xffff_fff0] + offsets[1...], isLong: false)
        }
      }
    }
    #expect(try MP4Index(MemorySource(movie)).sound?.chunks == whole.sound?.chunks)
    let copy = try MovieCopy.pieces(
      of: MemorySource(movie), range: 0..<UInt64(movie.count), MovieCopy.Changes(dropsLocation: true)
    ).reduce(into: Data()) { data, piece in
      switch piece {
      case .bytes(let bytes): data += bytes
      case .file(_, let range): data += movie[Int(range.lowerBound)..<Int(range.upperBound)]
      }
    }
    #expect(try HandMadeMovie.samples(of: 1, in: copy) == (0..<24).map(HandMadeMovie.sound))
    // All samples have to be in a chunk.
    #expect(try changed("stsc") { $0.setNumber(0, at: 12, 4) }.soundRefusal != nil)
  }

  @Test func anEmptyLocationIsTheMovieItself() throws {
    var list = HandMadeMovie.words(0, 1)
    MP4Box("url ", HandMadeMovie.words(0)).write(to: &list)
    var placement: [UInt8] = []
    MP4Box("dref", list).write(to: &placement)
    let index = try index(HandMadeMovie(placement: placement))
    #expect(index.picture != nil && index.sound != nil)
  }

  // MARK: Lies

  /// Edit lists of version 1 with numbers far beyond any movie, which once overflowed.
  @Test(arguments: [0x7fff_ffff, 0xffff_ffff] as [UInt64], [0, 0x7fff_ffff, 0xffff_ffff] as [UInt64])
  func anEditListThatLiesIsHarmless(duration: UInt64, media: UInt64) throws {
    var boxes = try MP4Box.boxes(in: [UInt8](HandMadeMovie().data)[...])
    let long = BigEndian.words(0x0100_0000, 2, duration, duration, 0xffff_ffff, 0xffff_ffff, 0x10000)
    let list = MP4Box("elst", long + BigEndian.words(duration, duration, media, media, 0x10000))
    for index in boxes.indices where boxes[index].type == "moov" {
      boxes[index].changeAll("trak") { $0.children?.append(MP4Box("edts", children: [list])) }
    }
    var bytes: [UInt8] = []
    for box in boxes { box.write(to: &bytes) }
    let liar = try MP4Index(MemorySource(bytes))
    for window in [nil, 0...0.2, 0.1...1e9] as [ClosedRange<Double>?] {
      var assembly = MP4Assembly(try index(HandMadeMovie(sounds: 0)))
      assembly.addSound(of: liar, window: window)
      _ = try assembly.pieces()
    }
    _ = (liar.picture?.startTimes, liar.picture?.frameCount(within: 0...1))
  }

  /// A movie whose tracks are shown from a time on, after nothing was shown for another, and count in units of a second.
  private func shown(from media: UInt64, after empty: UInt64, scale: UInt64) throws -> [UInt8] {
    func row(_ duration: UInt64, _ media: UInt64) -> [UInt8] {
      HandMadeMovie.bytes(duration, 8) + HandMadeMovie.bytes(media, 8) + BigEndian.words(0x10000)
    }
    let list = MP4Box("elst", BigEndian.words(0x0100_0000, 2) + row(empty, .max) + row(1, media))
    var boxes = try MP4Box.boxes(in: [UInt8](HandMadeMovie(isDescribedFirst: false).data)[...])
    for index in boxes.indices where boxes[index].type == "moov" {
      boxes[index].changeAll("mvhd") { $0.setNumber(scale, at: 12, 4) }
      boxes[index].changeAll("trak") { track in
        track.children?.append(MP4Box("edts", children: [list]))
        track.changeAll("mdia") { media in media.changeAll("mdhd") { $0.setNumber(scale, at: 12, 4) } }
      }
    }
    var bytes: [UInt8] = []
    for box in boxes { box.write(to: &bytes) }
    return bytes
  }

  /// Times at the end of what 64 bits hold, in units of a second and others.
  @Test(
    arguments: [0, 1, UInt64(Int64.max), .max - 1, .max] as [UInt64],
    [0, UInt64(Int64.max), .max - 2, .max - 1, .max] as [UInt64])
  func timesAtTheEndOfTheirRangeAreHarmless(empty: UInt64, media: UInt64) throws {
    let plain = try index(HandMadeMovie(sounds: 0))
    for scale in [1, 90_000, 0xffff_ffff] as [UInt64] {
      let liar = try MP4Index(MemorySource(shown(from: media, after: empty, scale: scale)))
      for window in [nil, 0...0.2, 0.1...1e9, 1e18...1e19, 0...1e300] as [ClosedRange<Double>?] {
        for primary in [liar, plain] {
          var assembly = MP4Assembly(primary)
          assembly.addSound(of: liar, window: window)
          _ = try? assembly.pieces()
        }
      }
      for track in liar.tracks {
        _ = (track.frameCount(within: 0...1), track.sample(at: .max), track.duration)
        #expect(track.emptyTime.isFinite && track.startTimes.allSatisfy(\.isFinite))
      }
    }
  }

  /// Runs of samples that are together longer than 64 bits hold: times saturate, and never fall.
  @Test func durationsBeyondTheirRangeSaturate() throws {
    let movie = try HandMadeMovie(isDescribedFirst: false).changed { track in
      guard track.handler == "soun" else { return }
      track.changeSampleTable { table in
        table.changeAll("stsz") { $0 = MP4Box("stsz", BigEndian.words(0, 1 << 20, 0xffff_fff0)) }
        table.changeAll("stts") { box in
          box = MP4Box(
            "stts", BigEndian.words(0, 3, 0xffff_ff00, 0xffff_ffff, 0x80, 0xffff_ffff) + BigEndian.words(0x70, 3))
        }
        table.changeAll("stsc") { $0 = MP4Box("stsc", BigEndian.words(0, 1, 1, 0xffff_ffff, 1)) }
        table.changeAll("stco") { $0 = MP4SampleTable.offsetBox([0], isLong: false) }
      }
    }
    let index = try MP4Index(MemorySource(movie, count: 1 << 62))
    let sound = try #require(index.sound, "\(String(describing: index.soundRefusal))")
    #expect(sound.start(ofSample: sound.sizes.count) >= sound.start(ofSample: 1))
    for window in [nil, 0...0.5, 0...1e300, 1e9...1e10] as [ClosedRange<Double>?] {
      var assembly = MP4Assembly(try self.index(HandMadeMovie(sounds: 0)))
      assembly.addSound(of: index, window: window)
      _ = try? assembly.pieces()
    }
  }

  /// Every byte of the description is changed: the index is parsed or refused, and its samples lie in the file.
  @Test func liesAreRefusedOrHarmless() throws {
    var numbers = SeededNumbers.fresh()
    let movie = HandMadeMovie(frames: 4, sounds: 8)
    let whole = [UInt8](movie.data)
    let start = 24
    let length = whole.count - start - (0..<4).reduce(0) { $0 + HandMadeMovie.frame($1).count } - 8 * 7 - 8
    let source = try index(movie)
    for round in 0..<4 * length {
      var bytes = whole
      let place = start + (round < length ? round : .random(in: 0..<length, using: &numbers))
      for offset in 0..<(round % 4 + 1) where place + offset < start + length {
        bytes[place + offset] = [0, 0xff, 0x7f, .random(in: 0...255, using: &numbers)][round % 4]
      }
      guard let index = try? MP4Index(MemorySource(bytes)) else { continue }
      for track in index.tracks {
        #expect(track.chunks.allSatisfy { $0.range.upperBound <= UInt64(bytes.count) })
        _ = (track.startTimes.count, track.duration, track.sample(at: 100), track.frameCount(within: 0.1...0.2))
        guard track.handler == "soun" else { continue }
        for window in [nil, 0.05...0.1] as [ClosedRange<Double>?] {
          var assembly = MP4Assembly(source)
          assembly.addSound(of: index, window: window)
          _ = try? assembly.pieces()
        }
      }
    }
  }

  @Test func theEncodersDelayIsSkipped() throws {
    let movie = HandMadeMovie()
    let source = [UInt8](movie.data)
    let result = try EncoderDelay.skip(1024, in: source)
    #expect(try HandMadeMovie.samples(of: 0, in: Data(result)) == (0..<12).map(HandMadeMovie.frame))
    #expect(try HandMadeMovie.samples(of: 1, in: Data(result)) == (0..<24).map(HandMadeMovie.sound))
    let index = try MP4Index(MemorySource(result))
    #expect(index.sound?.mediaStart == 1024 && index.picture?.mediaStart == 0)
    #expect(index.sound?.box.shownDuration == 36_000 && result.count == source.count + 36)
    // A second time the list is replaced.
    #expect(try EncoderDelay.skip(1024, in: result) == result)
    #expect(throws: FormatError.self) { try EncoderDelay.skip(1024, in: [UInt8](HandMadeMovie(sounds: 0).data)) }
    #expect(throws: FormatError.self) { try EncoderDelay.skip(1024, in: [UInt8](repeating: 0, count: 100)) }
  }
}
