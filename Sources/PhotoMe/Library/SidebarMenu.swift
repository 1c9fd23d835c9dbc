// The context menu of the sidebar.

import CGtk
import CameraModels
import Localization
import PhotoLibrary

/// A menu that is filled for the row it is opened on.
@MainActor final class SidebarMenu {
  private let parent: GObjectRef
  private let popover: GObjectRef

  /// - Parameter parent: The sidebar's list view.
  init(parent: GObjectRef) {
    self.parent = parent
    popover = GObjectRef(retaining: gtk_popover_menu_new_from_model(nil))
    gtk_popover_set_has_arrow(popover.of(GtkPopover.self), false.gboolean)
    gtk_widget_set_halign(popover.widget, GTK_ALIGN_START)
    gtk_widget_set_parent(popover.widget, parent.widget)
  }

  /// - Parameters:
  ///   - item: The row; `nil` outside all rows.
  ///   - x: In the list view's pixels; `y` likewise.
  func show(for item: SidebarItem?, tree: AlbumTree, x: Double, y: Double) {
    // A new model each time: changing it under its popover leaves pages of submenus behind.
    let model = GObjectRef(adopting: g_menu_new())
    let list: CollectionList.ID = if case .list(let list, _)? = item?.content { list.id } else { "" }
    let new = GObjectRef(adopting: g_menu_new())
    new.appendItem(localized("_New Album…"), action: "app.ask-album-in", target: list)
    new.appendItem(localized("New _Folder…"), action: "app.ask-new-folder", target: list)
    g_menu_append_section(model.opaque, nil, new.of(GMenuModel.self))
    let order = order(of: item, tree)
    if g_menu_model_get_n_items(order.of(GMenuModel.self)) > 0 {
      g_menu_append_section(model.opaque, nil, order.of(GMenuModel.self))
    }
    if let item, let id = item.madeID {
      let change = GObjectRef(adopting: g_menu_new())
      change.appendItem(localized("_Rename…"), action: "app.ask-rename-collection", target: id)
      if tree.search(of: id) != nil {
        change.appendItem(localized("_Edit Search…"), action: "app.ask-edit-search", target: id)
      }
      let places = destinations(of: id, tree)
      if g_menu_model_get_n_items(places.of(GMenuModel.self)) > 0 {
        g_menu_append_submenu(change.opaque, localized("_Move To"), places.of(GMenuModel.self))
      }
      change.appendItem(localized("_Delete"), action: "app.delete-collection", target: id)
      g_menu_append_section(model.opaque, nil, change.of(GMenuModel.self))
    }
    gtk_popover_menu_set_menu_model(popover.opaque, model.of(GMenuModel.self))
    var point = GdkRectangle(x: Int32(x), y: Int32(y), width: 1, height: 1)
    gtk_popover_set_pointing_to(popover.of(GtkPopover.self), &point)
    // GTK adds the separators on idle, and doesn't resize a popover that is already open.
    MainLoop.whenIdle { [popover] in gtk_popover_popup(popover.of(GtkPopover.self)) }
  }

  /// The items that change the order of albums and folders: those that are possible.
  private func order(of item: SidebarItem?, _ tree: AlbumTree) -> GObjectRef {
    let order = GObjectRef(adopting: g_menu_new())
    if let id = item?.madeID {
      if tree.canMove(id, later: false) {
        order.appendItem(localized("Move _Up"), action: "app.move-collection-up", target: id)
      }
      if tree.canMove(id, later: true) {
        order.appendItem(localized("Move Do_wn"), action: "app.move-collection-down", target: id)
      }
    }
    let list = item?.madeID.flatMap { tree.place(of: $0) }
    if item?.madeID != nil || item == .albumsHeading, tree.isArranged(in: list) {
      order.appendItem(localized("_Sort by Name"), action: "app.sort-collections", target: list ?? "")
    }
    return order
  }

  private func destinations(of id: String, _ tree: AlbumTree) -> GObjectRef {
    let places = GObjectRef(adopting: g_menu_new())
    func add(_ title: String, _ list: CollectionList.ID) {
      var parts: [OpaquePointer?] = [g_variant_new_string(id), g_variant_new_string(list)]
      places.appendItem(title, action: "app.move-collection", target: g_variant_new_tuple(&parts, 2))
    }
    if tree.canMove(id, to: nil) { add(localized("_Top Level"), "") }
    for list in tree.destinations(of: id) { add(escapedMnemonics(list.title), list.id) }
    return places
  }
}
