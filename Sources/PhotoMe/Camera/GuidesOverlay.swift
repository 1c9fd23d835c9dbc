// The composition guides over the viewfinder.

import CGtk
import CameraModels
import GtkShim

/// Draws the lines that were chosen, within the picture and not beside it. Costs nothing while there are none.
@MainActor final class GuidesOverlay {
  /// The widths of a line and of the darker one under it, in the layout's pixels: seen on white and on black.
  private static let (width, shade) = (1.0, 3.0)

  private let camera: CameraModel
  private let view: GObjectRef
  private let area: GObjectRef
  /// The picture's rectangle when the lines were drawn last.
  private var drawn = graphene_rect_t()
  private var observation: ModelObservation?

  /// - Parameter view: The `PmPreviewView`, which has the same place and size.
  init(interface: Interface, camera: CameraModel, view: GObjectRef) {
    self.camera = camera
    self.view = view
    area = interface["guides"]
    area.onDraw { [weak self] context, _, _ in self?.draw(on: context) }
    // Another camera or effect has a picture of another shape.
    view.on("painted") { [weak self] in self?.followPicture() }
    observation = ModelObservation { [weak self] in self?.follow() }
  }

  private var rectangle: graphene_rect_t {
    var rectangle = graphene_rect_t()
    _ = pm_preview_view_get_picture_rect(view.opaque, &rectangle)
    return rectangle
  }

  private func follow() {
    gtk_widget_set_visible(area.widget, (camera.guides != .off).gboolean)
    gtk_widget_queue_draw(area.widget)
  }

  private func followPicture() {
    guard camera.guides != .off else { return }
    var (now, before) = (rectangle, drawn)
    if !graphene_rect_equal(&now, &before) { gtk_widget_queue_draw(area.widget) }
  }

  private func draw(on context: OpaquePointer) {
    drawn = rectangle
    let (width, height) = (Double(drawn.size.width), Double(drawn.size.height))
    let lines = camera.guides.lines(width: width, height: height)
    for (thickness, color, opacity) in [(Self.shade, 0.0, 0.25), (Self.width, 1.0, 0.75)] {
      for line in lines {
        // Between two pixels a thin line would be two pixels wide.
        cairo_move_to(context, position(drawn.origin.x, line.startX), position(drawn.origin.y, line.startY))
        cairo_line_to(context, position(drawn.origin.x, line.endX), position(drawn.origin.y, line.endY))
      }
      cairo_set_source_rgba(context, color, color, color, opacity)
      cairo_set_line_width(context, thickness)
      cairo_stroke(context)
    }
  }

  private func position(_ origin: Float, _ offset: Double) -> Double { (Double(origin) + offset).rounded() + 0.5 }
}
