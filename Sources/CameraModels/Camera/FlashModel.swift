// The screen as a flash: when it is needed, and when the camera's exposure has settled in its light.

import CameraCore
import EngineInterface
import Observation

/// Lights the window up for a photo.
///
/// In auto mode it does where the newest frame's mean luma L (see `FrameBrightness`) is below `darkBelow`. Once a room was
/// dark it stays so until L is above `brightAbove`, so that a level between the two doesn't change its mind with each
/// shot: `dark' = L < 0.22 ∨ (dark ∧ L ≤ 0.30)`.
///
/// A camera needs a moment to find its exposure in the new light. The shot waits until the levels of three frames in a
/// row, taken at least `reaction` after the light, are within `tolerance` of each other; at most `patience`.
@MainActor @Observable
public final class FlashModel {
  /// The mean luma below which a picture is dark, and that above which it no longer is.
  public static let (darkBelow, brightAbove) = (0.22, 0.30)
  /// The time from one measurement to the next: about two frames.
  static let step = Duration.milliseconds(60)
  /// The number of steps until a camera can show the light: the screen's and the camera's own delay.
  static let reaction = 5
  /// The largest number of steps: a second, after which the light is as good as it gets.
  static let patience = 17
  /// The number of frames that must agree, and the largest difference of their levels.
  static let (agreeing, tolerance) = (3, 0.012)

  /// Whether the window is white.
  public private(set) var isLit = false {
    didSet {
      if isLit { return litCount += 1 }
      for one in waiting { one.resume() }
      waiting = []
    }
  }
  /// How often it was, since the program started.
  public private(set) var litCount = 0

  @ObservationIgnored private let service: any CameraService
  @ObservationIgnored private let clock: any Clock<Duration>
  /// Whether the room was dark when it was looked at last.
  @ObservationIgnored private var isDark = false
  /// Those who wait for the end of the light.
  @ObservationIgnored private var waiting: [CheckedContinuation<Void, Never>] = []

  init(service: any CameraService, clock: any Clock<Duration>) { (self.service, self.clock) = (service, clock) }

  /// Whether a photo that is taken now needs it.
  func isNeeded(_ mode: FlashMode) async -> Bool {
    switch mode {
    case .off: return false
    case .on: return true
    case .auto:
      guard let level = await service.brightness()?.level else { return false }
      isDark = level < Self.darkBelow || isDark && level <= Self.brightAbove
      return isDark
    }
  }

  /// Lights the window up, and returns when the exposure has settled. It stays white until `extinguish`.
  ///
  /// - Throws: `CancellationError` when the task was canceled; the window is dark again then.
  func light() async throws {
    isLit = true
    var levels: [FrameBrightness] = []
    do {
      for step in 1...Self.patience {
        try await clock.sleep(for: Self.step)
        try Task.checkCancellation()
        guard step > Self.reaction, let level = await service.brightness(), level.time != levels.last?.time else {
          continue
        }
        levels = levels.suffix(Self.agreeing - 1) + [level]
        if Self.agree(levels.map(\.level)) { return }
      }
    } catch {
      isLit = false
      throw error
    }
  }

  /// The shot has its frame.
  func extinguish() { isLit = false }

  /// Returns when the window isn't white for a photo. Every shot ends its light, at the latest when it fails.
  func waitUntilDark() async {
    guard isLit else { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  private static func agree(_ levels: [Double]) -> Bool {
    guard levels.count == agreeing, let least = levels.min(), let most = levels.max() else { return false }
    return most - least <= tolerance
  }
}
