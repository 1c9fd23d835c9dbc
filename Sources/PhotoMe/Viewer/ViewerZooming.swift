// The viewer's gestures: zooming, panning, and swiping to the next picture.

import CGtk
import CameraCore
import CameraModels
import GtkShim

/// Turns gestures on the picture into a `ViewerZoom`.
@MainActor final class ViewerZooming {
  /// The user swiped to the next older (`1`) or newer (`-1`) picture.
  var swiped: ((Int) -> Void)?

  /// The minimum speed of a swipe, in pixels per second: a slower finger is resting.
  private static let swipeSpeed = 400.0
  /// The distance of a horizontal two-finger swipe on a touchpad, in scroll units.
  private static let scrollDistance = 40.0

  private let view: GObjectRef
  private let model: ViewerModel
  private var observation: ModelObservation?
  private var pinched = 1.0
  private var dragged = (x: 0.0, y: 0.0)
  private var pointer: (x: Double, y: Double)?
  private var scrolled = 0.0
  private var controllers: [GObjectRef] = []

  /// - Parameter view: The `PmPreviewView`.
  init(view: GObjectRef, model: ViewerModel) {
    self.view = view
    self.model = model
    addPinch()
    addDrag()
    addSwipe()
    addScroll()
    addDoubleClick()
    observation = ModelObservation {
      let zoom = model.zoom
      pm_preview_view_set_zoom(view.opaque, zoom.scale, zoom.centerX, zoom.centerY)
      gtk_widget_set_cursor_from_name(view.widget, zoom.isFit ? nil : "grab")
    }
  }

  /// Zooms in (above 1) or out (below 1) at the middle of the view.
  func zoom(by factor: Double) { change { $0.zoom(by: factor, at: nil, picture: $1, view: $2) } }

  /// Fits the whole picture into the view.
  func showAll() { change { zoom, _, _ in zoom = ViewerZoom() } }

  private var scale: Double { Double(gtk_widget_get_scale_factor(view.widget)) }

  private func change(_ body: (inout ViewerZoom, _ picture: PixelSize, _ view: PixelSize) -> Void) {
    let size = PixelSize(
      width: Int(Double(gtk_widget_get_width(view.widget)) * scale),
      height: Int(Double(gtk_widget_get_height(view.widget)) * scale))
    model.changeZoom(view: size) { body(&$0, $1, size) }
  }

  private func zoom(by factor: Double, x: Double, y: Double) {
    let point = (x: x * scale, y: y * scale)
    change { $0.zoom(by: factor, at: point, picture: $1, view: $2) }
  }

  // MARK: Gestures

  private func add(_ controller: GObjectRef) {
    view.addController(controller)
    controllers.append(controller)
  }

  private func addPinch() {
    let pinch = GObjectRef(adopting: gtk_gesture_zoom_new())
    pinch.onPointer("begin") { [weak self] _ in self?.pinched = 1 }
    pinch.onAmount("scale-changed") { [weak self, unowned pinch] amount in
      guard let self, amount > 0 else { return }
      var (x, y) = (0.0, 0.0)
      gtk_gesture_get_bounding_box_center(pinch.opaque, &x, &y)
      zoom(by: amount / pinched, x: x, y: y)
      pinched = amount
    }
    add(pinch)
  }

  private func addDrag() {
    let drag = GObjectRef(adopting: gtk_gesture_drag_new())
    drag.onPoint("drag-begin") { [weak self] _, _ in self?.dragged = (0, 0) }
    drag.onPoint("drag-update") { [weak self] x, y in
      guard let self, !model.zoom.isFit else { return }
      let (dx, dy) = ((x - dragged.x) * scale, (y - dragged.y) * scale)
      dragged = (x, y)
      change { $0.pan(x: dx, y: dy, picture: $1, view: $2) }
    }
    add(drag)
  }

  private func addSwipe() {
    let swipe = GObjectRef(adopting: gtk_gesture_swipe_new())
    swipe.onPoint("swipe") { [weak self] speedX, speedY in
      guard let self, model.zoom.isFit, abs(speedX) > Self.swipeSpeed, abs(speedX) > 2 * abs(speedY) else { return }
      swiped?(speedX < 0 ? view.stepToRight : -view.stepToRight)
    }
    add(swipe)
  }

  private func addScroll() {
    let motion = GObjectRef(adopting: gtk_event_controller_motion_new())
    motion.onPoint("motion") { [weak self] x, y in self?.pointer = (x, y) }
    motion.on("leave") { [weak self] in self?.pointer = nil }
    add(motion)
    let scroll = GObjectRef(adopting: gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES))
    scroll.onScroll { [weak self, unowned scroll] x, y in
      let modifiers = gtk_event_controller_get_current_event_state(scroll.opaque)
      let isPrecise = gtk_event_controller_scroll_get_unit(scroll.opaque) == GDK_SCROLL_UNIT_SURFACE
      return self?.scrolled(x, y, control: modifiers.rawValue & GDK_CONTROL_MASK.rawValue != 0, isPrecise) ?? false
    }
    scroll.on("scroll-begin") { [weak self] in self?.scrolled = 0 }
    add(scroll)
  }

  private func scrolled(_ x: Double, _ y: Double, control: Bool, _ isPrecise: Bool) -> Bool {
    if control {
      let steps = isPrecise ? -y / Self.scrollDistance : -y
      var factor = 1.0
      if steps != 0 { factor = steps > 0 ? 1 + (ViewerZoom.step - 1) * steps : 1 / (1 - (ViewerZoom.step - 1) * steps) }
      if let pointer { zoom(by: factor, x: pointer.x, y: pointer.y) } else { zoom(by: factor) }
      return true
    }
    if !model.zoom.isFit {
      let step = isPrecise ? 1.0 : Self.scrollDistance
      change { $0.pan(x: -x * step, y: -y * step, picture: $1, view: $2) }
      return true
    }
    if isPrecise {
      let before = scrolled
      scrolled += x
      // One picture per swipe, however long it is.
      if abs(before) < Self.scrollDistance, abs(scrolled) >= Self.scrollDistance {
        swiped?(scrolled > 0 ? view.stepToRight : -view.stepToRight)
      }
    } else {
      let turn = x != 0 ? x * Double(view.stepToRight) : y
      if turn != 0 { swiped?(turn > 0 ? 1 : -1) }
    }
    return true
  }

  private func addDoubleClick() {
    let click = GObjectRef(adopting: gtk_gesture_click_new())
    click.onPressAt("pressed") { [weak self] count, x, y in
      guard let self, count == 2 else { return }
      let point = (x: x * scale, y: y * scale)
      change { $0.toggle(at: point, picture: $1, view: $2) }
    }
    add(click)
  }
}
