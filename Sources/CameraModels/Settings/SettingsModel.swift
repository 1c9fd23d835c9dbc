// The settings, as the other models read and change them.

import CameraCore
import Observation

/// Holds the settings and saves every change.
@MainActor @Observable
public final class SettingsModel {
  /// The present settings. Changed through `update`.
  public private(set) var values: AppSettings

  @ObservationIgnored private let store: any SettingsStore
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private var hasReportedFailure = false

  /// Reads the store. Settings that can't be read are not fatal: the defaults are used, and a message says so.
  public init(store: any SettingsStore, messages: MessageModel) {
    self.store = store
    self.messages = messages
    do { values = try store.load() } catch {
      values = AppSettings()
      messages.post("Your settings could not be read, so the defaults are used: \(error.localizedDescription)")
    }
  }

  /// Changes the settings and saves them. A failure to save is reported once.
  public func update(_ change: (inout AppSettings) -> Void) {
    var changed = values
    change(&changed)
    guard changed != values else { return }
    values = changed
    do {
      try store.save(changed)
      hasReportedFailure = false
    } catch {
      guard !hasReportedFailure else { return }
      hasReportedFailure = true
      messages.post("Your settings could not be saved: \(error.localizedDescription)")
    }
  }
}
