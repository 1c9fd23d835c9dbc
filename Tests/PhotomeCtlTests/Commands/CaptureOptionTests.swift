// The shutter's options of `photomectl capture`.

import Foundation
import TestSupport
import Testing

@Suite struct CaptureOptionTests {
  private struct Shot: Decodable {
    var path: String
    var pressToSavedMs: Double
  }

  @Test func aPhotoFollowsTheCountdown() throws {
    let place = try Place()
    let begin = ContinuousClock.now
    let shot = try place.decode(
      Shot.self, ["capture", "--camera", "test", "--countdown", "2", "--json"] + place.library)
    #expect(ContinuousClock.now - begin >= .seconds(2))
    #expect(FileManager.default.fileExists(atPath: shot.path))
  }

  @Test(.enabled(if: Command.areInstalled("exiftool"), "needs exiftool"))
  func aMirroredPhotoNeedsNoOrientation() throws {
    let place = try Place()
    let shot = try place.decode(Shot.self, ["capture", "--camera", "test", "--mirror", "--json"] + place.library)
    let orientation = try place.tool("exiftool", ["-s3", "-n", "-Orientation", shot.path])
    #expect(["", "1"].contains(orientation))
    #expect(try place.tool("exiftool", ["-s3", "-validate", "-warning", "-a", shot.path]) == "OK")
  }

  @Test(arguments: ["-1", "61", "soon"]) func aCountdownThatCanNotBeIsRefused(text: String) throws {
    let place = try Place()
    let result = try place.result(["capture", "--camera", "test", "--countdown=\(text)"] + place.library)
    #expect(result.status == 64 && result.errors.contains("countdown"), "\(result)")
  }

  @Test func aMicrophoneThatIsNotUsedIsSaid() throws {
    let place = try Place()
    let result = try place.result(["capture", "--camera", "test", "--microphone", "test"] + place.library)
    #expect(result.status == 0 && result.errors.contains("--microphone does nothing without --live"), "\(result)")
    let none = try place.result(["capture", "--camera", "test", "--microphone", "none"] + place.library)
    #expect(none.status == 0 && none.errors.isEmpty, "\(none)")
  }

  /// The picture's mean level, 0 to 1.
  private func level(_ path: String, of place: Place) throws -> Double {
    let picture = try place.tool(
      "ffmpeg", ["-v", "error", "-i", path, "-vf", "scale=1:1:flags=area,format=gray", "-f", "rawvideo", "-y", "level"])
    #expect(picture.isEmpty)
    let bytes = try Data(contentsOf: place.folder.appendingPathComponent("level"))
    return Double(try #require(bytes.first)) / 255
  }

  @Test(.enabled(if: Command.areInstalled("ffmpeg"), "needs ffmpeg"))
  func controlsAndFrameRateCountFromTheFirstFrame() throws {
    let place = try Place()
    let common = ["capture", "--camera", "test", "--resolution", "640x360", "--zoom", "2", "--json"]
    let plain = try place.decode(Shot.self, common + place.library)
    let bright = try place.decode(
      Shot.self,
      common + ["--brightness", "64", "--contrast", "32", "--frame-rate", "15"] + place.library)
    // 64 of the test camera's 160 steps from black to white.
    #expect(try level(bright.path, of: place) > level(plain.path, of: place) + 0.15)
  }

  @Test func anEffectOfNoStrengthIsNone() throws {
    struct Report: Decodable {
      var edited: Bool
      var effect: String?
    }
    let place = try Place()
    let shot = try place.decode(
      Report.self, ["capture", "--camera", "test", "--effect", "noir:0", "--json"] + place.library)
    #expect(!shot.edited && shot.effect == nil)
  }
}
