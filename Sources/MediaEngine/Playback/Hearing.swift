// The sound of a movie that is played, and the times in which nothing can be expected of it.

import CameraCore
import Synchronization

/// What became of the sound of one run of a player; set on streaming threads.
final class Hearing: Sendable {
  let isOpen = Atomic(false)
  /// Whether the sound output didn't answer.
  let isRefused: Atomic<Bool>
  /// When the decoders of all streams were linked, or the seek that is under way began, in nanoseconds of
  /// `CLOCK_MONOTONIC`; 0 when no picture is waited for.
  private let waitBegan = Atomic<Int64>(0)
  /// Packets that have reached the picture's sink.
  let pictures = MovieProgress()
  private let isSeeking = Atomic(false)

  /// Key frames of large movies are ten seconds apart, and all from one on are decoded. What takes longer hangs.
  static let longestWait = TimeSpan.seconds(20)

  /// - Parameter isRefused: Whether the sound output is known not to answer.
  init(isRefused: Bool = false) { self.isRefused = Atomic(isRefused) }

  /// All streams are linked: what follows up to the first picture is the decoder's time. (Linking itself is that of the
  /// sound output, which is opened meanwhile.)
  func linked(at now: MonotonicTime) { waitBegan.store(now.nanoseconds, ordering: .relaxed) }

  /// A seek begins: what is decoded up to its place takes its time.
  func seekBegan(at now: MonotonicTime) {
    waitBegan.store(now.nanoseconds, ordering: .relaxed)
    isSeeking.store(true, ordering: .relaxed)
  }

  /// The sinks have what they show and play next.
  func becameReady() { isSeeking.store(false, ordering: .relaxed) }

  /// Whether the picture is waited for, so that a standstill says nothing about the sound output.
  func awaitsPicture(at now: MonotonicTime) -> Bool {
    let began = waitBegan.load(ordering: .relaxed)
    guard began != 0, now - MonotonicTime(nanoseconds: began) < Self.longestWait else { return false }
    return isSeeking.load(ordering: .relaxed) || pictures.encoded.load(ordering: .relaxed) == 0
  }
}
