// The flight of a new shot from the viewfinder into the strip.

import CGtk
import GtkShim

/// Shows where a shot has gone: its picture shrinks from the viewfinder to its place in the strip. There is one flight at a
/// time: the next shot ends the one before. Nothing flies with reduced motion.
@MainActor final class ShotFlight {
  private static let duration = Duration.milliseconds(200)
  /// The radius of a thumbnail's corners, as in the style sheet.
  private static let radius: Float = 6

  private struct Flight {
    let picture: GObjectRef
    let cell: GObjectRef
    let from: graphene_rect_t
    let start: ContinuousClock.Instant
  }

  private let layer: GObjectRef
  private let view: GObjectRef
  private var flight: Flight?
  private var ticker: FrameTicker?

  init(interface: Interface) {
    layer = interface["flight"]
    view = interface["viewfinder"]
    ticker = FrameTicker(layer) { [weak self] in self?.advance() ?? false }
  }

  /// Lets a picture fly to a cell of the strip, which stays empty until it arrives.
  ///
  /// - Parameter picture: A `GdkPaintable`.
  func fly(_ picture: GObjectRef, to cell: GObjectRef) {
    land()
    guard !Motion.isReduced, gtk_widget_get_mapped(view.widget) != 0, let from = pictureOnLayer() else { return }
    gtk_widget_set_opacity(cell.widget, 0)
    flight = Flight(picture: picture, cell: cell, from: from, start: .now)
    ticker?.start()
  }

  private func advance() -> Bool {
    guard let flight else { return false }
    let progress = (.now - flight.start) / Self.duration
    guard progress < 1, gtk_widget_get_mapped(view.widget) != 0 else {
      land()
      return false
    }
    // The strip scrolls to the new shot meanwhile.
    var target = graphene_rect_t()
    let hasPlace = gtk_widget_compute_bounds(flight.cell.widget, layer.widget, &target)
    if hasPlace != 0, target.size.width > 0 {
      var rect = Self.position(from: flight.from, to: target, progress: progress)
      pm_flight_show(layer.opaque, flight.picture.opaque, &rect, Self.radius)
    }
    return true
  }

  private func land() {
    guard let flight else { return }
    self.flight = nil
    gtk_widget_set_opacity(flight.cell.widget, 1)
    var nowhere = graphene_rect_t()
    pm_flight_show(layer.opaque, nil, &nowhere, 0)
  }

  /// The rectangle of the viewfinder's picture, in the layer's coordinates.
  private func pictureOnLayer() -> graphene_rect_t? {
    var (picture, bounds) = (graphene_rect_t(), graphene_rect_t())
    guard pm_preview_view_get_picture_rect(view.opaque, &picture) != 0,
      gtk_widget_compute_bounds(view.widget, layer.widget, &bounds) != 0
    else { return nil }
    picture.origin.x += bounds.origin.x
    picture.origin.y += bounds.origin.y
    return picture
  }

  /// The position on the way: fast at first, slow at the end, as Adwaita’s own animations.
  ///
  /// - Parameter progress: From 0 to 1; `1 - (1 - progress)³` of the way.
  static func position(
    from start: graphene_rect_t, to end: graphene_rect_t, progress: Double
  ) -> graphene_rect_t {
    let rest = 1 - min(1, max(0, progress))
    let way = Float(1 - rest * rest * rest)
    func between(_ start: Float, _ end: Float) -> Float { start + (end - start) * way }
    return graphene_rect_t(
      origin: graphene_point_t(
        x: between(start.origin.x, end.origin.x), y: between(start.origin.y, end.origin.y)),
      size: graphene_size_t(
        width: between(start.size.width, end.size.width), height: between(start.size.height, end.size.height)))
  }
}
