// What can be done to albums and to folders of albums: make, name, move and delete.

import PhotoLibrary

/// The intents of the rows beside the grid. Each ends in the library, or in a message.
@MainActor public final class AlbumActionsModel {
  private let library: PhotoLibrary
  private let grid: LibraryModel
  private let messages: MessageModel

  public init(library: PhotoLibrary, grid: LibraryModel, messages: MessageModel) {
    self.library = library
    self.grid = grid
    self.messages = messages
  }

  /// Makes an empty album. A title of blanks makes none.
  public func createAlbum(title: String, in list: CollectionList.ID? = nil) async {
    guard let title = Self.cleaned(title) else { return }
    await perform { changes in changes.createAlbum(title: title, in: Self.place(list)) }
    list.map { grid.setExpanded(true, $0) }
  }

  /// Makes a folder of albums. A title of blanks makes none.
  public func createList(title: String, in list: CollectionList.ID? = nil) async {
    guard let title = Self.cleaned(title) else { return }
    await perform { changes in changes.createList(title: title, in: Self.place(list)) }
    list.map { grid.setExpanded(true, $0) }
  }

  /// Gives an album or a folder another title. Blanks leave it as it is.
  public func rename(_ id: String, to title: String) async {
    guard let title = Self.cleaned(title), title != grid.tree.title(of: id) else { return }
    let isList = grid.tree.isList(id)
    await perform { changes in
      if isList {
        changes.change(CollectionListChangeRequest(for: id, title: title))
      } else {
        changes.change(AssetCollectionChangeRequest(for: id, title: title))
      }
    }
  }

  /// Puts an album or a folder into another folder, or to the top.
  public func move(_ id: String, to list: CollectionList.ID?) async {
    // To where it is already.
    guard grid.tree.title(of: id) == nil || grid.tree.parent(of: id) != list else { return }
    let isList = grid.tree.isList(id)
    let isDone = await perform { changes in
      if isList {
        changes.change(CollectionListChangeRequest(for: id, place: Self.place(list)))
      } else {
        changes.change(AssetCollectionChangeRequest(for: id, place: Self.place(list)))
      }
    }
    if isDone { list.map { grid.setExpanded(true, $0) } }
  }

  /// Deletes an album, whose pictures stay, or a folder, whose albums move up.
  public func delete(_ id: String) async {
    let isList = grid.tree.isList(id)
    await perform { changes in
      if isList { changes.deleteLists([id]) } else { changes.deleteAlbums([id]) }
    }
  }

  /// What is asked before an album or a folder is deleted, since that can't be undone; `nil` when there is none of this id.
  public func questionBeforeDeleting(_ id: String) -> Question? {
    guard let title = grid.tree.title(of: id) else { return nil }
    return grid.tree.isList(id)
      ? Question(
        title: "Delete the Folder “\(title)”?", text: "The albums in it stay, and move to where the folder was.",
        answer: "_Delete Folder")
      : Question(
        title: "Delete the Album “\(title)”?", text: "Its pictures stay in the library.", answer: "_Delete Album")
  }

  /// - Returns: Whether it was done; else a message says why not.
  @discardableResult
  private func perform(_ body: @Sendable (inout ChangeSet) -> Void) async -> Bool {
    do {
      try await library.performChanges(body)
      // What comes next may ask where things are now, and need not wait for the notice.
      await grid.loadAlbums()
      return true
    } catch {
      messages.post(error.description)
      return false
    }
  }

  private nonisolated static func place(_ list: CollectionList.ID?) -> CollectionPlace {
    list.map { .list($0) } ?? .top
  }

  private static func cleaned(_ title: String) -> String? {
    let title = title.trimmingCharacters(in: .whitespacesAndNewlines)
    return title.isEmpty ? nil : title
  }
}
