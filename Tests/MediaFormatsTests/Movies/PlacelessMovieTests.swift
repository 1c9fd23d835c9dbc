// Copies of Matroska and AVI movies without the place.

import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite("Movies without the place")
struct PlacelessMovieTests {
  private func copy(_ bytes: [UInt8]) throws -> [UInt8] {
    let source = MemorySource(bytes)
    return try PlacelessMovie.pieces(of: source).flatMap { piece in
      switch piece {
      case .bytes(let data): [UInt8](data)
      case .file(_, let range): bytes[Int(range.lowerBound)..<Int(range.upperBound)].map(\.self)
      }
    }
  }

  @Test("A Matroska file loses its tags and title, and nothing moves")
  func matroska() throws {
    typealias Made = HandMadeMatroska
    let information = Made.element(
      Made.information, Made.element(0xbf, [1, 2, 3, 4]) + Made.text(0x7ba9, "Secret") + Made.float(0x4489, 80))
    let tracks = Made.tracks(Made.picture(width: 8, height: 8))
    let cluster = Made.element(Made.cluster, Made.frames(from: 0, at: [0]))
    let whole =
      Made.header()
      + Made.element(Made.segment, information + tracks + cluster + Made.tag("LOCATION", "+48.8577+002.2950/Secret"))
    let copy = try copy(whole)
    #expect(copy.count == whole.count)
    #expect(!String(decoding: copy, as: UTF8.self).contains("Secret"))
    let (before, after) = (try MatroskaHead(MemorySource(whole)), try MatroskaHead(MemorySource(copy)))
    #expect(before?.position != nil && after?.position == nil)
    #expect(after?.walk == .complete && after?.duration == 0.08 && after?.mediaRange == before?.mediaRange)
    #expect(after?.checksum == nil)
    #expect(try PlacelessMovie.losesTexts(MemorySource(whole)))
    #expect(throws: FormatError.self) { try self.copy(Array(whole.dropLast(1))) }
  }

  @Test("An AVI file loses its texts and what makers add, and nothing moves")
  func avi() throws {
    typealias Made = HandMadeAVI
    let header = Made.header(width: 8, height: 8, frames: 2)
    let frames = Made.list("movi", Made.chunk("00dc", [1, 2]))
    let texts = Made.list("INFO", Made.chunk("INAM", Array("Secret".utf8))) + Made.chunk("_PMX", Array("Secret2".utf8))
    let whole = Made.file(header, texts, frames)
    let copy = try copy(whole)
    #expect(copy.count == whole.count)
    #expect(!String(decoding: copy, as: UTF8.self).contains("Secret"))
    let head = try #require(try AVIHead(MemorySource(copy)))
    #expect(head.walk == .complete && head.privateChunks.isEmpty && head.duration == 0.2)
  }
}
