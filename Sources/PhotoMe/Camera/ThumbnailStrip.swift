// The strip under the viewfinder: the newest pictures first, with widgets only for the visible ones.

import CGtk
import CameraModels
import Foundation
import GtkShim

/// Shows a `ThumbnailStripModel` in a horizontal list view.
///
/// The list view's items are the pictures' IDs. GTK makes cells for the visible pictures and reuses them for others; a
/// cell looks its picture up by the ID.
@MainActor final class ThumbnailStrip {
  private let model: ThumbnailStripModel
  private let edits: EditQueue
  private let cellLayout: String
  private let listView: GObjectRef
  private let scroller: GObjectRef
  private let position: GObjectRef
  private let ids: GObjectRef
  private let selection: GObjectRef
  private let placeholder: GObjectRef
  private let editButton: GObjectRef
  private let menu: GObjectRef
  private let keys = GObjectRef(adopting: gtk_event_controller_key_new())
  private var gestures: PictureGestures?
  private let wheel = GObjectRef(adopting: gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL))
  private var shownIDs: [String] = []
  private var items: [String: StripItem] = [:]
  /// The cells by the addresses of their list items.
  private var cells: [UnsafeMutableRawPointer: ThumbnailCell] = [:]
  private var observations: [ModelObservation] = []
  private let recent = RecentPictures()
  private var ticker: FrameTicker?
  private var isFollowing = false
  /// The shot that `shotArrived` was called for last.
  private var arrivedID: String?

  /// Called with the picture of a new shot, a `GdkTexture`, and its cell.
  var shotArrived: ((_ picture: GObjectRef, _ cell: GObjectRef) -> Void)?

  /// - Parameters:
  ///   - cellLayout: The path of the cell's `.ui` file.
  ///   - edits: The edits that are being saved.
  ///   - open: Called when the selected picture is opened with Enter or a click.
  init(
    interface: Interface, cellLayout: String, model: ThumbnailStripModel, edits: EditQueue, open: @escaping () -> Void
  ) throws(InstallationError) {
    self.model = model
    self.edits = edits
    self.cellLayout = cellLayout
    listView = interface["strip"]
    scroller = interface["strip_scroller"]
    position = GObjectRef(retaining: gtk_scrolled_window_get_hadjustment(scroller.opaque))
    // The selection takes over the reference that comes with the list; this one is ours.
    ids = GObjectRef(retaining: gtk_string_list_new(nil))
    selection = GObjectRef(adopting: gtk_multi_selection_new(ids.opaque))
    placeholder = interface["strip_placeholder"]
    editButton = interface["edit_button"]
    menu = GObjectRef(retaining: gtk_popover_menu_new_from_model(interface["strip_menu"].of(GMenuModel.self)))
    gtk_popover_set_has_arrow(menu.of(GtkPopover.self), false.gboolean)
    gtk_widget_set_parent(menu.widget, listView.widget)
    gtk_widget_set_halign(menu.widget, GTK_ALIGN_START)
    // Fails now if the cell's layout is broken, rather than at the first photo.
    _ = try ThumbnailCell(layout: cellLayout, recent: recent)

    ticker = FrameTicker(listView) { [weak self] in
      self?.loadPictures()
      return false
    }
    let factory = GObjectRef(adopting: gtk_signal_list_item_factory_new())
    factory.onPointer("setup") { [weak self] in self?.setUp($0) }
    factory.onPointer("bind") { [weak self] in self?.bind($0) }
    factory.onPointer("unbind") { [weak self] in self?.cell($0)?.show(nil, model: model) }
    factory.onPointer("teardown") { [weak self] item in
      if let item { self?.cells[item] = nil }
    }
    gtk_list_view_set_factory(listView.opaque, factory.opaque)
    gtk_list_view_set_model(listView.opaque, selection.opaque)

    let openItem = { [weak self] (index: Int) -> Void in
      self?.select(index)
      open()
    }
    listView.onNumber("activate", openItem)
    selection.onSize("selection-changed") { [weak self] _, _ in self?.selectionChanged() }
    let gestures = PictureGestures(
      view: listView, model: model, cell: { [weak self] in self?.cell(atX: $0, y: $1) },
      cursorMoved: { [weak self] in self?.followSelection() })
    gestures.opened = openItem
    gestures.menuRequested = { [weak self] x, y in self?.showMenu(x: x, y: y) }
    interface["strip_group"].onQuestion("entering") { [weak self] in self?.focusChosen() ?? false }
    gestures.draggedContent = { PictureSharing.content((model.draggedAssets ?? []).flatMap(\.files)) }
    self.gestures = gestures
    keys.onKey("key-pressed") { [weak self] key, modifiers in self?.pressed(key, modifiers) ?? false }
    listView.addController(keys)
    position.on("value-changed") { [weak self] in
      guard let self else { return }
      ticker?.start()
      // A page before the end, so that the end isn't seen while there is more.
      if roomAfterPage <= gtk_adjustment_get_page_size(position.of(GtkAdjustment.self)) {
        Task { await model.loadMore() }
      }
    }
    position.on("changed") { [weak self] in self?.ticker?.start() }
    // GTK 4.8 ignores the wheel in lists that only scroll horizontally.
    gtk_event_controller_set_propagation_phase(wheel.opaque, GTK_PHASE_CAPTURE)
    wheel.onScroll { [weak self] _, turn in self?.scroll(by: turn) ?? false }
    scroller.addController(wheel)
    observations = [
      ModelObservation { [weak self] in self?.followItems() },
      ModelObservation { [weak self] in self?.followSelection() },
      ModelObservation { [weak self] in self?.followEdits() },
    ]
  }

  /// Requests the pictures that couldn't be read once more.
  func loadAgain() {
    for cell in cells.values { cell.loadAgain(model) }
  }

  private func followEdits() {
    let progress = edits.progress
    for cell in cells.values { cell.show(progress: progress) }
  }

  // MARK: Following the model

  private func followItems() {
    let new = model.items
    let newIDs = new.map(\.id)
    items = Dictionary(new.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    isFollowing = true
    defer { isFollowing = false }
    if let change = ListChange(from: shownIDs, to: newIDs) {
      shownIDs = newIDs
      ids.splice(change)
      if change.position == 0, !change.inserted.isEmpty { scrollToNewest() }
      applySelection()
    }
    gtk_widget_set_visible(placeholder.widget, (model.isLoaded && new.isEmpty).gboolean)
    gtk_widget_set_visible(editButton.widget, (!new.isEmpty).gboolean)
    // A shot that has become an asset keeps its ID and its cell.
    for cell in cells.values {
      if let id = cell.item?.id, let item = items[id] { cell.show(item, model: model) }
    }
    ticker?.start()
  }

  private func followSelection() {
    _ = model.selection
    isFollowing = true
    defer { isFollowing = false }
    applySelection()
  }

  private func applySelection() {
    guard let bits = gtk_bitset_new_empty(), let all = gtk_bitset_new_range(0, guint(shownIDs.count)) else { return }
    defer {
      gtk_bitset_unref(bits)
      gtk_bitset_unref(all)
    }
    for (index, id) in shownIDs.enumerated() where model.selection.contains(id) { gtk_bitset_add(bits, guint(index)) }
    gtk_selection_model_set_selection(selection.opaque, bits, all)
  }

  /// The arrow keys, Shift and Ctrl+A are handled by the list.
  private func selectionChanged() {
    guard !isFollowing, let bits = gtk_selection_model_get_selection(selection.opaque) else { return }
    defer { gtk_bitset_unref(bits) }
    var indexes = IndexSet()
    for index in shownIDs.indices where gtk_bitset_contains(bits, guint(index)) != 0 { indexes.insert(index) }
    model.selectionChanged(to: indexes)
  }

  private func select(_ position: Int) {
    model.selectedID = shownIDs.indices.contains(position) ? shownIDs[position] : nil
  }

  /// Also before the new cell has its place.
  private func scrollToNewest() {
    MainLoop.whenIdle { [listView] in
      gtk_widget_activate_action_variant(listView.widget, "list.scroll-to-item", g_variant_new_uint32(0))
    }
  }

  /// The width of the pictures after those that are shown, in the layout's pixels. GTK counts from the left, in Arabic too,
  /// where the newest picture is at the right.
  private var roomAfterPage: Double {
    let adjustment = position.of(GtkAdjustment.self)
    let value = gtk_adjustment_get_value(adjustment)
    return listView.isMirrored
      ? value : gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment) - value
  }

  private func scroll(by turn: Double) -> Bool {
    guard turn != 0 else { return false }
    let adjustment = position.of(GtkAdjustment.self)
    // GTK's own step for one notch of a wheel.
    let step = pow(gtk_adjustment_get_page_size(adjustment), 2.0 / 3.0)
    gtk_adjustment_set_value(
      adjustment, gtk_adjustment_get_value(adjustment) + turn * step * Double(listView.stepToRight))
    return true
  }

  // MARK: Menu and keys

  private func showMenu(x: Double, y: Double) {
    var point = GdkRectangle(x: Int32(x), y: Int32(y), width: 1, height: 1)
    gtk_popover_set_pointing_to(menu.of(GtkPopover.self), &point)
    // The selection decides which entries there are, and GTK doesn't resize a popover that is already open.
    MainLoop.whenIdle { [menu] in gtk_popover_popup(menu.of(GtkPopover.self)) }
  }

  private func pressed(_ key: UInt32, _ modifiers: GdkModifierType) -> Bool {
    let isControl = modifiers.rawValue & GDK_CONTROL_MASK.rawValue != 0
    switch Int32(key) {
    case GDK_KEY_Delete, GDK_KEY_KP_Delete: return act("delete")
    case GDK_KEY_c where isControl: return act("copy")
    case GDK_KEY_C where isControl: return act("copy-edits")
    case GDK_KEY_V where isControl: return act("paste-edits")
    case GDK_KEY_p where isControl: return act("print")
    case GDK_KEY_Menu: return showMenuOfFocus()
    case GDK_KEY_F10 where modifiers.rawValue & GDK_SHIFT_MASK.rawValue != 0: return showMenuOfFocus()
    case GDK_KEY_Escape where !model.selection.isEmpty:
      model.selectedID = nil
      return true
    default: return false
    }
  }

  /// Acts on the item with the focus, or on the selection where it is a part of that.
  private func act(_ action: String) -> Bool {
    guard let index = focused?.index else { return false }
    if model.target(at: index) { followSelection() }
    // After the action has been enabled for the selection.
    Task { [listView] in _ = gtk_widget_activate_action_variant(listView.widget, "app.\(action)", nil) }
    return true
  }

  private func showMenuOfFocus() -> Bool {
    guard let (index, row) = focused else { return false }
    if model.target(at: index) { followSelection() }
    var (x, y) = (0.0, 0.0)
    let (width, height) = (gtk_widget_get_width(row), gtk_widget_get_height(row))
    guard gtk_widget_translate_coordinates(row, listView.widget, Double(width) / 2, Double(height) / 2, &x, &y) != 0
    else { return false }
    showMenu(x: x, y: y)
    return true
  }

  /// The item with the keyboard focus, and the list's own row around it.
  private var focused: (index: Int, row: UnsafeMutablePointer<GtkWidget>)? {
    guard let root = gtk_widget_get_root(listView.widget), let focus = gtk_root_get_focus(root) else { return nil }
    return row { focus == $0 || gtk_widget_is_ancestor(focus, $0) != 0 }.map { ($0.index, $0.row) }
  }

  /// Gives the focus to the selected item, or to the newest one. GTK would follow the item that was the newest at the start.
  private func focusChosen() -> Bool {
    guard let index = shownIDs.firstIndex(where: { model.selection.contains($0) }) ?? shownIDs.indices.first,
      let row = cells.first(where: { gtk_list_item_get_position(OpaquePointer($0.key)) == guint(index) })
        .flatMap({ gtk_widget_get_parent($0.value.root.widget) })
    else { return false }
    return gtk_widget_grab_focus(row) != 0
  }

  private func cell(atX x: Double, y: Double) -> PictureGestures.Cell? {
    guard let picked = gtk_widget_pick(listView.widget, x, y, GTK_PICK_DEFAULT) else { return nil }
    return row { picked == $0 || gtk_widget_is_ancestor(picked, $0) != 0 }.map { ($0.index, $0.cell.root) }
  }

  /// The first row that passes a test.
  private func row(
    where isWanted: (UnsafeMutablePointer<GtkWidget>) -> Bool
  ) -> (index: Int, row: UnsafeMutablePointer<GtkWidget>, cell: ThumbnailCell)? {
    for (listItem, cell) in cells where cell.item != nil {
      guard let row = gtk_widget_get_parent(cell.root.widget), isWanted(row) else { continue }
      let index = Int(gtk_list_item_get_position(OpaquePointer(listItem)))
      return shownIDs.indices.contains(index) ? (index, row, cell) : nil
    }
    return nil
  }

  // MARK: Cells

  private func setUp(_ listItem: UnsafeMutableRawPointer?) {
    // The layout was read before, so only a lack of memory can make it fail here.
    guard let listItem, let cell = try? ThumbnailCell(layout: cellLayout, recent: recent) else { return }
    cells[listItem] = cell
    cell.cancelled = { [edits] in edits.cancel($0) }
    cell.shotArrived = { [weak self, weak cell] picture in
      guard let self, let cell, let id = cell.item?.id else { return }
      // GTK may give a shot another cell while it is being saved.
      guard id == shownIDs.first, id != arrivedID else { return }
      arrivedID = id
      shotArrived?(picture, cell.root)
    }
    gtk_list_item_set_child(OpaquePointer(listItem), cell.root.widget)
  }

  private func cell(_ listItem: UnsafeMutableRawPointer?) -> ThumbnailCell? { listItem.flatMap { cells[$0] } }

  private func bind(_ listItem: UnsafeMutableRawPointer?) {
    guard let listItem, let string = gtk_list_item_get_item(OpaquePointer(listItem)),
      let id = gtk_string_object_get_string(OpaquePointer(string))
    else { return }
    let cell = cell(listItem)
    cell?.show(items[String(cString: id)], model: model)
    cell?.show(progress: edits.progress)
    ticker?.start()
  }

  /// Requests the pictures that are seen, and those within a page of them.
  private func loadPictures() {
    let bound = cells.compactMap { listItem, cell -> CellsByDistance<ThumbnailCell>.Bound? in
      guard cell.item != nil, let row = gtk_widget_get_parent(cell.root.widget) else { return nil }
      return .init(cell: cell, index: Int(gtk_list_item_get_position(OpaquePointer(listItem))), row: row)
    }
    let all = CellsByDistance(bound, in: listView, side: Int32(ThumbnailCell.side))
    // The last request is served first.
    for cell in all.near.reversed() + all.visible.reversed().map(\.cell) { cell.load(model) }
  }
}
