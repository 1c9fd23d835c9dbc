// Shots and prints that are finished after the window has been closed, as the desktop is told of them.

import CGtk
import CameraCore
import CameraModels
import GtkShim
import Localization
import Logging

/// Tells what happens without a window: a sandbox's desktop, why PhotoMe goes on, as it may end programs that give no reason;
/// and the person what fails, as a notification, because nobody would see a toast.
@MainActor final class BackgroundWork {
  private static let notification = "background-message"
  /// Most closings are over by then, in milliseconds.
  private static let patience: UInt32 = 500

  private let application: GObjectRef
  private var isOn = false
  private var timer: UInt32?
  private var request: OpaquePointer?
  private var observation: ModelObservation?

  /// - Parameter application: The `GApplication`.
  init(application: GObjectRef) { self.application = application }

  /// The window is gone, and work may go on.
  func begin(_ messages: MessageModel) {
    guard !isOn else { return }
    isOn = true
    var last = messages.latestText
    observation = ModelObservation(of: { messages.latestText }) { [weak self] text in
      if text != last { self?.notify(text) }
      last = text
    }
    if Sandbox.current != nil { timer = MainLoop.after(milliseconds: Self.patience) { [weak self] in self?.ask() } }
  }

  /// The window is back.
  func end() {
    isOn = false
    observation = nil
    timer.map(MainLoop.cancel)
    timer = nil
    g_application_withdraw_notification(application.of(GApplication.self), Self.notification)
    guard let request else { return }
    pm_portal_request_end(request)
    self.request = nil
    pm_portal_set_background_status("")
  }

  private func notify(_ text: String) {
    guard let made = g_notification_new("PhotoMe") else { return }
    let notification = GObjectRef(adopting: made)
    g_notification_set_body(notification.opaque, text)
    g_application_send_notification(application.of(GApplication.self), Self.notification, notification.opaque)
  }

  private func ask() {
    timer = nil
    let text = localized("Saving photos and videos")
    pm_portal_set_background_status(text)
    let answered: (PmPortalState, String?) -> Void = { state, _ in
      // The work goes on whatever the answer is; what a desktop doesn't let it finish is left to the next start.
      if state == PM_PORTAL_REFUSED {
        Logger(label: "photome").notice("The desktop doesn’t want PhotoMe to work in the background.")
      }
    }
    request = pm_portal_request_background(
      text, portalAnswerTrampoline, HandlerBox.retained(answered), releaseHandlerBox)
  }
}
