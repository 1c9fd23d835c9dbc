// Movie players under a test's control, which record their requests.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import Synchronization

/// Makes players that play nothing.
final class ScriptedPlayers: MoviePlayerFactory {
  final class Player: MoviePlayback {
    struct Orders: Equatable {
      var isPaused = false
      var seeks: [Double] = []
    }

    let url: URL
    let isMuted: Bool
    let screen = NoPreview()
    var preview: any PreviewSource { screen }
    private let told = Mutex(Orders())
    private let reason = Mutex<String?>(nil)
    /// Ends the current pass; `nil` when none is playing.
    private let pass = Mutex<AsyncStream<Void>.Continuation?>(nil)
    private let passes = AsyncStream<Int>.makeStream()
    private let times = AsyncStream<Double>.makeStream()

    init(url: URL, isMuted: Bool) {
      self.url = url
      self.isMuted = isMuted
    }

    /// Counts the passes as they begin.
    var began: AsyncStream<Int> { passes.stream }

    var orders: Orders { told.withLock { $0 } }
    func setPaused(_ isPaused: Bool) { told.withLock { $0.isPaused = isPaused } }
    func seek(to seconds: Double) { told.withLock { $0.seeks.append(seconds) } }
    func positions() -> AsyncStream<Double> { times.stream }
    func say(position: Double) { times.continuation.yield(position) }
    var silence: String? { reason.withLock { $0 } }
    func say(silence: String) { reason.withLock { $0 = silence } }
    func stop() { pass.withLock { $0 }?.finish() }
    func play() async throws(CameraError) {
      let (end, sink) = AsyncStream<Void>.makeStream()
      pass.withLock { $0 = sink }
      passes.continuation.yield(1)
      for await _ in end {}
    }
  }

  private let made = Mutex<[Player]>([])

  var players: [Player] { made.withLock { $0 } }

  func player(of source: MovieSource, isMuted: Bool) -> any MoviePlayback {
    let player = Player(url: source.url, isMuted: isMuted)
    made.withLock { $0.append(player) }
    return player
  }
}

/// A preview without frames, which records its processor.
final class NoPreview: PreviewSource {
  /// As if there had been a frame.
  let statistics = PreviewStatistics(arrived: 1)
  private let processor = Mutex<(any FrameProcessing)?>(nil)

  /// The recipe that frames are rendered with; `nil` when they are shown as they are.
  var recipe: AdjustmentRecipe? { processor.withLock { ($0 as? FrameProcessor)?.recipe } }
  func setProcessor(_ processor: (any FrameProcessing)?) { self.processor.withLock { $0 = processor } }
  func setTarget(_ size: PixelSize?) {}
  func setMirrored(_ isMirrored: Bool) {}
  func setFrameHandler(_ handler: (@Sendable () -> Void)?) {}
  func takeFrame() -> (any PreviewFrame)? { nil }
  func markShown(_ time: MonotonicTime, at shown: MonotonicTime) {}
}
