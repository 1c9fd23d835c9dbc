// The GStreamer pipeline that demuxes and decodes a movie.

import CGStreamer
import CameraCore
import EngineInterface
import Localization
import Synchronization

/// Demuxes one movie and decodes its picture, and its sound if there is an output for it. Single frames, runs through all
/// frames and playback differ in their sinks only:
///
///     appsrc ─ demuxer ─┬─ queue ─ parser ─ decoder ─ videoconvert ─ videoflip ─ I420 ─ picture sink
///                       └─ queue ─ parser ─ decoder ─ audioconvert ─ audioresample ─ sound sink
///
/// It belongs to whichever actor makes it, as its `Pipeline` does.
final class MoviePipeline {
  /// The elements behind the decoders, made on a streaming thread when a stream was found.
  struct Outputs: Sendable {
    /// Elements that take upright frames: I420, of 10 bits where `ScreenColors` are to be made of them.
    var picture: @Sendable () throws(CameraError) -> [Element]
    /// The most compressed frames that wait for the decoder; `nil` leaves it to GStreamer.
    var frameQueue: Int?
    /// An element that takes raw sound; `nil` when there is no way to hear it. Without the closure, sound isn't decoded.
    var sound: (@Sendable () -> Element?)?
    /// Called on a streaming thread when all decoders and outputs are linked; the first packets follow.
    var onLinked: (@Sendable () -> Void)?
  }

  /// The name of sinks for sound, by which their errors are known.
  static let soundSinkName = "sound"
  private static let demuxerName = "demuxer"

  /// The file's name, for messages.
  let name: String
  private let bytes: MovieBytes
  private let pipeline: Pipeline
  private let onEnd: @Sendable (Result<Void, CameraError>) -> Void

  /// Builds the pipeline; nothing is decoded yet.
  ///
  /// - Parameters:
  ///   - bytes: The open file.
  ///   - kind: The pipeline's name, for `Pipeline.liveCount`.
  ///   - niceness: Added to the priority of the threads that decode.
  ///   - onEnd: Called at the end of the stream, and for each error; the first call counts. Any thread.
  /// - Throws: `CameraError` when GStreamer or an element is missing.
  init(
    _ bytes: MovieBytes, kind: String, niceness: Int32 = 0, _ outputs: Outputs,
    onEnd: @escaping @Sendable (Result<Void, CameraError>) -> Void
  ) throws(CameraError) {
    let name = bytes.name
    self.name = name
    self.onEnd = onEnd
    self.bytes = bytes
    let element = try bytes.makeSource()
    pipeline = try Pipeline(
      name: kind, baseTime: nil, niceness: niceness, starters: [MovieBytes.sourceName, Self.demuxerName])
    let demuxer = try Element(Self.demuxer(of: bytes.structure), name: Self.demuxerName)
    let quarterTurns = bytes.quarterTurns
    try pipeline.add(chain: [element, demuxer])
    let refusal = Mutex<CameraError?>(nil)
    let linker = StreamLinker { stream, type in
      do throws(CameraError) {
        switch stream {
        case .picture: return try Self.pictureBranch(type, quarterTurns, outputs)
        case .sound: return try Self.soundBranch(type, outputs)
        }
      } catch {
        // Without its sound a movie plays silently.
        if stream == .picture { refusal.withLock { $0 = error } }
        return []
      }
    } onAllFound: { linker in
      outputs.onLinked?()
      guard !linker.has(.picture) else { return }
      let error = refusal.withLock { $0 }
      onEnd(.failure(error ?? .playbackFailed(file: name, message: localized("it has no picture that can be decoded"))))
    }
    linker.watch(demuxer)
  }

  /// The demuxer of a file.
  static func demuxer(of structure: MovieFormat.Structure) -> String {
    switch structure {
    case .boxes: "qtdemux"
    case .elements: "matroskademux"
    case .chunks: "avidemux"
    }
  }

  private static func pictureBranch(
    _ type: String, _ quarterTurns: Int, _ outputs: Outputs
  ) throws(CameraError) -> [Element] {
    guard let decoder = try StreamDecoder.elements(for: type) else { return [] }
    let queue = try Element("queue")
    if let count = outputs.frameQueue { queue.set("max-size-buffers", count) }
    let convert = try Element("videoconvert")
    var branch = [queue] + decoder + [convert]
    if let turner = try? Element("videoflip") {
      // By the orientation in the movie's metadata, of which matroskademux of GStreamer 1.22 doesn't tell.
      let methods = ["automatic", "clockwise", "rotate-180", "counterclockwise"]
      turner.set("method", methods[quarterTurns & 3])
      branch.append(turner)
    }
    let form = try Element("capsfilter")
    form.setCaps(DecodedForm.usual)
    DecodedForm.watch(convert, for: form)
    return branch + [form] + (try outputs.picture())
  }

  private static func soundBranch(_ type: String, _ outputs: Outputs) throws(CameraError) -> [Element] {
    guard let output = outputs.sound, let decoder = try StreamDecoder.elements(for: type) else { return [] }
    let branch =
      [try Element("queue")] + decoder + [try Element("audioconvert"), try Element("audioresample")]
    return output().map { branch + [$0] } ?? []
  }

  /// Begins to decode: at once, or up to the first frame when paused. A refusal is an error for `onEnd`.
  ///
  /// - Parameter onSoundFailure: Called instead of `onEnd` for an error of the sound output.
  func start(isPaused: Bool = false, onSoundFailure: (@Sendable () -> Void)? = nil) {
    let (events, name, onEnd) = (pipeline.events, name, onEnd)
    // Ends with the pipeline.
    Task.detached {
      for await event in events {
        switch event {
        case .endOfStream: onEnd(.success(()))
        case .failed(let failure) where failure.element == MoviePipeline.soundSinkName && onSoundFailure != nil:
          onSoundFailure?()
        case .failed(let failure): onEnd(.failure(.playbackFailed(file: name, message: failure.message)))
        }
      }
    }
    setPaused(isPaused)
  }

  /// Returns at once.
  func setPaused(_ isPaused: Bool) {
    if isPaused { pipeline.pauseInBackground() } else { pipeline.playInBackground() }
  }

  /// As in `Pipeline`.
  func seekInBackground(to time: TimeSpan, onDone: @escaping @Sendable (Bool) -> Void) {
    pipeline.seekInBackground(to: time, onDone: onDone)
  }

  /// As in `Pipeline`.
  var duration: TimeSpan? { pipeline.duration }

  /// As in `Pipeline`.
  var readiness: AsyncStream<Void> { pipeline.readiness }

  /// The time that decoders and sinks get to stop.
  static let stopLimit = TimeSpan.seconds(10)

  /// Stops and closes the file. Every streaming thread has ended when this returns, unless one hangs: then the file is
  /// closed as soon as it lets go.
  func stop(isolation: isolated (any Actor)? = #isolation) async {
    let bytes = bytes
    await pipeline.stopInBackground(atMost: Self.stopLimit) { bytes.end() }
  }

  /// Stops a pipeline that hangs, without waiting for its threads.
  func abandon() {
    let bytes = bytes
    pipeline.abandon { bytes.end() }
  }
}
