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
  private let cellLayout: String
  private let listView: GObjectRef
  private let scroller: GObjectRef
  private let position: GObjectRef
  private let ids: GObjectRef
  private let selection: GObjectRef
  private let wheel = GObjectRef(adopting: gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL))
  private var shownIDs: [String] = []
  private var items: [String: StripItem] = [:]
  /// The cells by the addresses of their list items.
  private var cells: [UnsafeMutableRawPointer: ThumbnailCell] = [:]
  private var observations: [ModelObservation] = []
  private var isFollowing = false

  /// - Parameters:
  ///   - cellLayout: The path of the cell's `.ui` file.
  ///   - open: Called when a picture is opened with Enter or a double click.
  init(interface: Interface, cellLayout: String, model: ThumbnailStripModel, open: @escaping () -> Void)
    throws(InstallationError)
  {
    self.model = model
    self.cellLayout = cellLayout
    listView = interface["strip"]
    scroller = interface["strip_scroller"]
    position = GObjectRef(retaining: gtk_scrolled_window_get_hadjustment(scroller.opaque))
    // The selection takes over the reference that comes with the list; this one is ours.
    ids = GObjectRef(retaining: gtk_string_list_new(nil))
    selection = GObjectRef(adopting: gtk_single_selection_new(ids.opaque))
    gtk_single_selection_set_autoselect(selection.opaque, false.gboolean)
    gtk_single_selection_set_can_unselect(selection.opaque, true.gboolean)
    gtk_single_selection_set_selected(selection.opaque, Self.nothing)
    // Fails now if the cell's layout is broken, rather than at the first photo.
    _ = try ThumbnailCell(layout: cellLayout)

    let factory = GObjectRef(adopting: gtk_signal_list_item_factory_new())
    factory.onPointer("setup") { [weak self] in self?.setUp($0) }
    factory.onPointer("bind") { [weak self] in self?.bind($0) }
    factory.onPointer("unbind") { [weak self] in self?.cell($0)?.show(nil, model: model) }
    factory.onPointer("teardown") { [weak self] item in
      if let item { self?.cells[item] = nil }
    }
    gtk_list_view_set_factory(listView.opaque, factory.opaque)
    gtk_list_view_set_model(listView.opaque, selection.opaque)

    listView.onNumber("activate") { [weak self] position in
      self?.select(position)
      open()
    }
    selection.onChange(of: "selected") { [weak self] in
      guard let self, !isFollowing else { return }
      select(Int(gtk_single_selection_get_selected(selection.opaque)))
    }
    position.on("value-changed") { [weak self] in
      guard let adjustment = self?.position.of(GtkAdjustment.self) else { return }
      let page = gtk_adjustment_get_page_size(adjustment)
      // A page before the end, so that the end isn't seen while there is more.
      guard gtk_adjustment_get_value(adjustment) + 2 * page >= gtk_adjustment_get_upper(adjustment) else { return }
      Task { await model.loadMore() }
    }
    // GTK 4.8 ignores the wheel in lists that only scroll horizontally.
    gtk_event_controller_set_propagation_phase(wheel.opaque, GTK_PHASE_CAPTURE)
    wheel.onScroll { [weak self] _, turn in self?.scroll(by: turn) ?? false }
    scroller.addController(wheel)
    observations = [
      ModelObservation { [weak self] in self?.followItems() },
      ModelObservation { [weak self] in self?.followSelection() },
    ]
  }

  /// GTK's position of no item.
  private static let nothing = UInt32.max

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
    // A shot that has become an asset keeps its ID and its cell.
    for cell in cells.values {
      if let id = cell.item?.id, let item = items[id] { cell.show(item, model: model) }
    }
  }

  private func followSelection() {
    _ = model.selectedID
    isFollowing = true
    defer { isFollowing = false }
    applySelection()
  }

  private func applySelection() {
    let position = model.selectedID.flatMap { shownIDs.firstIndex(of: $0) }.map(UInt32.init) ?? Self.nothing
    if gtk_single_selection_get_selected(selection.opaque) != position {
      gtk_single_selection_set_selected(selection.opaque, position)
    }
  }

  private func select(_ position: Int) {
    let id = shownIDs.indices.contains(position) ? shownIDs[position] : nil
    if model.selectedID != id { model.selectedID = id }
  }

  private func scrollToNewest() {
    // The new cell gets its position in the next layout.
    MainLoop.whenIdle { [position] in gtk_adjustment_set_value(position.of(GtkAdjustment.self), 0) }
  }

  private func scroll(by turn: Double) -> Bool {
    guard turn != 0 else { return false }
    let adjustment = position.of(GtkAdjustment.self)
    // GTK's own step for one notch of a wheel.
    let step = pow(gtk_adjustment_get_page_size(adjustment), 2.0 / 3.0)
    gtk_adjustment_set_value(adjustment, gtk_adjustment_get_value(adjustment) + turn * step)
    return true
  }

  // MARK: Cells

  private func setUp(_ listItem: UnsafeMutableRawPointer?) {
    // The layout was read before, so only a lack of memory can make it fail here.
    guard let listItem, let cell = try? ThumbnailCell(layout: cellLayout) else { return }
    cells[listItem] = cell
    gtk_list_item_set_child(OpaquePointer(listItem), cell.root.widget)
  }

  private func cell(_ listItem: UnsafeMutableRawPointer?) -> ThumbnailCell? { listItem.flatMap { cells[$0] } }

  private func bind(_ listItem: UnsafeMutableRawPointer?) {
    guard let listItem, let string = gtk_list_item_get_item(OpaquePointer(listItem)),
      let id = gtk_string_object_get_string(OpaquePointer(string))
    else { return }
    cell(listItem)?.show(items[String(cString: id)], model: model)
  }
}
