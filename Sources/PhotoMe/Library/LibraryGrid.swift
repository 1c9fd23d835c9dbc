// The library's grid: a virtualized list with widgets only for the pictures around the visible ones.
//
// Days have no rows of their own. GTK 4.8 has no sections, and a list of rows laid out for a given width would lose GTK's
// arrow keys, Home, End, Shift and the row and column counts of screen readers. So the grid is one GtkGridView; the first
// picture of a day carries the day's name, and while the grid scrolls a bubble names the day at its top. The sidebar lists
// the days.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import PhotoLibrary

/// Shows a `LibraryModel`'s list.
///
/// GTK binds and unbinds hundreds of cells while it scrolls, in the middle of its layout. Binding only forgets the old
/// picture; once per frame the visible cells are filled and their pictures requested, as many as a share of the frame has
/// time for. When scrolling has stopped, the cells around the visible ones are filled too, and their pictures made ahead.
@MainActor final class LibraryGrid {
  /// The time that the day's bubble stays after scrolling has stopped, in milliseconds.
  private static let bubbleTime: UInt32 = 900
  /// The time without scrolling after which it counts as stopped, in milliseconds.
  private static let restTime: UInt32 = 120
  /// The part of a frame that may go to showing and requesting pictures, in milliseconds.
  private static let share = 2

  /// An asset of the list, by its index, was clicked or activated with Enter.
  var opened: ((Int) -> Void)? {
    didSet { gestures?.opened = opened }
  }
  /// The context menu was requested, at a point of the grid.
  var menuRequested: ((_ x: Double, _ y: Double) -> Void)? {
    didSet { gestures?.menuRequested = menuRequested }
  }
  /// Provides the content of a drag.
  var draggedContent: (() -> GObjectRef?)? {
    didSet { gestures?.draggedContent = draggedContent }
  }

  let view: GObjectRef
  private let model: LibraryModel
  private let edits: EditQueue
  private let indexes: GObjectRef
  private let position: GObjectRef
  private let bubble: GObjectRef
  private let dayLabel: GObjectRef
  private var cells: [UnsafeMutableRawPointer: GridCell] = [:]
  /// Does the expensive work, a little in each frame.
  private var ticker: FrameTicker?
  private var deliveries: PictureDeliveries?
  /// Whether visible cells may have to be filled.
  private var isFilling = false
  /// Whether scrolling has stopped and the cells around the visible ones are still to be filled.
  private var isResting = false
  private var observations: [ModelObservation] = []
  private var bubbleTimer: UInt32?
  private var restTimer: UInt32?
  private var shownDay = ""
  /// Set while the model's selection is applied to the grid.
  private var isFollowing = false
  private var gestures: PictureGestures?

  /// - Parameter edits: The edits that are being saved.
  init(interface: Interface, model: LibraryModel, edits: EditQueue) {
    self.model = model
    self.edits = edits
    view = interface["grid"]
    bubble = interface["day_bubble"]
    dayLabel = interface["day_label"]
    indexes = GObjectRef(adopting: pm_index_list_model_new())
    position = GObjectRef(retaining: gtk_scrolled_window_get_vadjustment(interface["grid_scroller"].opaque))
    ticker = FrameTicker(view) { [weak self] in self?.tick() ?? false }
    deliveries = PictureDeliveries { [weak self] in self?.ticker?.start() }

    let factory = GObjectRef(adopting: gtk_signal_list_item_factory_new())
    factory.onPointer("setup") { [weak self] in self?.setUp($0) }
    factory.onPointer("bind") { [weak self] in self?.bind($0) }
    factory.onPointer("unbind") { [weak self] in self?.cell($0)?.isBound = false }
    factory.onPointer("teardown") { [weak self] item in
      if let item { self?.cells[item] = nil }
    }
    gtk_grid_view_set_factory(view.opaque, factory.opaque)
    gtk_grid_view_set_model(view.opaque, indexes.opaque)

    view.onNumber("activate") { [weak self] in self?.opened?($0) }
    indexes.onSize("selection-changed") { [weak self] _, _ in self?.selectionChanged() }
    position.on("value-changed") { [weak self] in self?.moved() }
    position.on("changed") { [weak self] in self?.refresh() }
    gestures = PictureGestures(
      view: view, model: model, cell: { [weak self] in self?.cell(atX: $0, y: $1).map { ($0.index, $0.thumbnail) } },
      cursorMoved: { [weak self] in self?.followSelection() })
    model.list.pageArrived = { [weak self] in self?.refresh() }
    model.list.edited = { [weak self] in self?.apply($0, renewed: $1) }
    if model.list.count > 0 {
      apply([ListEdit(position: 0, removedCount: 0, insertedCount: model.list.count)], renewed: [])
    }
    observations = [
      ModelObservation { [weak self] in self?.followSelection() },
      ModelObservation { [weak self] in self?.followEdits() },
    ]
  }

  // MARK: Following the model

  private func apply(_ edits: [ListEdit], renewed: [Int]) {
    isFollowing = true
    defer { isFollowing = false }
    for edit in edits {
      pm_index_list_model_splice(
        indexes.opaque, UInt32(edit.position), UInt32(edit.removedCount), UInt32(edit.insertedCount))
    }
    refresh()
  }

  private func followSelection() {
    _ = model.selectionRevision
    let isSelecting = model.isSelecting
    isFollowing = true
    defer { isFollowing = false }
    pm_index_list_model_set_keeps_selection(indexes.opaque, isSelecting.gboolean)
    if let bits = gtk_bitset_new_empty() {
      for range in model.selection.rangeView {
        gtk_bitset_add_range(bits, UInt32(range.lowerBound), UInt32(range.count))
      }
      pm_index_list_model_set_selection(indexes.opaque, bits)
      gtk_bitset_unref(bits)
    }
    for cell in cells.values where cell.isBound { cell.mark(model) }
  }

  private func followEdits() {
    let progress = edits.progress
    for cell in cells.values where cell.isBound { cell.show(progress: progress) }
  }

  private func selectionChanged() {
    guard !isFollowing, let bits = gtk_selection_model_get_selection(indexes.opaque) else { return }
    defer { gtk_bitset_unref(bits) }
    var selection = IndexSet()
    var iterator = GtkBitsetIter()
    var value: guint = 0
    var hasMore = gtk_bitset_iter_init_first(&iterator, bits, &value) != 0
    while hasMore {
      selection.insert(Int(value))
      hasMore = gtk_bitset_iter_next(&iterator, &value) != 0
    }
    model.selectionChanged(to: selection)
    for cell in cells.values where cell.isBound { cell.mark(model) }
  }

  // MARK: Cells

  private func setUp(_ listItem: UnsafeMutableRawPointer?) {
    guard let listItem else { return }
    cells[listItem] = GridCell(listItem: listItem)
  }

  private func cell(_ listItem: UnsafeMutableRawPointer?) -> GridCell? { listItem.flatMap { cells[$0] } }

  private func bind(_ listItem: UnsafeMutableRawPointer?) {
    cell(listItem)?.bind()
    refresh()
  }

  private func cellsByDistance() -> CellsByDistance<GridCell> {
    let bound = cells.values.compactMap { cell -> CellsByDistance<GridCell>.Bound? in
      guard cell.isBound, let row = gtk_widget_get_parent(cell.thumbnail.widget) else { return nil }
      return .init(cell: cell, index: cell.index, row: row)
    }
    return CellsByDistance(bound, in: view, side: GridCell.side)
  }

  /// Requests the pictures again that couldn't be made.
  func loadAgain() {
    for cell in cells.values where cell.isBound { cell.loadAgain() }
    refresh()
  }

  /// Schedules a pass over the cells for the next frame.
  private func refresh() {
    isFilling = true
    isResting = false
    ticker?.start()
  }

  /// Shows pictures that have arrived, fills the visible cells, and requests their pictures, for as long as this frame has
  /// time. GTK binds cells thirty rows ahead: one that is filled a frame later is filled before it can be seen.
  ///
  /// - Returns: Whether there is more to do.
  private func tick() -> Bool {
    guard let deliveries else { return false }
    let share = FrameShare(milliseconds: Self.share)
    if deliveries.deliver(within: share) { return true }
    guard isFilling || isResting else { return false }
    let all = cellsByDistance()
    let (visible, near) = (all.visible, all.near)
    if isFilling {
      for cell in all.far { cell.rest() }
      for one in visible where one.cell.update(model) && share.isSpent { return true }
      nameDay(visible)
      followEdits()
      // The last request is served first.
      for one in visible.reversed() where one.cell.load(model, deliveries) && share.isSpent { return true }
      isFilling = false
      restTimer.map(MainLoop.cancel)
      restTimer = MainLoop.after(milliseconds: Self.restTime) { [weak self] in
        self?.restTimer = nil
        self?.isResting = true
        self?.ticker?.start()
      }
    }
    if isResting {
      // The frames that were known while it scrolled may be those of before.
      for one in visible where one.cell.update(model) && share.isSpent { return true }
      for one in visible.reversed() where one.cell.load(model, deliveries) && share.isSpent { return true }
      for cell in near where cell.update(model) && share.isSpent { return true }
      isResting = false
      if let side = visible.first?.cell.pictureSide {
        model.cacheThumbnails(of: near.compactMap(\.asset), size: PixelSize(width: side, height: side))
      }
    }
    return false
  }

  /// Shows the topmost day in the bubble.
  private func nameDay(_ visible: [CellsByDistance<GridCell>.Visible]) {
    guard let first = visible.first(where: { $0.frame.y + $0.frame.height / 2 > 0 }), let asset = first.cell.asset
    else { return }
    let title = model.dayTitle(of: asset)
    guard title != shownDay else { return }
    shownDay = title
    gtk_label_set_text(dayLabel.opaque, title)
  }

  private func moved() {
    refresh()
    // At the top nothing is scrolled away, and the first picture carries its day itself.
    let isAtTop = gtk_adjustment_get_value(position.of(GtkAdjustment.self)) < Double(GridCell.side) / 2
    gtk_revealer_set_reveal_child(bubble.opaque, (!isAtTop).gboolean)
    bubbleTimer.map(MainLoop.cancel)
    bubbleTimer = MainLoop.after(milliseconds: Self.bubbleTime) { [weak self] in
      guard let self else { return }
      bubbleTimer = nil
      gtk_revealer_set_reveal_child(bubble.opaque, false.gboolean)
    }
  }

  // MARK: Points and focus

  /// The cell at a point of the grid.
  private func cell(atX x: Double, y: Double) -> GridCell? {
    guard let picked = gtk_widget_pick(view.widget, x, y, GTK_PICK_DEFAULT) else { return nil }
    let thumbnail = gtk_widget_get_ancestor(picked, pm_thumbnail_get_type()) ?? gtk_widget_get_first_child(picked)
    return cells.values.first { $0.isBound && $0.thumbnail.widget == thumbnail }
  }

  /// The index of the asset before which something is put that is dropped at a point; `nil` for the end.
  func dropIndex(atX x: Double, y: Double) -> Int? {
    guard let index = cell(atX: x, y: y)?.index, let middle = middle(of: index) else { return nil }
    let isRightToLeft = gtk_widget_get_direction(view.widget) == GTK_TEXT_DIR_RTL
    let next = (x > middle.x) == isRightToLeft ? index : index + 1
    return next < model.list.count ? next : nil
  }

  /// The index of the asset whose cell has the keyboard focus.
  var focusedIndex: Int? {
    guard let root = gtk_widget_get_root(view.widget), let focus = gtk_root_get_focus(root),
      gtk_widget_is_ancestor(focus, view.widget) != 0, let thumbnail = gtk_widget_get_first_child(focus)
    else { return nil }
    return cells.values.first { $0.isBound && $0.thumbnail.widget == thumbnail }?.index
  }

  /// Scrolls to an asset and gives its cell the focus.
  ///
  /// - Parameter isWanted: Whether it is to have the focus when it is laid out. On a busy machine, a picture has been opened by
  ///   then, and its page would lose the keys.
  func focus(_ index: Int, while isWanted: @escaping () -> Bool) {
    _ = gtk_widget_activate_action_variant(view.widget, "list.scroll-to-item", g_variant_new_uint32(UInt32(index)))
    // The cell is laid out only after this.
    MainLoop.whenIdle { [weak self] in
      guard let self, isWanted() else { return }
      let cell = cells.values.first { $0.isBound && $0.index == index }
      if let row = cell.flatMap({ gtk_widget_get_parent($0.thumbnail.widget) }) {
        gtk_widget_grab_focus(row)
      } else {
        gtk_widget_grab_focus(view.widget)
      }
    }
  }

  /// The middle of an asset's cell, for a menu that was requested with the keyboard.
  func middle(of index: Int) -> (x: Double, y: Double)? {
    guard let one = cellsByDistance().visible.first(where: { $0.index == index }) else { return nil }
    return (
      Double(one.frame.x + one.frame.width / 2), Double(one.frame.y + one.frame.height / 2)
    )
  }
}
