// Motion Photos and Apple pairs, found in files and described in packets.

import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite struct MotionPhotoTests {
  private let movie = HandMadeMovie(frames: 4, sounds: 0).data

  private func picture(_ xmp: String) throws -> Data {
    let packet = JPEGSample.segment(0xe1, Array("http://ns.adobe.com/xap/1.0/\0\(xmp)".utf8))
    return Data(JPEGSample(front: [packet]).bytes)
  }

  private func motion(_ data: Data) throws -> MotionPhoto? {
    let source = MemorySource(data)
    return try JPEGHead(source).flatMap { try MotionPhoto(source, head: $0) }
  }

  private func microVideo(_ length: Int, _ time: String = "500000") -> String {
    #"<d xmlns:G="\#(XMPNamespace.camera)" G:MicroVideo="1" G:MicroVideoOffset="\#(length)" "#
      + #"G:MicroVideoPresentationTimestampUs="\#(time)"/>"#
  }

  @Test func theMovieIsWhereItReallyBegins() throws {
    let picture = try picture(microVideo(movie.count))
    let found = try #require(try motion(picture + movie))
    #expect(found.movieRange == UInt64(picture.count)..<UInt64(picture.count + movie.count))
    #expect(found.presentationTime == 0.5)
    #expect(try motion(picture + movie.dropFirst()) == nil && motion(picture) == nil)
    #expect(try motion(self.picture(microVideo(movie.count - 1)) + movie) == nil)
    // More than any movie lasts.
    #expect(try motion(self.picture(microVideo(movie.count, "864000000001")) + movie)?.presentationTime == nil)
  }

  @Test func aHeadEndsWithAFailedRead() throws {
    let data = try picture(microVideo(movie.count)) + movie
    #expect(throws: FormatError.read(ReadFailure(code: EIO))) {
      try JPEGHead(MemorySource(data, failure: (0, EIO)))
    }
    #expect(try JPEGHead(MemorySource(data))?.size.width == 640)
    #expect(try JPEGHead(MemorySource(movie)) == nil && JPEGHead(MemorySource(Data())) == nil)
  }

  @Test func aMakerNoteHoldsTheIdentifier() {
    let identifier = AppleContentIdentifier.make()
    let note = AppleContentIdentifier.makerNote(identifier)
    // A TIFF structure of two directories, the second with the maker note behind it.
    let exif =
      Array("MM".utf8) + BigEndian.halves(42) + BigEndian.words(8) + BigEndian.halves(1, 0x8769, 4)
      + BigEndian.words(1, 26, 0) + BigEndian.halves(1, 0x927c, 7) + BigEndian.words(UInt64(note.count), 44, 0) + note
    #expect(AppleContentIdentifier.photo(exif: Data(exif)) == identifier)
    for count in 0..<exif.count { _ = AppleContentIdentifier.photo(exif: Data(exif[..<count])) }
  }
}
