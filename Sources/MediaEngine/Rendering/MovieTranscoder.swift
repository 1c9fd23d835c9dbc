// Transcoding of a movie's picture: decoder, workers and encoder at the same time.

import CGStreamer
import CameraCore
import EngineInterface
import Foundation
import MediaFormats
import PhotoEffects
import Synchronization

/// Transcodes the picture of one movie into a file, with one encoder. A few frames exist at a time.
///
/// Performs the actions of a `MovieTranscodeStateMachine`. Each event comes on the thread that it happened on: frames on the
/// decoder's, which is held up while the workers have no room; results on the workers'; the rest on tasks.
final class MovieTranscoder: Sendable {
  typealias Machine = MovieTranscodeStateMachine
  private typealias Workers = FrameWorkerPool<Machine.TimedFrame, TranscodedFrame>

  private struct State {
    var machine: Machine
    var encoding: TranscodeEncoding?
    /// Set while `run` runs, which also ends the circle of references.
    var workers: Workers?
  }

  private let source: MovieSource
  private let encoder: VideoEncoder
  private let making: EncoderMaking
  private let file: URL
  private let work: FrameTranscoding
  private let colorimetry: String?
  /// Of the source, in nanoseconds, for progress.
  private let duration: Int64
  private let report: @Sendable (Double) -> Void
  private let state: Mutex<State>
  private let bounce: BounceBuffer?
  private let steps = MovieProgress()
  /// Decided by the first kept frame, or by what ended everything before it.
  private let form = OneShot<TranscodeEncoding.Form, any Error>()
  /// Opens when the encoder is built; the decoder's thread waits here.
  private let gate = DispatchSemaphore(value: 0)

  /// The niceness of all threads that decode, work and encode: the window stays as quick as ever.
  static let niceness: Int32 = 5

  /// The number of frames that are worked on at once. More than four would take memory and gain little beside the encoder.
  static var workerCount: Int { min(4, max(1, ProcessInfo.processInfo.activeProcessorCount)) }

  /// - Parameters:
  ///   - machine: New.
  ///   - colorimetry: That of the decoded frames; `nil` for what the decoder says.
  ///   - making: The way the encoder is made.
  ///   - file: The result, an MP4 without sound.
  ///   - duration: The source's, in seconds, for progress.
  ///   - report: Gets the progress, 0…1, on the decoder's thread, or that of its end.
  init(
    _ source: MovieSource, _ edit: MovieEdit, machine: Machine, colorimetry: String? = nil, encoder: VideoEncoder,
    making: EncoderMaking,
    file: URL, duration: Double, report: @escaping @Sendable (Double) -> Void
  ) {
    (self.source, self.encoder, self.making) = (source, encoder, making)
    (self.file, self.report, self.colorimetry) = (file, report, colorimetry)
    self.duration = Int64(min(max(0, duration), MP4Head.longestDuration) * 1e9)
    work = FrameTranscoding(processor: edit.processor, name: source.url.lastPathComponent)
    bounce = edit.isBounced ? BounceBuffer() : nil
    state = Mutex(State(machine: machine))
  }

  /// Transcodes the movie. Call it once.
  ///
  /// - Parameter patience: The time without progress after which it is given up.
  /// - Throws: `CameraError` if the movie can't be read, `EditError`, `CancellationError`, what the processor throws;
  ///   `MovieFailure` if the encoder failed, and another may do better.
  func run(patience: TimeSpan) async throws -> Machine.Result {
    let decoding = try await MovieDecoding(source, niceness: Self.niceness, progress: steps) { [self] in take($0) }
    let workers = Workers(
      threadCount: Self.workerCount, niceness: Self.niceness,
      work: { [self] in try render($0, $1, $2) },
      deliver: { [self] in deliver($0) },
      onEnd: { [self] error in handle { if let error { $0.failed(error) } else { $0.workersEnded() } } })
    set(workers: workers)
    defer { set(workers: nil) }
    // Both end when the workers do; whichever fails first ends the others.
    let decoder = Task {
      do {
        try await decoding.run(patience: nil)
        await finishDecoding()
      } catch {
        handle { $0.failed(error) }
      }
    }
    let watchdog = steps.watch(patience) { [self] in handle { $0.failed(MovieFailure.standstill) } }
    defer { watchdog.cancel() }
    do {
      let result = try await withTaskCancellationHandler {
        try await encode()
      } onCancel: {
        handle { $0.failed(CancellationError()) }
        decoder.cancel()
      }
      await decoder.value
      return result
    } catch {
      handle { $0.failed(error) }
      decoder.cancel()
      await decoder.value
      throw failure ?? error
    }
  }

  private func encode() async throws -> Machine.Result {
    let form = try await form.wait(orWhenCancelled: CancellationError())
    let encoding = try await making.make(with: encoder) { [encoder, file, steps] () throws(MovieFailure) in
      try TranscodeEncoding(form, encoder: encoder, niceness: Self.niceness, file: file, progress: steps)
    }
    // A failure meanwhile had no encoder to stop.
    if set(encoding: encoding) != nil { encoding.giveUp(.cancelled) }
    await encoding.start()
    gate.signal()
    do throws(MovieFailure) {
      try await encoding.waitForEnd()
    } catch {
      // Lets go of the thread that waits at the encoder's door.
      await encoding.stop()
      await encoding.removeWhenDown()
      throw error
    }
    await encoding.stop()
    switch tell({ $0.encoded() }) {
    case .finish(let result): return result
    case .fail(let error): throw error
    case .none, .endDecoding, .render, .drain, .endStream: throw failure ?? MovieFailure.standstill
    }
  }

  /// The end flushes the last frame, which waits for the encoder and for room: on a thread of its own, because `encode` may
  /// need the one thread of Swift's pool meanwhile.
  private func finishDecoding() async {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "photome.transcoding").async { [self] in
        handle { $0.decodingEnded() }
        continuation.resume()
      }
    }
  }

  // MARK: State

  // Called by asynchronous functions: see “Locks” in MediaEngine.md.

  @inline(never)
  private func tell(_ event: (inout Machine) -> Machine.Action) -> Machine.Action {
    state.withLock { event(&$0.machine) }
  }

  @inline(never)
  private func set(workers: Workers?) { state.withLock { $0.workers = workers } }

  /// - Returns: The failure so far.
  @inline(never)
  private func set(encoding: TranscodeEncoding) -> (any Error)? {
    state.withLock { state in
      state.encoding = encoding
      return state.machine.failure
    }
  }

  private var failure: (any Error)? {
    @inline(never) get { state.withLock { $0.machine.failure } }
  }

  // MARK: Actions

  /// Tells the machine an event, and performs its action.
  ///
  /// - Returns: Whether more frames are to be decoded.
  @discardableResult
  @inline(never)  // called by asynchronous functions, as above
  private func handle(_ event: (inout Machine) -> Machine.Action) -> Bool {
    switch tell(event) {
    case .none: return true
    case .endDecoding: return false
    case .render(let frame, let opening, let next): return render(frame, opening: opening) && perform(next)
    case .drain: return perform(.drain)
    case .endStream(let reprises): endStream(after: reprises)
    case .fail(let error): stop(error)
    // `encode` handles the one event that leads here.
    case .finish: break
    }
    return false
  }

  private func perform(_ next: Machine.Next) -> Bool {
    switch next {
    case .decode: return true
    case .endDecoding: return false
    case .drain:
      state.withLock { $0.workers }?.finish()
      return false
    }
  }

  /// On the decoder's thread, or that of its end, which it holds up while the encoder is being built or the workers have
  /// no room.
  private func render(_ frame: Machine.TimedFrame, opening: TranscodeEncoding.Form?) -> Bool {
    if let opening {
      form.decide(.success(opening))
      gate.wait()
      // Also opened by a failure.
      gate.signal()
    }
    guard let workers = state.withLock({ $0.machine.failure == nil ? $0.workers : nil }) else { return false }
    report(duration > 0 ? min(0.98, Double(frame.frame.time) / Double(duration)) : 0)
    return workers.submit(frame)
  }

  private func endStream(after reprises: [Machine.Reprise]) {
    guard let encoding = state.withLock({ $0.encoding }), case .success(let form)? = form.result else { return }
    do throws(EditError) {
      guard try bounce?.replay(reprises, as: form, { push($0, encoding) }) ?? true else { return }
      AppSource.end(encoding.source)
    } catch {
      handle { $0.failed(error) }
    }
  }

  private func stop(_ error: any Error) {
    let (workers, encoding) = state.withLock { ($0.workers, $0.encoding) }
    form.decide(.failure(error))
    gate.signal()
    workers?.stop(error)
    encoding?.giveUp(.cancelled)
  }

  // MARK: Frames

  /// On the decoder's thread.
  private func take(_ frame: DecodedFrame) -> Bool {
    var frame = frame
    if let colorimetry { frame.layout.colorimetry = colorimetry }
    return handle { $0.decoded(frame) }
  }

  /// On a worker's thread.
  private func render(
    _ frame: Machine.TimedFrame, _ number: Int, _ scratch: EffectScratch
  ) throws -> TranscodedFrame {
    guard case .success(let form)? = form.result else { throw CancellationError() }
    return try work.render(frame, number, as: form, scratch)
  }

  /// On a worker's thread; in order, one at a time.
  private func deliver(_ frame: TranscodedFrame) -> Bool {
    guard let encoding = state.withLock({ $0.encoding }) else { return false }
    do throws(EditError) { try bounce?.append(frame) } catch {
      handle { $0.failed(error) }
      return false
    }
    return push(frame, encoding)
  }

  private func push(_ frame: TranscodedFrame, _ encoding: TranscodeEncoding) -> Bool {
    steps.fed.add(1, ordering: .relaxed)
    return AppSource.push(frame.block, to: encoding.source, time: frame.time, duration: frame.duration) == GST_FLOW_OK
  }
}
