// The interface to the system's own password prompt.

/// The answer to a password prompt.
public enum PasswordAnswer: Hashable, Sendable {
  case granted
  /// The password was wrong, or the system's rules don't allow it.
  case refused
  /// The user closed the prompt.
  case dismissed
  /// Nobody can ask here.
  ///
  /// - reason: As a clause: “no program on this desktop shows password prompts”.
  case unavailable(reason: String)
}

/// Asks for the user's password, without ever seeing it.
@MainActor public protocol PasswordPrompt: AnyObject {
  /// Shows the system's prompt and waits for the answer.
  func ask() async -> PasswordAnswer
}
