// The movie and frame that effects are measured on: the built-in scene as a webcam would record it.

import CameraCore
import Foundation
import MediaEngine

/// Three seconds of a live photo, 1080p30 with sound, with a webcam's noise (the clean scene would be unfairly easy
/// to encode), and one of its frames as a picture.
struct BenchClip {
  static let size = PixelSize(width: 1920, height: 1080)
  static let seconds = 3.0
  static let frameCount = 90

  let movie: URL
  let frame: URL

  /// ffmpeg's encoder options, the same as for PhotoMe's live photos.
  static let encoding = [
    "-c:v", "libx264", "-preset", "superfast", "-crf", "21", "-g", "15", "-bf", "0", "-pix_fmt", "yuv420p",
  ]

  /// - Parameter picture: Shown instead of the scene, moving slowly; `nil` for the scene.
  init(in folder: URL, picture: URL?) async throws {
    movie = folder.appendingPathComponent("clip.mp4")
    frame = folder.appendingPathComponent("frame.png")
    // A standard deviation of some 1.2 steps of luma, different for each frame.
    let noise = "noise=c0s=4:c0f=t"
    let source = try await Self.livePhoto(in: folder)
    let input: [String]
    if let picture {
      let zoom = "scale=2112:1188:force_original_aspect_ratio=increase,crop=1920:1080:x='30+t*40':y='50+20*sin(t*3)'"
      input =
        ["-loop", "1", "-framerate", "30", "-t", "3", "-i", picture.path, "-i", source.path]
        + ["-map", "0:v", "-map", "1:a", "-vf", "\(zoom),\(noise)"]
    } else {
      input = ["-i", source.path, "-vf", noise]
    }
    try Self.ffmpeg(input + Self.encoding + ["-c:a", "copy", movie.path], in: folder)
    try Self.ffmpeg(["-ss", "1.5", "-i", movie.path, "-frames:v", "1", frame.path], in: folder)
  }

  static func ffmpeg(_ arguments: [String], in folder: URL) throws {
    _ = try CommandRun(["ffmpeg", "-nostdin", "-y", "-v", "error"] + arguments, in: folder)
  }

  /// The movie of a live photo of the built-in camera.
  private static func livePhoto(in folder: URL) async throws -> URL {
    let engine = CameraEngine()
    try await engine.start(
      CameraConfiguration(
        cameraID: CameraDevice.testID, size: size, sizeIsExact: true, encoding: .motionJPEG))
    await engine.setLive(true, microphone: .device(CameraDevice.testID))
    await engine.waitForPreRoll()
    var movie: URL?
    for try await event in engine.capture(
      PhotoSettings(isLive: true, movieFolder: folder.appendingPathComponent("live")))
    {
      if case .movie(let captured) = event { movie = captured.url }
    }
    await engine.stop()
    guard let movie else { throw BenchError("The built-in camera made no live photo.") }
    return movie
  }
}
