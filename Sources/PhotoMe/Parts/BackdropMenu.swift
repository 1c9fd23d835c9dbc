// The choice of a backdrop.

import CGtk
import CameraCore
import CameraModels
import GtkShim
import Localization
import PhotoEffects

/// Binds a `GtkMenuButton` to the backdrop of a model's effect: its popover shows scenes and colors. Hidden for effects that
/// have none.
@MainActor final class BackdropMenu {
  /// In the layout's pixels.
  private static let pictureSize = PixelSize(width: 96, height: 54)
  /// Scenes in a row.
  private static let columns = 3

  private let button: GObjectRef
  private let backdrop: () -> Backdrop?
  private let choose: (Backdrop) -> Void
  private let popover = GObjectRef(retaining: gtk_popover_new())
  private let color = GObjectRef(retaining: gtk_color_button_new())
  private var cells: [(backdrop: Backdrop, button: GObjectRef, picture: GObjectRef)] = []
  private var isFollowing = false
  private var observation: ModelObservation?

  /// - Parameters:
  ///   - backdrop: Reads the backdrop, `nil` for an effect without one; called again when the model changes.
  ///   - choose: The user chose another one.
  init(_ button: GObjectRef, backdrop: @escaping () -> Backdrop?, choose: @escaping (Backdrop) -> Void) {
    (self.button, self.backdrop, self.choose) = (button, backdrop, choose)
    gtk_menu_button_set_popover(button.opaque, popover.widget)
    popover.on("show") { [weak self] in self?.focus() }
    observation = ModelObservation { [weak self] in self?.follow() }
  }

  /// Gives the keyboard focus to the chosen one.
  private func focus() {
    let chosen = backdrop()
    MainLoop.whenIdle { [weak self] in
      guard let self, let cell = cells.first(where: { $0.backdrop == chosen }) else { return }
      gtk_widget_grab_focus(cell.button.widget)
    }
  }

  /// Adds the choices, when there is an effect with a backdrop for the first time.
  private func fill() {
    guard cells.isEmpty, let grid = gtk_grid_new() else { return }
    let table = GObjectRef(retaining: UnsafeMutableRawPointer(grid))
    gtk_grid_set_row_spacing(table.of(GtkGrid.self), 6)
    gtk_grid_set_column_spacing(table.of(GtkGrid.self), 6)
    for (index, backdrop) in Backdrop.suggestions.enumerated() {
      guard let (cell, picture) = makeCell(backdrop) else { continue }
      gtk_grid_attach(
        table.of(GtkGrid.self), cell.widget, Int32(index % Self.columns), Int32(index / Self.columns), 1, 1)
      cells.append((backdrop, cell, picture))
    }
    gtk_widget_set_tooltip_text(color.widget, localized("Custom Color…", context: "backdrop"))
    pm_set_accessible_label(color.widget, localized("Custom Color…", context: "backdrop"))
    var first = GdkRGBA(red: 0.5, green: 0.5, blue: 0.5, alpha: 1)
    gtk_color_chooser_set_rgba(color.opaque, &first)
    gtk_color_chooser_set_use_alpha(color.opaque, false.gboolean)
    color.on("color-set") { [weak self] in self?.colorWasSet() }
    let count = Backdrop.suggestions.count
    gtk_grid_attach(
      table.of(GtkGrid.self), color.widget, Int32(count % Self.columns), Int32(count / Self.columns), 1, 1)
    gtk_popover_set_child(popover.of(GtkPopover.self), grid)
    Task { await paint() }
  }

  /// Paints the pictures away from the main thread.
  private func paint() async {
    let scale = Int(gtk_widget_get_scale_factor(button.widget))
    let size = PixelSize(width: Self.pictureSize.width * scale, height: Self.pictureSize.height * scale)
    for (backdrop, _, picture) in cells {
      let image = await Blocking.run { backdrop.picture(of: size) }
      let texture = image.texture()
      withExtendedLifetime(texture) { gtk_picture_set_paintable(picture.opaque, texture?.opaque) }
    }
  }

  private func makeCell(_ backdrop: Backdrop) -> (button: GObjectRef, picture: GObjectRef)? {
    guard let made = gtk_toggle_button_new(), let picture = gtk_picture_new() else { return nil }
    let cell = GObjectRef(retaining: UnsafeMutableRawPointer(made))
    if let first = cells.first?.button {
      gtk_toggle_button_set_group(cell.of(GtkToggleButton.self), first.of(GtkToggleButton.self))
    }
    gtk_widget_set_size_request(picture, Int32(Self.pictureSize.width), Int32(Self.pictureSize.height))
    gtk_widget_set_overflow(picture, GTK_OVERFLOW_HIDDEN)
    gtk_widget_add_css_class(made, "flat")
    gtk_widget_add_css_class(made, "backdrop-choice")
    gtk_button_set_child(cell.of(GtkButton.self), picture)
    gtk_widget_set_tooltip_text(made, backdrop.title)
    pm_set_accessible_label(made, backdrop.title)
    cell.on("toggled") { [weak self, unowned cell] in
      guard let self, !isFollowing, gtk_toggle_button_get_active(cell.of(GtkToggleButton.self)) != 0 else { return }
      choose(backdrop)
    }
    return (cell, GObjectRef(retaining: UnsafeMutableRawPointer(picture)))
  }

  private func colorWasSet() {
    var color = GdkRGBA()
    gtk_color_chooser_get_rgba(self.color.opaque, &color)
    func byte(_ part: Float) -> UInt8 { UInt8((max(0, min(1, part)) * 255).rounded()) }
    choose(.color(red: byte(color.red), green: byte(color.green), blue: byte(color.blue)))
  }

  private func follow() {
    let chosen = backdrop()
    gtk_widget_set_visible(button.widget, (chosen != nil).gboolean)
    guard let chosen else { return gtk_popover_popdown(popover.of(GtkPopover.self)) }
    fill()
    pm_set_accessible_description(button.widget, chosen.title)
    isFollowing = true
    defer { isFollowing = false }
    let match = cells.first { $0.backdrop == chosen }
    for cell in cells {
      gtk_toggle_button_set_active(cell.button.of(GtkToggleButton.self), (cell.backdrop == match?.backdrop).gboolean)
    }
    guard match == nil, case .color(let red, let green, let blue) = chosen else { return }
    var color = GdkRGBA(red: Float(red) / 255, green: Float(green) / 255, blue: Float(blue) / 255, alpha: 1)
    gtk_color_chooser_set_rgba(self.color.opaque, &color)
  }
}
