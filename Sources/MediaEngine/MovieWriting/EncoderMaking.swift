// Making of encoders, each on a thread of its own.

import CameraCore

/// Makes the pipelines of encoders. An encoder of a graphics card may hang already while it is made; neither an actor nor
/// the next encoder waits for it longer than the limit.
struct EncoderMaking: Sendable {
  /// The time in which an encoder is made, before the next one is tried.
  var limit = EngineLimits().encoderMaking
  /// Returns after a time limit; throws when the task is canceled.
  var wait: @Sendable (TimeSpan) async throws -> Void = { try await Task.sleep(nanoseconds: UInt64($0.nanoseconds)) }

  /// Runs `build` on a thread of its own. What comes too late is dropped: it has opened nothing yet.
  ///
  /// - Throws: The failure of `build`; a failure of the picture when it hangs.
  func make<Encoding: Sendable>(
    with encoder: VideoEncoder, _ build: @escaping @Sendable () throws(MovieFailure) -> Encoding
  ) async throws(MovieFailure) -> Encoding {
    try await Blocking.run(
      onThread: "encoder", atMost: limit, late: MovieFailure.unanswered(by: encoder), wait: wait, build)
  }
}
