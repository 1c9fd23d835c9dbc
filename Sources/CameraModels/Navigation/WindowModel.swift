// The main window's appearance, its size between starts, and its full screen, in which the bars around the picture fade.

import CameraCore
import Localization
import Observation

/// What the main window is like, whatever it shows.
///
/// In full screen, the bars around the camera's picture are hidden after `rest` without a movement, and come back with the next
/// one. They stay while somebody uses them (a popover is open, the pointer is over them), while there is no picture, and on every
/// other page.
@MainActor @Observable
public final class WindowModel {
  /// The time without a movement after which the bars are hidden.
  public static let rest = Duration.seconds(3)

  /// Whether the window manager shows the window in full screen.
  public private(set) var isFullScreen = false
  /// Whether the bars around the picture are shown.
  public private(set) var showsBars = true

  @ObservationIgnored private let settings: SettingsModel
  @ObservationIgnored private let clock: any Clock<Duration>
  @ObservationIgnored private let hasPicture: () -> Bool
  @ObservationIgnored private var observation: ModelObservation?
  @ObservationIgnored private var holders: Set<String> = []
  @ObservationIgnored private var timer: Task<Void, Never>?

  /// - Parameter clock: Measures the rest.
  public init(
    settings: SettingsModel, camera: CameraModel, navigation: NavigationModel,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.settings = settings
    self.clock = clock
    let hasPicture: @MainActor @Sendable () -> Bool = {
      if case .running = camera.status { navigation.frontPage == .camera } else { false }
    }
    self.hasPicture = hasPicture
    observation = ModelObservation(of: hasPicture) { [weak self] _ in self?.moved() }
  }

  deinit { timer?.cancel() }

  // MARK: Appearance

  /// Whether the windows are light or dark.
  public var appearance: Appearance { settings.values.appearance }

  public func setAppearance(_ appearance: Appearance) {
    let text =
      switch appearance {
      case .system: localized("The appearance follows the system.")
      case .light: localized("The appearance is light.")
      case .dark: localized("The appearance is dark.")
      }
    settings.update(saying: text) { $0.appearance = appearance }
  }

  // MARK: Size

  /// The size that the window had last; `nil` at the first start.
  public var size: AppSettings.WindowSize? { settings.values.window }

  /// Remembers the size for the next start.
  public func remember(_ size: AppSettings.WindowSize) { settings.update { $0.window = size } }

  // MARK: Full screen

  /// The window manager has shown the window in full screen, or no longer does.
  public func followFullScreen(_ isFullScreen: Bool) {
    self.isFullScreen = isFullScreen
    moved()
  }

  /// Somebody has moved the pointer or the keyboard's focus, or touched the screen.
  public func moved() {
    timer?.cancel()
    timer = nil
    showsBars = true
    guard isFullScreen, holders.isEmpty, hasPicture() else { return }
    timer = Task { [weak self, clock] in
      // Sleeping throws only when the task is canceled.
      do { try await clock.sleep(for: Self.rest) } catch { return }
      guard !Task.isCancelled, let self else { return }
      timer = nil
      showsBars = false
    }
  }

  /// Keeps the bars while something uses them, such as an open popover.
  ///
  /// - Parameter holder: A name for it.
  public func hold(_ holder: String, _ isHeld: Bool) {
    if isHeld { holders.insert(holder) } else { holders.remove(holder) }
    moved()
  }
}
