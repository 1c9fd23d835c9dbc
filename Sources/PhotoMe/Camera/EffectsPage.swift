// The page of effects: the camera's live picture with each of them, in the viewfinder's place.

import CGtk
import CameraCore
import CameraModels
import EngineInterface
import GtkShim
import Localization
import PhotoEffects

/// Shows an `EffectsModel`'s gallery while it is open. While it is closed, only widgets without pictures are left of
/// it.
@MainActor final class EffectsPage {
  /// About the width of a tile, in the layout's pixels: the window's default width has room for four.
  private static let tileWidth = 216

  /// The space between two tiles and at both sides, including the style sheet's.
  private static let gap = 18

  private struct Tile {
    let effect: Effect?
    let child: GObjectRef
    let picture: GObjectRef
    let paintable: GObjectRef
    let mark: NotInstalledLabel
    var hasPicture = false

    var name: String { EffectGalleryScene.name(of: effect.map { .init($0) }) }
    var title: String { effect?.title ?? localized("Original", context: "effect", comment: "No effect") }
  }

  let root: GObjectRef
  /// Called with the number of tiles that show a picture, when it changes.
  var picturesChanged: ((_ count: Int) -> Void)?
  /// Called with each set of the camera's pictures, before they are painted.
  var picturesArrived: (() -> Void)?

  private let model: EffectsModel
  private let gallery: any EffectGallery
  private let list: GObjectRef
  private let scroller: GObjectRef
  private let position: GObjectRef
  private let strengthRow: GObjectRef
  private let keys = GObjectRef(adopting: gtk_event_controller_key_new())
  private var strength: ValueSlider?
  private var scope: ScopeMenu?
  private var backdrop: BackdropMenu?
  private var tiles: [Tile] = []
  private var wakeup: Wakeup?
  private var tileSize = PixelSize(width: 0, height: 0)
  private var frame = PixelSize(width: 16, height: 9)
  private var observation: ModelObservation?

  init(data: DataFolder, model: EffectsModel, gallery: any EffectGallery) throws(InstallationError) {
    self.model = model
    self.gallery = gallery
    let interface = try Interface(data.ui("effects"))
    root = interface["effects_page"]
    list = interface["effects_tiles"]
    scroller = interface["effects_scroller"]
    strengthRow = interface["effects_strength"]
    position = GObjectRef(retaining: gtk_scrolled_window_get_vadjustment(scroller.opaque))
    addTiles()
    strength = ValueSlider(
      scale: interface["strength_scale"], label: interface["strength_value"],
      value: { model.setting?.intensity ?? 1 }, text: ValueSlider.percent,
      set: { model.setIntensity($0) }, reset: { model.setIntensity(1) }, released: { model.intensityWasSet() })
    scope = ScopeMenu(
      interface["effect_scope"], scope: { model.setting?.chosenScope },
      scopes: { model.scopes },
      choose: { model.setScope($0) })
    backdrop = try model.backdrops.map { backdrops throws(InstallationError) in
      try BackdropMenu(interface["effect_backdrop"], data: data, model: model, backdrops: backdrops)
    }
    list.onPointer("child-activated") { [weak self] child in self?.activated(child) }
    position.on("value-changed") { [weak self] in self?.updateVisible() }
    // The tiles' positions are known only after the layout that is under way.
    position.on("changed") { [weak self] in MainLoop.whenIdle { self?.updateVisible() } }
    // Its page is the width, which the tiles fill.
    let across = GObjectRef(retaining: gtk_scrolled_window_get_hadjustment(scroller.opaque))
    across.on("changed") { [weak self] in MainLoop.whenIdle { self?.updateVisible() } }
    // GTK 4.8's own arrow keys start at the tile that was clicked last rather than at the focus.
    gtk_event_controller_set_propagation_phase(keys.opaque, GTK_PHASE_CAPTURE)
    keys.onKey("key-pressed") { [weak self] key, _ in self?.pressed(key) ?? false }
    list.addController(keys)
    interface["effects_group"].onQuestion("entering") { [weak self] in self?.focus() ?? false }
    observation = ModelObservation { [weak self] in self?.followChoice() }
  }

  private func addTiles() {
    for effect in [nil] + Effect.all.map(Optional.some) {
      guard let child = gtk_flow_box_child_new(), let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 3),
        let picture = gtk_picture_new()
      else { return }
      let place = GObjectRef(retaining: picture)
      guard let mark = NotInstalledLabel(over: place) else { return }
      let tile = Tile(
        effect: effect, child: GObjectRef(retaining: child), picture: place,
        paintable: GObjectRef(adopting: pm_preview_paintable_new()), mark: mark)
      let inside = UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self)
      gtk_picture_set_paintable(tile.picture.opaque, tile.paintable.opaque)
      gtk_widget_set_overflow(picture, GTK_OVERFLOW_HIDDEN)
      gtk_widget_set_halign(mark.widget.widget, GTK_ALIGN_CENTER)
      gtk_box_append(inside, mark.widget.widget)
      gtk_box_append(inside, gtk_label_new(tile.title))
      gtk_flow_box_child_set_child(tile.child.of(GtkFlowBoxChild.self), box)
      pm_set_accessible_label(child, tile.title)
      gtk_flow_box_insert(list.opaque, child, -1)
      tiles.append(tile)
    }
  }

  // MARK: Opening and closing

  /// Starts the previews; the page is about to be shown.
  ///
  /// - Parameter frame: The size of the camera's pictures.
  func open(frame: PixelSize) {
    self.frame = frame
    markMissing()
    fitTiles()
    // Below input and painting.
    let wakeup = Wakeup(priority: G_PRIORITY_DEFAULT_IDLE) { [weak self] in self?.showPictures() }
    self.wakeup = wakeup
    gallery.setPictureHandler(Self.handler(signaling: wakeup))
    MainLoop.whenIdle { [weak self] in
      self?.focus()
      self?.updateVisible()
    }
  }

  /// Ends the previews; the page is hidden.
  func close() {
    gallery.setPictureHandler(nil)
    wakeup = nil
    for index in tiles.indices {
      pm_preview_paintable_clear(tiles[index].paintable.opaque)
      tiles[index].hasPicture = false
    }
    picturesChanged?(0)
  }

  /// Made outside the main actor, because the engine's thread calls it.
  private nonisolated static func handler(signaling wakeup: Wakeup) -> @Sendable () -> Void {
    { wakeup.signal() }
  }

  /// Marks the effects that can't be used, with the reason.
  private func markMissing() {
    let reason = model.reasonAgainstMattes
    for tile in tiles where tile.effect?.renderer.needsMatte == true {
      tile.mark.show(reason != nil)
      gtk_widget_set_tooltip_text(tile.child.widget, reason)
    }
    followChoice()
  }

  @discardableResult
  private func focus() -> Bool {
    guard let tile = tiles.first(where: { $0.effect == model.setting?.effect }) else { return false }
    return gtk_widget_grab_focus(tile.child.widget) != 0
  }

  // MARK: Pictures

  private func showPictures() {
    guard wakeup != nil else { return }
    let pictures = gallery.takePictures()
    var isMore = false
    for index in tiles.indices {
      guard let frame = pictures[tiles[index].name] else { continue }
      pm_preview_paintable_match_renderer(tiles[index].paintable.opaque, tiles[index].picture.widget)
      tiles[index].paintable.show(frame)
      isMore = isMore || !tiles[index].hasPicture
      tiles[index].hasPicture = true
    }
    if !pictures.isEmpty { picturesArrived?() }
    if isMore { picturesChanged?(tiles.count { $0.hasPicture }) }
  }

  /// Fills the page's width with tiles, two or more side by side.
  private func fitTiles() {
    let room = Int(gtk_widget_get_width(scroller.widget))
    let columns = max(2, (room + (Self.tileWidth + Self.gap) / 2) / (Self.tileWidth + Self.gap))
    let width = room > 0 ? max(96, (room - (columns + 1) * Self.gap) / columns) : Self.tileWidth
    gtk_flow_box_set_max_children_per_line(list.opaque, guint(columns))
    let size = PixelSize(width: width, height: max(1, width * frame.height / max(1, frame.width)))
    guard size != tileSize else { return }
    tileSize = size
    for tile in tiles {
      // An old picture would keep its own size, even outside the visible part.
      pm_preview_paintable_clear(tile.paintable.opaque)
      pm_preview_paintable_set_natural_size(tile.paintable.opaque, Int32(size.width), Int32(size.height))
      gtk_widget_set_size_request(tile.picture.widget, Int32(size.width), Int32(size.height))
    }
  }

  private func updateVisible() {
    guard wakeup != nil else { return }
    fitTiles()
    let page = gtk_adjustment_get_page_size(position.of(GtkAdjustment.self))
    let visible = tiles.filter { tile in
      var (x, y) = (0.0, 0.0)
      let height = Double(gtk_widget_get_height(tile.child.widget))
      guard height > 0, gtk_widget_translate_coordinates(tile.child.widget, scroller.widget, 0, 0, &x, &y) != 0 else {
        return false
      }
      return y + height > 0 && y < page
    }
    let scale = Int(gtk_widget_get_scale_factor(root.widget))
    model.setVisible(
      visible.map(\.effect), size: PixelSize(width: tileSize.width * scale, height: tileSize.height * scale))
  }

  // MARK: Keys

  private func pressed(_ key: UInt32) -> Bool {
    guard let focused = tiles.firstIndex(where: { gtk_widget_has_focus($0.child.widget) != 0 }) else { return false }
    let step =
      switch Int32(key) {
      case GDK_KEY_Left, GDK_KEY_KP_Left: -list.stepToRight
      case GDK_KEY_Right, GDK_KEY_KP_Right: list.stepToRight
      case GDK_KEY_Up, GDK_KEY_KP_Up: -columnCount
      case GDK_KEY_Down, GDK_KEY_KP_Down: columnCount
      case GDK_KEY_Home, GDK_KEY_KP_Home: -focused
      case GDK_KEY_End, GDK_KEY_KP_End: tiles.count - 1 - focused
      default: 0
      }
    guard step != 0 else { return false }
    if tiles.indices.contains(focused + step) { gtk_widget_grab_focus(tiles[focused + step].child.widget) }
    return true
  }

  /// The number of tiles side by side.
  private var columnCount: Int {
    let tops = tiles.map { tile in
      var (x, y) = (0.0, 0.0)
      _ = gtk_widget_translate_coordinates(tile.child.widget, list.widget, 0, 0, &x, &y)
      return y
    }
    return max(1, tops.prefix { $0 == tops[0] }.count)
  }

  // MARK: Choosing

  private func activated(_ child: UnsafeMutableRawPointer?) {
    guard let child, let tile = tiles.first(where: { $0.child.address == child }) else { return }
    model.pick(tile.effect)
  }

  private func followChoice() {
    let chosen = model.setting?.effect
    for tile in tiles {
      if tile.effect == chosen {
        gtk_widget_add_css_class(tile.child.widget, "chosen")
      } else {
        gtk_widget_remove_css_class(tile.child.widget, "chosen")
      }
      let reason = gtk_widget_get_tooltip_text(tile.child.widget).map { String(cString: $0) }
      pm_set_accessible_description(
        tile.child.widget, tile.effect == chosen ? localized("Chosen") : reason ?? "")
    }
    gtk_revealer_set_reveal_child(strengthRow.opaque, (chosen != nil).gboolean)
  }
}
