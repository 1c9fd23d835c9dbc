// The choice of a backdrop.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import Localization
import PhotoEffects
import PhotoLibrary

/// Binds a `GtkMenuButton` to the backdrop of a model's effect: its popover shows scenes and colors, the person's own pictures
/// and movies, and their place. Hidden for effects that have no backdrop.
@MainActor final class BackdropMenu {
  /// In the layout's pixels.
  private static let pictureSize = PixelSize(width: 96, height: 54)
  private static let colorSize = PixelSize(width: 24, height: 24)
  /// Choices in a row.
  private static let columns = 3

  private let button: GObjectRef
  private let model: any BackdropChoosing
  private let backdrops: BackdropsModel
  private let popover: GObjectRef
  private let choices: GObjectRef
  private let colors: GObjectRef
  private let own: GObjectRef
  private let ownTitle: GObjectRef
  private let place: GObjectRef
  private let fits: [(fit: OwnBackdrop.Fit, button: GObjectRef)]
  private let add: GObjectRef
  private let adding: GObjectRef
  private let progress: GObjectRef
  private let color = GObjectRef(retaining: gtk_color_button_new())
  private var sliders: [ValueSlider] = []
  private var cells: [Cell] = []
  private var ownCells: [Cell] = []
  private var chooser: FolderChooser?
  private var isFollowing = false
  private var observations: [ModelObservation] = []

  private struct Cell {
    /// Where an own one has its place doesn't matter.
    var backdrop: Backdrop
    var button: GObjectRef
    var picture: GObjectRef
  }

  init(
    _ button: GObjectRef, data: DataFolder, model: any BackdropChoosing, backdrops: BackdropsModel
  ) throws(InstallationError) {
    (self.button, self.model, self.backdrops) = (button, model, backdrops)
    let interface = try Interface(data.ui("backdrop"))
    popover = interface["backdrop_popover"]
    (choices, colors) = (interface["backdrop_choices"], interface["backdrop_colors"])
    (own, ownTitle, place) = (interface["backdrop_own"], interface["backdrop_own_title"], interface["backdrop_place"])
    fits = [(.fill, interface["backdrop_fill"]), (.fit, interface["backdrop_fit"])]
    (add, adding, progress) = (interface["backdrop_add"], interface["backdrop_adding"], interface["backdrop_progress"])
    gtk_menu_button_set_popover(button.opaque, popover.widget)
    popover.on("show") { [weak self] in self?.opened() }
    add.on("clicked") { [weak self] in self?.askFile() }
    interface["backdrop_cancel"].on("clicked") { backdrops.cancelAdding() }
    interface["backdrop_remove"].on("clicked") { [weak self] in self?.removeChosen() }
    for (fit, button) in fits {
      button.on("toggled") { [weak self, unowned button] in
        guard let self, !isFollowing, button.isActiveToggle else { return }
        model.setBackdropFit(fit)
      }
    }
    addSlider("backdrop_x", interface, { Double($0.x) }) { .init(x: $1, y: $0.y) }
    addSlider("backdrop_y", interface, { Double($0.y) }) { .init(x: $0.x, y: $1) }
    observations = [
      ModelObservation { [weak self] in self?.follow() },
      ModelObservation(of: { backdrops.kept }) { [weak self] _ in self?.followOwn() },
      ModelObservation { [weak self] in self?.followProgress() },
    ]
  }

  /// - Parameters:
  ///   - value: The slider's number, in percent, of a place.
  ///   - moved: The place with another number.
  private func addSlider(
    _ name: String, _ interface: Interface, _ value: @escaping (OwnBackdrop.Position) -> Double,
    _ moved: @escaping (OwnBackdrop.Position, Int) -> OwnBackdrop.Position
  ) {
    let (scale, model) = (interface[name], model)
    // Left is left, in whatever direction one reads.
    gtk_widget_set_direction(scale.widget, GTK_TEXT_DIR_LTR)
    func position() -> OwnBackdrop.Position {
      if case .own(let own) = model.chosenBackdrop { own.position } else { .center }
    }
    func move(to part: Double) { model.moveBackdrop(to: moved(position(), Int((part * 100).rounded()))) }
    sliders.append(
      ValueSlider(
        scale: scale, label: interface[name + "_value"], value: { value(position()) / 100 },
        text: ValueSlider.percent, set: { move(to: $0) },
        reset: {
          move(to: value(.center) / 100)
          model.backdropWasMoved()
        }, released: { model.backdropWasMoved() }))
  }

  /// Another program may have added some.
  private func opened() {
    Task {
      await backdrops.load()
      focusChosen()
    }
  }

  private func focusChosen() {
    let chosen = model.chosenBackdrop
    guard let cell = (cells + ownCells).first(where: { Self.isSame($0.backdrop, chosen) }) else { return }
    gtk_widget_grab_focus(cell.button.widget)
  }

  /// Whether two are the same but for their places.
  private static func isSame(_ one: Backdrop, _ other: Backdrop?) -> Bool {
    if case .own(let one) = one, case .own(let other) = other { return one.id == other.id }
    return one == other
  }

  // MARK: The choices

  /// Adds the scenes and colors, when there is an effect with a backdrop for the first time.
  private func fill() {
    guard cells.isEmpty else { return }
    for backdrop in Backdrop.suggestions {
      guard let cell = makeCell(backdrop, title: backdrop.title) else { continue }
      if case .color = backdrop {
        gtk_box_append(colors.of(GtkBox.self), cell.button.widget)
      } else {
        attach(cell.button, to: choices, at: cells.count)
      }
      cells.append(cell)
    }
    gtk_widget_set_tooltip_text(color.widget, localized("Custom Color…", context: "backdrop"))
    pm_set_accessible_label(color.widget, localized("Custom Color…", context: "backdrop"))
    var first = GdkRGBA(red: 0.5, green: 0.5, blue: 0.5, alpha: 1)
    gtk_color_chooser_set_rgba(color.opaque, &first)
    gtk_color_chooser_set_use_alpha(color.opaque, false.gboolean)
    color.on("color-set") { [weak self] in self?.colorWasSet() }
    gtk_box_append(colors.of(GtkBox.self), color.widget)
    paint(cells)
    Task { await backdrops.load() }
  }

  private func attach(_ widget: GObjectRef, to grid: GObjectRef, at index: Int) {
    gtk_grid_attach(
      grid.of(GtkGrid.self), widget.widget, Int32(index % Self.columns), Int32(index / Self.columns), 1, 1)
  }

  /// Shows the own ones that there are now.
  private func followOwn() {
    guard !cells.isEmpty else { return }
    let before = ownCells
    for cell in before { gtk_grid_remove(own.of(GtkGrid.self), cell.button.widget) }
    ownCells = []
    for kept in backdrops.kept {
      guard let backdrop = OwnBackdrop(id: kept.id).map({ Backdrop.own($0) }) else { continue }
      let known = before.first { Self.isSame($0.backdrop, backdrop) }
      guard
        let cell = known ?? makeCell(backdrop, title: BackdropsModel.title(of: kept), isMovie: kept.kind == .movie)
      else { continue }
      attach(cell.button, to: own, at: ownCells.count)
      ownCells.append(cell)
    }
    paint(ownCells.filter { cell in !before.contains { $0.button === cell.button } })
    for widget in [own, ownTitle] { gtk_widget_set_visible(widget.widget, (!ownCells.isEmpty).gboolean) }
    follow()
  }

  /// Shows how much of a file was read.
  private func followProgress() {
    let part = backdrops.progress
    gtk_widget_set_visible(add.widget, (part == nil).gboolean)
    gtk_widget_set_visible(adding.widget, (part != nil).gboolean)
    guard let part else { return }
    gtk_progress_bar_set_fraction(progress.opaque, part)
    // Of a picture nothing is known until it is there.
    if part == 0 { gtk_progress_bar_pulse(progress.opaque) }
  }

  /// Paints the pictures away from the main thread.
  private func paint(_ cells: [Cell]) {
    let scale = Int(gtk_widget_get_scale_factor(button.widget))
    Task { [backdrops] in
      for cell in cells {
        let size = Self.size(of: cell.backdrop)
        let pixels = PixelSize(width: size.width * scale, height: size.height * scale)
        guard let image = await backdrops.picture(of: cell.backdrop, pixels) else { continue }
        let texture = image.texture()
        withExtendedLifetime(texture) { gtk_picture_set_paintable(cell.picture.opaque, texture?.opaque) }
      }
    }
  }

  private static func size(of backdrop: Backdrop) -> PixelSize {
    if case .color = backdrop { colorSize } else { pictureSize }
  }

  private func makeCell(_ backdrop: Backdrop, title: String, isMovie: Bool = false) -> Cell? {
    guard let made = gtk_toggle_button_new(), let picture = gtk_picture_new() else { return nil }
    let cell = GObjectRef(retaining: UnsafeMutableRawPointer(made))
    if let first = cells.first?.button {
      gtk_toggle_button_set_group(cell.of(GtkToggleButton.self), first.of(GtkToggleButton.self))
    }
    let size = Self.size(of: backdrop)
    gtk_widget_set_size_request(picture, Int32(size.width), Int32(size.height))
    gtk_widget_set_overflow(picture, GTK_OVERFLOW_HIDDEN)
    gtk_picture_set_content_fit(OpaquePointer(picture), GTK_CONTENT_FIT_FILL)
    gtk_widget_add_css_class(made, "flat")
    gtk_widget_add_css_class(made, "backdrop-choice")
    gtk_button_set_child(cell.of(GtkButton.self), isMovie ? Self.marked(picture) : picture)
    gtk_widget_set_tooltip_text(made, title)
    pm_set_accessible_label(made, title)
    cell.on("toggled") { [weak self, unowned cell] in
      guard let self, !isFollowing, cell.isActiveToggle else { return }
      if case .own(let own) = backdrop { model.chooseOwnBackdrop(own.id) } else { model.setBackdrop(backdrop) }
    }
    return Cell(backdrop: backdrop, button: cell, picture: GObjectRef(retaining: UnsafeMutableRawPointer(picture)))
  }

  /// A picture with the mark of movies.
  private static func marked(_ picture: UnsafeMutablePointer<GtkWidget>) -> UnsafeMutablePointer<GtkWidget> {
    guard let overlay = gtk_overlay_new(), let mark = gtk_image_new_from_icon_name("media-playback-start-symbolic")
    else { return picture }
    gtk_widget_set_halign(mark, GTK_ALIGN_END)
    gtk_widget_set_valign(mark, GTK_ALIGN_END)
    gtk_widget_add_css_class(mark, "backdrop-movie")
    gtk_overlay_set_child(OpaquePointer(overlay), picture)
    gtk_overlay_add_overlay(OpaquePointer(overlay), mark)
    return overlay
  }

  private func colorWasSet() {
    var color = GdkRGBA()
    gtk_color_chooser_get_rgba(self.color.opaque, &color)
    func byte(_ part: Float) -> UInt8 { UInt8((max(0, min(1, part)) * 255).rounded()) }
    model.setBackdrop(.color(red: byte(color.red), green: byte(color.green), blue: byte(color.blue)))
  }

  // MARK: Own ones

  private func askFile() {
    gtk_popover_popdown(popover.of(GtkPopover.self))
    guard let root = gtk_widget_get_root(button.widget) else { return }
    let chooser = FolderChooser(window: GObjectRef(retaining: UnsafeMutableRawPointer(root)))
    self.chooser = chooser
    chooser.askPicture(localized("Choose a Backdrop"), accept: localized("_Choose")) { [weak self, model] file in
      // How far it is can be seen there.
      if let self { gtk_menu_button_popup(button.opaque) }
      Task { await model.addBackdrop(file) }
    }
  }

  private func removeChosen() {
    Task {
      await model.removeBackdrop()
      focusChosen()
    }
  }

  // MARK: Following

  private func follow() {
    let chosen = model.chosenBackdrop
    gtk_widget_set_visible(button.widget, (chosen != nil).gboolean)
    guard let chosen else { return gtk_popover_popdown(popover.of(GtkPopover.self)) }
    fill()
    pm_set_accessible_description(button.widget, chosen.title)
    isFollowing = true
    defer { isFollowing = false }
    let match = (cells + ownCells).first { Self.isSame($0.backdrop, chosen) }
    for cell in cells + ownCells { cell.button.setActiveToggle(cell.button === match?.button) }
    var isOwn = false
    if case .own(let own) = chosen {
      isOwn = true
      for (fit, button) in fits { button.setActiveToggle(fit == own.fit) }
    }
    gtk_widget_set_visible(place.widget, isOwn.gboolean)
    guard match == nil, case .color(let red, let green, let blue) = chosen else { return }
    var color = GdkRGBA(red: Float(red) / 255, green: Float(green) / 255, blue: Float(blue) / 255, alpha: 1)
    gtk_color_chooser_set_rgba(self.color.opaque, &color)
  }
}

extension GObjectRef {
  /// Of a toggle button.
  fileprivate var isActiveToggle: Bool { gtk_toggle_button_get_active(of(GtkToggleButton.self)) != 0 }

  fileprivate func setActiveToggle(_ isActive: Bool) {
    gtk_toggle_button_set_active(of(GtkToggleButton.self), isActive.gboolean)
  }
}
