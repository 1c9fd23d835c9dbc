// The messages as toasts on the page or the window in front.

import CGtk
import CameraModels
import GtkShim
import Localization

/// Follows a `MessageModel`. What becomes a toast, and where, is decided by a `ToastBoard`.
@MainActor final class MessageToasts {
  /// What shows toasts of its own.
  enum Place: Hashable, Sendable {
    case page(NavigationModel.Page)
    case preferences
  }

  /// Called with the toasts that are shown or queued, for scripts: a line for each, as “camera: Countdown: 5 seconds.”
  var changed: ((_ report: String) -> Void)? {
    didSet { changed?(report) }
  }

  /// The `AdwToastOverlay` of a page; `nil` where it has none, or isn't built yet.
  private let overlay: (NavigationModel.Page) -> GObjectRef?
  private let models: Models
  /// The preferences window while it is open.
  private var preferences: PreferencesWindow?
  private var board = ToastBoard<Place>() {
    didSet { changed?(report) }
  }
  /// By the ids of the board. A toast is kept until it is gone.
  private var toasts: [Message.ID: Toast] = [:]
  private var observations: [ModelObservation] = []

  /// Shows the messages from now on.
  init(models: Models, overlay: @escaping (NavigationModel.Page) -> GObjectRef?) {
    (self.models, self.overlay) = (models, overlay)
    let (countdown, history) = (models.camera.countdown, models.history)
    observations = [
      ModelObservation(of: { [models] in models.messages.messages.count }) { [weak self] count in
        if count > 0 { self?.showMessages() }
      },
      ModelObservation(of: { [models] in models.messages.withdrawal }) { [weak self] in
        if let self, let topic = $0?.topic { for id in board.about(topic) { toasts[id]?.dismiss() } }
      },
      // The countdown has its Cancel button where toasts are.
      ModelObservation(of: { countdown.isRunning }) { [weak self] in if $0 { self?.makeRoom() } },
      ModelObservation(of: { (history.past + history.future).map(\.id) }) { [weak self] _ in
        self?.dismissOutdatedOffers()
      },
    ]
  }

  /// Shows the messages in the preferences, which cover the main window, until `leavePreferences`.
  func enter(_ preferences: PreferencesWindow) { self.preferences = preferences }

  /// Shows the messages in the main window again, also those that went with the preferences before they could be read.
  func leavePreferences() {
    preferences = nil
    let gone = board.entries.filter { $0.place == .preferences }.map(\.id)
    let unread = board.close(.preferences) { toasts[$0]?.isNew ?? false }
    for id in gone { toasts.removeValue(forKey: id)?.gone = nil }
    for message in unread { show(message) }
  }

  private var place: Place {
    if preferences != nil { return .preferences }
    let page = models.navigation.page
    return .page(overlay(page) == nil ? .camera : page)
  }

  private var report: String {
    board.entries.map { entry in
      let place = if case .page(let page) = entry.place { page.rawValue } else { "preferences" }
      return "\(place): \(entry.message.text)"
    }.joined(separator: "\n")
  }

  private func showMessages() {
    while let message = models.messages.takeNext() { show(message) }
  }

  private func show(_ message: Message) {
    pm_announce(message.text)
    let place = place
    let isCovered = place == .page(.camera) && models.camera.countdown.isRunning
    switch board.add(message, at: place, isCovered: isCovered, isNew: { toasts[$0]?.isNew ?? false }) {
    case .drop: break
    case .setText(let id): toasts[id]?.setText(message.text)
    case .show(let others):
      for id in others { toasts[id]?.dismiss() }
      guard let toast = Toast(message.text) else { return board.remove(message.id) }
      toasts[message.id] = toast
      toast.gone = { [weak self] in
        self?.board.remove(message.id)
        self?.toasts[message.id] = nil
      }
      if let action = message.action { offer(action, on: toast) }
      if let preferences, place == .preferences {
        preferences.show(toast)
      } else if case .page(let page) = place, let overlay = overlay(page) {
        toast.show(over: overlay) { adw_toast_overlay_add_toast(overlay.opaque, $0) }
      }
    }
  }

  private func makeRoom() {
    for id in board.hints(at: .page(.camera)) { toasts[id]?.dismiss() }
  }

  // MARK: Offers

  /// Adds the button that undoes or redoes the change that a toast reports, or shows the file.
  private func offer(_ action: Message.Action, on toast: Toast) {
    let (label, name) =
      switch action {
      case .undo: (localized("_Undo"), "app.undo-entry")
      case .redo: (localized("_Redo"), "app.redo-entry")
      case .showFile: (localized("_Show in Files"), "app.show-file")
      case .editAgain: (localized("_Edit Again"), "app.edit-again")
      }
    toast.setButton(label, action: name, target: action.target)
  }

  /// Dismisses toasts whose button would do nothing anymore.
  private func dismissOutdatedOffers() {
    for entry in board.entries {
      if let action = entry.message.action, !isValid(action) { toasts[entry.id]?.dismiss() }
    }
  }

  private func isValid(_ action: Message.Action) -> Bool {
    switch action {
    case .undo(let id): models.history.past.contains { $0.id == id }
    case .redo(let id): models.history.future.contains { $0.id == id }
    case .showFile, .editAgain: true
    }
  }
}
