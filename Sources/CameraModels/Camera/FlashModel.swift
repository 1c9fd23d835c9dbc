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
/// row, taken at least `reaction` after the light, are within `tolerance` of each other; at most `patience`. Where faces are
/// found in that light, their levels count and not those of the whole frame: the screen lights a face up, and leaves the
/// room as it was.
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
    didSet { if isLit, !oldValue { litCount += 1 } }
  }
  /// How often it was, since the program started.
  public private(set) var litCount = 0

  /// Finds the faces whose exposure counts; `nil` measures whole frames.
  @ObservationIgnored public var detector: (any FaceDetecting)?

  @ObservationIgnored private let service: any CameraService
  @ObservationIgnored private let clock: any Clock<Duration>
  /// Whether the room was dark when it was looked at last.
  @ObservationIgnored private var isDark = false
  /// The photos that need the light: those that wait for it, and those whose frame isn't chosen yet.
  @ObservationIgnored private var users = 0
  /// Whether the exposure has settled in the light that is on.
  @ObservationIgnored private var isSettled = false

  init(service: any CameraService, clock: any Clock<Duration>) { (self.service, self.clock) = (service, clock) }

  /// Whether a photo that is taken now needs it. While it is lit, the picture doesn't tell.
  func isNeeded(_ mode: FlashMode) async -> Bool {
    switch mode {
    case .off: return false
    case .on: return true
    case .auto:
      if isLit { return true }
      guard let level = await service.brightness(of: [])?.level else { return false }
      isDark = level < Self.darkBelow || isDark && level <= Self.brightAbove
      return isDark
    }
  }

  /// Lights the window up for a photo, and returns when the exposure has settled, at once where it has already. The window stays
  /// white until `extinguish` was called for each photo.
  ///
  /// - Throws: `CancellationError` when the task was canceled; the photo needs no light anymore then.
  func light() async throws {
    users += 1
    isLit = true
    var levels: [FrameBrightness] = []
    var faces: [FoundFace] = []
    do {
      for step in 1...Self.patience {
        try Task.checkCancellation()
        if isSettled { return }
        try await clock.sleep(for: Self.step)
        try Task.checkCancellation()
        if step == Self.reaction { faces = await facesInView() }
        guard step > Self.reaction, let level = await service.brightness(of: faces), level.time != levels.last?.time
        else {
          continue
        }
        levels = levels.suffix(Self.agreeing - 1) + [level]
        if Self.agree(levels.map(\.level)) { break }
      }
      isSettled = true
    } catch {
      extinguish()
      throw error
    }
  }

  /// The faces of the people that the picture is of; none where nobody knows.
  private func facesInView() async -> [FoundFace] {
    guard let detector, let picture = await service.newestPicture() else { return [] }
    return (try? await detector.faces(in: picture))?.foremost ?? []
  }

  /// The shot has its frame. The window is dark again when no photo needs the light anymore.
  func extinguish() {
    users -= 1
    if users == 0 { (isLit, isSettled) = (false, false) }
  }

  private static func agree(_ levels: [Double]) -> Bool {
    guard levels.count == agreeing, let least = levels.min(), let most = levels.max() else { return false }
    return most - least <= tolerance
  }
}
