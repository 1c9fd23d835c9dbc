// The brush over the picture: a ring where it is, and the strokes that it makes.

import CGtk
import CameraCore
import CameraModels
import GtkShim
import Localization
import PhotoEffects

/// Draws an `EditModel`'s brush, and turns drags and keys into its strokes. The secondary button does the opposite of what the
/// brush does.
@MainActor final class BrushOverlay {
  /// The distance that an arrow key moves the brush, as a fraction of its radius, and with Shift.
  private static let (step, longStep) = (0.5, 4.0)

  private let area: GObjectRef
  private let view: GObjectRef
  private let model: EditModel
  private let drag = GObjectRef(adopting: gtk_gesture_drag_new())
  private let motion = GObjectRef(adopting: gtk_event_controller_motion_new())
  private let wheel = GObjectRef(adopting: gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL))
  /// The place of the brush in parts of the picture; `nil` where the pointer is elsewhere.
  private var place: (x: Double, y: Double)?
  /// Whether Space is held: the pointer doesn't move the brush meanwhile.
  private var isPaintingByKey = false
  /// Where the drag began, in the area's coordinates.
  private var start = (x: 0.0, y: 0.0)
  /// What the wheel has turned since the brush was last resized.
  private var turn = 0.0
  private var observations: [ModelObservation] = []

  /// - Parameters:
  ///   - area: A `GtkDrawingArea` over the view.
  ///   - view: The `PmPreviewView`.
  init(area: GObjectRef, view: GObjectRef, model: EditModel) {
    self.area = area
    self.view = view
    self.model = model
    area.onDraw { [weak self] context, _, _ in self?.draw(context) }
    gtk_widget_set_cursor_from_name(area.widget, "crosshair")
    gtk_gesture_single_set_button(drag.opaque, 0)
    drag.onPoint("drag-begin") { [weak self] x, y in self?.began(x, y) }
    drag.onPoint("drag-update") { [weak self] x, y in self?.moved(x, y) }
    drag.onPoint("drag-end") { _, _ in model.endStroke() }
    drag.onPointer("cancel") { _ in model.endStroke() }
    area.addController(drag)
    motion.onPoint("motion") { [weak self] x, y in self?.pointed(x, y) }
    motion.on("leave") { [weak self] in
      if self?.isPaintingByKey == false { self?.move(to: nil) }
    }
    area.addController(motion)
    wheel.onScroll { [weak self] _, y in self?.scrolled(y) ?? false }
    area.addController(wheel)
    addKeys()
    observations = [
      ModelObservation { [weak self] in
        _ = (model.brush, model.recipe.geometry, model.isShowingOriginal)
        self?.redraw()
      }
    ]
  }

  func redraw() { gtk_widget_queue_draw(area.widget) }

  // MARK: Hands

  private func pointed(_ x: Double, _ y: Double) {
    guard !isPaintingByKey, let frame = view.pictureFrame(in: area) else { return }
    move(to: ((x - frame.x) / frame.width, (y - frame.y) / frame.height))
  }

  private func move(to place: (x: Double, y: Double)?) {
    self.place = place
    redraw()
  }

  private func began(_ x: Double, _ y: Double) {
    gtk_widget_grab_focus(area.widget)
    start = (x, y)
    pointed(x, y)
    let button = gtk_gesture_single_get_current_button(drag.opaque)
    guard let place, [UInt32(GDK_BUTTON_PRIMARY), UInt32(GDK_BUTTON_SECONDARY)].contains(button) else { return }
    model.beginStroke(x: place.x, y: place.y, isReversed: button == UInt32(GDK_BUTTON_SECONDARY))
  }

  private func moved(_ x: Double, _ y: Double) {
    pointed(start.x + x, start.y + y)
    if let place { model.continueStroke(x: place.x, y: place.y) }
  }

  private func scrolled(_ y: Double) -> Bool {
    // Touchpads turn by small parts.
    turn -= y
    let steps = turn.rounded(.towardZero)
    guard steps != 0 else { return true }
    turn -= steps
    model.resizeBrush(by: Int(min(max(-10, steps), 10)))
    return true
  }

  // MARK: Keys

  private func addKeys() {
    let keys = GObjectRef(adopting: gtk_event_controller_key_new())
    keys.onKey("key-pressed") { [weak self] key, modifiers in
      self?.pressed(key, isShifted: modifiers.rawValue & GDK_SHIFT_MASK.rawValue != 0) ?? false
    }
    keys.onKey("key-released") { [weak self] key, _ in
      if Int32(key) == GDK_KEY_space { self?.liftByKey() }
      return false
    }
    area.addController(keys)
    let focus = GObjectRef(adopting: gtk_event_controller_focus_new())
    focus.on("leave") { [weak self] in
      self?.liftByKey()
      self?.redraw()
    }
    // Whoever comes by keyboard sees where the brush is.
    focus.on("enter") { [weak self] in
      if self?.place == nil { self?.move(to: (0.5, 0.5)) }
    }
    area.addController(focus)
  }

  private func liftByKey() {
    isPaintingByKey = false
    model.endStroke()
  }

  private func pressed(_ key: UInt32, isShifted: Bool) -> Bool {
    let direction: (x: Double, y: Double)
    switch Int32(key) {
    case GDK_KEY_Left: direction = (-1, 0)
    case GDK_KEY_Right: direction = (1, 0)
    case GDK_KEY_Up: direction = (0, -1)
    case GDK_KEY_Down: direction = (0, 1)
    case GDK_KEY_space:
      let place = place ?? (0.5, 0.5)
      move(to: place)
      // A key that is held down is pressed again and again.
      if !model.isDrawingStroke { model.beginStroke(x: place.x, y: place.y) }
      isPaintingByKey = true
      return true
    default: return false
    }
    guard let radii = model.brushRadii else { return false }
    let step = isShifted ? Self.longStep : Self.step
    let old = place ?? (0.5, 0.5)
    let new = (
      x: min(max(0, old.x + direction.x * step * radii.x), 1), y: min(max(0, old.y + direction.y * step * radii.y), 1)
    )
    move(to: new)
    model.continueStroke(x: new.x, y: new.y)
    let (x, y) = (ValueSlider.percent(new.x), ValueSlider.percent(new.y))
    pm_set_accessible_description(area.widget, localized("\(x) from the left, \(y) from the top"))
    return true
  }

  // MARK: Drawing

  private func draw(_ context: OpaquePointer) {
    guard let place, !model.isShowingOriginal, let frame = view.pictureFrame(in: area), let radii = model.brushRadii
    else { return }
    let (x, y) = (frame.x + place.x * frame.width, frame.y + place.y * frame.height)
    let radius = max(1, radii.x * frame.width)
    // On bright and on dark ground.
    for (width, shade) in [(3.0, 0.0), (1.5, 1.0)] {
      cairo_set_line_width(context, width)
      cairo_set_source_rgba(context, shade, shade, shade, 0.8)
      cairo_arc(context, x, y, radius, 0, 2 * .pi)
      cairo_stroke(context)
    }
    let isAdding = model.brush.mode == .add
    let arm = min(5, radius / 2)
    cairo_set_line_width(context, 1.5)
    cairo_set_source_rgba(context, 1, 1, 1, 0.9)
    cairo_move_to(context, x - arm, y)
    cairo_line_to(context, x + arm, y)
    if isAdding {
      cairo_move_to(context, x, y - arm)
      cairo_line_to(context, x, y + arm)
    }
    cairo_stroke(context)
  }
}

extension GObjectRef {
  /// The rectangle of a `PmPreviewView`'s picture in the coordinates of a widget over it; `nil` without a picture.
  @MainActor func pictureFrame(in area: GObjectRef) -> (x: Double, y: Double, width: Double, height: Double)? {
    var rect = graphene_rect_t()
    var (x, y) = (0.0, 0.0)
    guard pm_preview_view_get_picture_rect(opaque, &rect) != 0,
      gtk_widget_translate_coordinates(widget, area.widget, Double(rect.origin.x), Double(rect.origin.y), &x, &y) != 0,
      rect.size.width > 0, rect.size.height > 0
    else { return nil }
    return (x, y, Double(rect.size.width), Double(rect.size.height))
  }
}
