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
  private let backdrops: BackdropsModel
  private let backdrop: () -> Backdrop?
  private let choose: (Backdrop) -> Void
  private let popover: GObjectRef
  private let choices: GObjectRef
  private let colors: GObjectRef
  private let own: GObjectRef
  private let place: GObjectRef
  private let fits: [(fit: OwnBackdrop.Fit, button: GObjectRef)]
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

  /// - Parameters:
  ///   - backdrops: The own ones.
  ///   - backdrop: Reads the backdrop, `nil` for an effect without one; called again when the model changes.
  ///   - choose: The user chose another one.
  ///   - move: The user moves an own one.
  ///   - released: The user let it go.
  init(
    _ button: GObjectRef, data: DataFolder, backdrops: BackdropsModel, backdrop: @escaping () -> Backdrop?,
    choose: @escaping (Backdrop) -> Void, move: @escaping (OwnBackdrop.Position) -> Void,
    released: @escaping () -> Void
  ) throws(InstallationError) {
    (self.button, self.backdrops, self.backdrop, self.choose) = (button, backdrops, backdrop, choose)
    let interface = try Interface(data.ui("backdrop"))
    popover = interface["backdrop_popover"]
    (choices, colors) = (interface["backdrop_choices"], interface["backdrop_colors"])
    (own, place) = (interface["backdrop_own"], interface["backdrop_place"])
    fits = [(.fill, interface["backdrop_fill"]), (.fit, interface["backdrop_fit"])]
    gtk_menu_button_set_popover(button.opaque, popover.widget)
    popover.on("show") { [weak self] in self?.opened() }
    interface["backdrop_add"].on("clicked") { [weak self] in self?.add() }
    interface["backdrop_remove"].on("clicked") { [weak self] in self?.removeChosen() }
    for (fit, button) in fits {
      button.on("toggled") { [weak self, unowned button] in
        guard let self, !isFollowing, button.isActiveToggle else { return }
        change { $0.fit = fit }
      }
    }
    let axes = [("backdrop_x", \OwnBackdrop.Position.x), ("backdrop_y", \OwnBackdrop.Position.y)]
    for (name, axis) in axes {
      let scale = interface[name]
      // Left is left, in whatever direction one reads.
      gtk_widget_set_direction(scale.widget, GTK_TEXT_DIR_LTR)
      func moved(to percent: Int) {
        guard case .own(let own) = backdrop() else { return }
        var position = own.position
        position[keyPath: axis] = percent
        move(position)
      }
      sliders.append(
        ValueSlider(
          scale: scale, label: interface[name + "_value"],
          value: {
            guard case .own(let own) = backdrop() else { return 0.5 }
            return Double(own.position[keyPath: axis]) / 100
          }, text: ValueSlider.percent,
          set: { moved(to: Int((min(max(0, $0), 1) * 100).rounded())) },
          reset: { moved(to: OwnBackdrop.Position.center[keyPath: axis]) }, released: released))
    }
    observations = [
      ModelObservation { [weak self] in self?.follow() },
      ModelObservation(of: { backdrops.kept }) { [weak self] _ in self?.followOwn() },
    ]
  }

  /// Another program may have added some.
  private func opened() {
    Task { await backdrops.load() }
    let chosen = backdrop()
    MainLoop.whenIdle { [weak self] in
      guard let self, let cell = (cells + ownCells).first(where: { Self.isSame($0.backdrop, chosen) }) else { return }
      gtk_widget_grab_focus(cell.button.widget)
    }
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
    for (index, kept) in backdrops.kept.enumerated() {
      guard let backdrop = OwnBackdrop(id: kept.id).map({ Backdrop.own($0) }) else { continue }
      let known = before.first { Self.isSame($0.backdrop, backdrop) }
      let title =
        kept.kind == .movie
        ? localized("Your Video \(index + 1)", context: "backdrop")
        : localized("Your Picture \(index + 1)", context: "backdrop")
      guard let cell = known ?? makeCell(backdrop, title: title) else { continue }
      gtk_widget_set_tooltip_text(cell.button.widget, title)
      pm_set_accessible_label(cell.button.widget, title)
      attach(cell.button, to: own, at: ownCells.count)
      ownCells.append(cell)
    }
    paint(ownCells.filter { cell in !before.contains { $0.button === cell.button } })
    gtk_widget_set_visible(own.widget, (!ownCells.isEmpty).gboolean)
    follow()
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

  private func makeCell(_ backdrop: Backdrop, title: String) -> Cell? {
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
    gtk_button_set_child(cell.of(GtkButton.self), picture)
    gtk_widget_set_tooltip_text(made, title)
    pm_set_accessible_label(made, title)
    cell.on("toggled") { [weak self, unowned cell] in
      guard let self, !isFollowing, cell.isActiveToggle else { return }
      choose(backdrop)
    }
    return Cell(backdrop: backdrop, button: cell, picture: GObjectRef(retaining: UnsafeMutableRawPointer(picture)))
  }

  private func colorWasSet() {
    var color = GdkRGBA()
    gtk_color_chooser_get_rgba(self.color.opaque, &color)
    func byte(_ part: Float) -> UInt8 { UInt8((max(0, min(1, part)) * 255).rounded()) }
    choose(.color(red: byte(color.red), green: byte(color.green), blue: byte(color.blue)))
  }

  // MARK: Own ones

  private func add() {
    gtk_popover_popdown(popover.of(GtkPopover.self))
    guard let root = gtk_widget_get_root(button.widget) else { return }
    let chooser = FolderChooser(window: GObjectRef(retaining: UnsafeMutableRawPointer(root)))
    self.chooser = chooser
    chooser.askPicture(localized("Choose a Backdrop"), accept: localized("_Choose")) { [weak self] file in
      guard let self else { return }
      Task { [backdrops, choose] in
        if let added = await backdrops.add(file) { choose(.own(added)) }
      }
    }
  }

  private func removeChosen() {
    guard case .own(let own) = backdrop() else { return }
    Task { [backdrops, choose, backdrop] in
      guard await backdrops.remove(own.id), Self.isSame(.own(own), backdrop()) else { return }
      choose(.standard)
    }
  }

  /// Changes the place of the own one.
  private func change(_ body: (inout OwnBackdrop) -> Void) {
    guard case .own(var own) = backdrop() else { return }
    body(&own)
    choose(.own(own))
  }

  // MARK: Following

  private func follow() {
    let chosen = backdrop()
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
