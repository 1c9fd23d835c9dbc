// The index of a movie: truthful, lying and damaged tables, and assembled movies.

import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite(.timeLimit(.minutes(5))) struct MP4IndexTests {
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
    #expect(index.timescale == 90_000 && !index.isFragmented && index.soundRefusal == nil)
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
    MP4Box("url ", HandMadeMovie.words(0)).write(to: &list)
    var placement: [UInt8] = []
    MP4Box("dref", list).write(to: &placement)
    let elsewhere = try index(HandMadeMovie(placement: placement))
    #expect(elsewhere.picture == nil && elsewhere.sound == nil && elsewhere.tracks.isEmpty)
    #expect(elsewhere.soundRefusal?.reason.contains("another file") == true)
    #expect(elsewhere.pictureRefusal?.reason.contains("another file") == true)
    let silent = try index(HandMadeMovie(sounds: 0))
    #expect(silent.sound == nil && silent.soundRefusal == nil && silent.pictureRefusal == nil)
    // Uncompressed sound in QuickTime's count: bytes can't be found by these tables.
    #expect(try changed { $0.setNumber(1, at: 4, 4) }.soundRefusal?.reason.contains("uncompressed") == true)
    // Samples of equal size, more than any movie has.
    #expect(
      try changed {
        $0.setNumber(7, at: 4, 4)
        $0.setNumber(0xffff_ffff, at: 8, 4)
      }.soundRefusal != nil)
  }

  /// The index of a movie whose sound has another table of sizes.
  private func changed(_ change: (inout MP4Box) -> Void) throws -> MP4Index {
    var boxes = try MP4Box.boxes(in: [UInt8](HandMadeMovie().data)[...])
    for index in boxes.indices where boxes[index].type == "moov" {
      boxes[index].changeAll("trak") { track in
        guard track.handler == "soun" else { return }
        track.changeSampleTable { $0.changeAll("stsz", change) }
      }
    }
    var bytes: [UInt8] = []
    for box in boxes { box.write(to: &bytes) }
    return try MP4Index(MemorySource(bytes))
  }

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
