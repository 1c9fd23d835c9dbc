// The load on the computer, in words, and the desktop's power saver.

import CameraCore
import EngineInterface
import Localization
import Observation

/// The desktop's power saver, as the models see it.
@MainActor public protocol PowerSaverSource: AnyObject {
  /// Tells whether the power saver is on, now and at each change, until the program ends. Tells nothing where there is none.
  func start(_ tell: @escaping @MainActor (Bool) -> Void)
}

/// Says what is left out of the preview and of movies while the computer can't keep up.
@MainActor @Observable
public final class PressureModel {
  public private(set) var state = SystemPressure()
  /// The highest level since the program was started.
  public private(set) var highest = PressureLevel.nominal
  /// Whether the remark is new, and to be shown.
  public private(set) var isRemarkNew = false

  /// The time that a remark stays over the picture: it is known then, and what is behind it isn't.
  static let remarkTime = Duration.seconds(8)

  @ObservationIgnored private let service: any CameraService
  @ObservationIgnored private let clock: any Clock<Duration>
  @ObservationIgnored private var aging: Task<Void, Never>?
  @ObservationIgnored private var powerSaver: (any PowerSaverSource)?

  /// - Parameter clock: Measures the time that a remark is shown.
  init(service: any CameraService, clock: any Clock<Duration> = ContinuousClock()) {
    self.service = service
    self.clock = clock
  }

  deinit { aging?.cancel() }

  /// One line that says what is reduced, and why; `nil` while nothing is.
  public var remark: String? {
    guard let cause = state.factors.min(), state.level > .nominal else { return nil }
    return switch (cause, state.level.measures.halvesMovies) {
    case (.temperature, true): localized("Lower preview and video quality while the computer is hot")
    case (.temperature, false): localized("Lower preview quality while the computer is hot")
    case (.memory, true): localized("Lower preview and video quality while memory is low")
    case (.memory, false): localized("Lower preview quality while memory is low")
    case (.movie, true): localized("Lower preview and video quality to keep up with the recording")
    case (.movie, false): localized("Lower preview quality to keep up with the recording")
    case (.preview, true): localized("Lower preview and video quality while the computer is busy")
    case (.preview, false): localized("Lower preview quality while the computer is busy")
    case (.powerSaver, true): localized("Lower preview and video quality to save power")
    case (.powerSaver, false): localized("Lower preview quality to save power")
    }
  }

  /// Tells the engine about the power saver from now on.
  public func follow(_ powerSaver: any PowerSaverSource) {
    self.powerSaver = powerSaver
    powerSaver.start { [service] in service.setSavesPower($0) }
  }

  func received(_ pressure: SystemPressure) {
    let (level, before) = (state.level, remark)
    state = pressure
    highest = max(highest, pressure.level)
    guard level != state.level || before != remark else { return }
    aging?.cancel()
    isRemarkNew = remark != nil
    guard isRemarkNew else { return }
    aging = Task { [weak self, clock] in
      // Sleeping throws only when the task is canceled.
      do { try await clock.sleep(for: Self.remarkTime) } catch { return }
      if !Task.isCancelled { self?.isRemarkNew = false }
    }
  }
}
