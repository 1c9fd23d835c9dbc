// The library's page: header bar, search, sidebar, grid, and the bar for the selection.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import PhotoLibrary

/// Shows a `LibraryModel` on a page of the window.
@MainActor final class LibraryPage {
  /// The page's widget.
  let root: GObjectRef
  /// The overlay for messages while the page is in front.
  let toasts: GObjectRef

  private let models: Models
  private let grid: LibraryGrid
  private let sidebar: LibrarySidebar
  private let title: GObjectRef
  private let states: GObjectRef
  private let status: GObjectRef
  private let tryAgain: GObjectRef
  private let unlock: GObjectRef
  private let bar: GObjectRef
  private let deletedBar: GObjectRef
  private let transferBar: GObjectRef
  private let transferLabel: GObjectRef
  private let transferProgress: GObjectRef
  private let transferCancel: GObjectRef
  private let searchBar: GObjectRef
  private let searchEntry: GObjectRef
  private let suggestions: SearchSuggestionsPopover
  private let flap: GObjectRef
  private let menu: GObjectRef
  private let deletedMenu: GObjectRef
  private let albumsMenu: GObjectRef
  private let albumsSection: GObjectRef
  private var observations: [ModelObservation] = []
  private var dragged: [URL] = []
  /// The model's search text that the entry shows, or that it asks for.
  private var shownSearch = ""
  /// The searches for typed texts that haven't begun or ended yet.
  private var pendingSearches = 0
  private var isFollowingSearch = false

  init(data: DataFolder, models: Models) throws(InstallationError) {
    self.models = models
    let interface = try Interface(data.ui("library"))
    root = interface["library_page"]
    toasts = interface["library_toasts"]
    title = interface["library_title"]
    states = interface["library_states"]
    status = interface["library_status"]
    tryAgain = interface["library_try_again"]
    unlock = interface["library_unlock"]
    bar = interface["selection_bar"]
    deletedBar = interface["deleted_bar"]
    transferBar = interface["transfer_bar"]
    transferLabel = interface["transfer_label"]
    transferProgress = interface["transfer_progress"]
    transferCancel = interface["transfer_cancel"]
    searchBar = interface["search_bar"]
    searchEntry = interface["search_entry"]
    suggestions = SearchSuggestionsPopover(entry: searchEntry, model: models.library.suggestions)
    flap = interface["library_flap"]
    albumsMenu = interface["albums_menu"]
    albumsSection = interface["albums_section"]
    let model = models.library
    grid = LibraryGrid(interface: interface, model: model, edits: models.editor.queue)
    sidebar = try LibrarySidebar(interface: interface, layout: data.ui("sidebar-row"), models: models)
    menu = GObjectRef(retaining: gtk_popover_menu_new_from_model(interface["picture_menu"].of(GMenuModel.self)))
    deletedMenu = GObjectRef(retaining: gtk_popover_menu_new_from_model(interface["deleted_menu"].of(GMenuModel.self)))
    for popover in [menu, deletedMenu] {
      gtk_popover_set_has_arrow(popover.of(GtkPopover.self), false.gboolean)
      gtk_widget_set_parent(popover.widget, grid.view.widget)
      gtk_widget_set_halign(popover.widget, GTK_ALIGN_START)
    }

    grid.opened = { [navigation = models.navigation] index in
      // What was deleted isn't opened, but restored.
      guard !model.isShowingDeleted else { return model.toggleSelection(at: index) }
      if let asset = model.list.assetIfRead(at: index) { return navigation.open(asset) }
      Task { if let asset = await model.list.asset(at: index) { navigation.open(asset) } }
    }
    sidebar.chosen = { [flap] in
      // In a narrow window the sidebar covers the pictures.
      if adw_flap_get_folded(flap.opaque) != 0 { adw_flap_set_reveal_flap(flap.opaque, false.gboolean) }
    }
    grid.menuRequested = { [weak self] x, y in self?.showMenu(x: x, y: y) }
    grid.draggedContent = { [weak self] in self?.draggedContent() }
    addDrops()
    gtk_search_bar_connect_entry(searchBar.opaque, searchEntry.opaque)
    searchEntry.on("search-changed") { [weak self] in self?.searchChanged() }
    searchBar.onChange(of: "search-mode-enabled") { [weak self] in
      guard let self, gtk_search_bar_get_search_mode(searchBar.opaque) == 0 else { return }
      focusGrid()
    }
    // Enter goes to the results, which are the next thing that anyone wants.
    searchEntry.on("activate") { [weak self] in self?.focusGrid() }
    suggestions.accepted = { [searchEntry] in gtk_editable_set_text(searchEntry.opaque, $0) }
    addKeys()
    let history = interface["library_history"]
    let albumButtons = [interface["album_button"], interface["album_button_narrow"]]
    observations = [
      ModelObservation { [model = models.history] in HistoryMenu.fill(history, with: model) },
      ModelObservation { [navigation = models.navigation] in
        for button in albumButtons { gtk_widget_set_sensitive(button.widget, (navigation.targetCount > 0).gboolean) }
      },
      ModelObservation { [weak self] in self?.followTitle() },
      ModelObservation { [weak self] in self?.followState() },
      ModelObservation { [weak self] in self?.followAlbums() },
      ModelObservation { [weak self] in self?.followSearch() },
      ModelObservation { [weak self] in self?.followTransfer() },
    ]
  }

  /// Gives the keyboard focus to the grid: to the selection, or to the newest picture.
  func focusGrid() {
    let model = models.library
    guard model.list.count > 0 else { return }
    grid.focus(model.selection.first ?? 0) { [navigation = models.navigation] in navigation.page == .library }
  }

  /// Reads again what couldn't be read before.
  func loadAgain() { grid.loadAgain() }

  // MARK: Following the model

  private func followTitle() {
    let model = models.library
    adw_window_title_set_title(title.opaque, model.title)
    adw_window_title_set_subtitle(title.opaque, model.subtitle)
    gtk_action_bar_set_revealed(bar.opaque, (model.isSelecting && !model.isShowingDeleted).gboolean)
    gtk_action_bar_set_revealed(deletedBar.opaque, (model.isShowingDeleted && model.list.count > 0).gboolean)
  }

  private func followState() {
    let list = models.library.list
    let page = models.library.emptyPage
    if let page {
      adw_status_page_set_icon_name(status.opaque, page.icon)
      adw_status_page_set_title(status.opaque, page.title)
      adw_status_page_set_description(status.opaque, escapedMarkup(page.text))
      status.nameStatusPage(page.title, page.text)
      gtk_widget_set_visible(tryAgain.widget, (page.way == .tryAgain).gboolean)
      gtk_widget_set_visible(unlock.widget, (page.way == .unlock).gboolean)
    }
    gtk_stack_set_visible_child_name(states.opaque, !list.isLoaded ? "loading" : page == nil ? "grid" : "empty")
  }

  private func followTransfer() {
    let progress = models.transfers.progress
    // Undoing an edit renders the earlier one, which takes seconds for a movie.
    let activity = models.history.activity.flatMap { $0.fraction == nil ? nil : $0 }
    let saving = models.editor.queue.activity
    gtk_action_bar_set_revealed(
      transferBar.opaque, (progress != nil || saving != nil || activity != nil).gboolean)
    gtk_widget_set_visible(transferCancel.widget, (progress != nil || saving != nil).gboolean)
    guard let title = progress?.title ?? saving?.title ?? activity?.title else { return }
    gtk_label_set_text(transferLabel.opaque, title)
    if let fraction = progress.map(\.fraction) ?? saving?.fraction ?? activity?.fraction {
      gtk_progress_bar_set_fraction(transferProgress.opaque, fraction)
    } else {
      gtk_progress_bar_pulse(transferProgress.opaque)
    }
  }

  private func followAlbums() {
    let albums = models.library.albums
    AlbumsMenu.fill(albumsMenu, with: albums, hasNew: true)
    AlbumsMenu.fill(albumsSection, with: albums)
  }

  // MARK: Search

  private func followSearch() {
    let text = models.library.searchText
    // What is being typed is newer than the model's text.
    guard text != shownSearch, pendingSearches == 0 else { return }
    shownSearch = text
    if !text.isEmpty { gtk_search_bar_set_search_mode(searchBar.opaque, true.gboolean) }
    let shown = gtk_editable_get_text(searchEntry.opaque).map { String(cString: $0) } ?? ""
    // The typed text may end in a space that the search trims.
    if shown.trimmingCharacters(in: .whitespacesAndNewlines) != text {
      isFollowingSearch = true
      gtk_editable_set_text(searchEntry.opaque, text)
      isFollowingSearch = false
    }
  }

  private func searchChanged() {
    // While its text is replaced, the entry is empty for an instant, and emits the signal.
    guard !isFollowingSearch else { return }
    let text = gtk_editable_get_text(searchEntry.opaque).map { String(cString: $0) } ?? ""
    shownSearch = text.trimmingCharacters(in: .whitespacesAndNewlines)
    suggestions.typed(text)
    pendingSearches += 1
    Task {
      await models.library.search(text)
      pendingSearches -= 1
      followSearch()
      // The end of a search without results has left the focus nowhere.
      if pendingSearches == 0, gtk_search_bar_get_search_mode(searchBar.opaque) == 0,
        gtk_widget_get_mapped(root.widget) != 0
      {
        focusGrid()
      }
    }
  }

  // MARK: Menu, drags and keys

  private func showMenu(x: Double, y: Double) {
    let menu = models.library.isShowingDeleted ? deletedMenu : menu
    var point = GdkRectangle(x: Int32(x), y: Int32(y), width: 1, height: 1)
    gtk_popover_set_pointing_to(menu.of(GtkPopover.self), &point)
    // The click may have changed which items there are. GTK adds their separators on idle, and doesn't resize a popover that is
    // already open.
    MainLoop.whenIdle { gtk_popover_popup(menu.of(GtkPopover.self)) }
  }

  /// The content of a drag. It is needed at once, so the assets were read when the button was pressed; a drag that is faster
  /// than that has to be repeated.
  private func draggedContent() -> GObjectRef? {
    let model = models.library
    // Moved out of the trash by another program, a picture would leave its entry there behind.
    guard !model.isShowingDeleted, let assets = model.draggedAssets else { return nil }
    guard let files = PictureSharing.content(assets.flatMap(\.files)) else { return nil }
    g_object_ref(files.address)
    // Dropped on an album, the selection is added to it.
    return GObjectRef(
      adopting: pm_content_for_drag(
        pm_dragged_pictures_get_type(), "", files.of(GdkContentProvider.self)))
  }

  /// Pictures that are dragged within an album are put elsewhere in its order.
  private func addDrops() {
    let drops = GObjectRef(
      adopting: gtk_drop_target_new(
        pm_dragged_pictures_get_type(),
        GdkDragAction(rawValue: GDK_ACTION_COPY.rawValue | GDK_ACTION_MOVE.rawValue)))
    drops.onDropPoint { [weak self] x, y in
      guard let self, models.pictures.canOrder else { return false }
      let (pictures, index) = (models.pictures, grid.dropIndex(atX: x, y: y))
      Task { await pictures.move(before: index) }
      return true
    }
    grid.view.addController(drops)
  }

  private func addKeys() {
    let early = GObjectRef(adopting: gtk_event_controller_key_new())
    gtk_event_controller_set_propagation_phase(early.opaque, GTK_PHASE_CAPTURE)
    early.onKey("key-pressed") { [weak self] key, modifiers in
      guard let self, let index = grid.focusedIndex else { return false }
      return pressed(key, modifiers, at: index)
    }
    grid.view.addController(early)
    let late = GObjectRef(adopting: gtk_event_controller_key_new())
    late.onKey("key-pressed") { [weak self] key, modifiers in self?.pressed(key, modifiers) ?? false }
    root.addController(late)
  }

  private static func isControl(_ modifiers: GdkModifierType) -> Bool {
    modifiers.rawValue & GDK_CONTROL_MASK.rawValue != 0
  }

  private static func isAlt(_ modifiers: GdkModifierType) -> Bool {
    modifiers.rawValue & GDK_ALT_MASK.rawValue != 0
  }

  /// Handles a key in the grid before GTK does.
  private func pressed(_ key: UInt32, _ modifiers: GdkModifierType, at index: Int) -> Bool {
    switch Int32(key) {
    case GDK_KEY_Left where Self.isAlt(modifiers), GDK_KEY_Right where Self.isAlt(modifiers):
      // Where the list runs from right to left, the later ones are on the left.
      let isRightToLeft = gtk_widget_get_direction(root.widget) == GTK_TEXT_DIR_RTL
      let isLater = (Int32(key) == GDK_KEY_Right) != isRightToLeft
      return gtk_widget_activate_action_variant(root.widget, isLater ? "app.move-later" : "app.move-earlier", nil) != 0
    case GDK_KEY_space where !Self.isControl(modifiers):
      models.library.toggleSelection(at: index)
    case GDK_KEY_Menu, GDK_KEY_F10:
      guard Int32(key) == GDK_KEY_Menu || modifiers.rawValue & GDK_SHIFT_MASK.rawValue != 0,
        let point = grid.middle(of: index)
      else { return false }
      models.library.moveCursor(to: index)
      showMenu(x: point.x, y: point.y)
    default: return false
    }
    return true
  }

  /// Handles a key that nothing else on the page has handled.
  private func pressed(_ key: UInt32, _ modifiers: GdkModifierType) -> Bool {
    let control = Self.isControl(modifiers)
    func act(_ action: String) -> Bool {
      gtk_widget_activate_action_variant(root.widget, "app.\(action)", nil) != 0
    }
    switch Int32(key) {
    case GDK_KEY_Escape: return escape()
    case GDK_KEY_Delete, GDK_KEY_KP_Delete:
      return act(models.library.isShowingDeleted ? "ask-delete-permanently" : "delete")
    case GDK_KEY_f where control:
      gtk_search_bar_set_search_mode(searchBar.opaque, true.gboolean)
      gtk_widget_grab_focus(searchEntry.widget)
      return true
    case GDK_KEY_a where control: return act("select-all")
    case GDK_KEY_c where control: return act("copy")
    case GDK_KEY_C where control: return act("copy-edits")
    case GDK_KEY_V where control: return act("paste-edits")
    case GDK_KEY_p where control: return act("print")
    case GDK_KEY_z where control, GDK_KEY_Z where control:
      return act(modifiers.rawValue & GDK_SHIFT_MASK.rawValue != 0 ? "redo" : "undo")
    case GDK_KEY_f, GDK_KEY_F: return act("favorite")
    case GDK_KEY_e, GDK_KEY_E: return act("edit")
    case GDK_KEY_F9:
      adw_flap_set_reveal_flap(flap.opaque, (adw_flap_get_reveal_flap(flap.opaque) == 0).gboolean)
      return true
    default: return false
    }
  }

  /// Goes back one step: ends the search, the selection, or the visit to the library.
  private func escape() -> Bool {
    if gtk_search_bar_get_search_mode(searchBar.opaque) != 0 {
      gtk_search_bar_set_search_mode(searchBar.opaque, false.gboolean)
    } else if models.library.isSelecting {
      models.library.stopSelecting()
    } else {
      models.library.close()
    }
    return true
  }
}
