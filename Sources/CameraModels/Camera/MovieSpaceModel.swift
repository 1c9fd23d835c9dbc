// The recording time that fits on the disk before a movie is begun.

import CameraCore
import EngineInterface
import Observation

/// Looks at the disk while the shutter records movies, a camera runs and no movie is being recorded: when one of these, the
/// camera's mode or the settings of movies change, and about once a minute. The movie that is being recorded tells its
/// own time.
@MainActor @Observable
final class MovieSpaceModel {
  /// What the time depends on.
  struct Subject: Equatable {
    var settings: RecordingSettings
    var session: CameraSession
  }

  /// `nil` while it isn't looked for, and where nobody knows.
  private(set) var time: TimeSpan?

  /// The time from one look at the disk to the next.
  nonisolated static let pause = Duration.seconds(60)

  @ObservationIgnored private let service: any MovieRecording
  @ObservationIgnored private let clock: any Clock<Duration>
  @ObservationIgnored private var observation: ModelObservation?
  @ObservationIgnored private var subject: Subject?
  @ObservationIgnored private var looking: Task<Void, Never>?

  init(service: any MovieRecording, clock: any Clock<Duration>) { (self.service, self.clock) = (service, clock) }

  deinit { looking?.cancel() }

  /// - Parameter subject: Called now, and again when the models that it reads have changed; `nil` while nobody wants to
  ///   know.
  func follow(_ subject: @escaping @MainActor () -> Subject?) {
    observation = ModelObservation(of: subject) { [weak self] in self?.look(at: $0) }
  }

  private func look(at subject: Subject?) {
    guard subject != self.subject else { return }
    self.subject = subject
    looking?.cancel()
    looking = nil
    guard let settings = subject?.settings else {
      time = nil
      return
    }
    looking = Task { [weak self, service, clock] in
      while !Task.isCancelled {
        let time = await service.room(for: settings)
        guard !Task.isCancelled else { return }
        self?.time = time
        // Sleeping throws only when the task is canceled.
        do { try await clock.sleep(for: Self.pause) } catch { return }
      }
    }
  }
}
