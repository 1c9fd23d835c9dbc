// Dragging the viewer's picture to other programs, as its file.

import CGtk
import CameraModels

/// Drags the picture while it fits the view: a part of it is moved around instead. Fingers swipe to the next picture.
@MainActor final class PictureDrag {
  /// The longest side of the picture under the pointer, in pixels.
  private static let iconSide = 160.0

  private let source = GObjectRef(adopting: gtk_drag_source_new())
  private let view: GObjectRef
  private let model: ViewerModel

  /// - Parameter view: The `PmPreviewView`.
  init(view: GObjectRef, model: ViewerModel) {
    (self.view, self.model) = (view, model)
    gtk_drag_source_set_actions(source.opaque, GDK_ACTION_COPY)
    source.onPrepare { [weak self] _, _ in self?.content() }
    view.addController(source)
  }

  private func content() -> GObjectRef? {
    guard let asset = model.asset, model.zoom.isFit, !isTouch else { return nil }
    // A live photo that was being pressed goes back to its still.
    model.player.stopLivePhoto()
    if let icon { gtk_drag_source_set_icon(source.opaque, icon.opaque, 0, 0) }
    return PictureSharing.content(asset.files)
  }

  private var isTouch: Bool {
    guard let device = gtk_event_controller_get_current_event_device(source.opaque) else { return false }
    return gdk_device_get_source(device) == GDK_SOURCE_TOUCHSCREEN
  }

  /// The view as it is, but smaller.
  private var icon: GObjectRef? {
    let (width, height) = (Double(gtk_widget_get_width(view.widget)), Double(gtk_widget_get_height(view.widget)))
    guard width > 0, height > 0, let paintable = gtk_widget_paintable_new(view.widget),
      let snapshot = gtk_snapshot_new()
    else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
    let scale = Self.iconSide / max(width, height)
    gdk_paintable_snapshot(paintable, snapshot, width * scale, height * scale)
    var size = graphene_size_t(width: Float(width * scale), height: Float(height * scale))
    return gtk_snapshot_free_to_paintable(snapshot, &size).map { GObjectRef(adopting: $0) }
  }
}
