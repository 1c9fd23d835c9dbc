// The actions of the library and the viewer, for buttons, menus, keys and D-Bus.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import Localization
import PhotoLibrary

/// Adds the actions on pictures and albums, and keeps their states up to date.
@MainActor final class PictureCommands {
  private let actions: Actions
  private let models: Models
  private let transfers: TransferCommands
  private let sharing: SharingCommands
  private let captureMetadata: CaptureMetadataCommands
  private let dialogs: Dialogs
  private var observations: [ModelObservation] = []
  private var burstObservation: ModelObservation?

  init(actions: Actions, models: Models, window: MainWindow, data: DataFolder) {
    self.actions = actions
    self.models = models
    transfers = TransferCommands(actions: actions, models: models, window: window, data: data)
    sharing = SharingCommands(actions: actions, models: models, window: window)
    captureMetadata = CaptureMetadataCommands(actions: actions, models: models, window: window, data: data)
    dialogs = Dialogs(window: window.window)
    addLibrary()
    addAlbums()
    addPictures()
    addBursts()
    addReports(window)
  }

  private func addLibrary() {
    let (library, navigation) = (models.library, models.navigation)
    actions.add("open-library") { Task { await navigation.openLibrary() } }
    actions.add("close-library") { library.close() }
    actions.addChoice("select-collection", chosen: library.collection.id) { id in
      Task { await navigation.openLibrary(at: id) }
    }
    actions.addChoice("search", chosen: "") { text in
      Task { await navigation.searchLibrary(for: text) }
    }
    actions.addSwitch("selecting", isOn: false) {
      library.isSelecting ? library.stopSelecting() : library.startSelecting()
    }
    actions.add("reload-library") { Task { await library.tryAgain() } }
    actions.add("select-all") { library.selectAll() }
    // The parameter is an ID, as in `photomectl library list`.
    actions.addCommand("select") { id in
      Task { if let index = await library.list.index(of: id) { library.toggleSelection(at: index) } }
    }
    actions.addCommand("open-picture") { id in Task { await navigation.openPicture(id) } }
  }

  /// Albums and folders, by ID; an empty ID of a folder is the top level.
  private func addAlbums() {
    let (library, albums, dialogs) = (models.library, models.albums, dialogs)
    func list(_ id: String) -> String? { id.isEmpty ? nil : id }
    actions.addCommand("new-folder") { title, parent in
      Task { await albums.createList(title: title, in: list(parent)) }
    }
    actions.addCommand("rename-collection") { id, title in Task { await albums.rename(id, to: title) } }
    actions.addCommand("move-collection") { id, parent in Task { await albums.move(id, to: list(parent)) } }
    actions.addCommand("move-collection-up") { id in Task { await albums.move(id, later: false) } }
    actions.addCommand("move-collection-down") { id in Task { await albums.move(id, later: true) } }
    actions.addCommand("sort-collections") { parent in Task { await albums.sortByTitle(in: list(parent)) } }
    actions.addCommand("delete-collection") { id in Task { await albums.delete(id) } }
    actions.addCommand("ask-new-folder") { parent in
      dialogs.askTitle(
        localized("New Folder"), text: localized("You can move albums into this folder."), answer: localized("C_reate")
      ) { title in
        Task { await albums.createList(title: title, in: list(parent)) }
      }
    }
    actions.addCommand("ask-album-in") { parent in
      dialogs.askTitle(localized("New Album"), answer: localized("C_reate")) { title in
        Task { await albums.createAlbum(title: title, in: list(parent)) }
      }
    }
    func askRename(_ id: String) {
      guard let title = library.tree.title(of: id) else { return }
      let heading = library.tree.isList(id) ? localized("Rename Folder") : localized("Rename Album")
      dialogs.askTitle(heading, title: title, answer: localized("_Rename")) { title in
        Task { await albums.rename(id, to: title) }
      }
    }
    actions.addCommand("ask-rename-collection", askRename)
    actions.addCommand("edit-search") { id, search in Task { await albums.setSearch(search, of: id) } }
    actions.addCommand("ask-edit-search") { id in
      guard let title = library.tree.title(of: id), let search = library.tree.search(of: id) else { return }
      dialogs.askTitle(
        localized("Edit Search"), text: localized("“\(title)” has everything that this search finds."), title: search,
        answer: localized("_Apply"), placeholder: localized("Search")
      ) { search in
        Task { await albums.setSearch(search, of: id) }
      }
    }
    actions.addCommand("save-search") { title in Task { await albums.saveSearch(title: title) } }
    actions.add("ask-save-search") {
      dialogs.askTitle(
        localized("New Smart Album"),
        text: localized("It has everything that “\(library.searchText)” finds, also what you add later."),
        title: library.searchText,
        answer: localized("C_reate")
      ) { title in
        Task { await albums.saveSearch(title: title) }
      }
    }
    actions.add("ask-rename-album") { askRename(library.collection.id) }
    actions.add("delete-album") { Task { await albums.delete(library.collection.id) } }
  }

  private func addPictures() {
    let (pictures, viewer) = (models.pictures, models.viewer)
    actions.add("favorite") { Task { await pictures.toggleFavorite() } }
    // For menus, which show the one that is enabled.
    for action in ["add-to-favorites", "remove-from-favorites"] {
      actions.add(action) { Task { await pictures.toggleFavorite() } }
    }
    actions.add("hide") { Task { await pictures.setHidden(true) } }
    actions.add("unhide") { Task { await pictures.setHidden(false) } }
    actions.add("revert") { Task { await pictures.revert() } }
    actions.add("copy-edits") { Task { await pictures.copyEdits() } }
    actions.add("paste-edits") { Task { await pictures.pasteEdits() } }
    actions.add("cancel-saving") { pictures.cancelSaving() }
    actions.add("delete") { Task { await pictures.trash() } }
    actions.addCommand("add-to-album") { id in Task { await pictures.add(toAlbum: id) } }
    actions.add("move-earlier") { Task { await pictures.move(later: false) } }
    actions.add("move-later") { Task { await pictures.move(later: true) } }
    actions.add("use-as-cover") { Task { await pictures.useAsCover() } }
    let library = models.library
    actions.addSwitch("own-order", isOn: false) { Task { await pictures.setOrdered(!library.collection.isOrdered) } }
    actions.add("remove-from-album") { Task { await pictures.removeFromAlbum() } }
    actions.addCommand("new-album") { title in Task { await pictures.createAlbum(title: title) } }
    actions.add("ask-new-album") { [weak self] in self?.askNewAlbum() }
    actions.addSwitch("show-info", isOn: false) { viewer.isInfoShown.toggle() }
    actions.add("next-picture") { viewer.move(by: 1) }
    actions.add("previous-picture") { viewer.move(by: -1) }
    actions.add("play") { viewer.playOrPause() }
  }

  /// The burst of the picture in the viewer. A state for scripts: its title, and whether its best picture and its key photo
  /// are shown.
  private func addBursts() {
    let (burst, pictures, actions) = (models.burst, models.pictures, actions)
    actions.add("keep-only-shown") { Task { await pictures.keepOnlyShown(of: burst) } }
    actions.add("show-best-shot") { burst.showBest() }
    actions.add("next-frame") { burst.move(by: 1) }
    actions.add("previous-frame") { burst.move(by: -1) }
    actions.add("make-key-photo") { Task { await pictures.makeKeyPhoto(of: burst) } }
    actions.addReport("burst-shown", text: "")
    burstObservation = ModelObservation {
      actions.setEnabled("keep-only-shown", !burst.others.isEmpty)
      actions.setEnabled("show-best-shot", burst.bestID != nil && !burst.showsBest)
      actions.setEnabled("next-frame", burst.hasNext)
      actions.setEnabled("previous-frame", burst.hasPrevious)
      actions.setEnabled("make-key-photo", burst.position != nil && !burst.showsKey)
      actions.setState(
        "burst-shown",
        (burst.title ?? "") + (burst.showsBest ? ", best shot" : "") + (burst.showsKey ? ", key photo" : ""))
    }
  }

  /// States for scripts: the number of listed and of selected pictures, of albums and folders, the page, the page that is
  /// in its place (none while pages slide), how often they slid, and the pending confirmation.
  private func addReports(_ window: MainWindow) {
    let (library, pictures, viewer, actions) = (models.library, models.pictures, models.viewer, actions)
    let navigation = models.navigation
    actions.addReport("listed", text: "0")
    actions.addReport("selected", text: "0")
    actions.addReport("page", text: "camera")
    actions.addReport("page-shown", text: "")
    actions.addReport("page-slides", text: "0")
    window.pageShown = { [weak window] page in
      actions.setState("page-slides", "\(window?.slideCount ?? 0)")
      actions.setState("page-shown", page?.rawValue ?? "")
    }
    actions.addReport("albums", text: "0")
    actions.addReport("folders", text: "0")
    actions.addReport("asking", text: "")
    observations = [
      ModelObservation { actions.setState("listed", "\(library.list.count)") },
      ModelObservation { actions.setState("albums", "\(library.tree.albums.count)") },
      ModelObservation { actions.setState("folders", "\(library.tree.lists.count)") },
      ModelObservation { actions.setState("asking", pictures.pendingDeletion?.question.title ?? "") },
      ModelObservation { actions.setState("selected", "\(library.selection.count)") },
      ModelObservation { actions.setState("page", navigation.page.rawValue) },
      ModelObservation { actions.setState("select-collection", library.collection.id) },
      ModelObservation { actions.setState("search", library.searchText) },
      ModelObservation { actions.setState("selecting", library.isSelecting) },
      ModelObservation { actions.setState("show-info", viewer.isInfoShown) },
      ModelObservation(of: { pictures.pendingDeletion }) { [weak self] _ in self?.askPendingDeletion() },
      ModelObservation {
        let count = navigation.libraryTargetCount
        for action in ["favorite", "delete", "add-to-album"] { actions.setEnabled(action, count > 0) }
        let areFavorites = navigation.areTargetsFavorites
        actions.setEnabled("add-to-favorites", !areFavorites && count > 0)
        actions.setEnabled("remove-from-favorites", areFavorites)
        actions.setEnabled("hide", count > 0 && !navigation.areTargetsHidden)
        actions.setEnabled("unhide", count > 0 && navigation.areTargetsHidden)
        actions.setEnabled("revert", navigation.isAnyTargetEdited)
        actions.setEnabled("copy-edits", pictures.canCopyEdits)
        actions.setEnabled("paste-edits", pictures.canPasteEdits)
        actions.setEnabled("cancel-saving", pictures.isSavingTargets)
        actions.setEnabled("use-as-cover", navigation.isInAlbum && count == 1)
        for action in ["move-earlier", "move-later"] { actions.setEnabled(action, pictures.canOrder && count > 0) }
        actions.setEnabled("own-order", navigation.isInAlbum)
        actions.setState("own-order", library.collection.isOrdered)
        actions.setEnabled("remove-from-album", navigation.isInAlbum && count > 0)
        for action in ["ask-rename-album", "delete-album"] { actions.setEnabled(action, navigation.isInOwnAlbum) }
        actions.setEnabled("ask-save-search", library.isOpen && !library.searchText.isEmpty)
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

  /// Prompts for the title of a new album.
  private func askNewAlbum() {
    let pictures = models.pictures
    dialogs.askTitle(localized("New Album"), text: pictures.newAlbumNote, answer: localized("C_reate")) { title in
      Task { await pictures.createAlbum(title: title) }
    }
  }

  private func askPendingDeletion() {
    let pictures = models.pictures
    guard let question = pictures.pendingDeletion?.question else { return }
    dialogs.ask(question, then: { Task { await pictures.deletePending() } }, otherwise: { pictures.keepPending() })
  }
}
