// A recorder without a camera, fed by hand, for the tests of recordings.

import CameraCore
import Foundation
import MediaFormats
import Synchronization

@testable import MediaEngine

/// One recording of the test camera's frames, with a clock and a disk that the test sets.
final class RecordingBench: Sendable {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-recording-\(UUID().uuidString)")
  let recorder: MovieRecorder
  /// The frames from `LivePhotoSample.first` on: flash and beep come after 17, 47 and 77 of them.
  let frames: [CameraFrame]
  let format: CameraFormat
  private let chunks: [SoundChunk]
  /// The chunks that were heard.
  private let heard = Mutex(0)
  private let log: EventLog
  private let world: World

  /// What the recorder has sent.
  final class EventLog: Sendable {
    private let events = Mutex<[RecordingEvent]>([])
    private let endCount = Mutex(0)
    func note(_ event: RecordingEvent) { events.withLock { $0.append(event) } }
    func noteEnd() { endCount.withLock { $0 += 1 } }
    var all: [RecordingEvent] { events.withLock { $0 } }
    var ends: Int { endCount.withLock { $0 } }
  }

  /// The clock and the disk.
  final class World: Sendable {
    private let state: Mutex<(now: MonotonicTime, free: Int64?)>
    private let ticks: AsyncStream<Void>
    private let tick: AsyncStream<Void>.Continuation

    init(now: MonotonicTime) {
      state = Mutex((now, 100 << 30))
      (ticks, tick) = AsyncStream.makeStream()
    }

    var now: MonotonicTime {
      get { state.withLock { $0.now } }
      set { state.withLock { $0.now = newValue } }
    }

    var free: Int64? {
      get { state.withLock { $0.free } }
      set { state.withLock { $0.free = newValue } }
    }

    /// A second passes for the recorder.
    func letASecondPass() { tick.yield() }

    func waitASecond() async throws {
      for await _ in ticks { return }
      throw CancellationError()
    }
  }

  init(
    frameCount: Int = 90, format: CameraFormat = LivePhotoSample.format(), duration: TimeSpan? = nil,
    position: String? = nil, isStabilized: Bool = false, codec: RecordingSettings.Codec = .automatic,
    encoders: @escaping @Sendable () -> [VideoEncoder] = VideoEncoder.installed,
    onEvent: @escaping @Sendable (RecordingEvent) -> Void = { _ in },
    adjust: (inout MovieRecorder.Environment) -> Void = { _ in }
  ) throws {
    frames = try LivePhotoSample.frames(format, count: frameCount)
    self.format = format
    let end = TestCamera.time(ofFrame: LivePhotoSample.first + Int64(frameCount), rate: LivePhotoSample.rate)
    chunks = LivePhotoSample.chunks(from: frames[0].time, to: end, 1)
    let (log, world) = (EventLog(), World(now: frames[0].time))
    (self.log, self.world) = (log, world)
    var environment = MovieRecorder.Environment(
      limits: EngineLimits().times(20), encoders: encoders, freeBytes: { _ in world.free },
      waitASecond: { try await world.waitASecond() }, now: { world.now })
    adjust(&environment)
    let settings = RecordingSettings(
      folder: folder, codec: codec, duration: duration, position: position, isStabilized: isStabilized)
    recorder = MovieRecorder(settings, environment) {
      onEvent($0)
      log.note($0)
    } onLastFrame: { _ in
      log.noteEnd()
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// What was sent after the file was there.
  var events: [RecordingEvent] { log.all.filter { if case .opened = $0 { false } else { true } } }
  /// The names of the file.
  var opened: [UnfinishedMovie] { log.all.compactMap { if case .opened(let movie) = $0 { movie } else { nil } } }
  /// How often the recorder has let the camera go.
  var endCount: Int { log.ends }

  /// The bytes that are free on the disk.
  func setFree(_ count: Int64) { world.free = count }
  func letASecondPass() { world.letASecondPass() }

  /// Begins to record; returns when frames are taken.
  func begin(sound isWanted: Bool = true) async -> Task<RecordedMovie, any Error> {
    let run = run(sound: isWanted, size: format.size)
    _ = await eventually { [recorder] in recorder.isOpen }
    return run
  }

  /// Begins to record.
  ///
  /// - Parameter size: `nil` for that of the first frame.
  func run(sound isWanted: Bool = true, size: PixelSize?) -> Task<RecordedMovie, any Error> {
    let input = MovieRecorder.Input(
      frames: size.map { .init(size: $0) }, rate: LivePhotoSample.rate,
      sound: isWanted ? .recording(TestCamera.microphone) : .off,
      channels: isWanted ? 1 : nil)
    return Task { [recorder] in try await recorder.run(input) }
  }

  /// The camera delivers frames, and the microphone their sound. No more than half a second of them waits for the encoder.
  func feed(_ range: Range<Int>, sound hasSound: Bool = true, leavingOutEverySecond: Bool = false) async {
    for index in range {
      for chunk in chunks(before: time(index + 1)) where hasSound { recorder.receive(chunk) }
      if leavingOutEverySecond, !index.isMultiple(of: 2) {
        recorder.leaveOut(frames[index])
      } else {
        recorder.receive(frames[index])
      }
      // Without sound as many frames wait as come in the time that it is waited for.
      _ = await eventually { [recorder] in recorder.queuedFrameCount < 40 }
    }
  }

  /// The chunks that begin before an instant, each once.
  private func chunks(before time: MonotonicTime) -> [SoundChunk] {
    heard.withLock { heard in
      let fresh = chunks[heard...].prefix { $0.time < time }
      heard += fresh.count
      return Array(fresh)
    }
  }

  /// The numbers that are in the pictures of these frames.
  func numbers(_ ranges: Range<Int>...) -> [UInt32?] {
    ranges.joined().map { UInt32(LivePhotoSample.first) + UInt32($0) }
  }

  /// The instant of a frame; also of those that follow the last.
  func time(_ index: Int) -> MonotonicTime {
    TestCamera.time(ofFrame: LivePhotoSample.first + Int64(index), rate: LivePhotoSample.rate)
  }

  /// The clock stands at the instant of a frame.
  func setNow(_ index: Int) { world.now = time(index) }

  /// The names in the folder.
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted() }

  /// The types of a file's boxes.
  static func boxes(_ url: URL) throws -> [String] {
    try MP4Box.boxes(in: [UInt8](Data(contentsOf: url))[...]).map { "\($0.type)" }
  }
}
