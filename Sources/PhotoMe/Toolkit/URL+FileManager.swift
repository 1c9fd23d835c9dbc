// Opening a folder in the desktop's file manager, and a link in its program.

import CGtk
import CameraCore
import Foundation
import Localization

extension URL {
  /// Opens this link in the program that the desktop has for it.
  ///
  /// - Parameter failed: Called with a message for the user if that fails.
  @MainActor func openInItsProgram(over window: GObjectRef, failed: @escaping (String) -> Void) {
    let ended: (String?) -> Void = { reason in
      if let reason { failed(localized("Couldn’t open the link: \(reason.asClause).")) }
    }
    gtk_show_uri_full(
      window.of(GtkWindow.self), absoluteString, guint32(GDK_CURRENT_TIME), nil, showingEnded,
      HandlerBox.retained(ended))
  }

  /// Opens this folder.
  ///
  /// - Parameter failed: Called with a message for the user if that fails.
  @MainActor func openInFileManager(over window: GObjectRef, failed: @escaping (String) -> Void) {
    let ended: (String?) -> Void = { [path] reason in
      guard let reason else { return }
      failed(localized("Couldn’t open the file manager: \(reason.asClause). The folder is “\(path.displayed)”."))
    }
    gtk_show_uri_full(
      window.of(GtkWindow.self), absoluteString, guint32(GDK_CURRENT_TIME), nil, showingEnded,
      HandlerBox.retained(ended))
  }
}

/// The callback of `gtk_show_uri_full`, on the main thread: passes the reason of a failure, or `nil`.
private func showingEnded(
  _ window: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ data: UnsafeMutableRawPointer?
) {
  var error: UnsafeMutablePointer<GError>?
  var reason: String?
  let shown = window.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GtkWindow.self) }
  if gtk_show_uri_full_finish(shown, result, &error) == 0 {
    reason = error.map { String(cString: $0.pointee.message) } ?? localized("unknown error")
  }
  g_clear_error(&error)
  let handler: HandlerBox<(String?) -> Void>? = .from(data)
  let text = reason
  MainActor.assumeIsolated { handler?.handler(text) }
  releaseHandlerBox(data)
}
