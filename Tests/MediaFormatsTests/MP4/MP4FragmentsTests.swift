// Movies in fragments: all their samples, and the ordinary movies made of them.

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import MediaFormats

@Suite(.timeLimit(.minutes(30))) struct MP4FragmentsTests {
  typealias Form = HandMadeMovie.FragmentForm

  /// The samples of a track, as the index has them.
  private func samples(_ track: MP4Track?, in bytes: [UInt8]) throws -> [[UInt8]] {
    let track = try #require(track)
    return track.chunks.flatMap { chunk in
      chunk.samples.map { sample in
        let start = Int(chunk.offset + track.sizes.byteCount(of: chunk.samples.lowerBound..<sample))
        return Array(bytes[start..<start + Int(track.sizes.byteCount(of: sample..<sample + 1))])
      }
    }
  }

  @Test(arguments: Form.allCases) func allSamplesAreRead(form: Form) throws {
    let file = HandMadeMovie.inFragments(form)
    let index = try MP4Index(MemorySource(file))
    #expect(index.soundRefusal == nil && index.pictureRefusal == nil && index.fragmentsEnd != nil)
    #expect(try samples(index.picture, in: file) == (0..<12).map(HandMadeMovie.frame))
    #expect(try samples(index.sound, in: file) == (0..<24).map(HandMadeMovie.sound))
    let picture = try #require(index.picture)
    #expect(picture.duration == 36_000 && picture.startTimes.count == 12 && picture.startTimes[11] == 11.0 / 30)
    #expect(index.sound?.duration == 36_000 && picture.box.shownDuration == 36_000)
    #expect(index.movie["mvhd"].map { try? $0.number(at: 16, 4) } == 36_000 && index.movie["mvex"] == nil)
    #expect(index.movie.tracks.allSatisfy { (try? $0.child("mdia", "mdhd")?.number(at: 16, 4)) == 36_000 })
    // The frames that can be decoded alone, and the times of presentation.
    let table = try #require(picture.box.sampleTable)
    switch form {
    case .recorded:
      // The index of the beginning says it of all its frames, fragments of none.
      #expect(table["stss"]?.bytes == BigEndian.words(0, 4, 1, 2, 3, 4) && table["ctts"] == nil)
      #expect(picture.frameCount(within: nil) == 12)
    case .streamed:
      #expect(table["stss"]?.bytes == BigEndian.words(0, 6, 1, 3, 5, 7, 9) + BigEndian.words(11))
      #expect(table["ctts"]?.bytes == BigEndian.words(0, 1, 12, 3000))
    }
    #expect(index.sound?.box.sampleTable?["stss"] == nil)
  }

  @Test(arguments: Form.allCases) func aMovieIsAssembledOfThem(form: Form) throws {
    let index = try MP4Index(MemorySource(HandMadeMovie.inFragments(form)))
    var assembly = MP4Assembly(index)
    assembly.addSound(of: index, window: nil)
    let data = try assembly.pieces().reduce(into: Data()) { data, piece in
      switch piece {
      case .bytes(let bytes): data += bytes
      case .file(let source, let range): data += try source.data(at: range.lowerBound, count: range.count)
      }
    }
    let again = try MP4Index(MemorySource(data))
    #expect(again.fragmentsEnd == nil)
    #expect(try samples(again.picture, in: [UInt8](data)) == (0..<12).map(HandMadeMovie.frame))
    #expect(try samples(again.sound, in: [UInt8](data)) == (0..<24).map(HandMadeMovie.sound))
  }

  /// What is left at any moment of writing has the samples of its whole fragments, and no others.
  @Test(arguments: Form.allCases) func aMovieThatIsCutAnywhereHasItsWholeFragments(form: Form) throws {
    let whole = HandMadeMovie.inFragments(form, frames: 10)
    let start = HandMadeMovie.inFragments(form, frames: form == .recorded ? 4 : 0).count
    var counts: Set<Int> = []
    for length in start...whole.count {
      let file = Array(whole[..<length])
      let index = try MP4Index(MemorySource(file))
      let (pictures, sounds) = (try samples(index.picture, in: file), try samples(index.sound, in: file))
      #expect(pictures == (0..<pictures.count).map(HandMadeMovie.frame))
      #expect(sounds == (0..<sounds.count).map(HandMadeMovie.sound))
      if form == .recorded { #expect(sounds.count == 2 * pictures.count) }
      counts.insert(pictures.count)
    }
    #expect(counts.contains(10) && counts.contains(form == .recorded ? 4 : 0))
  }

  @Test func aGapLengthensTheFrameBeforeIt() throws {
    var file = HandMadeMovie.inFragments(.recorded, frames: 4)
    // Frames 4 to 7 were lost.
    file += HandMadeMovie.fragment(.recorded, 8..<10, at: UInt64(file.count))
    let picture = try #require(try MP4Index(MemorySource(file)).picture)
    #expect(picture.sizes.count == 6 && picture.duration == 30_000)
    #expect(picture.startTimes == [0, 1, 2, 3, 8, 9].map { Double($0 * 3000) / 90_000 })
    // A fragment that begins before the end of the one before shortens it.
    file += HandMadeMovie.fragment(.recorded, 9..<11, at: UInt64(file.count))
    let again = try #require(try MP4Index(MemorySource(file)).picture)
    #expect(again.startTimes == [0, 1, 2, 3, 8, 9, 9, 10].map { Double($0 * 3000) / 90_000 })
  }

  /// GStreamer 1.22 states neither for a single sample that is as the first one of its fragment.
  @Test func aSampleWithoutSizeAndDurationIsAsTheFirst() throws {
    var file = HandMadeMovie.inFragments(.recorded, frames: 6)
    let box = try #require(
      file.indices.dropLast(16).last {
        file[$0..<$0 + 4].elementsEqual("trun".utf8) && file[$0 + 4..<$0 + 8].elementsEqual(BigEndian.words(0x301))
      })
    // Durations and sizes of the first two of four sounds.
    file.replaceSubrange(box + 16..<box + 32, with: BigEndian.words(1600, 8, 1400, 6))
    let sound = try #require(try MP4Index(MemorySource(file)).sound)
    #expect(sound.sizes == .each([7, 7, 7, 7, 7, 7, 7, 7, 8, 6, 7, 8]))
    #expect(sound.duration == 18_100 && sound.start(ofSample: 11) == 16_500)
  }

  /// A stream that was joined late begins at once, and a track that begins later than the others does so still.
  @Test func tracksBeginAsFarApartAsTheyDid() throws {
    var file = HandMadeMovie.inFragments(.streamed, frames: 0)
    var fragment = HandMadeMovie.fragment(.streamed, 90..<92, at: UInt64(file.count))
    // The sound's `tfdt`, the second one: half a second later.
    let places = fragment.indices.dropLast(4).filter { fragment[$0..<$0 + 4].elementsEqual("tfdt".utf8) }
    let place = try #require(places.last)
    fragment.replaceSubrange(place + 8..<place + 12, with: BigEndian.words(180 * 1500 + 45_000))
    file += fragment
    let index = try MP4Index(MemorySource(file))
    #expect(index.picture?.emptyTime == 0 && index.picture?.duration == 6000)
    #expect(index.sound?.emptyTime == 0.5 && index.sound?.startTimes.first == 0.5)
  }

  @Test func protectedFragmentsAreRefused() throws {
    var file = HandMadeMovie.inFragments(.recorded)
    // The last run of sound becomes a box of encryption.
    let place = try #require(file.indices.dropLast(4).last { file[$0..<$0 + 4].elementsEqual("trun".utf8) })
    file.replaceSubrange(place..<place + 4, with: "senc".utf8)
    let index = try MP4Index(MemorySource(file))
    #expect(index.sound == nil && index.soundRefusal?.reason.contains("protected") == true && index.picture != nil)
    #expect(try MP4Defragmentation(index) == nil)
  }

  /// A copy in a file, behind other bytes, without its sound or as half of an Apple pair: an ordinary movie.
  @Test(arguments: Form.allCases) func aCopyIsAnOrdinaryMovie(form: Form) throws {
    let file = [UInt8](repeating: 7, count: 33) + HandMadeMovie.inFragments(form)
    let pair = AppleLivePhotoTrack.Pair(
      contentIdentifier: UUID().uuidString, stillTime: 0.1, creationDate: "2026-11-21T07:31:06+0100")
    for changes in [MovieCopy.Changes(dropsSound: true), MovieCopy.Changes(dropsLocation: true, pair: pair)] {
      let copy = try MovieCopy.pieces(of: MemorySource(file), range: 33..<UInt64(file.count), changes)
        .reduce(into: [UInt8]()) { bytes, piece in
          switch piece {
          case .bytes(let data): bytes += data
          case .file(_, let range): bytes += file[Int(range.lowerBound)..<Int(range.upperBound)]
          }
        }
      #expect(try MP4Box.boxes(in: copy[...]).map(\.type) == ["ftyp", "moov", "mdat"])
      let index = try MP4Index(MemorySource(copy))
      #expect(try samples(index.picture, in: copy) == (0..<12).map(HandMadeMovie.frame))
      #expect((index.sound == nil) == changes.dropsSound)
      if !changes.dropsSound { #expect(try samples(index.sound, in: copy) == (0..<24).map(HandMadeMovie.sound)) }
      #expect(index.movie.tracks.contains(where: AppleLivePhotoTrack.isStillTime) == (changes.pair != nil))
    }
  }

  // MARK: An ordinary movie

  @Test func aRecordingBecomesAnOrdinaryMovie() throws {
    var file = HandMadeMovie.inFragments(.recorded)
    let whole = file.count
    // The beginning of a fragment that was being written.
    file += HandMadeMovie.fragment(.recorded, 12..<14, at: UInt64(whole)).prefix(90)
    let plan = try #require(try MP4Defragmentation(MP4Index(MemorySource(file))))
    #expect(plan.length == UInt64(whole))
    file = Array(file[..<whole])
    // At any moment until the last write it is a movie in fragments, and the same is planned again.
    for length in stride(from: 0, through: plan.description.count, by: 50) + [plan.description.count] {
      let killed = file + plan.description.prefix(length)
      let again = try #require(try MP4Defragmentation(MP4Index(MemorySource(killed))))
      #expect(again.length == plan.length && again.description == plan.description && again.head == plan.head)
    }
    file += plan.description
    let place = Int(plan.headOffset)
    file.replaceSubrange(place..<place + plan.head.count, with: plan.head)
    // Every program sees a type, media and an index.
    #expect(try MP4Box.boxes(in: file[...]).map(\.type) == ["ftyp", "mdat", "moov"])
    let index = try MP4Index(MemorySource(file))
    #expect(index.fragmentsEnd == nil && index.picture?.frameCount(within: nil) == 12)
    #expect(try samples(index.picture, in: file) == (0..<12).map(HandMadeMovie.frame))
    #expect(try samples(index.sound, in: file) == (0..<24).map(HandMadeMovie.sound))
    #expect(try MP4Head(MemorySource(file), range: 0..<UInt64(file.count))?.duration == 0.4)
    #expect(try MP4Defragmentation(index) == nil)
  }

  /// A layout that is not our recorder's stays as it is.
  @Test func aStreamStaysInFragments() throws {
    #expect(try MP4Defragmentation(MP4Index(MemorySource(HandMadeMovie.inFragments(.streamed)))) == nil)
  }

  // MARK: Long and untrue files

  /// A file that repeats its last stretch, and counts the bytes that are read.
  private final class Repeating: ByteSource {
    let name = "repeating"
    let count: UInt64
    let readBytes = Mutex<UInt64>(0)
    private let (front, stretch): ([UInt8], [UInt8])

    init(_ front: [UInt8], _ stretch: [UInt8], times: Int) {
      (self.front, self.stretch) = (front, stretch)
      count = UInt64(front.count + times * stretch.count)
    }

    func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: UInt64) throws(ReadFailure) -> Int {
      guard offset < count else { return 0 }
      let wanted = Int(min(UInt64(buffer.count), count - offset))
      var done = 0
      while done < wanted {
        let at = Int(offset) + done
        let bytes =
          at < front.count ? front[at...] : stretch[((at - front.count) % stretch.count)...]
        let part = bytes.prefix(wanted - done)
        UnsafeMutableRawBufferPointer(rebasing: buffer[done...]).copyBytes(from: part)
        done += part.count
      }
      readBytes.withLock { $0 += UInt64(wanted) }
      return wanted
    }
  }

  /// Three hours of fragments of a quarter of a second, and twice as many: the work grows as the file does.
  @Test func longRecordingsAreReadOnce() throws {
    var stretch = HandMadeMovie.fragment(.streamed, 0..<2, at: 0)
    // Without times the samples follow each other.
    for place in stretch.indices.dropLast(4) where stretch[place..<place + 4].elementsEqual("tfdt".utf8) {
      stretch.replaceSubrange(place..<place + 4, with: "free".utf8)
    }
    let front = HandMadeMovie.inFragments(.streamed, frames: 0)
    var read: [UInt64] = []
    for times in [43_200, 86_400] {
      let source = Repeating(front, stretch, times: times)
      let index = try MP4Index(source)
      #expect(index.picture?.sizes.count == 2 * times && index.sound?.sizes.count == 4 * times)
      #expect(index.picture?.duration == UInt64(times) * 6000)
      // All sounds are alike; frames have four bytes for their size and eight for each fragment's chunk.
      #expect(index.ordinaryDescription.count < 40 * times)
      read.append(source.readBytes.withLock { $0 })
    }
    #expect(read[0] < 43_200 * (2 * 4096 + UInt64(stretch.count)) && read[1] < read[0] * 21 / 10)
  }

  @Test func numbersOfSamplesThatNobodyHasAreRefused() throws {
    let front = HandMadeMovie.inFragments(.streamed, frames: 0)
    // Samples of no bytes, of which any number fits into the file, with flags that are not alike.
    func run(_ flags: UInt64, _ count: UInt64) -> [UInt8] {
      func box(_ type: MP4Type, _ children: [MP4Box]) -> MP4Box {
        var content: [UInt8] = []
        for child in children { child.write(to: &content) }
        return MP4Box(type, content)
      }
      let head = MP4Box("tfhd", HandMadeMovie.words(0x2_0038, 1, 3000, 0, flags))
      var bytes: [UInt8] = []
      box("moof", [box("traf", [head, MP4Box("trun", HandMadeMovie.words(0, count))])]).write(to: &bytes)
      return bytes
    }
    let many = front + run(0, 0xffff_ffff) + run(0x1_0000, 0xffff_ffff)
    #expect(throws: FormatError.refused(reason: "the video has too many samples")) { try MP4Index(MemorySource(many)) }
    let few = front + run(0, 100) + run(0x1_0000, 100)
    #expect(try MP4Index(MemorySource(few)).picture?.sizes.count == 200)
  }

  /// Every byte of the fragments is changed: the index is parsed or refused, and its samples lie in the file.
  @Test(arguments: Form.allCases) func liesAreRefusedOrHarmless(form: Form) throws {
    var numbers = SeededNumbers.fresh()
    let whole = HandMadeMovie.inFragments(form, frames: 8)
    let start = HandMadeMovie.inFragments(form, frames: form == .recorded ? 4 : 0).count
    for round in 0..<4 * (whole.count - start) {
      var bytes = whole
      let place = start + round / 4
      for offset in 0..<(round % 4 + 1) where place + offset < whole.count {
        bytes[place + offset] = [0, 0xff, 0x7f, .random(in: 0...255, using: &numbers)][round % 4]
      }
      guard let index = try? MP4Index(MemorySource(bytes)) else { continue }
      for track in index.tracks {
        #expect(track.chunks.allSatisfy { $0.range.upperBound <= UInt64(bytes.count) })
        _ = (track.startTimes.count, track.duration, track.sample(at: 100), track.frameCount(within: 0.1...0.2))
      }
      _ = try? MP4Defragmentation(index)
    }
  }
}
