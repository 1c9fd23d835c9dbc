// The face detector that is installed: GStreamer's `facedetect`, with a cascade of OpenCV.

import CGStreamer
import CameraCore
import EngineInterface
import Foundation
import Localization
import Logging

/// Finds faces with OpenCV's Haar cascade for faces seen from the front (P. Viola, M. Jones, “Rapid Object Detection
/// using a Boosted Cascade of Simple Features”, CVPR 2001). Debian's packages are gstreamer1.0-opencv and opencv-data;
/// without either there is no detector.
///
/// Each picture goes through a pipeline of its own, reduced to 480 pixels, which takes about a tenth of a second.
/// OpenCV is loaded and the elements are made on a thread that is given up when it is late, as is the pipeline.
public struct InstalledFaceDetector: FaceDetecting {
  /// Folders in which OpenCV installs its cascades: Debian's, other distributions', and a build's of one's own.
  static let folders = [
    "/usr/share/opencv4/haarcascades", "/usr/share/opencv/haarcascades", "/usr/local/share/opencv4/haarcascades",
  ]
  /// The longer side of the picture that the detector sees, in pixels.
  static let longestSide = 480
  /// The smallest face, as a part of the shorter side. Smaller ones are mostly patterns in the background.
  static let smallestFace = 0.1

  /// For the making of the elements, and again for the detection: OpenCV's libraries come from the disk at first.
  private static let limit = TimeSpan.seconds(60)
  private static let logger = Logger(label: "photome.faces")
  private static let cascadeName = "haarcascade_frontalface_default.xml"

  private let folders: [String]

  public init() { self.init(folders: Self.folders) }

  /// - Parameter folders: The folders in which the cascade is looked for.
  init(folders: [String]) { self.folders = folders }

  /// Keeps OpenCV from reporting on standard error that the cascades of noses, mouths and eyes aren't installed:
  /// `facedetect` loads them whether it is told to or not, and Debian has none. Call it before the program has threads.
  public static func quietOpenCV() { setenv("OPENCV_LOG_LEVEL", "FATAL", 0) }

  /// Whether there are faces to be found here: for tests.
  static var isInstalled: Bool { GStreamerRuntime.has("facedetect") && cascade(in: folders) != nil }

  public func faces(in image: DecodedImage) async -> [FaceRectangle]? {
    let folders = folders
    do throws(CameraError) {
      let late = CameraError.device(camera: "OpenCV", message: localized("it isn’t responding"))
      let parts = try await Blocking.run(onThread: "faces", atMost: Self.limit, late: late) {
        () throws(CameraError) in try Self.parts(for: image, folders: folders)
      }
      guard let parts else { return nil }
      return try await Self.run(parts, late: late)
    } catch {
      // Whoever asked has left.
      if Task.isCancelled { return nil }
      Self.logger.notice("Faces are not looked for: \(error.description)")
      return nil
    }
  }

  private static func cascade(in folders: [String]) -> String? {
    folders.map { "\($0)/\(cascadeName)" }.first { FileManager.default.isReadableFile(atPath: $0) }
  }

  // MARK: The pipeline

  /// The elements of a pipeline, and the picture for it.
  private struct Parts: Sendable {
    var source: Element
    var chain: [Element]
    var pixels: FrameBlock
    var sink: FaceSink
  }

  /// Makes the elements; loads OpenCV.
  ///
  /// - Returns: `nil` where there is no detector.
  private static func parts(for image: DecodedImage, folders: [String]) throws(CameraError) -> Parts? {
    guard image.size.width > 0, image.size.height > 0, let cascade = cascade(in: folders) else { return nil }
    try GStreamerRuntime.start()
    guard GStreamerRuntime.has("facedetect") else { return nil }
    let size = size(for: image.size)
    let source = try AppSource.make(
      caps: "video/x-raw,format=(string)BGRx,width=(int)\(image.size.width),height=(int)\(image.size.height),"
        + "framerate=(fraction)0/1",
      isLive: false)
    let scaling = try Element("videoscale")
    scaling.set("add-borders", false)
    let filter = try Element("capsfilter")
    filter.setCaps("video/x-raw,format=(string)RGB,width=(int)\(size.width),height=(int)\(size.height)")
    let detector = try Element("facedetect")
    detector.set("profile", cascade)
    detector.set("display", false)
    detector.set("updates", "none")
    // Finer steps than the default find more faces, and one neighbor rectangle more drops most of what is none.
    detector.set("scale-factor", "1.1")
    detector.set("min-neighbors", 5)
    let smallest = Int(Double(min(size.width, size.height)) * smallestFace)
    detector.set("min-size-width", smallest)
    detector.set("min-size-height", smallest)
    let sink = FaceSink(size: size)
    return Parts(
      source: source,
      chain: [source, scaling, try Element("videoconvert"), filter, detector, try AppSink.make(receiver: sink)],
      pixels: packed(image), sink: sink)
  }

  /// The size that the detector sees. Its rows have no padding, as OpenCV takes them.
  static func size(for size: PixelSize) -> PixelSize {
    let scale = min(1, Double(longestSide) / Double(max(size.width, size.height)))
    return PixelSize(
      width: max(4, Int((Double(size.width) * scale).rounded()) / 4 * 4),
      height: max(4, Int((Double(size.height) * scale).rounded())))
  }

  /// The pixels in GStreamer's own layout, without padding.
  private static func packed(_ image: DecodedImage) -> FrameBlock {
    let row = image.size.width * 4
    guard image.stride != row else { return image.block }
    return image.block.withUnsafeBytes { source in
      FrameBlock(count: row * image.size.height) { target in
        for y in 0..<image.size.height {
          UnsafeMutableRawBufferPointer(rebasing: target[y * row..<(y + 1) * row])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[y * image.stride..<y * image.stride + row]))
        }
      }
    }
  }

  @EncodingActor
  private static func run(_ parts: Parts, late: CameraError) async throws(CameraError) -> [FaceRectangle] {
    // Nobody waits for it.
    let pipeline = try Pipeline(name: "faces", baseTime: nil, niceness: 10)
    try pipeline.add(chain: parts.chain)
    let (events, found) = (pipeline.events, parts.sink.found)
    let listening = Task.detached {
      for await event in events {
        let message = if case .failed(let failure) = event { failure.message } else { localized("it took no picture") }
        found.decide(.failure(.device(camera: "OpenCV", message: message)))
      }
    }
    defer { listening.cancel() }
    pipeline.playInBackground {
      AppSource.push(parts.pixels, to: parts.source, time: 0)
      AppSource.end(parts.source)
    }
    let result: Result<[FaceRectangle], CameraError>
    do throws(CameraError) {
      result = .success(try await found.wait(atMost: limit, late: late))
    } catch {
      result = .failure(error)
    }
    pipeline.abandon()
    return try result.get()
  }
}
