// The desktop’s services for pictures: other programs, emails and the background.

import Foundation

/// The outcome of a request to the desktop's portal.
public enum PortalOutcome: Equatable, Sendable {
  case done
  /// The person dismissed its dialog.
  case dismissed
  /// It ended without an answer, as where the program is missing that it would start.
  case closed
  /// The desktop has no portal, or one that can't do this.
  case unavailable
  /// - reason: A clause: the portal's own words, or those of the file that can't be opened.
  case failed(reason: String)
}

/// The desktop's services for pictures; in the program its portal and its settings, in tests a script.
@MainActor public protocol DesktopSharing: AnyObject {
  /// Lets the person choose a program, and opens files with it.
  func send(_ files: [URL]) async -> PortalOutcome

  /// Opens a new email with files attached, which the person completes and sends.
  func composeEmail(attaching files: [URL]) async -> PortalOutcome

  /// Asks the person whether a JPEG or PNG file becomes the desktop's background.
  func setBackground(_ file: URL) async -> PortalOutcome

  /// Makes a file the background by the desktop's settings, without a question.
  ///
  /// - Returns: Whether this desktop has such settings, and they can be changed.
  func setBackgroundInSettings(_ file: URL) -> Bool
}
