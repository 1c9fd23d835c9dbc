// HEIC, AVIF and PNG from the command line, as other programs read them.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct FormatCaptureTests {
  private struct Shot: Decodable {
    var path: String
    var live: Bool
  }

  private let capture = ["capture", "--camera", "test", "--microphone", "test", "--resolution", "640x360", "--json"]

  @Test(
    .enabled(if: Command.areInstalled("exiftool", "heif-info"), "needs libimage-exiftool-perl and libheif-examples"),
    arguments: ["heic", "avif"])
  func aLivePhotoIsReadByOthers(format: String) throws {
    let place = try Place()
    let shot = try place.decode(Shot.self, capture + ["--live", "--format", format] + place.library)
    #expect(shot.live && shot.path.hasSuffix(".MP.\(format)"))
    #expect(try place.tool("heif-info", [shot.path]).contains("640x360"))
    let facts = try place.tool(
      "exiftool", ["-s3", "-MIMEType", "-Model", "-MotionPhoto", "-ImageSize", "-Warning", "-Error", shot.path])
    #expect(facts.contains("image/\(format)") && facts.contains("640x360"))
    // The movie that exiftool takes out is the one that export writes.
    let clip = place.folder.path + "/clip.mp4"
    _ = try place.run(["export", shot.path, "--as", "movie", "--output", clip] + place.library)
    let length = try Data(contentsOf: URL(fileURLWithPath: clip)).count
    let found = try place.tool("exiftool", ["-s3", "-MotionPhotoVideo", shot.path])
    #expect(found.contains("\(length) bytes"))
  }

  @Test(.enabled(if: Command.areInstalled("pngcheck"), "needs pngcheck")) func aPNGIsWholeAndNoLivePhoto() throws {
    let place = try Place()
    let shot = try place.decode(Shot.self, capture + ["--format", "png"] + place.library)
    #expect(shot.path.hasSuffix(".png"))
    #expect(try place.tool("pngcheck", [shot.path]).contains("OK"))
    let live = try place.decode(Shot.self, capture + ["--live", "--format", "png"] + place.library)
    #expect(live.live && live.path.hasSuffix(".MP.jpg"))
  }
}
