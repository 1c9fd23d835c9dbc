// Actions on albums and folders of albums: create, rename, move and delete.

import PhotoLibrary

/// The intents of the sidebar's rows. Each ends in the library, or in a message.
@MainActor public final class AlbumActionsModel {
  private let library: PhotoLibrary
  private let grid: LibraryModel
  private let messages: MessageModel

  public init(library: PhotoLibrary, grid: LibraryModel, messages: MessageModel) {
    self.library = library
    self.grid = grid
    self.messages = messages
  }

  /// Creates an empty album. A blank title creates none.
  public func createAlbum(title: String, in list: CollectionList.ID? = nil) async {
    guard let title = Self.cleaned(title) else { return }
    await perform { changes in changes.createAlbum(title: title, in: Self.place(list)) }
    list.map { grid.sidebar.setExpanded(true, $0) }
  }

  /// Creates a folder of albums. A blank title creates none.
  public func createList(title: String, in list: CollectionList.ID? = nil) async {
    guard let title = Self.cleaned(title) else { return }
    await perform { changes in changes.createList(title: title, in: Self.place(list)) }
    list.map { grid.sidebar.setExpanded(true, $0) }
  }

  /// Renames an album or a folder. A blank title leaves it as it is.
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

  /// Moves an album or a folder into another folder, or to the top level.
  public func move(_ id: String, to list: CollectionList.ID?) async {
    // It is there already.
    guard grid.tree.title(of: id) == nil || grid.tree.parent(of: id) != list else { return }
    let isList = grid.tree.isList(id)
    let isDone = await perform { changes in
      if isList {
        changes.change(CollectionListChangeRequest(for: id, place: Self.place(list)))
      } else {
        changes.change(AssetCollectionChangeRequest(for: id, place: Self.place(list)))
      }
    }
    if isDone { list.map { grid.sidebar.setExpanded(true, $0) } }
  }

  /// Deletes an album, whose pictures stay, or a folder, whose albums move up a level.
  public func delete(_ id: String) async {
    let isList = grid.tree.isList(id)
    await perform { changes in
      if isList { changes.deleteLists([id]) } else { changes.deleteAlbums([id]) }
    }
  }

  /// The confirmation before an album or a folder is deleted, which can't be undone; `nil` for an unknown ID.
  public func questionBeforeDeleting(_ id: String) -> Question? {
    guard let title = grid.tree.title(of: id) else { return nil }
    return grid.tree.isList(id)
      ? Question(
        title: "Delete Folder “\(title)”?", text: "Its albums are kept, and move up to where the folder was.",
        answer: "_Delete")
      : Question(
        title: "Delete Album “\(title)”?", text: "Its pictures stay in the library.", answer: "_Delete")
  }

  /// - Returns: Whether it succeeded; otherwise a message was posted.
  @discardableResult
  private func perform(_ body: @Sendable (inout ChangeSet) -> Void) async -> Bool {
    do {
      try await library.performChanges(body)
      // The next action may need the new tree, and shouldn't have to wait for the notification.
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
