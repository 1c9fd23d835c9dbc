// The names below the pictures of contact sheets.

import CPango
import CameraCore
import Foundation
import PhotoEffects

/// Draws lines of text, of any script.
enum SheetCaption {
  /// The text's size, of the height of its line.
  private static let part = 0.65

  /// The coverage of a line of text in the middle of an area. A text that is too long is shortened in its middle.
  ///
  /// - Parameter size: Of the area, in pixels.
  /// - Returns: 0 for paper, 255 for ink, row by row; `nil` without memory.
  static func coverage(_ text: String, _ size: PixelSize) -> [UInt8]? {
    let surface = cairo_image_surface_create(CAIRO_FORMAT_A8, Int32(size.width), Int32(size.height))
    defer { cairo_surface_destroy(surface) }
    let context = cairo_create(surface)
    defer { cairo_destroy(context) }
    guard let layout = pango_cairo_create_layout(context) else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
    let font = pango_font_description_from_string("Sans")
    defer { pango_font_description_free(font) }
    pango_font_description_set_absolute_size(font, Double(size.height) * part * Double(PANGO_SCALE))
    pango_layout_set_font_description(layout, font)
    pango_layout_set_single_paragraph_mode(layout, 1)
    pango_layout_set_width(layout, Int32(size.width) * PANGO_SCALE)
    pango_layout_set_alignment(layout, PANGO_ALIGN_CENTER)
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_MIDDLE)
    pango_layout_set_text(layout, text, -1)
    var height: Int32 = 0
    pango_layout_get_pixel_size(layout, nil, &height)
    cairo_move_to(context, 0, (Double(size.height) - Double(height)) / 2)
    pango_cairo_show_layout(context, layout)
    cairo_surface_flush(surface)
    guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS, cairo_status(context) == CAIRO_STATUS_SUCCESS,
      let bytes = cairo_image_surface_get_data(surface)
    else { return nil }
    let stride = Int(cairo_image_surface_get_stride(surface))
    return (0..<size.height).flatMap { UnsafeBufferPointer(start: bytes + $0 * stride, count: size.width) }
  }
}
