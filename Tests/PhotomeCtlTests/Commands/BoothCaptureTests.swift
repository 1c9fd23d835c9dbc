// The photo booth from the command line.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct BoothCaptureTests {
  private struct Picture: Decodable {
    var path: String
    var width: Int
    var height: Int
    var sheet: String?
    var burst: String?
  }

  @Test func fourPhotosAndTheirSheetAreReported() throws {
    let place = try Place()
    let output = try place.run(
      ["capture", "--camera", "test", "--resolution", "640x360", "--booth", "strip", "--format", "png", "--json"]
        + place.library)
    let pictures = try output.split(separator: "\n").map {
      try JSONDecoder().decode(Picture.self, from: Data($0.utf8))
    }
    #expect(pictures.map(\.sheet) == [nil, nil, nil, nil, "strip"])
    #expect(
      pictures.map { URL(fileURLWithPath: $0.path).pathExtension } == ["png", "png", "png", "png", "jpg"])
    #expect(Set(pictures.map(\.burst)).count == 1 && pictures[0].burst != nil)
    // An edge of a twenty-fourth of 360.
    #expect(pictures.last.map { [$0.width, $0.height] } == [640 + 2 * 15, 4 * 360 + 5 * 15])
    #expect(pictures.allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
    #expect(try place.run(["library", "list", "--group-bursts"] + place.library).split(separator: "\n").count == 1)
    _ = try place.run(["library", "verify"] + place.library)
  }

  @Test(arguments: [
    (["circle"], "--booth"), (["grid", "--live"], "with --live."), (["grid", "--burst", "3"], "with --burst."),
    (["grid", "--countdown", "3"], "3 seconds before each photo."),
  ])
  func whatCanNotBeIsRefused(arguments: [String], words: String) throws {
    let place = try Place()
    let result = try place.result(["capture", "--camera", "test", "--booth"] + arguments + place.library)
    #expect(result.status == 64 && result.errors.contains(words), "\(result)")
  }
}
