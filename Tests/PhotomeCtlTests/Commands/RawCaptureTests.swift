// Raw pictures from the command line.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct RawCaptureTests {
  private struct Shot: Decodable {
    var path: String
    var rawPath: String?
    var live: Bool
  }

  private let capture = ["capture", "--camera", "test", "--microphone", "test", "--resolution", "640x360", "--json"]

  @Test(arguments: [[], ["--live"]]) func aPictureHasItsDNGBesideIt(options: [String]) throws {
    let place = try Place()
    let shot = try place.decode(Shot.self, capture + ["--format", "dng"] + options + place.library)
    let stem = try #require(shot.path.hasSuffix(".jpg") ? shot.path.dropLast(4) : nil)
    #expect(shot.rawPath == stem + ".dng")
    #expect(shot.live == !options.isEmpty)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: try #require(shot.rawPath)))
    #expect(bytes.prefix(4) == Data("II*\0".utf8) && bytes.count > 640 * 360)
  }

  @Test func withoutTheWishThereIsNone() throws {
    let place = try Place()
    #expect(try place.decode(Shot.self, capture + place.library).rawPath == nil)
  }

  @Test(.enabled(if: Command.areInstalled("dcraw", "raw-identify"), "needs dcraw and libraw-bin"))
  func rawDevelopersOpenIt() throws {
    let place = try Place()
    let shot = try place.decode(Shot.self, capture + ["--format", "dng"] + place.library)
    let raw = try #require(shot.rawPath)
    #expect(try place.tool("dcraw", ["-i", "-v", raw]).contains("640 x 360"))
    #expect(try place.tool("raw-identify", ["-v", raw]).contains("640 x 360"))
  }
}
