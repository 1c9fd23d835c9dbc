// Movie players in a test's hands: what they were told, and what they tell.

import CameraCore
import Foundation
import Synchronization

/// Makes players that play nothing.
final class ScriptedPlayers: MoviePlayerFactory {
  final class Player: MoviePlayback {
    struct Orders: Equatable {
      var isPaused = false
      var seeks: [Double] = []
    }

    let url: URL
    let preview: any PreviewSource = NoPreview()
    private let told = Mutex(Orders())
    private let end = AsyncStream<Void>.makeStream()
    private let times = AsyncStream<Double>.makeStream()

    init(url: URL) { self.url = url }

    var orders: Orders { told.withLock { $0 } }
    func setPaused(_ isPaused: Bool) { told.withLock { $0.isPaused = isPaused } }
    func seek(to seconds: Double) { told.withLock { $0.seeks.append(seconds) } }
    func positions() -> AsyncStream<Double> { times.stream }
    func say(position: Double) { times.continuation.yield(position) }
    func stop() { end.continuation.finish() }
    func play() async throws(CameraError) { for await _ in end.stream {} }
  }

  private let made = Mutex<[Player]>([])

  var players: [Player] { made.withLock { $0 } }

  func player(for url: URL, byteRange: Range<UInt64>, isMuted: Bool) -> any MoviePlayback {
    let player = Player(url: url)
    made.withLock { $0.append(player) }
    return player
  }
}

/// A preview without frames.
private final class NoPreview: PreviewSource {
  let statistics = PreviewStatistics()
  func setTarget(_ size: PixelSize?) {}
  func setMirrored(_ isMirrored: Bool) {}
  func setFrameHandler(_ handler: (@Sendable () -> Void)?) {}
  func takeFrame() -> (any PreviewFrame)? { nil }
  func markShown(_ time: MonotonicTime, at shown: MonotonicTime) {}
}
