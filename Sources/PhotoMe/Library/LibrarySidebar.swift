// The rows beside the grid: albums that fill themselves, albums, and days.

import CGtk
import CameraModels
import Foundation
import GtkShim
import PhotoLibrary

/// Shows a `LibraryModel`'s sidebar in a list view, with widgets only for the rows in sight: there may be a day for each
/// day of ten years.
@MainActor final class LibrarySidebar {
  private struct Row {
    let root: GObjectRef
    let icon: GObjectRef
    let title: GObjectRef
    let count: GObjectRef
  }

  private let model: LibraryModel
  private let layout: String
  private let ids: GObjectRef
  private let selection: GObjectRef
  private var rows: [UnsafeMutableRawPointer: Row] = [:]
  private var shownIDs: [String] = []
  private var items: [String: SidebarItem] = [:]
  private var observations: [ModelObservation] = []
  private var isFollowing = false

  /// - Parameter layout: The path of the row's `.ui` file.
  init(interface: Interface, layout: String, model: LibraryModel) throws(InstallationError) {
    self.model = model
    self.layout = layout
    _ = try Interface(layout)
    let view = interface["sidebar"]
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
    observations = [ModelObservation { [weak self] in self?.follow() }]
  }

  private func follow() {
    let new = model.sidebar
    let shown = model.collection.id
    isFollowing = true
    defer { isFollowing = false }
    items = Dictionary(new.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let newIDs = new.map(\.id)
    if let change = ListChange(from: shownIDs, to: newIDs) {
      shownIDs = newIDs
      let copies = change.inserted.map { g_strdup($0) }
      defer { copies.forEach { g_free($0) } }
      var strings = copies.map { UnsafePointer($0) } + [nil]
      gtk_string_list_splice(ids.opaque, UInt32(change.position), UInt32(change.removedCount), &strings)
    }
    for (listItem, row) in rows { show(listItem, in: row) }
    let position = shownIDs.firstIndex(of: shown).map(UInt32.init) ?? UInt32.max
    if gtk_single_selection_get_selected(selection.opaque) != position {
      gtk_single_selection_set_selected(selection.opaque, position)
    }
  }

  private func selected() {
    guard !isFollowing else { return }
    let position = Int(gtk_single_selection_get_selected(selection.opaque))
    guard shownIDs.indices.contains(position), items[shownIDs[position]]?.collection != nil else { return }
    let id = shownIDs[position]
    Task { [model] in await model.select(collection: id) }
  }

  private func setUp(_ listItem: UnsafeMutableRawPointer?) {
    // The layout was read once already.
    guard let listItem, let interface = try? Interface(layout) else { return }
    let row = Row(
      root: interface["row"], icon: interface["icon"], title: interface["title"], count: interface["count"])
    rows[listItem] = row
    gtk_list_item_set_child(OpaquePointer(listItem), row.root.widget)
  }

  private func bind(_ listItem: UnsafeMutableRawPointer?) {
    guard let listItem, let row = rows[listItem] else { return }
    show(listItem, in: row)
  }

  private func show(_ listItem: UnsafeMutableRawPointer, in row: Row) {
    let item = OpaquePointer(listItem)
    guard let string = gtk_list_item_get_item(item), let id = gtk_string_object_get_string(OpaquePointer(string)),
      let content = items[String(cString: id)]?.content
    else { return }
    let (title, icon, count): (String, String?, Int?) =
      switch content {
      case .heading(let title): (title, nil, nil)
      case .collection(let collection, let count): (Self.title(collection), Self.icon(collection), count)
      }
    let isHeading = icon == nil
    gtk_label_set_text(row.title.opaque, title)
    gtk_widget_set_visible(row.icon.widget, (!isHeading).gboolean)
    gtk_image_set_from_icon_name(row.icon.opaque, icon)
    gtk_label_set_text(row.count.opaque, count.map(String.init) ?? "")
    gtk_list_item_set_selectable(item, (!isHeading).gboolean)
    gtk_list_item_set_activatable(item, (!isHeading).gboolean)
    (isHeading ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(row.root.widget, "sidebar-heading")
    if let parent = gtk_widget_get_parent(row.root.widget) {
      pm_set_accessible_label(parent, count.map { "\(title), \($0)" } ?? title)
    }
  }

  /// Days in short: the long form doesn't fit.
  private static func title(_ collection: AssetCollection) -> String {
    guard case .moment(let moment) = collection.kind else { return collection.title }
    let day = moment.date.formatted(Date.FormatStyle(timeZone: .gmt).weekday(.abbreviated).day().month().year())
    return moment.place.map { "\(day), \($0)" } ?? day
  }

  private static func icon(_ collection: AssetCollection) -> String {
    switch collection.kind {
    case .smart(.all): "view-app-grid-symbolic"
    case .smart(.favorites): "starred-symbolic"
    case .smart(.livePhotos): "photome-live-symbolic"
    case .smart(.videos): "video-x-generic-symbolic"
    case .smart(.selfiesToday), .smart(.selfiesThisMonth): "camera-photo-symbolic"
    case .smart(.hidden): "view-conceal-symbolic"
    case .album: "folder-pictures-symbolic"
    case .moment: "x-office-calendar-symbolic"
    case .transient, .search: "edit-find-symbolic"
    }
  }
}
