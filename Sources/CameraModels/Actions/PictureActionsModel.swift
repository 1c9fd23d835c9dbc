// Actions on pictures: favorites, hiding, albums and deleting.

import Foundation
import Localization
import Observation
import PhotoLibrary

/// The intents that apply to the pictures of the page in front; see `NavigationModel.targets`.
@MainActor @Observable
public final class PictureActionsModel {
  /// Pictures that couldn't be moved to the Trash, until the user has decided.
  public private(set) var pendingDeletion: PendingDeletion?

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let history: ChangeHistory
  @ObservationIgnored private let grid: LibraryModel
  @ObservationIgnored private let navigation: NavigationModel
  @ObservationIgnored private let editor: EditModel
  @ObservationIgnored private let messages: MessageModel

  /// - Parameter history: Performs what can be undone.
  public init(
    library: PhotoLibrary, history: ChangeHistory, grid: LibraryModel, navigation: NavigationModel, editor: EditModel,
    messages: MessageModel
  ) {
    self.editor = editor
    self.library = library
    self.history = history
    self.grid = grid
    self.navigation = navigation
    self.messages = messages
  }

  /// Marks the targets as favorites; if all of them are, removes the mark. Of a burst, its key photo.
  public func toggleFavorite() async {
    let assets = await libraryTargets()
    guard !assets.isEmpty else { return }
    let isFavorite = !assets.allSatisfy(\.isFavorite)
    let ids = assets.filter { $0.isFavorite != isFavorite }.map(\.id)
    await perform(ChangeName(isFavorite ? .favorite : .unfavorite, count: ids.count)) { changes in
      for id in ids { changes.change(AssetChangeRequest(for: id, isFavorite: isFavorite)) }
    }
  }

  /// Hides the targets, or shows them again. Those that already are as wanted stay as they are.
  public func setHidden(_ isHidden: Bool) async {
    let assets = await libraryMembers().filter { $0.isHidden != isHidden }
    guard !assets.isEmpty else { return }
    let ids = assets.map(\.id)
    let entry = await perform(ChangeName(isHidden ? .hide : .unhide, count: ids.count)) { changes in
      for id in ids { changes.change(AssetChangeRequest(for: id, isHidden: isHidden)) }
    }
    guard let entry else { return }
    let notice = isHidden ? ActionNotice.hidden : .unhidden
    messages.post(notice.text(about: Self.names(of: assets)), action: .undo(entry))
  }

  /// Takes all edits of the targets back, with a message that offers to undo that.
  public func revert() async {
    let assets = await libraryTargets().filter(\.isEdited)
    guard !assets.isEmpty else { return }
    var (reverted, edits): ([Asset], [EditChange]) = ([], [])
    do throws(PhotoLibraryError) {
      for asset in assets {
        // An edit that is being saved is taken back as well.
        editor.queue.discard(asset.id)
        await editor.queue.finished(asset.id)
        let before = try await library.adjustmentData(for: asset.id)
        try await library.performChanges { $0.change(.revert(asset.id)) }
        reverted.append(asset)
        edits.append(EditChange(asset: asset.id, before: before, after: nil))
      }
    } catch { messages.post(error.description) }
    guard let first = edits.first else { return }
    let entry = history.add(
      ChangeName(.revert, count: edits.count), edits.count == 1 ? .edited(first) : .severalEdited(edits))
    grid.stopSelecting()
    messages.post(ActionNotice.reverted.text(about: Self.names(of: reverted)), action: .undo(entry))
  }

  // MARK: Edits

  /// Whether there is an edit to copy: that of a single picture, as far as it has been read.
  public var canCopyEdits: Bool { navigation.libraryTargetCount == 1 && navigation.isAnyTargetEdited }

  /// Whether there is a copied edit, and pictures to paste it onto.
  public var canPasteEdits: Bool { editor.copied != nil && navigation.libraryTargetCount > 0 }

  /// Copies the edit of the target, to be pasted onto others.
  public func copyEdits() async {
    let assets = await libraryTargets()
    guard assets.count == 1, let asset = assets.first else { return }
    let name = asset.url.lastPathComponent
    do {
      guard try await editor.copyEdits(of: asset) else { return messages.post(localized("“\(name)” has no edits.")) }
      messages.post(localized("Edits of “\(name)” copied"))
    } catch {
      messages.post(
        localized(
          "The edits of “\(name)” can’t be copied: \(error.localizedDescription.asClause).",
          comment: "{1} is the reason"))
    }
  }

  /// Gives the targets the effect and the adjustments of the copied edit, in the background. Crop, straightening, key photo,
  /// trim, sound and playback style stay each picture's own. A message names those that can't be edited.
  public func pasteEdits() async {
    guard let copied = editor.copied else { return }
    let assets = await libraryTargets()
    guard !assets.isEmpty else { return }
    grid.stopSelecting()
    editor.queue.paste(copied, onto: assets)
  }

  /// Whether an edit of a target is being saved, as far as they have been read.
  public var isSavingTargets: Bool {
    !editor.queue.progress.isEmpty && navigation.targetIDs.contains { editor.queue.progress[$0] != nil }
  }

  /// Stops saving the edits of the targets; the pictures stay as they were.
  public func cancelSaving() { for id in navigation.targetIDs { editor.queue.cancel(id) } }

  /// Moves the targets to the desktop's Trash, with a message that offers to undo it. Pictures on a disk without a
  /// Trash stay, and `pendingDeletion` asks about them.
  public func trash() async { await trash(await libraryMembers()) }

  /// Moves all pictures of the burst to the Trash but the one that the viewer shows, as `trash()` does.
  public func keepOnlyShown(of burst: BurstReview) async { await trash(burst.others) }

  /// Makes the picture that the viewer shows stand for its burst. The bar of the burst says so: a message would cover it.
  public func makeKeyPhoto(of burst: BurstReview) async {
    guard let shown = burst.shownFrame, !burst.showsKey else { return }
    await perform(ChangeName(.keyPhoto)) { [frames = burst.frames] changes in
      changes.setKeyPhoto(shown.id, of: frames)
    }
  }

  private func trash(_ assets: [Asset]) async {
    var waiting = assets
    guard !waiting.isEmpty else { return }
    // Nobody waits for the edit of a picture that is thrown away; a later undo brings it back as it was.
    for asset in assets where editor.queue.progress[asset.id] != nil { editor.queue.discard(asset.id) }
    for asset in assets { await editor.queue.finished(asset.id) }
    var refused: [Asset] = []
    while !waiting.isEmpty {
      do {
        let entry = try await history.trash(waiting.map(\.id))
        messages.post(ActionNotice.trashed.text(about: Self.names(of: waiting)), action: .undo(entry))
        waiting = []
      } catch {
        guard case .trashUnavailable(let path, _, _) = error else {
          messages.post(error.description)
          return
        }
        // Nothing was moved. Other files of the same folder are on the same disk.
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let isRefused = { (asset: Asset) in
          asset.url.path == path || asset.url.deletingLastPathComponent().path == folder
        }
        let rest = waiting.filter { !isRefused($0) }
        refused += waiting.filter(isRefused)
        guard rest.count < waiting.count else {
          messages.post(error.description)
          return
        }
        waiting = rest
      }
    }
    if refused.isEmpty { grid.stopSelecting() } else { pendingDeletion = PendingDeletion(assets: refused) }
  }

  /// Permanently deletes the pictures that couldn't be moved to the Trash. Only to be called after the confirmation.
  public func deletePending() async {
    guard let pending = pendingDeletion else { return }
    pendingDeletion = nil
    let ids = pending.assets.map(\.id)
    do throws(PhotoLibraryError) { try await library.performChanges { $0.deletePermanently(ids) } } catch {
      messages.post(error.description)
      return
    }
    grid.stopSelecting()
    messages.post(ActionNotice.deletedPermanently.text(about: Self.names(of: pending.assets)))
  }

  /// Keeps the pictures that couldn't be moved to the Trash.
  public func keepPending() { pendingDeletion = nil }

  /// Adds the targets to an album.
  public func add(toAlbum id: AssetCollection.ID) async {
    let assets = await libraryMembers()
    guard !assets.isEmpty else { return }
    let ids = assets.map(\.id)
    let title = grid.albums.first { $0.id == id }?.title
    let entry = await perform(ChangeName(.addToAlbum, count: ids.count, title: title)) { changes in
      changes.change(AssetCollectionChangeRequest(for: id, addAssets: ids))
    }
    guard let entry else { return }
    grid.stopSelecting()
    guard let title else { return }
    messages.post(ActionNotice.added(album: title).text(about: Self.names(of: assets)), action: .undo(entry))
  }

  /// Removes the targets from the album that the grid shows.
  public func removeFromAlbum() async {
    guard grid.collection.kind == .album else { return }
    let album = grid.collection
    let assets = await libraryMembers()
    guard !assets.isEmpty else { return }
    let ids = assets.map(\.id)
    let entry = await perform(ChangeName(.removeFromAlbum, count: ids.count, title: album.title)) { changes in
      changes.change(AssetCollectionChangeRequest(for: album.id, removeAssets: ids))
    }
    guard let entry else { return }
    messages.post(ActionNotice.removed(album: album.title).text(about: Self.names(of: assets)), action: .undo(entry))
  }

  // MARK: The order of an album

  /// Whether the grid shows an album whose pictures can be put in another order: all of it, not what is searched for in it.
  public var canOrder: Bool { navigation.isInAlbum && grid.searchText.isEmpty }

  /// Moves the selected pictures of the album that the grid shows before the one in front of them, or behind the one after
  /// them. The album has an order of its own from then on.
  public func move(later: Bool) async {
    guard canOrder, let first = grid.selection.first, let last = grid.selection.last else { return }
    guard later ? last + 1 < grid.list.count : first > 0 else { return }
    let next = later ? last + 2 : first - 1
    await move(before: next < grid.list.count ? next : nil)
  }

  /// Moves the selected pictures of the album that the grid shows.
  ///
  /// - Parameter index: Of the picture before which they come; `nil` for the end.
  public func move(before index: Int?) async {
    guard canOrder else { return }
    let album = grid.collection
    let ids = await libraryMembers().map(\.id)
    var next: Asset.ID?
    if let index {
      // The first behind that place that stays where it is.
      let rest = (index..<grid.list.count).first { !grid.selection.contains($0) }
      if let rest {
        guard let asset = await grid.list.asset(at: rest) else { return }
        next = asset.id
      }
    }
    guard !ids.isEmpty else { return }
    let move = AssetCollectionChangeRequest.Move(ids, before: next)
    await perform(ChangeName(.order, title: album.title)) { changes in
      changes.change(AssetCollectionChangeRequest(for: album.id, move: move))
    }
    await grid.loadAlbums()
    // The first change of an album's order loads another list; the same picture may be moved on.
    guard !grid.isSelecting, grid.selection.isEmpty, ids.count == 1, let index = await grid.list.index(of: ids[0])
    else { return }
    grid.moveCursor(to: index)
  }

  /// Shows the album that the grid shows in its own order, or the newest pictures first.
  public func setOrdered(_ isOrdered: Bool) async {
    let album = grid.collection
    guard album.kind == .album, album.isOrdered != isOrdered else { return }
    await perform(ChangeName(.order, title: album.title)) { changes in
      changes.change(AssetCollectionChangeRequest(for: album.id, isOrdered: isOrdered))
    }
    await grid.loadAlbums()
  }

  /// Lets the target stand for the album that the grid shows.
  public func useAsCover() async {
    let album = grid.collection
    guard navigation.isInAlbum, let asset = await libraryTargets().first else { return }
    let entry = await perform(ChangeName(.cover, title: album.title)) { changes in
      changes.change(AssetCollectionChangeRequest(for: album.id, cover: .asset(asset.id)))
    }
    await grid.loadAlbums()
    if let entry { messages.post(localized("Cover of “\(album.title)” changed"), action: .undo(entry)) }
  }

  /// The consequence of `createAlbum(title:)` for the targets, to be shown beside its prompt; `nil` without targets.
  public var newAlbumNote: String? {
    let count = navigation.libraryTargetCount
    guard count > 0 else { return nil }
    return localized(
      "The selected item will be added to the album.",
      plural: "The \(count) selected items will be added to the album.",
      count: count)
  }

  /// Creates an album with the targets in it, if there are any.
  public func createAlbum(title: String) async {
    let title = title.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !title.isEmpty else { return }
    let ids = await libraryMembers().map(\.id)
    let entry = await perform(ChangeName(.newAlbum, title: title)) { changes in
      let album = changes.createAlbum(title: title)
      if !ids.isEmpty { changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: ids)) }
    }
    if entry != nil, !ids.isEmpty { grid.stopSelecting() }
  }

  /// - Returns: The id of the history's entry; `nil` when nothing was changed, or after a failure, which was posted.
  @discardableResult
  private func perform(
    _ name: ChangeName, _ body: @Sendable (inout ChangeSet) throws -> Void
  ) async -> ChangeEntry.ID? {
    do throws(PhotoLibraryError) { return try await history.perform(name, body) } catch {
      messages.post(error.description)
      return nil
    }
  }

  /// The targets, without a file outside of the library.
  private func libraryTargets() async -> [Asset] { await navigation.targets().filter { !$0.isOutside } }

  /// The same with all pictures of the bursts.
  private func libraryMembers() async -> [Asset] { await navigation.memberTargets().filter { !$0.isOutside } }

  static func names(of assets: [Asset]) -> [String] { assets.map(\.url.lastPathComponent) }
}

/// Pictures that can only be deleted permanently, because their disk has no Trash.
public struct PendingDeletion: Hashable, Sendable {
  let assets: [Asset]

  @MainActor public var question: Question {
    Question(
      title: ActionNotice.deletionQuestion(about: PictureActionsModel.names(of: assets)),
      text: localized(
        "The item’s disk has no Trash. You can’t undo this.",
        plural: "The items’ disk has no Trash. You can’t undo this.",
        count: assets.count),
      answer: localized("_Delete"))
  }
}
