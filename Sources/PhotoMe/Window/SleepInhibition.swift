// The machine that must not sleep while the camera works by itself.

import CGtk
import CameraModels

/// Asks the desktop not to let the machine sleep while a model has a reason.
@MainActor final class SleepInhibition {
  private let application: GObjectRef
  private let window: GObjectRef
  /// Of the session manager, while it is asked.
  private var inhibition: (cookie: guint, reason: String)?
  private var observation: ModelObservation?

  /// - Parameter application: The `GtkApplication`.
  init(camera: CameraModel, window: MainWindow, application: GObjectRef) {
    self.application = application
    self.window = window.window
    observation = ModelObservation(of: { camera.sleepInhibition }) { [weak self] in self?.inhibitSleep(because: $0) }
  }

  /// The screen doesn't blank either: nobody touches the keyboard in front of a camera.
  ///
  /// - Parameter reason: For the desktop to show; `nil` when the machine may sleep.
  private func inhibitSleep(because reason: String?) {
    let application = application.of(GtkApplication.self)
    guard reason != inhibition?.reason else { return }
    // Zero where there is no session manager to ask.
    if let cookie = inhibition?.cookie, cookie != 0 { gtk_application_uninhibit(application, cookie) }
    inhibition = nil
    guard let reason else { return }
    let what = GtkApplicationInhibitFlags(
      rawValue: GTK_APPLICATION_INHIBIT_SUSPEND.rawValue | GTK_APPLICATION_INHIBIT_IDLE.rawValue)
    inhibition = (gtk_application_inhibit(application, window.of(GtkWindow.self), what, reason), reason)
  }
}
