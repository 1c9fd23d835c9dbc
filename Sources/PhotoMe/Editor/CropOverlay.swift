// The crop over the picture: a rectangle with handles and thirds, with everything outside shaded.

import CGtk
import CameraCore
import CameraModels
import GtkShim
import Localization
import PhotoEffects

/// Draws an `EditModel`'s crop, and turns drags and keys into its intents.
@MainActor final class CropOverlay {
  /// The distance within which a handle can be grabbed, in the layout's pixels.
  private static let reach = 18.0
  /// The distance that an arrow key moves the crop, as a fraction of the picture.
  private static let step = 0.01

  private let area: GObjectRef
  private let view: GObjectRef
  private let model: EditModel
  private let drag = GObjectRef(adopting: gtk_gesture_drag_new())
  private let motion = GObjectRef(adopting: gtk_event_controller_motion_new())
  private var held: (handle: CropHandle, crop: Geometry.Crop)?
  private var observations: [ModelObservation] = []

  /// - Parameters:
  ///   - area: A `GtkDrawingArea` over the view.
  ///   - view: The `PmPreviewView`.
  init(area: GObjectRef, view: GObjectRef, model: EditModel) {
    self.area = area
    self.view = view
    self.model = model
    area.onDraw { [weak self] context, width, height in self?.draw(context, width, height) }
    drag.onPoint("drag-begin") { [weak self] x, y in self?.began(x, y) }
    drag.onPoint("drag-update") { [weak self] x, y in self?.moved(x, y) }
    drag.onPoint("drag-end") { [weak self] _, _ in
      self?.held = nil
      self?.model.endStep()
    }
    area.addController(drag)
    motion.onPoint("motion") { [weak self] x, y in self?.pointed(x, y) }
    area.addController(motion)
    addKeys()
    observations = [
      ModelObservation { [weak self] in
        let crop = model.recipe.geometry.crop
        _ = model.isShowingOriginal
        self?.redraw()
        let (width, height) = (ValueSlider.percent(crop.width), ValueSlider.percent(crop.height))
        let (x, y) = (ValueSlider.percent(crop.x), ValueSlider.percent(crop.y))
        pm_set_accessible_description(
          area.widget,
          localized("\(width) wide, \(height) high, \(x) from the left, \(y) from the top"))
      }
    ]
  }

  func redraw() { gtk_widget_queue_draw(area.widget) }

  /// The picture's rectangle in the area's coordinates; `nil` without a picture.
  private var frame: (x: Double, y: Double, width: Double, height: Double)? { view.pictureFrame(in: area) }

  // MARK: Hands and keys

  private func handle(_ x: Double, _ y: Double) -> CropHandle? {
    guard let frame else { return nil }
    return CropHandle.at(
      x: (x - frame.x) / frame.width, y: (y - frame.y) / frame.height, of: model.recipe.geometry.crop,
      reach: (Self.reach / frame.width, Self.reach / frame.height))
  }

  private func began(_ x: Double, _ y: Double) {
    gtk_widget_grab_focus(area.widget)
    held = handle(x, y).map { ($0, model.recipe.geometry.crop) }
  }

  private func moved(_ x: Double, _ y: Double) {
    guard let held, let frame else { return }
    model.drag(held.handle, from: held.crop, x: x / frame.width, y: y / frame.height)
  }

  private func pointed(_ x: Double, _ y: Double) {
    let name: String? =
      switch handle(x, y) {
      case .topLeft: "nw-resize"
      case .topRight: "ne-resize"
      case .bottomLeft: "sw-resize"
      case .bottomRight: "se-resize"
      case .top, .bottom: "ns-resize"
      case .left, .right: "ew-resize"
      case .inside: "move"
      case nil: nil
      }
    gtk_widget_set_cursor_from_name(area.widget, name)
  }

  private func addKeys() {
    let keys = GObjectRef(adopting: gtk_event_controller_key_new())
    keys.onKey("key-pressed") { [weak self] key, modifiers in
      let direction: (x: Double, y: Double)
      switch Int32(key) {
      case GDK_KEY_Left: direction = (-1, 0)
      case GDK_KEY_Right: direction = (1, 0)
      case GDK_KEY_Up: direction = (0, -1)
      case GDK_KEY_Down: direction = (0, 1)
      default: return false
      }
      guard let self else { return false }
      let isSizing = modifiers.rawValue & GDK_SHIFT_MASK.rawValue != 0
      model.drag(
        isSizing ? .bottomRight : .inside, from: model.recipe.geometry.crop, x: direction.x * Self.step,
        y: direction.y * Self.step)
      return true
    }
    area.addController(keys)
    area.onRelease { [model] in model.endStep() }
  }

  // MARK: Drawing

  private func draw(_ context: OpaquePointer, _ width: Double, _ height: Double) {
    guard let frame, !model.isShowingOriginal else { return }
    let crop = model.recipe.geometry.crop
    let (x, y) = (frame.x + crop.x * frame.width, frame.y + crop.y * frame.height)
    let (w, h) = (crop.width * frame.width, crop.height * frame.height)
    // The shade covers the picture outside the crop.
    cairo_set_source_rgba(context, 0, 0, 0, 0.6)
    cairo_set_fill_rule(context, CAIRO_FILL_RULE_EVEN_ODD)
    cairo_rectangle(context, frame.x, frame.y, frame.width, frame.height)
    cairo_rectangle(context, x, y, w, h)
    cairo_fill(context)
    cairo_set_source_rgba(context, 1, 1, 1, 0.35)
    cairo_set_line_width(context, 1)
    for third in 1...2 {
      let part = Double(third) / 3
      cairo_move_to(context, (x + w * part).rounded() + 0.5, y)
      cairo_line_to(context, (x + w * part).rounded() + 0.5, y + h)
      cairo_move_to(context, x, (y + h * part).rounded() + 0.5)
      cairo_line_to(context, x + w, (y + h * part).rounded() + 0.5)
    }
    cairo_stroke(context)
    cairo_set_source_rgba(context, 1, 1, 1, 0.9)
    cairo_rectangle(context, x + 0.5, y + 0.5, w - 1, h - 1)
    cairo_stroke(context)
    drawHandles(context, x, y, w, h)
  }

  private func drawHandles(_ context: OpaquePointer, _ x: Double, _ y: Double, _ w: Double, _ h: Double) {
    let length = min(22, w / 3, h / 3)
    cairo_set_source_rgb(context, 1, 1, 1)
    cairo_set_line_width(context, 4)
    cairo_set_line_join(context, CAIRO_LINE_JOIN_MITER)
    for (cornerX, towardX) in [(x, 1.0), (x + w, -1.0)] {
      for (cornerY, towardY) in [(y, 1.0), (y + h, -1.0)] {
        cairo_move_to(context, cornerX, cornerY + towardY * length)
        cairo_line_to(context, cornerX, cornerY)
        cairo_line_to(context, cornerX + towardX * length, cornerY)
      }
    }
    for (sideX, sideY) in [(x + w / 2, y), (x + w / 2, y + h)] {
      cairo_move_to(context, sideX - length / 2, sideY)
      cairo_line_to(context, sideX + length / 2, sideY)
    }
    for (sideX, sideY) in [(x, y + h / 2), (x + w, y + h / 2)] {
      cairo_move_to(context, sideX, sideY - length / 2)
      cairo_line_to(context, sideX, sideY + length / 2)
    }
    cairo_stroke(context)
  }
}
