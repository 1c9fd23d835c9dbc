// The help pages, and the program that shows them.

import CGtk
import CameraCore
import Foundation
import Localization

/// The pages of `data/help`, and their address for Yelp, the desktop's help viewer.
struct HelpPages {
  /// The folder of the pages.
  let folder: String
  let address: String

  init(folder: String) {
    self.folder = folder
    let shared = ProcessInfo.processInfo.environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 }
    let dataFolders =
      [UserFolders().data.path] + (shared ?? "/usr/local/share:/usr/share").split(separator: ":").map(String.init)
    address = Self.address(
      of: folder, dataFolders: Sandbox.current == nil ? dataFolders : [],
      flatpakInfo: try? String(contentsOfFile: "/.flatpak-info", encoding: .utf8))
  }

  /// The address of the pages in a folder: by name where the viewer finds them so, in the person's language; else by path.
  ///
  /// - Parameters:
  ///   - dataFolders: Those in which the viewer looks for names; none in a sandbox, whose folders it doesn't know.
  ///   - flatpakInfo: The text of `/.flatpak-info`, by which a Flatpak knows the path of its own files outside.
  static func address(of folder: String, dataFolders: [String], flatpakInfo: String? = nil) -> String {
    for parent in dataFolders
    where folder == "\(parent.hasSuffix("/") ? String(parent.dropLast()) : parent)/help/C/photome" {
      return "help:photome"
    }
    let key = "app-path="
    let line = flatpakInfo?.split(separator: "\n").first { $0.hasPrefix(key) }
    if let line, folder.hasPrefix("/app/") { return "ghelp:\(line.dropFirst(key.count))\(folder.dropFirst(4))" }
    // Not percent-encoded, and so without spaces: Yelp (42) decodes none of it.
    return "ghelp:\(folder)"
  }

  /// Opens the pages.
  ///
  /// - Parameter failed: Called with a message for the user if that fails.
  @MainActor func open(over window: GObjectRef, failed: @escaping (String) -> Void) {
    guard FileManager.default.isReadableFile(atPath: folder + "/index.page") else {
      return failed(localized("PhotoMe’s help wasn’t found in “\(folder.displayed)”. Reinstall PhotoMe."))
    }
    // A sandbox has no other programs in it: the portal knows the viewer.
    if Sandbox.current != nil, let address = URL(string: address) {
      return address.openInItsProgram(over: window, failed: failed)
    }
    guard let viewer = Self.viewer else {
      return failed(
        localized("To read PhotoMe’s help, install Yelp, the help viewer. The pages are in “\(folder.displayed)”."))
    }
    let context = gdk_display_get_app_launch_context(gtk_widget_get_display(window.widget)).map {
      UnsafeMutableRawPointer($0).assumingMemoryBound(to: GAppLaunchContext.self)
    }
    defer { context.map { g_object_unref($0) } }
    for name in SystemSettings.ownSettings { g_app_launch_context_unsetenv(context, name) }
    let list = g_list_prepend(nil, g_strdup(address))
    defer { g_list_free_full(list, g_free) }
    var error: UnsafeMutablePointer<GError>?
    let isStarted = g_app_info_launch_uris(viewer.opaque, list, context, &error)
    guard isStarted == 0 else { return }
    let reason = error.map { String(cString: $0.pointee.message) } ?? localized("unknown error")
    g_clear_error(&error)
    failed(localized("Couldn’t open the help viewer: \(reason.asClause)."))
  }

  /// Yelp. Not whatever has the scheme: KDE's own viewer does as well, and can't show such pages.
  @MainActor private static var viewer: GObjectRef? {
    let programs = g_app_info_get_all_for_type("x-scheme-handler/help")
    defer { g_list_free_full(programs, g_object_unref) }
    var next = programs
    while let item = next {
      defer { next = item.pointee.next }
      guard let program = item.pointee.data.map({ OpaquePointer($0) }), let id = g_app_info_get_id(program) else {
        continue
      }
      if ["yelp.desktop", "org.gnome.Yelp.desktop"].contains(String(cString: id)) {
        return GObjectRef(retaining: program)
      }
    }
    return nil
  }
}
