// The movie's frames in a row, with trim handles, a marker for the key photo, and the playhead.

import CGtk
import CameraModels
import Foundation
import GtkShim
import Localization

/// Draws a `MovieStrip`, and turns drags and keys into an `EditModel`'s intents.
@MainActor final class FrameStrip {
  private enum Grip {
    case start, end, position
  }

  /// The width of a trim handle, in the layout's pixels; the frames start inside the handles.
  private static let handle = 14.0
  /// The space above the frames for the key photo's marker.
  private static let top = 10.0

  private let area: GObjectRef
  private let model: EditModel
  private let drag = GObjectRef(adopting: gtk_gesture_drag_new())
  private var grip = Grip.position
  private var dragStart = 0.0
  private var observations: [ModelObservation] = []

  init(area: GObjectRef, model: EditModel) {
    self.area = area
    self.model = model
    area.onDraw { [weak self] in self?.draw($0, width: $1, height: $2) }
    drag.onPoint("drag-begin") { [weak self] x, _ in self?.began(at: x) }
    drag.onPoint("drag-update") { [weak self] x, _ in self?.moved(by: x) }
    drag.onPoint("drag-end") { [weak self] _, _ in self?.model.endStep() }
    area.addController(drag)
    addKeys()
    observations = [
      ModelObservation { [weak self] in
        _ = (model.movieStrip.frames.count, model.preview.position, model.keyPhotoTime, model.movieDuration)
        _ = (model.trimRange, model.preview.isHeld, model.movieStrip.frames.count { $0 != nil })
        self.map { gtk_widget_queue_draw($0.area.widget) }
      },
      ModelObservation { [weak self] in self?.followRange() },
    ]
  }

  /// Gives the keyboard focus to the frames.
  func focus() { gtk_widget_grab_focus(area.widget) }

  private func followRange() {
    guard let range = model.trimRange else { return }
    let (start, end) = (Self.text(range.lowerBound), Self.text(range.upperBound))
    let text =
      if let time = model.keyPhotoTime {
        localized("From \(start) to \(end) seconds, key photo at \(Self.text(time))")
      } else { localized("From \(start) to \(end) seconds") }
    // While the movie plays, its position would be told without end.
    let position = model.preview.isHeld ? localized("At \(Self.text(model.preview.position)) seconds.") : nil
    pm_set_accessible_description(area.widget, [position, text].compactMap(\.self).joined(separator: " "))
  }

  private static func text(_ seconds: Double) -> String { seconds.localized(decimals: 1...1) }

  // MARK: Positions and times

  private var width: Double { Double(gtk_widget_get_width(area.widget)) }

  private func offset(of time: Double) -> Double {
    let length = max(model.movieDuration ?? 0, 0.001)
    return Self.handle + (width - 2 * Self.handle) * min(max(0, time / length), 1)
  }

  private func time(at x: Double) -> Double {
    let room = max(1, width - 2 * Self.handle)
    return min(max(0, (x - Self.handle) / room), 1) * (model.movieDuration ?? 0)
  }

  // MARK: Hands and keys

  private func began(at x: Double) {
    gtk_widget_grab_focus(area.widget)
    dragStart = x
    guard let range = model.trimRange else { return }
    // A handle lies outside the range that it limits, and is wide enough for a finger.
    let (start, end) = (offset(of: range.lowerBound), offset(of: range.upperBound))
    if x < start + 4, x > start - Self.handle - 6 {
      grip = .start
    } else if x > end - 4, x < end + Self.handle + 6 {
      grip = .end
    } else {
      grip = .position
      model.seek(to: time(at: x))
    }
  }

  private func moved(by offset: Double) {
    let x = dragStart + offset
    switch grip {
    case .start: model.setTrimStart(time(at: x))
    case .end: model.setTrimEnd(time(at: x))
    case .position: model.seek(to: time(at: x))
    }
  }

  private func addKeys() {
    let keys = GObjectRef(adopting: gtk_event_controller_key_new())
    keys.onKey("key-pressed") { [weak self] key, modifiers in
      guard let self else { return false }
      let step = modifiers.rawValue & GDK_CONTROL_MASK.rawValue != 0 ? 10 : 1.0
      switch Int32(key) {
      case GDK_KEY_Left: model.seek(to: model.preview.position - step * EditModel.frameStep)
      case GDK_KEY_Right: model.seek(to: model.preview.position + step * EditModel.frameStep)
      case GDK_KEY_Home: model.seek(to: model.trimRange?.lowerBound ?? 0)
      case GDK_KEY_End: model.seek(to: model.trimRange?.upperBound ?? 0)
      default: return false
      }
      return true
    }
    area.addController(keys)
  }

  // MARK: Drawing

  private func draw(_ context: OpaquePointer, width: Double, height: Double) {
    guard let range = model.trimRange, width > 4 * Self.handle else { return }
    let (left, right) = (offset(of: range.lowerBound), offset(of: range.upperBound))
    let (top, bottom) = (Self.top, height - 2)
    drawFrames(context, top: top, height: bottom - top)
    // Trimmed parts are dim.
    cairo_set_source_rgba(context, 0.1, 0.1, 0.1, 0.75)
    cairo_rectangle(context, Self.handle, top, left - Self.handle, bottom - top)
    cairo_rectangle(context, right, top, width - Self.handle - right, bottom - top)
    cairo_fill(context)
    drawHandles(context, left: left, right: right, top: top, bottom: bottom)
    if let time = model.keyPhotoTime { drawKeyPhoto(context, x: offset(of: time), bottom: bottom) }
    let x = offset(of: model.preview.position)
    cairo_set_source_rgba(context, 0, 0, 0, 0.5)
    cairo_rectangle(context, x - 2.5, top - 3, 5, bottom - top + 5)
    cairo_fill(context)
    cairo_set_source_rgb(context, 1, 1, 1)
    cairo_rectangle(context, x - 1.5, top - 2, 3, bottom - top + 3)
    cairo_fill(context)
  }

  private func drawFrames(_ context: OpaquePointer, top: Double, height: Double) {
    let room = width - 2 * Self.handle
    cairo_set_source_rgba(context, 0.5, 0.5, 0.5, 0.15)
    cairo_rectangle(context, Self.handle, top, room, height)
    cairo_fill(context)
    let frames = model.movieStrip.frames
    guard !frames.isEmpty else { return }
    // As many frames as fit with their aspect ratio; for each, the nearest one that is decoded.
    let shape = frames.lazy.compactMap { $0 }.first.map { Double($0.size.width) / Double($0.size.height) } ?? 16 / 9
    let count = max(1, Int((room / (height * shape)).rounded(.up)))
    for index in 0..<count {
      let (x, step) = (Self.handle + Double(index) * height * shape, height * shape)
      let middle = (Double(index) + 0.5) * step / room
      guard let frame = frames[min(frames.count - 1, max(0, Int(middle * Double(frames.count))))] else { continue }
      frame.draw(on: context, x: x, y: top, width: min(step, Self.handle + room - x), height: height)
    }
  }

  private func drawHandles(_ context: OpaquePointer, left: Double, right: Double, top: Double, bottom: Double) {
    // The accent color shows that something is trimmed.
    let isWhole = model.recipe.trim == nil
    isWhole ? cairo_set_source_rgb(context, 0.45, 0.45, 0.45) : cairo_set_source_rgb(context, 0.91, 0.46, 0.1)
    cairo_rectangle(context, left - Self.handle, top, Self.handle, bottom - top)
    cairo_rectangle(context, right, top, Self.handle, bottom - top)
    cairo_rectangle(context, left, top, right - left, 2)
    cairo_rectangle(context, left, bottom - 2, right - left, 2)
    cairo_fill(context)
    cairo_set_source_rgb(context, 1, 1, 1)
    cairo_set_line_width(context, 2)
    cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
    let middle = (top + bottom) / 2
    for (x, side) in [(left - Self.handle / 2, -1.0), (right + Self.handle / 2, 1.0)] {
      cairo_move_to(context, x - side * 2, middle - 6)
      cairo_line_to(context, x + side * 2, middle)
      cairo_line_to(context, x - side * 2, middle + 6)
      cairo_stroke(context)
    }
  }

  private func drawKeyPhoto(_ context: OpaquePointer, x: Double, bottom: Double) {
    cairo_set_source_rgb(context, 0.91, 0.46, 0.1)
    cairo_arc(context, x, 4, 4, 0, 2 * .pi)
    cairo_fill(context)
    cairo_rectangle(context, x - 0.75, 4, 1.5, bottom - 4)
    cairo_fill(context)
  }
}
