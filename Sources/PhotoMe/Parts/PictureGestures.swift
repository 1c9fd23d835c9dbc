// Pointer and touch gestures on listed pictures: opening, selecting, the context menu and dragging pictures out.

import CGtk
import CameraModels
import GtkShim

/// A list of pictures of which some can be selected, by their indexes.
@MainActor protocol SelectablePictures: AnyObject {
  /// Handles a click. Returns whether the picture is to be opened.
  func click(at index: Int, extends: Bool, toggles: Bool) -> Bool
  /// Adds a picture to the selection, or removes it.
  func toggleSelection(at index: Int)
  /// Makes a picture the target of the next action. Returns whether the cursor moved to it.
  func target(at index: Int) -> Bool
  /// A drag of a picture may follow.
  func prepareDrag(at index: Int)
}

extension LibraryModel: SelectablePictures {}
extension ThumbnailStripModel: SelectablePictures {}

/// Turns clicks, long presses and drags in a grid view or a list view into the intents of `SelectablePictures`.
@MainActor final class PictureGestures {
  /// A picture of the list, with its index and its widget.
  typealias Cell = (index: Int, picture: GObjectRef)

  /// An asset of the list, by its index, was clicked.
  var opened: ((Int) -> Void)?
  /// The context menu was requested, at a point of the list.
  var menuRequested: ((_ x: Double, _ y: Double) -> Void)?
  /// Provides the content of a drag.
  var draggedContent: (() -> GObjectRef?)?

  /// The side of the picture under the pointer during a drag, in pixels.
  private static let dragIconSide: Int32 = 96

  private let view: GObjectRef
  private let model: any SelectablePictures
  private let cell: (_ x: Double, _ y: Double) -> Cell?
  private let cursorMoved: () -> Void
  private var pressedIndex: Int?
  private var controllers: [GObjectRef] = []

  /// - Parameters:
  ///   - view: The `GtkGridView` or `GtkListView`.
  ///   - cell: Finds the cell at a point of the view.
  ///   - cursorMoved: Called when the model's cursor has moved and the view is to follow before anything else happens.
  init(
    view: GObjectRef, model: any SelectablePictures, cell: @escaping (_ x: Double, _ y: Double) -> Cell?,
    cursorMoved: @escaping () -> Void
  ) {
    self.view = view
    self.model = model
    self.cell = cell
    self.cursorMoved = cursorMoved
    addClick()
    addLongPress()
    addDrag()
  }

  private func add(_ controller: GObjectRef) {
    view.addController(controller)
    controllers.append(controller)
  }

  private func addClick() {
    let click = GObjectRef(adopting: gtk_gesture_click_new())
    gtk_gesture_single_set_button(click.opaque, 0)
    // GTK's own gesture on a cell would select it; in the capture phase this one comes first.
    gtk_event_controller_set_propagation_phase(click.opaque, GTK_PHASE_CAPTURE)
    click.onPressAt("pressed") { [weak self, unowned click] _, x, y in
      guard let self else { return }
      pressedIndex = cell(x, y)?.index
      if let pressedIndex { model.prepareDrag(at: pressedIndex) }
      guard gtk_gesture_single_get_current_button(click.opaque) == guint(GDK_BUTTON_SECONDARY) else { return }
      gtk_gesture_set_state(click.opaque, GTK_EVENT_SEQUENCE_CLAIMED)
      guard let pressedIndex else { return }
      target(pressedIndex)
      focusRow(atX: x, y: y)
      menuRequested?(x, y)
    }
    click.onPressAt("released") { [weak self, unowned click] _, x, y in
      guard let self, let index = cell(x, y)?.index, index == pressedIndex,
        gtk_gesture_single_get_current_button(click.opaque) == guint(GDK_BUTTON_PRIMARY)
      else { return }
      gtk_gesture_set_state(click.opaque, GTK_EVENT_SEQUENCE_CLAIMED)
      MainLoop.whenIdle { [weak self] in self?.resetGestures() }
      clicked(index, modifiers: gtk_event_controller_get_current_event_state(click.opaque))
    }
    add(click)
  }

  private func addLongPress() {
    let press = GObjectRef(adopting: gtk_gesture_long_press_new())
    gtk_gesture_single_set_touch_only(press.opaque, true.gboolean)
    gtk_event_controller_set_propagation_phase(press.opaque, GTK_PHASE_CAPTURE)
    press.onPoint("pressed") { [weak self, unowned press] x, y in
      guard let self, let index = cell(x, y)?.index else { return }
      gtk_gesture_set_state(press.opaque, GTK_EVENT_SEQUENCE_CLAIMED)
      model.toggleSelection(at: index)
    }
    add(press)
  }

  private func addDrag() {
    let drag = GObjectRef(adopting: gtk_drag_source_new())
    drag.onPrepare { [weak self, unowned drag] x, y in
      guard let self, let cell = cell(x, y) else { return nil }
      // Taken before the selection changes, which may move the picture to another cell.
      let icon = dragIcon(of: cell)
      target(cell.index)
      if let icon { gtk_drag_source_set_icon(drag.opaque, icon.opaque, Self.dragIconSide / 2, Self.dragIconSide / 2) }
      return draggedContent?()
    }
    add(drag)
  }

  /// The list's other gestures never see the release that was claimed, and would take the next press for the same one: a
  /// drag would start only at the second attempt.
  private func resetGestures() {
    guard let all = gtk_widget_observe_controllers(view.widget) else { return }
    let controllers = GObjectRef(adopting: all)
    for index in 0..<g_list_model_get_n_items(controllers.opaque) {
      guard let found = g_list_model_get_item(controllers.opaque, index) else { continue }
      gtk_event_controller_reset(OpaquePointer(found))
      g_object_unref(found)
    }
  }

  /// A cell's picture as the list shows it, but smaller.
  private func dragIcon(of cell: Cell) -> GObjectRef? {
    guard let paintable = gtk_widget_paintable_new(cell.picture.widget), let snapshot = gtk_snapshot_new() else {
      return nil
    }
    defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
    let side = Double(Self.dragIconSide)
    gdk_paintable_snapshot(paintable, snapshot, side, side)
    var size = graphene_size_t(width: Float(side), height: Float(side))
    return gtk_snapshot_free_to_paintable(snapshot, &size).map { GObjectRef(adopting: $0) }
  }

  /// Gives the keyboard focus to the view's row at a point: the next key is about the picture whose menu was opened.
  private func focusRow(atX x: Double, y: Double) {
    var row = cell(x, y)?.picture.widget
    while let part = row, let holder = gtk_widget_get_parent(part), holder != view.widget { row = holder }
    if let row { gtk_widget_grab_focus(row) }
  }

  private func target(_ index: Int) {
    if model.target(at: index) { cursorMoved() }
  }

  private func clicked(_ index: Int, modifiers: GdkModifierType) {
    let state = modifiers.rawValue
    let opens = model.click(
      at: index, extends: state & GDK_SHIFT_MASK.rawValue != 0, toggles: state & GDK_CONTROL_MASK.rawValue != 0)
    if opens { opened?(index) }
  }
}
