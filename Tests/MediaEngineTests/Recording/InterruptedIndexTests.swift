// Recordings that were killed while their index was being written are whole again but for their last fragment.

import CameraCore
import EngineInterface
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct InterruptedIndexTests {
  /// A step of the muxer at which a program was killed.
  enum Kill: CaseIterable {
    case hidden
    case lengthened
    /// The same in the other order, as a power failure may leave it.
    case lengthenedFirst
    case indexTorn
    case indexAlmostWhole
  }

  /// The head and the content of a box at the top.
  private func boxes(_ data: Data) throws -> [(type: String, range: Range<Int>)] {
    var offset = 0
    return try MP4Box.boxes(in: [UInt8](data)[...]).map { box in
      defer { offset += box.count }
      return ("\(box.type)", offset..<offset + box.count)
    }
  }

  @Test func aKillAtAnyStepOfTheEnd() async throws {
    let bench = try RecordingBench()
    let run = await bench.begin()
    await bench.feed(0..<90)
    bench.setNow(90)
    bench.recorder.stop()
    let movie = try await run.value
    let whole = try Data(contentsOf: movie.url)
    let boxes = try boxes(whole)
    let media = try #require(boxes.first { $0.type == "mdat" }).range
    let index = try #require(boxes.first { $0.type == "moov" }).range
    #expect(index.lowerBound == media.upperBound && index.upperBound == whole.count)
    let hidden = try #require(whole.range(of: Data("hoov".utf8)))
    let length = HandMadeMovie.bytes(UInt64(hidden.lowerBound - 4 - media.lowerBound), 4)

    for kill in Kill.allCases {
      var data = whole
      switch kill {
      case .hidden:
        data = data[..<index.lowerBound]
        data.replaceSubrange(media.lowerBound..<media.lowerBound + 4, with: length)
      case .lengthened: data = data[..<index.lowerBound]
      case .lengthenedFirst:
        data = data[..<index.lowerBound]
        data.replaceSubrange(hidden, with: Data("moov".utf8))
      case .indexTorn: data = data[..<(index.lowerBound + index.count / 2)]
      case .indexAlmostWhole: data = data[..<(index.upperBound - 1)]
      }
      let library = bench.folder.appendingPathComponent("library")
      try FileManager.default.createDirectory(at: library, withIntermediateDirectories: true)
      let hidden = library.appendingPathComponent(".VID_1.mp4.recording")
      try data.write(to: hidden)
      let url = library.appendingPathComponent("VID_1.mp4")
      #expect(
        UnfinishedMovies.recover(in: library) == [.recovered(url, hiddenPath: hidden.path)], "\(kill)")
      let read = try LivePhotoReading(url)
      #expect(read.pictures.count >= 75, "\(kill)")
      #expect(read.pictures.prefix(75).map(\.number) == bench.numbers(0..<75), "\(kill)")
      #expect(read.beeps.count >= 2, "\(kill)")
      try FileManager.default.removeItem(at: library)
    }
  }

  @Test func anOrdinaryMovieIsLeftAlone() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-index-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("a.mp4")
    try HandMadeMovie().data.write(to: url)
    #expect(!InterruptedIndex.mend(url.path))
    #expect(try Data(contentsOf: url) == HandMadeMovie().data)
  }
}

@Suite struct RecordedContentTests {
  /// A file of some bytes, of which the disk gives none from an offset on.
  private final class Source: ByteSource {
    let name = "a movie"
    let bytes: [UInt8]
    let broken: UInt64
    var count: UInt64 { UInt64(bytes.count) }

    init(_ bytes: [UInt8], broken: UInt64 = .max) { (self.bytes, self.broken) = (bytes, broken) }

    func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: UInt64) throws(ReadFailure) -> Int {
      guard offset < broken else { throw ReadFailure(code: EIO) }
      let part = bytes.dropFirst(Int(offset)).prefix(buffer.count)
      buffer.copyBytes(from: part)
      return part.count
    }
  }

  private let kind = HandMadeMovie.bytes(16, 4) + Array("ftypmp42".utf8) + HandMadeMovie.bytes(0, 4)
  private func box(_ length: UInt64, _ type: String) -> [UInt8] { HandMadeMovie.bytes(length, 4) + Array(type.utf8) }

  @Test func nothingIsCertainOnlyWithoutMedia() throws {
    func content(_ bytes: [UInt8]) throws -> RecordedContent { try RecordedContent.read(Source(bytes)) }
    #expect(try content([]) == .nothing)
    #expect(try content(kind) == .nothing)
    #expect(try content(kind + box(8, "free") + box(0, "mdat")) == .nothing)
    // The first fragment was never described: its samples can't be told apart.
    #expect(try content(kind + box(8, "free") + box(0, "mdat") + [1, 2, 3]) == .nothing)
    #expect(try content(kind + box(11, "mdat") + [1, 2, 3]) == .unreadable(reason: "the file has no index"))
    #expect(try content(kind + box(1000, "mdat") + [1, 2, 3]) == .unreadable(reason: "the file has no index"))
    #expect(try content(kind + box(1000, "moov") + [1, 2, 3]) == .nothing)
    #expect(try content(kind + box(3, "moov")) == .unreadable(reason: "the file is damaged"))
    #expect(try content([UInt8](repeating: 0, count: 100)) == .unreadable(reason: "the file has no index"))
    // No frame came.
    let renamed = HandMadeMovie.bytes(16, 4) + Array("htypmp42".utf8) + HandMadeMovie.bytes(0, 4)
    #expect(try content(renamed + box(8, "free") + box(8, "mdat") + box(8, "moov")) == .nothing)
    #expect(try content([UInt8](HandMadeMovie().data)) == .movie(seconds: 36_500 / 90_000))
  }

  @Test func aDiskThatCannotBeReadSaysNothing() {
    #expect(throws: FormatError.read(ReadFailure(code: EIO))) {
      try RecordedContent.read(Source(kind + box(8, "free") + box(0, "mdat"), broken: 0))
    }
    // A folder can be opened, and not be read.
    guard case .unreadable = RecordedContent(FileManager.default.temporaryDirectory.path) else {
      Issue.record("a folder can't be read")
      return
    }
    #expect(RecordedContent("/nowhere/at/all") == .unreadable(reason: "the file no longer exists"))
  }
}
