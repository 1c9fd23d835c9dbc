// Sharing pictures with other programs: clipboard, drags, Open With, and the file manager.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import Localization
import PhotoLibrary

/// Passes files to other programs.
@MainActor final class PictureSharing {
  private let window: GObjectRef
  private let messages: MessageModel
  private let images = ImageManager(cacheByteLimit: 0)
  private var chooser: GObjectRef?

  /// - Parameter window: The `GtkWindow` over which dialogs open.
  init(window: GObjectRef, messages: MessageModel) {
    self.window = window
    self.messages = messages
  }

  /// The content of a drag or the clipboard as a `GdkContentProvider`; `nil` without files.
  ///
  /// - Parameter picture: A `GdkTexture`, for programs that take an image rather than a file.
  static func content(_ files: [URL], picture: GObjectRef? = nil) -> GObjectRef? {
    guard !files.isEmpty else { return nil }
    return withCStrings(files.map(\.path)) {
      GObjectRef(adopting: pm_content_for_files($0, picture?.opaque))
    }
  }

  /// Copies files to the clipboard; a single photo is copied as an image as well.
  func copy(_ assets: [Asset]) async {
    guard !assets.isEmpty else { return }
    var picture: GObjectRef?
    if assets.count == 1, let asset = assets.first, asset.mediaType == .photo {
      do {
        picture = try await images.image(for: asset, targetSize: asset.size, isShared: false)?.texture()
      } catch {
        messages.post(
          localized(
            "The file was copied, but not the image. \(error.localizedDescription)",
            comment: "{0} is a sentence: the reason"))
      }
    }
    guard let content = Self.content(assets.flatMap(\.files), picture: picture) else { return }
    let clipboard = gtk_widget_get_clipboard(window.widget)
    if gdk_clipboard_set_content(clipboard, content.of(GdkContentProvider.self)) == 0 {
      messages.post(localized("Couldn’t copy to the clipboard. Try again."))
    } else {
      messages.post(
        assets.count == 1
          ? localized("Copied to clipboard")
          : localized(
            "\(assets.count) file copied to clipboard", plural: "\(assets.count) files copied to clipboard",
            count: assets.count))
    }
  }

  // MARK: Open With

  /// Lets the user choose a program, and opens the files with it.
  func openWith(_ files: [URL]) {
    guard let first = files.first else { return }
    // A sandbox has no other programs in it. The portal asks for one file at a time: several go to their usual program.
    if Sandbox.current != nil {
      return openByPortal(files, files.count == 1 ? PM_PORTAL_OPEN_WITH : PM_PORTAL_OPEN)
    }
    let kind =
      MovieFormat(fileExtension: first.pathExtension)?.mimeType
      ?? (PhotoFormat(fileExtension: first.pathExtension) ?? .jpeg).mimeType
    let flags = GtkDialogFlags(rawValue: GTK_DIALOG_MODAL.rawValue | GTK_DIALOG_DESTROY_WITH_PARENT.rawValue)
    guard let made = gtk_app_chooser_dialog_new_for_content_type(window.of(GtkWindow.self), flags, kind) else { return }
    let chooser = GObjectRef(retaining: made)
    self.chooser = chooser
    chooser.onNumber("response") { [weak self] response in
      guard let self, let chooser = self.chooser else { return }
      self.chooser = nil
      if Int32(truncatingIfNeeded: response) == GTK_RESPONSE_OK.rawValue,
        let program = gtk_app_chooser_get_app_info(chooser.opaque)
      {
        launch(program, files)
        g_object_unref(UnsafeMutableRawPointer(program))
      }
      gtk_window_destroy(chooser.of(GtkWindow.self))
    }
    gtk_window_present(chooser.of(GtkWindow.self))
  }

  private func launch(_ program: OpaquePointer, _ files: [URL]) {
    var list: UnsafeMutablePointer<GList>?
    for file in files.reversed() {
      list = g_list_prepend(list, UnsafeMutableRawPointer(g_file_new_for_path(file.path)))
    }
    defer { g_list_free_full(list, g_object_unref) }
    let context = gdk_display_get_app_launch_context(gtk_widget_get_display(window.widget))
    defer { context.map { g_object_unref(UnsafeMutableRawPointer($0)) } }
    var error: UnsafeMutablePointer<GError>?
    guard
      g_app_info_launch(
        program, list, context.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GAppLaunchContext.self) },
        &error) == 0
    else { return }
    defer { g_clear_error(&error) }
    let reason = error.map { String(cString: $0.pointee.message).asClause } ?? localized("unknown error")
    if let name = g_app_info_get_display_name(program).map({ String(cString: $0) }) {
      messages.post(localized("Couldn’t open \(name): \(reason).", comment: "{0} is an app"))
    } else {
      messages.post(localized("Couldn’t open the app: \(reason)."))
    }
  }

  private func openByPortal(_ files: [URL], _ opening: PmPortalOpening) {
    for file in files {
      Task { [messages, window] in
        let outcome = await PortalRequest.outcome(of: [file]) { descriptors, data in
          pm_portal_open(
            window.of(GtkWindow.self), descriptors[0], opening, portalAnswerTrampoline, data, releaseHandlerBox)
        }
        switch outcome {
        case .done, .dismissed: break
        case .closed: messages.post(localized("The desktop couldn’t open the file."))
        case .unavailable:
          messages.post(
            localized("This desktop’s portal can’t open files. Export the item and open it from its folder."))
        case .failed(let reason): messages.post(localized("The desktop couldn’t open the file: \(reason.asClause)."))
        }
      }
    }
  }

  // MARK: Show in Files

  /// Selects the files in the desktop's file manager, or opens their folder if there is none on the bus.
  func showInFiles(_ files: [URL]) {
    guard let first = files.first else { return }
    if Sandbox.current != nil { return openByPortal([first], PM_PORTAL_SHOW) }
    let uris = withCStrings(files.map(\.absoluteString)) { g_variant_new_strv($0, gssize(files.count)) }
    var parts: [OpaquePointer?] = [uris, g_variant_new_string("")]
    let folder = first.deletingLastPathComponent()
    guard let bus = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil) else { return openFolder(folder) }
    defer { g_object_unref(UnsafeMutableRawPointer(bus)) }
    let answered: (Bool) -> Void = { [weak self] isDone in
      if !isDone { self?.openFolder(folder) }
    }
    g_dbus_connection_call(
      bus, "org.freedesktop.FileManager1", "/org/freedesktop/FileManager1", "org.freedesktop.FileManager1", "ShowItems",
      g_variant_new_tuple(&parts, 2), nil, G_DBUS_CALL_FLAGS_NONE, 10_000, nil, callEnded,
      HandlerBox.retained(answered))
  }

  private func openFolder(_ folder: URL) { folder.openInFileManager(over: window) { [messages] in messages.post($0) } }
}

/// The callback of a D-Bus call, on the main thread: passes whether it was answered.
private func callEnded(
  _ connection: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ data: UnsafeMutableRawPointer?
) {
  let answer = connection.flatMap { g_dbus_connection_call_finish(OpaquePointer($0), result, nil) }
  if let answer { g_variant_unref(answer) }
  let handler: HandlerBox<(Bool) -> Void>? = .from(data)
  let isDone = answer != nil
  MainActor.assumeIsolated { handler?.handler(isDone) }
  releaseHandlerBox(data)
}
