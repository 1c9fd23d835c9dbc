// The library's sidebar: smart albums, albums in their folders, and months with their days.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import PhotoLibrary

/// Shows a `LibraryModel`'s sidebar in a list view, with widgets only for the visible rows: ten years may have
/// thousands of days.
@MainActor final class LibrarySidebar {
  /// The user chose a row.
  var chosen: (() -> Void)?

  private let models: Models
  private let layout: String
  private let view: GObjectRef
  private let ids: GObjectRef
  private let selection: GObjectRef
  private let menu: SidebarMenu
  private var rows: [UnsafeMutableRawPointer: SidebarRow] = [:]
  private var shownIDs: [String] = []
  private var items: [String: SidebarItem] = [:]
  private var observations: [ModelObservation] = []
  private var isFollowing = false
  private var controllers: [GObjectRef] = []

  /// - Parameter layout: The path of the row's `.ui` file.
  init(interface: Interface, layout: String, models: Models) throws(InstallationError) {
    self.models = models
    self.layout = layout
    // Fails now if the layout is broken, rather than at the first row.
    _ = try Interface(layout)
    view = interface["sidebar"]
    menu = SidebarMenu(parent: view)
    ids = GObjectRef(retaining: gtk_string_list_new(nil))
    selection = GObjectRef(adopting: gtk_single_selection_new(ids.opaque))
    gtk_single_selection_set_autoselect(selection.opaque, false.gboolean)
    gtk_single_selection_set_can_unselect(selection.opaque, true.gboolean)
    let factory = GObjectRef(adopting: gtk_signal_list_item_factory_new())
    factory.onPointer("setup") { [weak self] in self?.setUp($0) }
    factory.onPointer("bind") { [weak self] in self?.bind($0) }
    factory.onPointer("teardown") { [weak self] item in
      if let item { self?.rows[item] = nil }
    }
    gtk_list_view_set_factory(view.opaque, factory.opaque)
    gtk_list_view_set_model(view.opaque, selection.opaque)
    selection.onChange(of: "selected") { [weak self] in self?.selected() }
    interface["sidebar_group"].onQuestion("entering") { [weak self] in self?.focusShown() ?? false }
    addClicks()
    addKeys()
    observations = [ModelObservation { [weak self] in self?.follow() }]
  }

  // MARK: Following the model

  private func follow() {
    let new = models.library.sidebar.rows
    let shown = models.library.collection.id
    isFollowing = true
    defer { isFollowing = false }
    items = Dictionary(new.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let newIDs = new.map(\.id)
    if let change = ListChange(from: shownIDs, to: newIDs) {
      shownIDs = newIDs
      ids.splice(change)
    }
    for (listItem, row) in rows { show(listItem, in: row) }
    mark(shown)
  }

  private func mark(_ shown: AssetCollection.ID) {
    let position = shownIDs.firstIndex(of: shown).map(UInt32.init) ?? UInt32.max
    if gtk_single_selection_get_selected(selection.opaque) != position {
      gtk_single_selection_set_selected(selection.opaque, position)
    }
  }

  private func selected() {
    guard !isFollowing else { return }
    let position = Int(gtk_single_selection_get_selected(selection.opaque))
    guard shownIDs.indices.contains(position) else { return }
    let id = shownIDs[position]
    guard items[id]?.collection != nil else {
      // A folder can have the focus, but isn't a collection to show.
      isFollowing = true
      mark(models.library.collection.id)
      isFollowing = false
      return
    }
    Task { [models] in await models.library.select(collection: id) }
    chosen?()
  }

  // MARK: Rows

  private func setUp(_ listItem: UnsafeMutableRawPointer?) {
    // The layout was read before, so only a lack of memory can make it fail here.
    guard let listItem, let row = try? SidebarRow(listItem: listItem, layout: layout) else { return }
    let (pictures, albums, opening) = (models.pictures, models.albums, models.opening)
    row.picturesDropped = { id in Task { await pictures.add(toAlbum: id) } }
    row.filesDropped = { files, id in Task { await opening.drop(files, onAlbum: id) } }
    row.collectionDropped = { id, spot, item in Task { await albums.drop(id, spot, item) } }
    let (library, side) = (models.library, Int(SidebarRow.coverSize) * 2)
    row.makeCover = { await library.cover(of: $0, size: PixelSize(width: side, height: side)) }
    rows[listItem] = row
  }

  private func bind(_ listItem: UnsafeMutableRawPointer?) {
    guard let listItem, let row = rows[listItem] else { return }
    show(listItem, in: row)
  }

  private func show(_ listItem: UnsafeMutableRawPointer, in row: SidebarRow) {
    guard let string = gtk_list_item_get_item(OpaquePointer(listItem)),
      let id = gtk_string_object_get_string(OpaquePointer(string)), let item = items[String(cString: id)]
    else { return }
    row.show(item)
  }

  /// The row that contains a widget, or is contained in it.
  private func row(of widget: UnsafeMutablePointer<GtkWidget>?) -> SidebarRow? {
    var widget = widget
    while let present = widget, present != view.widget {
      // The list's own row is the parent of ours.
      let child = gtk_widget_get_first_child(present)
      if let row = rows.values.first(where: { $0.root.widget == present || $0.root.widget == child }) { return row }
      widget = gtk_widget_get_parent(present)
    }
    return nil
  }

  /// Gives the focus to the row of the collection that is shown.
  private func focusShown() -> Bool {
    let shown = models.library.collection.id
    guard let row = rows.values.first(where: { $0.item?.id == shown }),
      let listRow = gtk_widget_get_parent(row.root.widget)
    else { return false }
    return gtk_widget_grab_focus(listRow) != 0
  }

  private var focusedRow: SidebarRow? {
    guard let root = gtk_widget_get_root(view.widget), let focus = gtk_root_get_focus(root),
      gtk_widget_is_ancestor(focus, view.widget) != 0
    else { return nil }
    return row(of: focus)
  }

  // MARK: Clicks and keys

  private func addClicks() {
    let click = GObjectRef(adopting: gtk_gesture_click_new())
    gtk_gesture_single_set_button(click.opaque, 0)
    // GTK's own gesture on a row would select it; in the capture phase this one comes first.
    gtk_event_controller_set_propagation_phase(click.opaque, GTK_PHASE_CAPTURE)
    var pressed: SidebarItem.ID?
    click.onPressAt("pressed") { [weak self, unowned click] _, x, y in
      guard let self else { return }
      let item = row(of: gtk_widget_pick(view.widget, x, y, GTK_PICK_DEFAULT))?.item
      pressed = item?.id
      guard gtk_gesture_single_get_current_button(click.opaque) == guint(GDK_BUTTON_SECONDARY) else { return }
      gtk_gesture_set_state(click.opaque, GTK_EVENT_SEQUENCE_CLAIMED)
      showMenu(for: item, x: x, y: y)
    }
    click.onPressAt("released") { [weak self, unowned click] _, x, y in
      guard let self, gtk_gesture_single_get_current_button(click.opaque) == guint(GDK_BUTTON_PRIMARY),
        let row = row(of: gtk_widget_pick(view.widget, x, y, GTK_PICK_DEFAULT)), let item = row.item,
        item.id == pressed, let expansion = item.expansion
      else { return }
      models.library.sidebar.setExpanded(!expansion.isExpanded, expansion.id)
    }
    view.addController(click)
    let hold = GObjectRef(adopting: gtk_gesture_long_press_new())
    gtk_gesture_single_set_touch_only(hold.opaque, true.gboolean)
    hold.onPoint("pressed") { [weak self] x, y in
      guard let self else { return }
      showMenu(for: row(of: gtk_widget_pick(view.widget, x, y, GTK_PICK_DEFAULT))?.item, x: x, y: y)
    }
    view.addController(hold)
    controllers += [click, hold]
  }

  private func showMenu(for item: SidebarItem?, x: Double, y: Double) {
    menu.show(for: item, tree: models.library.tree, x: x, y: y)
  }

  private func addKeys() {
    let keys = GObjectRef(adopting: gtk_event_controller_key_new())
    gtk_event_controller_set_propagation_phase(keys.opaque, GTK_PHASE_CAPTURE)
    keys.onKey("key-pressed") { [weak self] key, modifiers in self?.pressed(key, modifiers) ?? false }
    view.addController(keys)
    controllers.append(keys)
  }

  private func pressed(_ key: UInt32, _ modifiers: GdkModifierType) -> Bool {
    guard let row = focusedRow, let item = row.item else { return false }
    if let (id, isExpanded) = item.expansion {
      let sidebar = models.library.sidebar
      switch Int32(key) {
      case GDK_KEY_Return, GDK_KEY_KP_Enter, GDK_KEY_space: sidebar.setExpanded(!isExpanded, id)
      case GDK_KEY_plus: sidebar.setExpanded(true, id)
      case GDK_KEY_minus: sidebar.setExpanded(false, id)
      case GDK_KEY_Right: sidebar.setExpanded(!view.isMirrored, id)
      case GDK_KEY_Left: sidebar.setExpanded(view.isMirrored, id)
      default: return pressed(key, modifiers, on: item, row)
      }
      return true
    }
    return pressed(key, modifiers, on: item, row)
  }

  private func pressed(_ key: UInt32, _ modifiers: GdkModifierType, on item: SidebarItem, _ row: SidebarRow) -> Bool {
    func act(_ action: String) -> Bool {
      guard let id = item.madeID else { return true }
      return gtk_widget_activate_action_variant(view.widget, "app.\(action)", g_variant_new_string(id)) != 0
    }
    switch Int32(key) {
    case GDK_KEY_F2: return act("ask-rename-collection")
    // Even if the focused row can't be deleted, the key must not reach the grid's pictures.
    case GDK_KEY_Delete, GDK_KEY_KP_Delete: return act("delete-collection")
    case GDK_KEY_Menu, GDK_KEY_F10:
      guard Int32(key) == GDK_KEY_Menu || modifiers.rawValue & GDK_SHIFT_MASK.rawValue != 0 else { return false }
      var place = graphene_rect_t()
      guard gtk_widget_compute_bounds(row.root.widget, view.widget, &place) != 0 else { return false }
      showMenu(
        for: item, x: Double(place.origin.x + place.size.width / 2), y: Double(place.origin.y + place.size.height / 2))
      return true
    default: return false
    }
  }
}
