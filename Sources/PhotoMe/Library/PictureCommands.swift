// The actions of the library and the viewer, as buttons, menus, keys and D-Bus call them.

import CGtk
import CameraModels
import Foundation
import GtkShim
import PhotoLibrary

/// Adds the actions that concern pictures, and keeps their states in step with the models.
@MainActor final class PictureCommands {
  private let actions: Actions
  private let models: Models
  private let window: MainWindow
  private let sharing: PictureSharing
  private var observations: [ModelObservation] = []

  init(actions: Actions, models: Models, window: MainWindow) {
    self.actions = actions
    self.models = models
    self.window = window
    sharing = PictureSharing(window: window.window, messages: models.messages)
    addLibrary()
    addPictures()
    addReports()
  }

  private func addLibrary() {
    let library = models.library
    actions.add("open-library") { [weak window] in window?.openLibrary() }
    actions.add("close-library") { library.close() }
    actions.addChoice("select-collection", chosen: library.collection.id) { [weak window] id in
      window?.openLibrary()
      Task { await library.select(collection: id) }
    }
    actions.addChoice("search", chosen: "") { [weak window] text in
      window?.openLibrary()
      Task { await library.search(text) }
    }
    actions.addSwitch("selecting", isOn: false) {
      library.isSelecting ? library.stopSelecting() : library.startSelecting()
    }
    actions.add("select-all") { library.selectAll() }
    // By its id; the ids are those of `photomectl library list`.
    actions.addCommand("select") { id in
      if let place = library.list.place(of: id) { library.toggleSelection(at: place) }
    }
    actions.addCommand("open-picture") { [weak window] id in window?.openPicture(id) }
  }

  private func addPictures() {
    let (pictures, viewer) = (models.pictures, models.viewer)
    actions.add("favorite") { Task { await pictures.toggleFavorite() } }
    actions.add("hide") { Task { await pictures.toggleHidden() } }
    actions.add("delete") { Task { await pictures.trash() } }
    actions.add("undo-delete") { Task { await pictures.undoTrash() } }
    actions.addCommand("add-to-album") { id in Task { await pictures.add(toAlbum: id) } }
    actions.add("remove-from-album") { Task { await pictures.removeFromAlbum() } }
    actions.addCommand("new-album") { title in Task { await pictures.createAlbum(title: title) } }
    actions.add("ask-new-album") { [weak self] in self?.askNewAlbum() }
    actions.add("delete-album") { Task { await pictures.deleteAlbum() } }
    actions.add("copy") { [sharing] in Task { await sharing.copy(await pictures.targets()) } }
    actions.add("open-with") { [sharing] in Task { sharing.openWith(await pictures.targets()) } }
    actions.add("show-in-files") { [sharing] in Task { sharing.showInFiles(await pictures.targets()) } }
    actions.addSwitch("show-info", isOn: false) { viewer.isInfoShown.toggle() }
    actions.add("next-picture") { [weak window] in window?.moveViewer(by: 1) }
    actions.add("previous-picture") { [weak window] in window?.moveViewer(by: -1) }
    actions.add("play") { viewer.isMovie ? viewer.togglePlaying() : viewer.play() }
  }

  /// What scripts read: how many pictures the library's page lists, how many of them are selected, whether it is open.
  private func addReports() {
    let (library, pictures, viewer, actions) = (models.library, models.pictures, models.viewer, actions)
    actions.addReport("listed", text: "0")
    actions.addReport("selected", text: "0")
    actions.addReport("page", text: "camera")
    observations = [
      ModelObservation { actions.setState("listed", "\(library.list.count)") },
      ModelObservation { actions.setState("selected", "\(library.selection.count)") },
      ModelObservation {
        actions.setState("page", viewer.asset != nil ? "viewer" : library.isOpen ? "library" : "camera")
      },
      ModelObservation { actions.setState("select-collection", library.collection.id) },
      ModelObservation { actions.setState("search", library.searchText) },
      ModelObservation { actions.setState("selecting", library.isSelecting) },
      ModelObservation { actions.setState("show-info", viewer.isInfoShown) },
      ModelObservation { actions.setEnabled("undo-delete", pictures.canUndo) },
      ModelObservation {
        for action in [
          "favorite", "hide", "delete", "add-to-album", "copy", "open-with", "show-in-files",
        ] { actions.setEnabled(action, pictures.hasTargets) }
        let isInAlbum = library.isOpen && library.collection.kind == .album
        actions.setEnabled("remove-from-album", isInAlbum && pictures.hasTargets)
        actions.setEnabled("delete-album", isInAlbum)
      },
      ModelObservation {
        actions.setEnabled("play", viewer.isPlayable)
        actions.setEnabled("show-info", viewer.asset != nil)
        actions.setEnabled("next-picture", viewer.hasOlder)
        actions.setEnabled("previous-picture", viewer.hasNewer)
      },
      ModelObservation { actions.setEnabled("close-library", library.isOpen) },
      ModelObservation { actions.setEnabled("select-all", library.isOpen && library.list.count > 0) },
    ]
  }

  /// Asks for a title.
  private func askNewAlbum() {
    let count = models.pictures.targetCount
    let text = count == 0 ? nil : count == 1 ? "The picture is put into it." : "The \(count) pictures are put into it."
    guard let made = adw_message_dialog_new(window.window.of(GtkWindow.self), "New Album", text),
      let madeEntry = gtk_entry_new()
    else { return }
    let dialog = UnsafeMutableRawPointer(made).assumingMemoryBound(to: AdwMessageDialog.self)
    let entry = GObjectRef(retaining: madeEntry)
    gtk_entry_set_activates_default(entry.of(GtkEntry.self), true.gboolean)
    gtk_entry_set_placeholder_text(entry.of(GtkEntry.self), "Title")
    pm_set_accessible_label(entry.widget, "Title of the album")
    adw_message_dialog_set_extra_child(dialog, entry.widget)
    adw_message_dialog_add_response(dialog, "cancel", "_Cancel")
    adw_message_dialog_add_response(dialog, "create", "C_reate")
    adw_message_dialog_set_response_appearance(dialog, "create", ADW_RESPONSE_SUGGESTED)
    adw_message_dialog_set_response_enabled(dialog, "create", false.gboolean)
    adw_message_dialog_set_default_response(dialog, "create")
    adw_message_dialog_set_close_response(dialog, "cancel")
    let dialogRef = GObjectRef(retaining: dialog)
    entry.on("changed") { [weak entry, weak dialogRef] in
      guard let entry, let dialogRef else { return }
      let title = gtk_editable_get_text(entry.opaque).map { String(cString: $0) } ?? ""
      adw_message_dialog_set_response_enabled(
        dialogRef.of(AdwMessageDialog.self), "create", (!title.allSatisfy(\.isWhitespace)).gboolean)
    }
    let pictures = models.pictures
    // The dialog holds both for as long as it lives.
    dialogRef.onPointer("response") { response in
      guard let response, String(cString: response.assumingMemoryBound(to: CChar.self)) == "create",
        let text = gtk_editable_get_text(entry.opaque)
      else { return }
      let title = String(cString: text)
      Task { await pictures.createAlbum(title: title) }
    }
    asking = dialogRef
    gtk_window_present(dialogRef.of(GtkWindow.self))
    gtk_widget_grab_focus(entry.widget)
  }

  /// The dialog that was opened last.
  private var asking: GObjectRef?
}
