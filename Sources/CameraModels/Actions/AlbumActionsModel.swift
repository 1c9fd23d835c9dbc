// Actions on albums and folders of albums: create, rename, move and delete.

import Foundation
import Localization
import PhotoLibrary

/// The intents of the sidebar's rows. Each ends in the library, from where the history can take it back, or in a
/// message.
@MainActor public final class AlbumActionsModel {
  private let history: ChangeHistory
  private let grid: LibraryModel
  private let messages: MessageModel

  public init(history: ChangeHistory, grid: LibraryModel, messages: MessageModel) {
    self.history = history
    self.grid = grid
    self.messages = messages
  }

  /// Creates an empty album. A blank title creates none.
  public func createAlbum(title: String, in list: CollectionList.ID? = nil) async {
    guard let title = Self.cleaned(title) else { return }
    await perform(ChangeName(.newAlbum, title: title)) { changes in
      changes.createAlbum(title: title, in: Self.place(list))
    }
    list.map { grid.sidebar.setExpanded(true, $0) }
  }

  /// Creates a smart album of what is searched for. A blank title creates none.
  public func saveSearch(title: String) async {
    let search = grid.searchText
    guard let title = Self.cleaned(title), !search.isEmpty else { return }
    await perform(ChangeName(.newAlbum, title: title)) { changes in
      changes.createAlbum(title: title, search: search)
    }
  }

  /// Creates a folder of albums. A blank title creates none.
  public func createList(title: String, in list: CollectionList.ID? = nil) async {
    guard let title = Self.cleaned(title) else { return }
    await perform(ChangeName(.newFolder, title: title)) { changes in
      changes.createList(title: title, in: Self.place(list))
    }
    list.map { grid.sidebar.setExpanded(true, $0) }
  }

  /// Renames an album or a folder. A blank title leaves it as it is.
  public func rename(_ id: String, to title: String) async {
    guard let title = Self.cleaned(title), title != grid.tree.title(of: id) else { return }
    let isList = grid.tree.isList(id)
    await perform(ChangeName(.rename, title: grid.tree.title(of: id))) { changes in
      if isList {
        changes.change(CollectionListChangeRequest(for: id, title: title))
      } else {
        changes.change(AssetCollectionChangeRequest(for: id, title: title))
      }
    }
  }

  /// Gives a smart album another search. A blank one leaves it as it is.
  public func setSearch(_ search: String, of id: AssetCollection.ID) async {
    guard let search = Self.cleaned(search), let former = grid.tree.search(of: id), search != former else { return }
    let name = ChangeName(.editSearch, title: grid.tree.title(of: id))
    await perform(name) { $0.change(AssetCollectionChangeRequest(for: id, search: search)) }
  }

  /// Moves an album or a folder into another folder, or to the top level.
  public func move(_ id: String, to list: CollectionList.ID?) async {
    // It is there already.
    guard grid.tree.title(of: id) == nil || grid.tree.parent(of: id) != list else { return }
    let isList = grid.tree.isList(id)
    let isDone = await perform(ChangeName(.move, title: grid.tree.title(of: id))) { changes in
      if isList {
        changes.change(CollectionListChangeRequest(for: id, place: Self.place(list)))
      } else {
        changes.change(AssetCollectionChangeRequest(for: id, place: Self.place(list)))
      }
    }
    if isDone { list.map { grid.sidebar.setExpanded(true, $0) } }
  }

  /// Puts an album or a folder where it was dropped: before or after another one, whose folder is arranged by hand from then
  /// on, or into a folder.
  public func drop(_ id: String, _ spot: SidebarItem.DropSpot, _ other: SidebarItem) async {
    guard let target = other.madeID else { return await move(id, to: nil) }
    guard id != target else { return }
    let list = grid.tree.place(of: target)
    switch spot {
    case .into: await move(id, to: target)
    case .before: await arrange(id, in: list, before: target)
    case .after: await arrange(id, in: list, before: grid.tree.order.follower(of: target, without: id))
    }
  }

  /// Lets an album or a folder change places with the one above or below it in its folder.
  public func move(_ id: String, later: Bool) async {
    guard grid.tree.canMove(id, later: later) else { return }
    let list = grid.tree.place(of: id)
    let ids = grid.tree.order.members(of: list).map(\.id)
    guard let index = ids.firstIndex(of: id) else { return }
    let next = later ? index + 2 : index - 1
    await arrange(id, in: list, before: next < ids.count ? ids[next] : nil)
  }

  /// Lists what is in a folder, or at the top level, by name again.
  public func sortByTitle(in list: CollectionList.ID?) async {
    guard grid.tree.isArranged(in: list) else { return }
    await perform(ChangeName(.sortAlbums)) { $0.sortByTitle(in: Self.place(list)) }
  }

  private func arrange(_ id: String, in list: CollectionList.ID?, before next: String?) async {
    let order = grid.tree.order
    if order.list(of: id) == list, order.follower(of: id, without: id) == next { return }
    await perform(ChangeName(.move, title: grid.tree.title(of: id))) { changes in
      changes.arrange(id, in: Self.place(list), before: next)
    }
  }

  /// Deletes an album, whose pictures stay, or a folder, whose albums move up a level. It isn't asked about, as it can
  /// be undone; a message says so.
  public func delete(_ id: String) async {
    let (isList, title) = (grid.tree.isList(id), grid.tree.title(of: id))
    var entry: ChangeEntry.ID?
    let name = ChangeName(isList ? .deleteFolder : .deleteAlbum, title: title)
    let isDone = await perform(name, entry: &entry) { changes in
      if isList { changes.deleteLists([id]) } else { changes.deleteAlbums([id]) }
    }
    guard isDone, let title, let entry else { return }
    messages.post(
      isList
        ? localized("Folder “\(title)” deleted. Its albums moved up one level.")
        : localized("Album “\(title)” deleted. Its photos and videos stay in the library."), action: .undo(entry))
  }

  /// - Returns: Whether it succeeded; otherwise a message was posted.
  @discardableResult
  private func perform(_ name: ChangeName, _ body: @Sendable (inout ChangeSet) -> Void) async -> Bool {
    var entry: ChangeEntry.ID?
    return await perform(name, entry: &entry, body)
  }

  /// - Parameter entry: The id of the history's entry.
  private func perform(
    _ name: ChangeName, entry: inout ChangeEntry.ID?, _ body: @Sendable (inout ChangeSet) -> Void
  ) async -> Bool {
    do {
      entry = try await history.perform(name, body)
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
