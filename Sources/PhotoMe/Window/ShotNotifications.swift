// Desktop notifications about photos that were taken out of sight.

import CGtk
import CameraCore
import CameraModels
import Foundation

/// Sends what a `ShotNoticeModel` says, and withdraws it.
///
/// The desktops differ in the pictures that they take: of `org.freedesktop.Notifications`, GLib passes only files; the
/// portal takes only bytes, and refuses the whole notification with a file, which it couldn't read anyway.
@MainActor final class ShotNotifications {
  private static let id = "timed-shot"

  private let application: GObjectRef
  private let model: ShotNoticeModel
  /// The folder of the thumbnail while there is a notification.
  private let folder = UserFolders().cache.appendingPathComponent("photome/notifications", isDirectory: true)
  private var sending: Task<Void, Never>?
  private var observation: ModelObservation?

  /// - Parameter application: The `GApplication`, with an action `show-shot`.
  init(application: GObjectRef, actions: Actions, model: ShotNoticeModel) {
    (self.application, self.model) = (application, model)
    actions.addReport("notice", text: "")
    observation = ModelObservation(of: { model.notice }) { [weak self] notice in
      self?.follow(notice)
      actions.setState("notice", notice.map { "\($0.title): \($0.body)" } ?? "")
    }
  }

  private func follow(_ notice: ShotNoticeModel.Notice?) {
    sending?.cancel()
    guard let notice else {
      g_application_withdraw_notification(application.of(GApplication.self), Self.id)
      removeThumbnail()
      return
    }
    sending = Task { [weak self, model] in
      let thumbnail = await model.thumbnail(of: notice)
      if !Task.isCancelled { self?.send(notice, thumbnail) }
    }
  }

  private func send(_ notice: ShotNoticeModel.Notice, _ thumbnail: DecodedImage?) {
    guard let made = g_notification_new(notice.title) else { return }
    let notification = GObjectRef(adopting: made)
    g_notification_set_body(notification.opaque, notice.body)
    g_notification_set_default_action_and_target_value(
      notification.opaque, "app.show-shot", g_variant_new_string(notice.id))
    if notice.isQuiet { g_notification_set_priority(notification.opaque, G_NOTIFICATION_PRIORITY_LOW) }
    if let icon = thumbnail?.texture().flatMap({ icon(of: $0, named: notice.id) }) {
      g_notification_set_icon(notification.opaque, icon.opaque)
    }
    g_application_send_notification(application.of(GApplication.self), Self.id, notification.opaque)
  }

  /// A `GIcon` of the thumbnail; `nil` where it can't be passed on.
  private func icon(of texture: GObjectRef, named name: String) -> GObjectRef? {
    guard let bytes = gdk_texture_save_to_png_bytes(texture.opaque) else { return nil }
    defer { g_bytes_unref(bytes) }
    guard Sandbox.current == nil else { return g_bytes_icon_new(bytes).map { GObjectRef(adopting: $0) } }
    removeThumbnail()
    var count: gsize = 0
    guard let start = g_bytes_get_data(bytes, &count) else { return nil }
    // Another name for each: desktops keep pictures by their names.
    let url = folder.appendingPathComponent("\(name).png")
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try Data(bytes: start, count: Int(count)).write(to: url)
    } catch {
      // The notification says the same without its picture.
      return nil
    }
    guard let file = g_file_new_for_path(url.path) else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(file)) }
    return g_file_icon_new(file).map { GObjectRef(adopting: $0) }
  }

  /// What can't be removed is a small picture in the cache, which the next notification replaces.
  private func removeThumbnail() { try? FileManager.default.removeItem(at: folder) }
}
