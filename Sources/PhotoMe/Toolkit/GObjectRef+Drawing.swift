// Drawing areas with a Swift closure, and low-level events of a widget.

import CGtk
import CameraCore

/// `void (area, cairo, width, height, data)`, on the main thread
private let drawTrampoline:
  @convention(c) (UnsafeMutablePointer<GtkDrawingArea>?, OpaquePointer?, gint, gint, UnsafeMutableRawPointer?) -> Void =
    { _, context, width, height, data in
      let handler: HandlerBox<(OpaquePointer, Double, Double) -> Void>? = .from(data)
      let address = UInt(bitPattern: context)
      ownWork {
        guard let context = OpaquePointer(bitPattern: address) else { return }
        handler?.handler(context, Double(width), Double(height))
      }
    }

@MainActor extension GObjectRef {
  /// Has a closure draw this `GtkDrawingArea`: it gets a cairo context, and the width and height in the layout's
  /// pixels.
  func onDraw(_ draw: @escaping (_ context: OpaquePointer, _ width: Double, _ height: Double) -> Void) {
    gtk_drawing_area_set_draw_func(
      of(GtkDrawingArea.self), drawTrampoline, HandlerBox.retained(draw), releaseHandlerBox)
  }

  /// Calls when a button, a finger or a key is released on this widget, whether the widget handles it or not.
  func onRelease(_ released: @escaping () -> Void) {
    let raw = GObjectRef(adopting: gtk_event_controller_legacy_new())
    gtk_event_controller_set_propagation_phase(raw.opaque, GTK_PHASE_CAPTURE)
    raw.onVerdict("event") { event in
      let ends: [GdkEventType] = [GDK_BUTTON_RELEASE, GDK_TOUCH_END, GDK_TOUCH_CANCEL, GDK_KEY_RELEASE]
      if let event, ends.contains(gdk_event_get_event_type(OpaquePointer(event))) {
        // The widget comes first.
        MainLoop.whenIdle(released)
      }
      return 0
    }
    addController(raw)
  }

  /// Calls on double-clicks, and keeps them from the widget.
  func onDoubleClick(_ clicked: @escaping () -> Void) {
    let click = GObjectRef(adopting: gtk_gesture_click_new())
    gtk_event_controller_set_propagation_phase(click.opaque, GTK_PHASE_CAPTURE)
    // The widget owns the gesture while it calls.
    let gesture = click.opaque
    click.onPress("pressed") { count in
      guard count == 2 else { return }
      gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_CLAIMED)
      clicked()
    }
    addController(click)
  }
}

extension DecodedImage {
  /// Draws the picture so that it covers a rectangle of a cairo context. For small pictures.
  func draw(on context: OpaquePointer, x: Double, y: Double, width: Double, height: Double) {
    block.withUnsafeBytes { bytes in
      guard let pixels = bytes.baseAddress, size.width > 0, size.height > 0, stride % 4 == 0 else { return }
      // Cairo only reads from a source surface.
      let surface = cairo_image_surface_create_for_data(
        UnsafeMutableRawPointer(mutating: pixels).assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_RGB24,
        Int32(size.width), Int32(size.height), Int32(stride))
      let scale = max(width / Double(size.width), height / Double(size.height))
      cairo_save(context)
      cairo_rectangle(context, x, y, width, height)
      cairo_clip(context)
      cairo_translate(
        context, x + (width - Double(size.width) * scale) / 2, y + (height - Double(size.height) * scale) / 2)
      cairo_scale(context, scale, scale)
      cairo_set_source_surface(context, surface, 0, 0)
      cairo_paint(context)
      cairo_restore(context)
      // Nothing may read the pixels later.
      cairo_surface_finish(surface)
      cairo_surface_destroy(surface)
    }
  }
}
