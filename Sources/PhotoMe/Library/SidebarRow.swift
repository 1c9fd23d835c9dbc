// A row of the sidebar: an album, a folder of albums, a country, a city, a month, a day, or a heading.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import Localization
import PhotoLibrary

/// A row, which GTK reuses for one item after another.
@MainActor final class SidebarRow {
  /// The indentation of each level of folders, in pixels.
  private static let indent: Int32 = 18

  let root: GObjectRef
  private(set) var item: SidebarItem?
  /// The grid's selection was dropped on this album.
  var picturesDropped: ((AssetCollection.ID) -> Void)?
  /// Another program's files were dropped on this album.
  var filesDropped: (([URL], AssetCollection.ID) -> Void)?
  /// An album or a folder was dropped on this row.
  var collectionDropped: ((_ id: String, SidebarItem.DropSpot, SidebarItem) -> Void)?
  /// Makes the picture that stands for an album; `nil` for none.
  var makeCover: ((AssetCollection) async -> DecodedImage?)?
  /// Of the picture that stands for an album, in pixels.
  static let coverSize: Int32 = 24

  private let icon: GObjectRef
  private let title: GObjectRef
  private let count: GObjectRef
  private let arrow: GObjectRef
  private let listItem: OpaquePointer
  private let drops = GObjectRef(
    adopting: gtk_drop_target_new(
      GType(0), GdkDragAction(rawValue: GDK_ACTION_COPY.rawValue | GDK_ACTION_MOVE.rawValue)))
  private let drag = GObjectRef(adopting: gtk_drag_source_new())

  /// - Parameters:
  ///   - listItem: The `GtkListItem` that owns this row.
  ///   - layout: The path of the `.ui` file.
  init(listItem: UnsafeMutableRawPointer, layout: String) throws(InstallationError) {
    let interface = try Interface(layout)
    root = interface["row"]
    icon = interface["icon"]
    title = interface["title"]
    count = interface["count"]
    arrow = interface["arrow"]
    self.listItem = OpaquePointer(listItem)
    gtk_list_item_set_child(self.listItem, root.widget)
    drops.onDrop { [weak self] in self?.dropped($0, atY: $2) ?? false }
    drops.onDropMotion { [weak self] _, y in self?.draggedOver(atY: y) ?? GdkDragAction(rawValue: 0) }
    drops.on("leave") { [weak self] in self?.mark(nil) }
    root.addController(drops)
    gtk_drag_source_set_actions(drag.opaque, GDK_ACTION_MOVE)
    drag.onPrepare { [weak self] _, _ in
      guard let id = self?.item?.madeID else { return nil }
      return GObjectRef(adopting: pm_content_for_drag(pm_dragged_collection_get_type(), id, nil))
    }
    root.addController(drag)
  }

  func show(_ new: SidebarItem) {
    guard new != item else { return }
    item = new
    let texts = Texts(new)
    gtk_label_set_text(title.opaque, texts.title)
    gtk_widget_set_visible(icon.widget, (texts.icon != nil).gboolean)
    gtk_image_set_pixel_size(icon.opaque, -1)
    gtk_image_set_from_icon_name(icon.opaque, texts.icon)
    showCover(of: new)
    gtk_label_set_text(count.opaque, texts.count ?? "")
    gtk_widget_set_visible(count.widget, (texts.count != nil).gboolean)
    gtk_widget_set_visible(arrow.widget, (texts.arrow != nil).gboolean)
    gtk_image_set_from_icon_name(arrow.opaque, texts.arrow)
    gtk_widget_set_margin_start(root.widget, Int32(new.depth) * Self.indent)
    let isHeading = if case .heading = new.content { true } else { false }
    // GTK moves the focus only to rows that can be selected.
    gtk_list_item_set_selectable(listItem, (!isHeading).gboolean)
    gtk_list_item_set_activatable(listItem, (!isHeading).gboolean)
    (isHeading ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(root.widget, "sidebar-heading")
    if let parent = gtk_widget_get_parent(root.widget) { pm_set_accessible_label(parent, texts.spoken) }
    setDropTypes(of: new)
  }

  private func showCover(of item: SidebarItem) {
    guard case .collection(let album, _) = item.content, album.coverID != nil, let makeCover else { return }
    Task { [weak self] in
      // The row may have been given to another item meanwhile.
      guard let texture = await makeCover(album)?.texture(), let self, self.item == item else { return }
      gtk_image_set_pixel_size(icon.opaque, Self.coverSize)
      gtk_image_set_from_paintable(icon.opaque, texture.opaque)
    }
  }

  // MARK: Drops

  private func setDropTypes(of item: SidebarItem) {
    var types: [GType] =
      switch item.content {
      case .heading: item == .albumsHeading ? [pm_dragged_collection_get_type()] : []
      case .group: []
      case .collection(let collection, _):
        // The first that the drag has: pictures of the window are files as well.
        collection.kind == .album
          ? [pm_dragged_collection_get_type(), pm_dragged_pictures_get_type(), gdk_file_list_get_type()]
          : collection.isOwn ? [pm_dragged_collection_get_type()] : []
      case .list: [pm_dragged_collection_get_type()]
      }
    gtk_drop_target_set_gtypes(drops.opaque, &types, gsize(types.count))
  }

  /// The place at which an album goes that is dropped at this height, in pixels.
  private func spot(atY y: Double) -> SidebarItem.DropSpot? {
    let height = Double(gtk_widget_get_height(root.widget))
    return height > 0 ? item?.dropSpot(atHeight: y / height) : nil
  }

  private func draggedOver(atY y: Double) -> GdkDragAction {
    guard let drop = gtk_drop_target_get_current_drop(drops.opaque) else { return GdkDragAction(rawValue: 0) }
    let isCollection =
      gdk_content_formats_contain_gtype(gdk_drop_get_formats(drop), pm_dragged_collection_get_type()) != 0
    mark(isCollection ? spot(atY: y) : nil)
    // As GTK's own handler does.
    return gdk_drop_get_actions(drop).rawValue & GDK_ACTION_COPY.rawValue != 0 ? GDK_ACTION_COPY : GDK_ACTION_MOVE
  }

  /// Shows where a dragged album goes.
  private func mark(_ spot: SidebarItem.DropSpot?) {
    for (name, marked) in [("drop-before", SidebarItem.DropSpot.before), ("drop-after", .after)] {
      (spot == marked ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(root.widget, name)
    }
  }

  private func dropped(_ value: UnsafePointer<GValue>, atY y: Double) -> Bool {
    mark(nil)
    guard let item else { return false }
    let files = URL.files(in: value)
    if !files.isEmpty, case .collection(let album, _) = item.content {
      filesDropped?(files, album.id)
      return true
    }
    guard let text = pm_dragged_text(value).map({ String(cString: $0) }) else { return false }
    if g_type_check_value_holds(value, pm_dragged_collection_get_type()) != 0 {
      guard text != item.madeID, let spot = spot(atY: y) else { return false }
      collectionDropped?(text, spot, item)
      return true
    }
    guard case .collection(let album, _) = item.content else { return false }
    picturesDropped?(album.id)
    return true
  }
}

/// The texts of a row.
private struct Texts {
  var title: String
  var icon: String?
  var count: String?
  var arrow: String?
  var spoken: String

  @MainActor init(_ item: SidebarItem) {
    switch item.content {
    case .heading(let title):
      self.title = title
      spoken = title
    case .collection(let collection, let number):
      title = Self.title(collection)
      icon = Self.icon(collection)
      count = number.map { $0.localized }
      spoken = number.map { Self.spoken(Self.title(collection), count: $0) } ?? title
    case .group(let group, let number, let isExpanded):
      title = group.title
      count = number.localized
      arrow = isExpanded ? "pan-down-symbolic" : "pan-end-symbolic"
      let name = Self.spoken(group.title, count: number)
      spoken =
        isExpanded
        ? localized("\(name), expanded", comment: "{0} is a month or a country and the number of its items")
        : localized("\(name), collapsed", comment: "{0} is a month or a country and the number of its items")
    case .list(let list, let isExpanded):
      title = list.title
      icon = "folder-symbolic"
      arrow = isExpanded ? "pan-down-symbolic" : "pan-end-symbolic"
      spoken =
        isExpanded
        ? localized("Folder \(list.title), expanded") : localized("Folder \(list.title), collapsed")
    }
  }

  private static func spoken(_ title: String, count: Int) -> String {
    localized(
      "\(title), \(count) item", plural: "\(title), \(count) items", count: count,
      comment: "{0} is the name of an album")
  }

  /// Days in short form: the month is above them.
  private static func title(_ collection: AssetCollection) -> String {
    guard case .moment(let moment) = collection.kind else { return collection.title }
    let day = moment.date.localized(Date.FormatStyle(timeZone: .gmt).weekday(.wide).day())
    return moment.place.map { localized("\(day), \($0.title)", comment: "A day and a place") } ?? day
  }

  /// - Returns: `nil` for a day: a column of the same icon says nothing.
  private static func icon(_ collection: AssetCollection) -> String? {
    switch collection.kind {
    case .smart(.all): "view-app-grid-symbolic"
    case .smart(.favorites): "starred-symbolic"
    case .smart(.livePhotos): "photome-live-symbolic"
    case .smart(.videos): "video-x-generic-symbolic"
    case .smart(.bursts): "photome-burst-symbolic"
    case .smart(.selfies): "camera-photo-symbolic"
    case .smart(.recentlyAdded): "document-open-recent-symbolic"
    case .smart(.screenshots): "video-display-symbolic"
    case .smart(.panoramas): "view-fullscreen-symbolic"
    case .smart(.raw): "camera-photo-symbolic"
    case .smart(.edited): "document-edit-symbolic"
    case .smart(.hidden): "view-conceal-symbolic"
    case .album: "folder-pictures-symbolic"
    case .moment, .month, .place: nil
    case .transient, .search, .saved: "edit-find-symbolic"
    case .recentlyDeleted: "user-trash-symbolic"
    }
  }
}
