// Files for other programs, emails and the desktop's background, through the desktop's portal and GNOME's settings.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim

/// The desktop, with dialogs over a window.
@MainActor final class PortalSharing: DesktopSharing {
  private let window: GObjectRef

  /// Opens files with a program that is chosen in the toolkit's own dialog.
  private let openWith: ([URL]) -> Void

  /// - Parameter window: The `GtkWindow` over which the portal's dialogs open.
  init(window: GObjectRef, openWith: @escaping ([URL]) -> Void) { (self.window, self.openWith) = (window, openWith) }

  func send(_ files: [URL]) async -> PortalOutcome {
    // The portal asks for one file at a time. Outside of a sandbox there is a dialog that takes several.
    if files.count == 1 {
      let outcome = await PortalRequest.outcome(of: files) { [window] descriptors, data in
        pm_portal_open(
          window.of(GtkWindow.self), descriptors[0], PM_PORTAL_OPEN_WITH, portalAnswerTrampoline, data,
          releaseHandlerBox)
      }
      guard case .unavailable = outcome else { return outcome }
    }
    guard Sandbox.current == nil else { return .unavailable }
    openWith(files)
    return .done
  }

  func composeEmail(attaching files: [URL]) async -> PortalOutcome {
    await PortalRequest.outcome(of: files) { [window] descriptors, data in
      pm_portal_compose_email(
        window.of(GtkWindow.self), descriptors, Int32(descriptors.count), portalAnswerTrampoline, data,
        releaseHandlerBox)
    }
  }

  func setBackground(_ file: URL) async -> PortalOutcome {
    await PortalRequest.outcome(of: [file]) { [window] descriptors, data in
      pm_portal_set_background(
        window.of(GtkWindow.self), descriptors[0], portalAnswerTrampoline, data, releaseHandlerBox)
    }
  }

  func setBackgroundInSettings(_ file: URL) -> Bool {
    // A sandbox has settings of its own, which no desktop reads.
    guard Sandbox.current == nil, Self.readsGNOMESettings(ProcessInfo.processInfo.environment),
      let source = g_settings_schema_source_get_default(),
      let schema = g_settings_schema_source_lookup(source, Self.schema, true.gboolean)
    else { return false }
    defer { g_settings_schema_unref(schema) }
    let settings = GObjectRef(adopting: g_settings_new(Self.schema))
    let raw = settings.of(GSettings.self)
    guard g_settings_is_writable(raw, "picture-uri") != 0,
      g_settings_set_string(raw, "picture-uri", file.absoluteString) != 0
    else { return false }
    // Since GNOME 42 the dark style has a background of its own.
    if g_settings_schema_has_key(schema, "picture-uri-dark") != 0 {
      g_settings_set_string(raw, "picture-uri-dark", file.absoluteString)
    }
    // Else the picture stays behind a plain color.
    if takeString(g_settings_get_string(raw, "picture-options")) == "none" {
      g_settings_set_string(raw, "picture-options", "zoom")
    }
    g_settings_sync()
    return true
  }

  private static let schema = "org.gnome.desktop.background"

  /// Whether the desktop shows the background that GNOME's settings name. GTK brings their schema to every desktop.
  nonisolated static func readsGNOMESettings(_ environment: [String: String]) -> Bool {
    let names = environment["XDG_CURRENT_DESKTOP"]?.split(separator: ":").map { $0.lowercased() } ?? []
    return names.contains { ["gnome", "unity", "budgie", "pantheon"].contains($0) || $0.hasPrefix("gnome-") }
  }
}
