// The shared fixture of the engine's tests, over the built-in camera.

import CameraCore
import Foundation
import Testing

@testable import MediaEngine

/// One after the other: each runs a camera in real time, and counts pipelines.
@Suite(.serialized) struct EngineTests {}

/// An engine with a folder of its own.
final class EngineFixture: Sendable {
  let engine: CameraEngine
  let folder: URL

  init(
    limits: EngineLimits = EngineLimits().times(4), fault: TestFault = .none
  ) throws {
    engine = CameraEngine(limits: limits, fault: fault)
    folder = FileManager.default.temporaryDirectory.appending(path: "photome-engine-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Starts the test camera.
  @discardableResult
  func start(_ size: String? = nil, _ encoding: FrameEncoding? = nil) async throws -> CameraSession {
    try await engine.start(
      CameraConfiguration(
        cameraID: CameraDevice.testID, size: size.flatMap { PixelSize($0) }, sizeIsExact: size != nil,
        encoding: encoding))
  }

  func settings(live: Bool = false, pressed: MonotonicTime = .now) -> PhotoSettings {
    PhotoSettings(isLive: live, pressed: pressed, movieFolder: folder)
  }

  /// The files in the folder.
  var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] }

  /// Waits for a status that is asked for, with a generous limit.
  func status(
    where isIt: @escaping @Sendable (CameraStatus) -> Bool
  ) async -> CameraStatus? {
    for await notice in engine.notices() {
      if case .status(let status) = notice, isIt(status) { return status }
    }
    return nil
  }
}

/// All events of one shot.
struct ShotRecord: Sendable {
  var resolved: ResolvedPhotoSettings?
  var thumbnail: Data?
  var photo: CapturedPhoto?
  var movie: CapturedMovie?
  /// The names of the events, in order.
  var names: [String] = []

  init(_ events: AsyncThrowingStream<CaptureEvent, any Error>) async throws {
    for try await event in events { take(event) }
  }

  private mutating func take(_ event: CaptureEvent) {
    switch event {
    case .willBegin(let resolved):
      self.resolved = resolved
      names.append("willBegin")
    case .willCapture: names.append("willCapture")
    case .didCapture: names.append("didCapture")
    case .thumbnail(let data):
      thumbnail = data
      names.append("thumbnail")
    case .photo(let photo):
      self.photo = photo
      names.append("photo")
    case .improved(let better):
      photo = better
      names.append("improved")
    case .movieRecorded: names.append("movieRecorded")
    case .movie(let movie):
      self.movie = movie
      names.append("movie")
    case .finished: names.append("finished")
    }
  }

  /// The number in the still's picture.
  func number() throws -> UInt32? {
    guard let jpeg = photo?.data else { return nil }
    return try jpeg.withUnsafeBytes { FrameNumberMark.read(try JPEGDecoder().decode($0)) }
  }
}

/// The number in the picture of the test camera's frame at an instant.
func expectedNumber(_ time: MonotonicTime?, _ session: CameraSession) -> UInt32? {
  time.map { UInt32(truncatingIfNeeded: TestCamera.frameNumber(at: $0, rate: session.frameRate)) }
}

/// The time after which `eventually` gives up. It ends a hang only: on a busy machine a task may wait for minutes for a
/// thread of the shared pool.
private let hangLimit = TimeSpan.seconds(1200)

/// Returns when the condition holds, or `false` after twenty minutes: for work that ends on a thread that nobody can wait
/// for.
func eventually(_ condition: @Sendable () async -> Bool) async -> Bool {
  let limit = MonotonicTime.now + hangLimit
  while MonotonicTime.now < limit {
    if await condition() { return true }
    await Task.yield()
  }
  return false
}

/// Returns when every camera's and microphone's pipeline is gone.
func noPipelineIsLeft() async -> Bool {
  await eventually { Pipeline.liveCount("camera") == 0 && Pipeline.liveCount("microphone") == 0 }
}
