// Segments of JPEG files: parsing, removal and replacement.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite struct JPEGSegmentsTests {
  private let jfif = JPEGFramePlan.jfifSegment
  private let comment = JPEGSample.segment(0xfe, Array("hello".utf8))
  private let profile = JPEGSample.segment(0xe2, Array("ICC_PROFILE\0\u{1}\u{1}".utf8))
  private let adobe = JPEGSample.segment(0xee, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1])

  private func sample() -> JPEGSample {
    JPEGSample(
      front: [jfif, JPEGSample.exif, JPEGSample.xmp, profile, adobe, comment], scans: 2, trailer: Array("movie".utf8))
  }

  @Test func segmentsAreNamed() throws {
    let segments = try JPEGSegments(parsing: Data(sample().bytes))
    #expect(
      segments.segments.map(\.kind) == [
        .jfif, .exif, .xmp, .colorProfile, .adobe, .comment, .tables, .tables, .tables,
      ])
    #expect(segments.size == PixelSize(width: 640, height: 480))
    #expect(segments.payload(of: .xmp) == Data("http://ns.adobe.com/xap/1.0/\0<x/>".utf8))
    #expect(segments.payload(of: .multiPicture) == nil)
    #expect(Array(segments.data[segments.scan]) == sample().picture)
    #expect(segments.data[segments.trailer] == Data("movie".utf8))
    #expect(segments.end == sample().bytes.count - 5)
  }

  @Test func assemblingWithoutChangesGivesTheSameBytes() throws {
    var whole = sample()
    whole.trailer = []
    #expect(try JPEGSegments(parsing: Data(sample().bytes)).assemble() == Data(whole.bytes))
  }

  @Test func metadataAreReplaced() throws {
    let exif = try JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data("Exif\0\0MM\0*".utf8))
    let result = try JPEGSegments(parsing: Data(sample().bytes)).removing([.jfif, .exif, .xmp]).assemble(front: [exif])
    let expected = JPEGSample(front: [Array(exif), profile, adobe, comment], scans: 2)
    #expect(result == Data(expected.bytes))
    #expect(try JPEGSegments(parsing: result).payload(of: .exif) == Data("Exif\0\0MM\0*".utf8))
  }

  @Test func slicesAreUnderstood() throws {
    let slice = Data([1, 2, 3] + sample().bytes).dropFirst(3)
    var whole = sample()
    whole.trailer = []
    let segments = try JPEGSegments(parsing: slice)
    #expect(segments.assemble() == Data(whole.bytes))
    #expect(segments.segments.first?.range.lowerBound == 2)
  }

  @Test func segmentLengths() throws {
    let longest = try JPEGSegments.segment(marker: 0xe1, payload: Data(count: 65_533))
    #expect(Array(longest.prefix(4)) == [0xff, 0xe1, 0xff, 0xff])
    #expect(throws: JPEGStreamError.segmentTooLong(count: 65_534)) {
      try JPEGSegments.segment(marker: 0xe1, payload: Data(count: 65_534))
    }
  }

  @Test func truncatedFilesAreRefused() {
    let bytes = JPEGSample(front: [jfif]).bytes
    for count in 0..<bytes.count {
      #expect(throws: JPEGStreamError.self) { try JPEGSegments(parsing: Data(bytes[..<count])) }
    }
  }

  @Test func damagedFilesNeverBreakAnything() throws {
    var numbers = SeededNumbers(state: 7)
    let original = sample().bytes
    for _ in 0..<5_000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...5, using: &numbers) {
        bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
      }
      guard let segments = try? JPEGSegments(parsing: Data(bytes)) else { continue }
      let assembled = segments.assemble()
      #expect(try JPEGSegments(parsing: assembled).assemble() == assembled)
    }
  }
}
