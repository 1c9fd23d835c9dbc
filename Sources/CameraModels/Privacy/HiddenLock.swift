// The lock on hidden pictures.

import Localization
import Observation

/// Keeps hidden pictures closed until the user has given the password of the session.
///
///     off ── setOn(true), password ──► closed ◄── close() ── open
///      ▲                                 │                    ▲
///      └──── setOn(false), password ─────┴─ unlock(), password ┘
///
/// It is a curtain in front of PhotoMe's page, against glances and borrowed computers. It doesn't encrypt: the files
/// stay where they are, and whoever uses a file manager or a terminal in the same session can open them. So nobody loses
/// a picture by it: it can be switched on only where the prompt has worked once; where the prompt is gone later, the
/// page says so, and the setting `locksHidden` in PhotoMe's settings file switches it off.
@MainActor @Observable
public final class HiddenLock {
  /// Whether the user wants the lock.
  public var isOn: Bool { settings.values.locksHidden }
  /// Whether hidden pictures must not be shown now.
  public var isClosed: Bool { isOn && !isOpen }
  /// Whether the prompt is shown.
  public private(set) var isAsking = false
  /// The reason that the last prompt didn't open the lock; `nil` when there was none, or when the user closed it.
  public private(set) var problem: String?

  private var isOpen = false
  /// Grows whenever the lock closes, and when it was closed already: an answer that comes afterwards doesn't open it, and what
  /// was permitted before is no longer.
  public private(set) var closingCount = 0
  @ObservationIgnored private let settings: SettingsModel
  @ObservationIgnored private let prompt: any PasswordPrompt
  @ObservationIgnored private let messages: MessageModel

  public init(settings: SettingsModel, prompt: any PasswordPrompt, messages: MessageModel) {
    (self.settings, self.prompt, self.messages) = (settings, prompt, messages)
  }

  /// Asks for the password, and opens the lock until `close`. Does nothing while the prompt is shown.
  public func unlock() async {
    guard isClosed, !isAsking else { return }
    let mine = closingCount
    let isGranted = await ask()
    if isGranted, mine == closingCount { isOpen = true }
  }

  /// Asks for the password for a single action, if the lock is closed. A message says why it can't be done.
  ///
  /// - Returns: Whether the action may be done.
  public func permit() async -> Bool {
    guard isClosed else { return true }
    guard !isAsking else { return false }
    let isGranted = await ask()
    if !isGranted, let problem { messages.post(problem) }
    return isGranted
  }

  /// Closes the lock again: the user has left the hidden pictures, or the computer.
  public func close() {
    closingCount += 1
    if problem != nil { problem = nil }
    if isOpen { isOpen = false }
  }

  /// Switches the lock on or off, for which the password is needed either way: whoever switches it on knows that the
  /// prompt works here. A message says why it can't be switched.
  public func setOn(_ wanted: Bool) async {
    guard wanted != isOn, !isAsking else { return }
    let isGranted = await ask()
    guard isGranted else {
      if let problem { messages.post(problem) }
      return
    }
    closingCount += 1
    isOpen = false
    settings.update { $0.locksHidden = wanted }
    messages.post(
      wanted
        ? localized("Hidden items are locked. PhotoMe will ask for your password before showing them.")
        : localized("Hidden items are no longer locked."),
      topic: .setting)
  }

  private func ask() async -> Bool {
    isAsking = true
    problem = nil
    defer { isAsking = false }
    switch await prompt.ask() {
    case .granted: return true
    case .dismissed: return false
    case .refused:
      problem = localized("The password wasn’t accepted.")
    case .unavailable(let reason):
      problem =
        isOn
        ? localized(
          """
          PhotoMe can’t ask for your password: \(reason.asClause). The files themselves aren’t locked: you can find them \
          in the library’s folder. To remove the lock, quit PhotoMe and set “locksHidden” to false in its settings file, \
          “\(FileSettingsStore.standard.url.path)”.
          """)
        : localized(
          "Hidden items can’t be locked here, because PhotoMe can’t ask for your password: \(reason.asClause).")
    }
    return false
  }
}
