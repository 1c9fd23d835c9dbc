// Pictures and movies with 10 bits from the command line, as other programs read them.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct HDRCaptureTests {
  private struct Shot: Decodable {
    var path: String
    var live: Bool
  }

  private struct Movie: Decodable { var path: String }

  private static let hasTools = Command.areInstalled("ffmpeg", "ffprobe", "heif-info")
  private let camera = [
    "--camera", "test", "--microphone", "test", "--resolution", "640x360", "--hdr", "--json",
  ]

  private func stream(_ path: String, _ place: Place) throws -> String {
    try place.tool(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "v", "-show_entries", "stream=codec_name,codec_tag_string,profile,pix_fmt",
        "-of", "csv=p=0", path,
      ])
  }

  @Test(.enabled(if: HDRCaptureTests.hasTools, "needs ffmpeg and libheif-examples")) func aLivePhotoHasTenBits() throws
  {
    let place = try Place()
    let shot = try place.decode(Shot.self, ["capture", "--live", "--format", "heic"] + camera + place.library)
    #expect(shot.live)
    #expect(try place.tool("heif-info", ["-d", shot.path]).contains("bit_depth_luma: 10"))
    let clip = place.folder.path + "/clip.mp4"
    _ = try place.run(["export", shot.path, "--as", "movie", "--output", clip] + place.library)
    #expect(try stream(clip, place).contains("hevc,Main 10,hvc1,yuv420p10le"))
  }

  @Test(.enabled(if: HDRCaptureTests.hasTools, "needs ffmpeg and libheif-examples")) func aMovieKeepsManyLevels() throws
  {
    let place = try Place()
    let movie = try place.decode(Movie.self, ["record", "--duration", "1"] + camera + place.library)
    #expect(try stream(movie.path, place).contains("hevc,Main 10,hvc1,yuv420p10le"))
    let raw = place.folder.path + "/frame.yuv"
    _ = try place.tool(
      "ffmpeg",
      ["-v", "error", "-i", movie.path, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "yuv420p10le", raw])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: raw))
    #expect(bytes.count == 640 * 360 * 3)
    // The ramp of the test camera, above the bar with the frame number.
    var levels: Set<UInt16> = []
    for at in (640 * 320)..<(640 * 340) { levels.insert(UInt16(bytes[2 * at]) | UInt16(bytes[2 * at + 1]) << 8) }
    #expect(levels.count > 256, "\(levels.count)")
  }
}
