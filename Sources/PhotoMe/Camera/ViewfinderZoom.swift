// Zooming the camera's picture by pinch and wheel, with the factor over the picture for a moment.

import CGtk
import CameraModels
import GtkShim

/// Turns gestures on the viewfinder into a zoom of its camera.
@MainActor final class ViewfinderZoom {
  /// The time that the factor stays over the picture, in milliseconds.
  private static let badgeTime: UInt32 = 1500

  private let model: ControlsModel
  private let countdown: CountdownModel
  private let badge: GObjectRef
  private let label: GObjectRef
  private let pinch = GObjectRef(adopting: gtk_gesture_zoom_new())
  private let scroll = GObjectRef(
    adopting: gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL))
  private var gestures = ZoomGestures()
  private var seen = 0
  private var timer: UInt32?
  private var observations: [ModelObservation] = []

  /// - Parameter countdown: Has the place of the factor for its button while it runs.
  init(interface: Interface, model: ControlsModel, countdown: CountdownModel) {
    self.model = model
    self.countdown = countdown
    badge = interface["zoom_badge"]
    label = interface["zoom_label"]
    // The pages over the picture cover it; this holds both.
    let area = interface["viewfinder_area"]
    pinch.onPointer("begin") { [weak self] _ in self?.gestures.pinchBegan(at: model.zoomFactor) }
    pinch.onAmount("scale-changed") { [weak self] amount in
      if let factor = self?.gestures.pinched(by: amount) { model.setZoom(factor) }
    }
    area.addController(pinch)
    scroll.onScroll { [weak self, unowned scroll] _, y in
      let isPrecise = gtk_event_controller_scroll_get_unit(scroll.opaque) == GDK_SCROLL_UNIT_SURFACE
      return self?.scrolled(by: y, isPrecise) ?? false
    }
    area.addController(scroll)
    seen = model.zoomCount
    observations = [
      ModelObservation(of: { (model.zoomCount, model.zoomText) }) { [weak self] in self?.follow($0, $1) },
      ModelObservation(of: { countdown.isRunning }) { [weak self] _ in self?.reveal() },
    ]
  }

  private func scrolled(by y: Double, _ isPrecise: Bool) -> Bool {
    guard model.canZoom else { return false }
    if let steps = gestures.scrolled(by: y, isPrecise: isPrecise) { model.zoom(bySteps: steps) }
    return true
  }

  private func follow(_ count: Int, _ text: String) {
    gtk_label_set_text(label.opaque, text)
    guard count != seen else { return }
    seen = count
    timer.map(MainLoop.cancel)
    timer = MainLoop.after(milliseconds: Self.badgeTime) { [weak self] in
      self?.timer = nil
      self?.reveal()
    }
    reveal()
  }

  /// Shows the factor for its moment, and never under the button of a countdown.
  private func reveal() {
    gtk_revealer_set_reveal_child(badge.opaque, (timer != nil && !countdown.isRunning).gboolean)
  }
}
