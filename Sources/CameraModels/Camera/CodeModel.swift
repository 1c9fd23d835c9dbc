// The QR code in the viewfinder, offered until it has left.

import EngineInterface
import Observation

/// Follows the engine's recognition of codes, while that is wanted. Nothing is opened before the person asks for it.
@MainActor @Observable
public final class CodeModel {
  /// The time that a code is offered after it has left: a phone is put down before the pointer is moved.
  public nonisolated static let linger = Duration.seconds(4)

  /// The code that is offered; `nil` while there is none.
  public private(set) var code: RecognizedCode?

  @ObservationIgnored private let scanner: any CodeScanning
  @ObservationIgnored private let settings: SettingsModel
  @ObservationIgnored private let clock: any Clock<Duration>
  @ObservationIgnored private var observation: ModelObservation?
  @ObservationIgnored private var listening: Task<Void, Never>?
  @ObservationIgnored private var fading: Task<Void, Never>?

  /// - Parameter clock: Measures how long a code is offered after it has left.
  public init(scanner: any CodeScanning, settings: SettingsModel, clock: any Clock<Duration> = ContinuousClock()) {
    (self.scanner, self.settings, self.clock) = (scanner, settings, clock)
    observation = ModelObservation(of: { settings.values.capture.looksForCodes }) { [weak self] in self?.follow($0) }
  }

  deinit {
    listening?.cancel()
    fading?.cancel()
  }

  /// Stops offering the code.
  public func dismiss() {
    fading?.cancel()
    code = nil
  }

  private func follow(_ isOn: Bool) {
    guard isOn else {
      listening?.cancel()
      listening = nil
      return dismiss()
    }
    guard listening == nil else { return }
    let codes = scanner.codes()
    listening = Task { [weak self] in
      for await text in codes { self?.received(text) }
    }
  }

  private func received(_ text: String?) {
    fading?.cancel()
    if let text {
      code = RecognizedCode(text)
    } else {
      fading = Task { [weak self, clock] in
        // Sleeping throws only when the task is canceled.
        do { try await clock.sleep(for: Self.linger) } catch { return }
        if !Task.isCancelled { self?.code = nil }
      }
    }
  }
}
