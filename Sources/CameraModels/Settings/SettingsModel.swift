// The settings, as the other models read and change them.

import CameraCore
import Localization
import Observation

/// Holds the settings and saves every change, off the main thread and in order.
@MainActor @Observable
public final class SettingsModel {
  /// The present settings. Changed through `update`.
  public private(set) var values: AppSettings

  /// The settings as they were loaded or saved last. What another program has saved since isn't among them: it is taken over
  /// at the next start.
  @ObservationIgnored private var stored: AppSettings
  @ObservationIgnored private let store: any SettingsStore
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private var hasReportedFailure = false
  @ObservationIgnored private var saving: Task<Void, Never>?
  @ObservationIgnored private var mustSave = false

  /// Reads the store. Settings that can't be read are not fatal: they have their defaults, and a message says so. Only the lock
  /// on hidden pictures is closed then, because nobody knows whether it was.
  public init(store: any SettingsStore, messages: MessageModel) {
    self.store = store
    self.messages = messages
    let loaded: AppSettings
    do { loaded = try store.load() } catch {
      var closed = AppSettings()
      closed.locksHidden = true
      values = closed
      stored = closed
      messages.post(
        localized(
          """
          Your settings couldn’t be read. The defaults are used, and hidden items are locked. \
          \(error.localizedDescription)
          """))
      return
    }
    values = loaded
    stored = loaded
    guard !values.unreadable.isEmpty else { return }
    let names = values.unreadable.joined(separator: ", ")
    messages.post(
      values.unreadable.contains("locksHidden")
        ? localized(
          """
          Some settings couldn’t be read and have their defaults until you change them: \(names). Hidden items are \
          locked.
          """)
        : localized("Some settings couldn’t be read and have their defaults until you change them: \(names)."))
  }

  /// Changes the settings; they are saved soon after (see `saved`). A failure to save is reported once.
  public func update(_ change: (inout AppSettings) -> Void) {
    var changed = values
    change(&changed)
    guard changed != values else { return }
    values = changed
    mustSave = true
    guard saving == nil else { return }
    saving = Task { await self.save() }
  }

  /// Changes the settings as a person chose, and says so where something really changes.
  ///
  /// - Parameter text: One short sentence about the settings as they are then.
  func update(saying text: @autoclosure () -> String, _ change: (inout AppSettings) -> Void) {
    let before = values
    update(change)
    if values != before { messages.post(text(), topic: .setting) }
  }

  /// Returns when the file is up to date, or can't be.
  public func saved() async { await saving?.value }

  /// Saves the present settings, and those that they become meanwhile.
  private func save() async {
    while mustSave {
      mustSave = false
      let (store, values, stored) = (store, values, stored)
      do {
        try await Blocking.run { try store.save(values, since: stored) }
        self.stored = values
        hasReportedFailure = false
      } catch { report(error) }
    }
    saving = nil
  }

  private func report(_ error: any Error) {
    guard !hasReportedFailure else { return }
    hasReportedFailure = true
    messages.post(localized("Your settings couldn’t be saved. \(error.localizedDescription)"))
  }
}
