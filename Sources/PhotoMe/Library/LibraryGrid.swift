// The grid of pictures: any number of them, in one virtual list, with widgets only for those around the visible ones.
//
// Days are no rows of their own: GTK 4.8 has no sections, and a list of rows that are built for a width would take away
// GTK's own arrow keys, Home, End, Shift and the counting of rows and columns for screen readers. So the grid is one
// GtkGridView; the first picture of a day carries the day's name, and while the grid moves a bubble names the day at its
// top. The sidebar lists the days.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import PhotoLibrary

/// Shows a `LibraryModel`'s list.
///
/// GTK binds and unbinds some hundred cells while it scrolls, in the middle of its layout. Nothing is done there but to
/// forget the old picture; once in each frame the cells in sight are filled and their pictures asked for, as many as a share
/// of the frame has time for. When the grid has come to rest, the cells around those in sight are filled too, and their
/// pictures made ahead.
@MainActor final class LibraryGrid {
  /// How long the day's bubble stays when the grid has come to rest, in milliseconds.
  private static let bubbleTime: UInt32 = 900
  /// How long nothing moves when the grid has come to rest, in milliseconds.
  private static let restTime: UInt32 = 120
  /// How many milliseconds of a frame go to showing pictures and asking for them.
  private static let share = 2

  /// A place was clicked or activated with Enter.
  var opened: ((Int) -> Void)?
  /// A menu is asked for, at a point of the grid.
  var menuAsked: ((_ x: Double, _ y: Double) -> Void)?
  /// What is dragged out.
  var draggedContent: (() -> GObjectRef?)?

  let view: GObjectRef
  private let model: LibraryModel
  private let places: GObjectRef
  private let position: GObjectRef
  private let bubble: GObjectRef
  private let dayLabel: GObjectRef
  private var cells: [UnsafeMutableRawPointer: GridCell] = [:]
  /// Does what costs time, a little in each frame.
  private var ticker: FrameTicker?
  private var deliveries: PictureDeliveries?
  /// Whether pictures may have to be asked for.
  private var isFilling = false
  /// Whether the grid has come to rest, and what lies around the visible part is not done yet.
  private var isResting = false
  private var observations: [ModelObservation] = []
  private var bubbleTimer: UInt32?
  private var restTimer: UInt32?
  private var shownDay = ""
  /// While the model's selection is given to the grid.
  private var isFollowing = false
  private var pressedPlace: Int?
  private var controllers: [GObjectRef] = []

  init(interface: Interface, model: LibraryModel) {
    self.model = model
    view = interface["grid"]
    bubble = interface["day_bubble"]
    dayLabel = interface["day_label"]
    places = GObjectRef(adopting: pm_place_list_new())
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
    gtk_grid_view_set_model(view.opaque, places.opaque)

    view.onNumber("activate") { [weak self] in self?.opened?($0) }
    places.onSize("selection-changed") { [weak self] _, _ in self?.selectionChanged() }
    position.on("value-changed") { [weak self] in self?.moved() }
    position.on("changed") { [weak self] in self?.refresh() }
    addGestures()
    model.list.pageArrived = { [weak self] in self?.refresh() }
    model.list.edited = { [weak self] in self?.apply($0, renewed: $1) }
    if model.list.count > 0 {
      apply([ListEdit(position: 0, removedCount: 0, insertedCount: model.list.count)], renewed: [])
    }
    observations = [
      ModelObservation { [weak self] in self?.followSelection() }
    ]
  }

  // MARK: Following the model

  private func apply(_ edits: [ListEdit], renewed: [Int]) {
    isFollowing = true
    defer { isFollowing = false }
    for edit in edits {
      pm_place_list_splice(
        places.opaque, UInt32(edit.position), UInt32(edit.removedCount), UInt32(edit.insertedCount))
    }
    refresh()
  }

  private func followSelection() {
    _ = model.selectionRevision
    let isSelecting = model.isSelecting
    isFollowing = true
    defer { isFollowing = false }
    pm_place_list_set_keeps_selection(places.opaque, isSelecting.gboolean)
    if let bits = gtk_bitset_new_empty() {
      for range in model.selection.rangeView {
        gtk_bitset_add_range(bits, UInt32(range.lowerBound), UInt32(range.count))
      }
      pm_place_list_set_selection(places.opaque, bits)
      gtk_bitset_unref(bits)
    }
    for cell in cells.values where cell.isBound { cell.mark(model) }
  }

  private func selectionChanged() {
    guard !isFollowing, let bits = gtk_selection_model_get_selection(places.opaque) else { return }
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

  private struct Sight {
    var cell: GridCell
    /// In the grid's visible part.
    var place: GtkAllocation
  }

  /// The cells that are laid out.
  private func sights() -> [Sight] {
    cells.values.compactMap { cell in
      // The cell's own child of the grid; its place is known without a walk through the tree.
      guard cell.isBound, let row = gtk_widget_get_parent(cell.thumbnail.widget) else { return nil }
      var place = GtkAllocation()
      gtk_widget_get_allocation(row, &place)
      return place.width > 0 ? Sight(cell: cell, place: place) : nil
    }
  }

  /// The cells in sight in reading order, those a page around them by their distance, and the others.
  private func sightsByDistance() -> (visible: [Sight], near: [Sight], far: [Sight]) {
    let height = gtk_widget_get_height(view.widget)
    var (visible, near, far): ([Sight], [Sight], [Sight]) = ([], [], [])
    for sight in sights() {
      let (top, bottom) = (sight.place.y, sight.place.y + sight.place.height)
      if bottom > 0, top < height {
        visible.append(sight)
      } else if bottom > -height, top < 2 * height {
        near.append(sight)
      } else {
        far.append(sight)
      }
    }
    visible.sort { ($0.place.y, $0.place.x) < ($1.place.y, $1.place.x) }
    near.sort { abs($0.place.y - height / 2) < abs($1.place.y - height / 2) }
    return (visible, near, far)
  }

  /// Has the cells looked at in the next frame.
  private func refresh() {
    isFilling = true
    isResting = false
    ticker?.start()
  }

  /// Shows pictures that have come, fills the cells in sight, and asks for their pictures, as long as this frame has time
  /// for it. GTK binds cells to places thirty rows ahead: one that is filled a frame later is still seen filled.
  ///
  /// - Returns: Whether there is more to do.
  private func tick() -> Bool {
    guard let deliveries else { return false }
    let share = FrameShare(milliseconds: Self.share)
    if deliveries.deliver(within: share) { return true }
    guard isFilling || isResting else { return false }
    let (visible, near, far) = sightsByDistance()
    if isFilling {
      for sight in far { sight.cell.rest() }
      for sight in visible where sight.cell.update(model) && share.isSpent { return true }
      nameDay(visible)
      // What is asked for last is made first.
      for sight in visible.reversed() where sight.cell.load(model, deliveries) && share.isSpent { return true }
      isFilling = false
      restTimer.map(MainLoop.cancel)
      restTimer = MainLoop.after(milliseconds: Self.restTime) { [weak self] in
        self?.restTimer = nil
        self?.isResting = true
        self?.ticker?.start()
      }
    }
    if isResting {
      for sight in near where sight.cell.update(model) && share.isSpent { return true }
      isResting = false
      if let side = visible.first?.cell.pictureSide {
        model.cacheThumbnails(of: near.compactMap(\.cell.asset), size: PixelSize(width: side, height: side))
      }
    }
    return false
  }

  /// Writes the uppermost day into the bubble.
  private func nameDay(_ visible: [Sight]) {
    guard let first = visible.first(where: { $0.place.y + $0.place.height / 2 > 0 }), let asset = first.cell.asset
    else { return }
    let title = model.dayTitle(of: asset)
    guard title != shownDay else { return }
    shownDay = title
    gtk_label_set_text(dayLabel.opaque, title)
  }

  private func moved() {
    refresh()
    // At the top nothing is hidden, and the first picture says its day itself.
    let isAtTop = gtk_adjustment_get_value(position.of(GtkAdjustment.self)) < Double(GridCell.side) / 2
    gtk_revealer_set_reveal_child(bubble.opaque, (!isAtTop).gboolean)
    bubbleTimer.map(MainLoop.cancel)
    bubbleTimer = MainLoop.after(milliseconds: Self.bubbleTime) { [weak self] in
      guard let self else { return }
      bubbleTimer = nil
      gtk_revealer_set_reveal_child(bubble.opaque, false.gboolean)
    }
  }

  // MARK: Places

  /// The cell under a point of the grid.
  private func cell(atX x: Double, y: Double) -> GridCell? {
    guard let picked = gtk_widget_pick(view.widget, x, y, GTK_PICK_DEFAULT) else { return nil }
    let thumbnail = gtk_widget_get_ancestor(picked, pm_thumbnail_get_type()) ?? gtk_widget_get_first_child(picked)
    return cells.values.first { $0.isBound && $0.thumbnail.widget == thumbnail }
  }

  /// The place under a point of the grid.
  private func place(atX x: Double, y: Double) -> Int? { cell(atX: x, y: y)?.place }

  private func place(ofThumbnail widget: UnsafeMutablePointer<GtkWidget>) -> Int? {
    cells.values.first { $0.isBound && $0.thumbnail.widget == widget }?.place
  }

  /// The place that has the keyboard's focus.
  var focusedPlace: Int? {
    guard let root = gtk_widget_get_root(view.widget), let focus = gtk_root_get_focus(root),
      gtk_widget_is_ancestor(focus, view.widget) != 0, let thumbnail = gtk_widget_get_first_child(focus)
    else { return nil }
    return place(ofThumbnail: thumbnail)
  }

  /// Brings a place into sight and gives it the focus.
  func focus(_ place: Int) {
    _ = gtk_widget_activate_action_variant(view.widget, "list.scroll-to-item", g_variant_new_uint32(UInt32(place)))
    // Its cell has its place only after the next layout.
    MainLoop.whenIdle { [weak self] in
      guard let self else { return }
      let cell = cells.values.first { $0.isBound && $0.place == place }
      if let row = cell.flatMap({ gtk_widget_get_parent($0.thumbnail.widget) }) {
        gtk_widget_grab_focus(row)
      } else {
        gtk_widget_grab_focus(view.widget)
      }
    }
  }

  /// Where a place is in the grid, for a menu that was asked for with the keyboard.
  func middle(of place: Int) -> (x: Double, y: Double)? {
    guard let sight = sights().first(where: { $0.cell.place == place }) else { return nil }
    return (
      Double(sight.place.x + sight.place.width / 2), Double(sight.place.y + sight.place.height / 2)
    )
  }

  // MARK: Gestures

  private func addGestures() {
    let click = GObjectRef(adopting: gtk_gesture_click_new())
    gtk_gesture_single_set_button(click.opaque, 0)
    // GTK's own gesture of a cell would select; this one sees the click first.
    gtk_event_controller_set_propagation_phase(click.opaque, GTK_PHASE_CAPTURE)
    click.onPressAt("pressed") { [weak self, unowned click] _, x, y in
      guard let self else { return }
      pressedPlace = place(atX: x, y: y)
      guard gtk_gesture_single_get_current_button(click.opaque) == guint(GDK_BUTTON_SECONDARY) else { return }
      gtk_gesture_set_state(click.opaque, GTK_EVENT_SEQUENCE_CLAIMED)
      if let pressedPlace { aim(at: pressedPlace) }
      if pressedPlace != nil { menuAsked?(x, y) }
    }
    click.onPressAt("released") { [weak self, unowned click] _, x, y in
      guard let self, let place = place(atX: x, y: y), place == pressedPlace,
        gtk_gesture_single_get_current_button(click.opaque) == guint(GDK_BUTTON_PRIMARY)
      else { return }
      gtk_gesture_set_state(click.opaque, GTK_EVENT_SEQUENCE_CLAIMED)
      MainLoop.whenIdle { [weak self] in self?.resetGestures() }
      clicked(place, modifiers: gtk_event_controller_get_current_event_state(click.opaque))
    }
    view.addController(click)

    let hold = GObjectRef(adopting: gtk_gesture_long_press_new())
    gtk_gesture_single_set_touch_only(hold.opaque, true.gboolean)
    gtk_event_controller_set_propagation_phase(hold.opaque, GTK_PHASE_CAPTURE)
    hold.onPoint("pressed") { [weak self, unowned hold] x, y in
      guard let self, let place = place(atX: x, y: y) else { return }
      gtk_gesture_set_state(hold.opaque, GTK_EVENT_SEQUENCE_CLAIMED)
      model.toggleSelection(at: place)
    }
    view.addController(hold)

    let drag = GObjectRef(adopting: gtk_drag_source_new())
    drag.onPrepare { [weak self, unowned drag] x, y in
      guard let self, let cell = cell(atX: x, y: y) else { return nil }
      // Taken before the selection changes, which may give the picture another cell.
      let icon = dragIcon(of: cell)
      aim(at: cell.place)
      if let icon { gtk_drag_source_set_icon(drag.opaque, icon.opaque, Self.dragIconSide / 2, Self.dragIconSide / 2) }
      return draggedContent?()
    }
    view.addController(drag)
    controllers = [click, hold, drag]
  }

  /// The grid's other gestures never see the release that was claimed, and would take the next press for the same one: a
  /// drag would begin only at the second try.
  private func resetGestures() {
    guard let all = gtk_widget_observe_controllers(view.widget) else { return }
    let controllers = GObjectRef(adopting: all)
    for index in 0..<g_list_model_get_n_items(controllers.opaque) {
      guard let found = g_list_model_get_item(controllers.opaque, index) else { continue }
      gtk_event_controller_reset(OpaquePointer(found))
      g_object_unref(found)
    }
  }

  /// The side of the picture under the pointer while it is dragged, in pixels.
  private static let dragIconSide: Int32 = 96

  /// The picture of a cell, as it looks in the grid, but smaller.
  private func dragIcon(of cell: GridCell) -> GObjectRef? {
    guard let paintable = gtk_widget_paintable_new(cell.thumbnail.widget), let snapshot = gtk_snapshot_new() else {
      return nil
    }
    defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
    let side = Double(Self.dragIconSide)
    gdk_paintable_snapshot(paintable, snapshot, side, side)
    var size = graphene_size_t(width: Float(side), height: Float(side))
    return gtk_snapshot_free_to_paintable(snapshot, &size).map { GObjectRef(adopting: $0) }
  }

  /// What is done next is done to this place, unless it is one of several that are selected.
  private func aim(at place: Int) {
    if model.isSelecting {
      if !model.selection.contains(place) { model.toggleSelection(at: place) }
    } else {
      model.moveCursor(to: place)
      followSelection()
    }
  }

  private func clicked(_ place: Int, modifiers: GdkModifierType) {
    if modifiers.rawValue & GDK_SHIFT_MASK.rawValue != 0 {
      model.extendSelection(to: place)
    } else if modifiers.rawValue & GDK_CONTROL_MASK.rawValue != 0 || model.isSelecting {
      model.toggleSelection(at: place)
    } else {
      opened?(place)
    }
  }
}
