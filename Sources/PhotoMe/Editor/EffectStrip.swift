// The editor's page of effects: thumbnails of the current picture, and the strength of the chosen effect.

import CGtk
import CameraCore
import CameraModels
import GtkShim
import Localization
import PhotoEffects

/// Shows all effects as toggle buttons.
@MainActor final class EffectStrip {
  /// A button of the strip.
  private struct Cell {
    let effect: Effect?
    let button: GObjectRef
    let thumbnail: GObjectRef
    let mark: NotInstalledLabel
    /// The pixels that its thumbnail shows.
    var shown: FrameBlock?

    var name: String { effect.map(\.identifier) ?? EffectThumbnails.original }
  }

  private let model: EditModel
  private let list: GObjectRef
  private let scroller: GObjectRef
  private let position: GObjectRef
  private let row: GObjectRef
  private let strengthScale: GObjectRef
  private let wheel = GObjectRef(adopting: gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES))
  private var cells: [Cell] = []
  private var strength: ValueSlider?
  private var scope: ScopeMenu?
  private var backdrop: BackdropMenu?
  private var observations: [ModelObservation] = []
  private var isFollowing = false
  private var hasBeenLaidOut = false

  init(interface: Interface, data: DataFolder, model: EditModel) throws(InstallationError) {
    self.model = model
    list = interface["effect_list"]
    scroller = interface["effect_scroller"]
    position = GObjectRef(retaining: gtk_scrolled_window_get_hadjustment(scroller.opaque))
    row = interface["strength_row"]
    strengthScale = interface["strength_scale"]
    addCells()
    strength = ValueSlider(
      scale: strengthScale, label: interface["strength_value"],
      value: { model.recipe.effect?.intensity ?? 1 }, text: ValueSlider.percent,
      set: { model.setIntensity($0) }, reset: { model.setIntensity(1) }, released: { model.endStep() })
    scope = ScopeMenu(
      interface["effect_scope"], scope: { model.recipe.effect?.chosenScope },
      scopes: { model.scopes },
      choose: { model.setScope($0) })
    backdrop = try model.backdrops.map { backdrops throws(InstallationError) in
      try BackdropMenu(interface["effect_backdrop"], data: data, model: model, backdrops: backdrops)
    }
    position.on("value-changed") { [weak self] in self?.updateVisible() }
    position.on("changed") { [weak self] in self?.wasLaidOut() }
    wheel.onScroll { [weak self] x, y in
      guard let self else { return false }
      // The wheel goes on to the next effects, which are at the left where one reads from the right.
      return scroll(by: list.isMirrored ? x - y : x + y)
    }
    scroller.addController(wheel)
    addKeys()
    observations = [
      ModelObservation { [weak self] in self?.followChoice() },
      ModelObservation { [weak self] in self?.followImages() },
      ModelObservation { [weak self] in self?.followAvailability() },
    ]
  }

  /// Gives the keyboard focus to the chosen effect.
  func focus() {
    if let cell = cells.first(where: { $0.effect == model.recipe.effect?.effect }) {
      // Before the strip has followed the choice, it is no stop yet, and would refuse the focus.
      gtk_widget_set_focusable(cell.button.widget, true.gboolean)
      gtk_widget_grab_focus(cell.button.widget)
    }
  }

  private func addCells() {
    var group: Effect.Group?
    for effect in [nil] + Effect.all.map(Optional.some) {
      guard let button = gtk_toggle_button_new(), let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 3),
        let label = gtk_label_new(effect?.title ?? localized("Original", context: "effect", comment: "No effect"))
      else { return }
      let thumbnail = GObjectRef(retaining: pm_thumbnail_new(Int32(EffectThumbnails.side)))
      guard let mark = NotInstalledLabel(over: thumbnail) else { return }
      let cell = Cell(
        effect: effect, button: GObjectRef(retaining: UnsafeMutableRawPointer(button)), thumbnail: thumbnail, mark: mark
      )
      let inside = UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self)
      gtk_box_append(inside, mark.widget.widget)
      gtk_box_append(inside, label)
      gtk_button_set_child(cell.button.of(GtkButton.self), box)
      gtk_widget_add_css_class(cell.button.widget, "flat")
      // A gap separates the groups.
      if effect?.group != group { gtk_widget_add_css_class(cell.button.widget, "first") }
      group = effect?.group
      pm_set_accessible_label(
        cell.button.widget, effect?.title ?? localized("Original", context: "effect", comment: "No effect"))
      if let first = cells.first {
        gtk_toggle_button_set_group(
          cell.button.of(GtkToggleButton.self), first.button.of(GtkToggleButton.self))
      }
      cell.button.on("toggled") { [weak self] in self?.toggled(effect) }
      gtk_box_append(list.of(GtkBox.self), cell.button.widget)
      cells.append(cell)
    }
  }

  private func toggled(_ effect: Effect?) {
    guard !isFollowing, let cell = cells.first(where: { $0.effect == effect }),
      gtk_toggle_button_get_active(cell.button.of(GtkToggleButton.self)) != 0
    else { return }
    model.select(effect: effect)
    // It may be refused.
    if model.recipe.effect?.effect != effect { followChoice() }
  }

  // MARK: Following the model

  /// Marks the effects that can't be used, with the reason.
  private func followAvailability() {
    let reason = model.asset == nil ? nil : model.reasonAgainstMattes
    for cell in cells where cell.effect?.renderer.needsMatte == true {
      cell.mark.show(reason != nil)
      gtk_widget_set_tooltip_text(cell.button.widget, reason)
      pm_set_accessible_description(cell.button.widget, reason ?? "")
    }
  }

  private func followChoice() {
    let chosen = model.recipe.effect?.effect
    // The row keeps its space, so that the picture doesn't move.
    // Screen readers ask the slider itself.
    for widget in [row, strengthScale] { gtk_widget_set_sensitive(widget.widget, (chosen != nil).gboolean) }
    gtk_widget_set_opacity(row.widget, chosen == nil ? 0 : 1)
    // The strip is a single stop for Tab; inside, the arrow keys choose.
    for cell in cells { gtk_widget_set_focusable(cell.button.widget, (cell.effect == chosen).gboolean) }
    guard let cell = cells.first(where: { $0.effect == chosen }) else { return }
    isFollowing = true
    gtk_toggle_button_set_active(cell.button.of(GtkToggleButton.self), true.gboolean)
    isFollowing = false
    show(cell)
  }

  private func followImages() {
    let images = model.thumbnails.images
    for index in cells.indices {
      let image = images[cells[index].name]
      guard image?.block !== cells[index].shown else { continue }
      cells[index].shown = image?.block
      let texture = image?.texture()
      pm_thumbnail_set_texture(cells[index].thumbnail.opaque, texture?.opaque)
    }
  }

  // MARK: Scrolling and keys

  /// Scrolls so that a cell and part of the next one are visible.
  private func show(_ cell: Cell) {
    var (x, y) = (0.0, 0.0)
    guard gtk_widget_translate_coordinates(cell.button.widget, list.widget, 0, 0, &x, &y) != 0 else { return }
    let adjustment = position.of(GtkAdjustment.self)
    let page = gtk_adjustment_get_page_size(adjustment)
    let width = Double(gtk_widget_get_width(cell.button.widget))
    guard page > 0, width > 0 else { return }
    let value = gtk_adjustment_get_value(adjustment)
    let (least, most) = (x + 1.5 * width - page, x - width / 2)
    if value < least { gtk_adjustment_set_value(adjustment, least) }
    if value > most { gtk_adjustment_set_value(adjustment, most) }
  }

  /// Shows the chosen effect once there is a layout: until then the strip is at its left end, which is its last in Arabic.
  private func wasLaidOut() {
    updateVisible()
    guard !hasBeenLaidOut, gtk_adjustment_get_page_size(position.of(GtkAdjustment.self)) > 0 else { return }
    hasBeenLaidOut = true
    // The cells get their places after the strip has got its size.
    MainLoop.whenIdle { [weak self] in self?.followChoice() }
  }

  private func updateVisible() {
    let adjustment = position.of(GtkAdjustment.self)
    let (start, page) = (gtk_adjustment_get_value(adjustment), gtk_adjustment_get_page_size(adjustment))
    let width = gtk_adjustment_get_upper(adjustment) / Double(max(1, cells.count))
    guard width > 0, page > 0 else { return }
    let first = min(max(0, Int(start / width)), cells.count - 1)
    let last = min(max(first, Int((start + page) / width)), cells.count - 1)
    let range = list.isMirrored ? cells.count - 1 - last...cells.count - 1 - first : first...last
    model.thumbnails.setVisible(cells[range].map(\.name))
  }

  private func scroll(by turn: Double) -> Bool {
    guard turn != 0 else { return false }
    let adjustment = position.of(GtkAdjustment.self)
    let isPrecise = gtk_event_controller_scroll_get_unit(wheel.opaque) == GDK_SCROLL_UNIT_SURFACE
    gtk_adjustment_set_value(
      adjustment, gtk_adjustment_get_value(adjustment) + turn * (isPrecise ? 1 : Double(EffectThumbnails.side)))
    return true
  }

  private func addKeys() {
    let keys = GObjectRef(adopting: gtk_event_controller_key_new())
    gtk_event_controller_set_propagation_phase(keys.opaque, GTK_PHASE_CAPTURE)
    keys.onKey("key-pressed") { [weak self] key, _ in
      guard let self else { return false }
      switch Int32(key) {
      case GDK_KEY_Left: model.moveEffect(by: -list.stepToRight)
      case GDK_KEY_Right: model.moveEffect(by: list.stepToRight)
      case GDK_KEY_Home: model.select(effect: nil)
      case GDK_KEY_End: model.select(effect: Effect.all.last)
      default: return false
      }
      focus()
      return true
    }
    list.addController(keys)
  }
}
