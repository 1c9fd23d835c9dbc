// The sandbox that the program runs in.

import Foundation

/// A sandbox around the program, in which devices, settings and the desktop's services are reached through portals.
public enum Sandbox: Equatable, Sendable {
  /// Flatpak, and what imitates it.
  case flatpak
  case snap

  /// The sandbox around this process; `nil` outside of any.
  public static let current = Sandbox()

  /// - Parameters:
  ///   - environment: The process's.
  ///   - root: The topmost folder.
  public init?(environment: [String: String] = ProcessInfo.processInfo.environment, root: String = "/") {
    // The same signs that GTK and GLib look for.
    if access(root + ".flatpak-info", F_OK) == 0 {
      self = .flatpak
    } else if let snap = environment["SNAP"], !snap.isEmpty {
      self = .snap
    } else {
      return nil
    }
  }
}
