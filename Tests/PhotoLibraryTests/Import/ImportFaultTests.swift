// Faults of imported files, and skipped files, in the report of an import.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ImportFaultTests {
  private func card(_ scratch: Scratch, _ files: [String: Data]) throws -> URL {
    let folder = scratch.url.appendingPathComponent("card")
    for (name, data) in files {
      let file = folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: file)
    }
    return folder
  }

  /// A picture of another program, whose XMP says that a movie follows.
  private func flagged() throws -> Data {
    let xmp = Data(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" GCamera:MicroVideo="1" \
      GCamera:MicroVideoOffset="4000"/></rdf:RDF></x:xmpmeta>
      """.utf8)
    let segment = try JPEGSegments.segment(
      marker: JPEGMarker.app1, payload: Data("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp)
    return try JPEGSegments(parsing: Samples.jpeg()).assemble(front: [segment])
  }

  @Test func aTruncatedPictureIsSaidWhenItComes() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let whole = try Samples.jpeg()
    let card = try card(scratch, ["cut.jpg": whole.prefix(whole.count / 2), "whole.jpg": whole])
    let report = try await library.importAssets(from: [card])
    #expect(report.imported.map(\.source.lastPathComponent) == ["cut.jpg", "whole.jpg"] && report.refused.isEmpty)
    #expect(report.imported.map(\.fault) == ["“cut.jpg” is cut short.", nil])
  }

  /// A service that removes movies leaves the flag: a line once, and no failure.
  @Test(arguments: [true, false]) func aMovieThatWasRemovedIsALineOnce(isImported: Bool) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let data = try flagged()
    if isImported {
      let report = try await library.importAssets(from: [try card(scratch, ["a.jpg": data])])
      #expect(report.imported.first?.fault?.contains("has removed its video") == true)
    } else {
      try scratch.put(data, "a.jpg")
      try await library.refresh()
    }
    let first = try await library.verify()
    #expect(first.isClean && first.notes.count == (isImported ? 0 : 1), "\(first.problems) \(first.notes)")
    #expect(first.notes.allSatisfy { $0.contains("a.jpg") && $0.contains("has removed its video") })
    let second = try await library.verify()
    #expect(second.isClean && second.notes.isEmpty)
  }

  /// A part of the movie is there: that is damage, each time.
  @Test func aMovieThatWasCutStaysAProblem() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    try scratch.put(try flagged() + HandMadeMovie().data.suffix(300), "a.jpg")
    try await library.refresh()
    for _ in 0..<2 { #expect(try await library.verify().problems.map(\.kind) == [.movieMissing]) }
  }

  @Test func aSoundIsCalledASound() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let sound = try HandMadeMovie().without("vide")
    let movie = HandMadeMovie().data
    let card = try card(scratch, ["sound.mp4": sound, "cut.mp4": movie.prefix(40)])
    let report = try await library.importAssets(from: [card])
    #expect(report.imported.isEmpty && report.refused.count == 2)
    let texts = Dictionary(
      uniqueKeysWithValues: report.refused.map { (($0.path as NSString).lastPathComponent, $0.description) })
    #expect(texts["sound.mp4"]?.contains("contains only sound") == true, "\(texts)")
    #expect(texts["cut.mp4"]?.contains("is cut short") == true)
  }

  @Test func whatIsSkippedIsCountedAndSaid() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let jpeg = try Samples.jpeg()
    let card = try card(
      scratch,
      [
        "a.jpg": jpeg, ".hidden/b.jpg": Samples.jpeg(shade: 1), "deep/.c.jpg": Samples.jpeg(shade: 2),
        "deep/d.jpg": Samples.jpeg(width: 64),
      ])
    let other = scratch.url.appendingPathComponent("other")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    for name in ["one", "two", "three"] {
      try FileManager.default.createSymbolicLink(
        at: card.appendingPathComponent("link \(name)"), withDestinationURL: other)
    }
    let report = try await library.importAssets(from: [card])
    #expect(report.imported.count == 2 && report.refused.isEmpty)
    #expect(report.skipped.map(\.reason) == [.hidden, .linkedFolder] && report.skipped.map(\.count) == [2, 3])
    #expect(report.skipped.allSatisfy { $0.example.hasPrefix(card.path) && $0.description.contains($0.example) })
    // Nothing was skipped of a folder without them.
    #expect(try await library.importAssets(from: [card.appendingPathComponent("a.jpg")]).skipped.isEmpty)
  }
}

extension HandMadeMovie {
  /// The movie without the tracks of a kind.
  fileprivate func without(_ handler: MP4Type) throws -> Data {
    var bytes: [UInt8] = []
    for var box in try MP4Box.boxes(in: [UInt8](data)[...]) {
      if box.type == "moov" {
        // A sound track has no size.
        box.changeAll("trak") { track in track.changeAll("tkhd") { $0.setNumber(0, at: 76, 8) } }
        box.keep { track in
          guard let head = track.child("mdia", "hdlr"), let code = try? head.number(at: 8, 4) else { return true }
          return UInt64(handler.code) != code
        }
      }
      box.write(to: &bytes)
    }
    return Data(bytes)
  }
}
