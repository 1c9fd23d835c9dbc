// Actions on pictures: favorites, hiding, albums, deleting and undoing.

import Foundation
import Observation
import PhotoLibrary

/// The intents that apply to the pictures of the page in front; see `NavigationModel.targets`.
@MainActor @Observable
public final class PictureActionsModel {
  /// Whether the last deletion can be undone.
  public var canUndo: Bool { !trashed.isEmpty }
  /// Pictures that couldn't be moved to the Trash, until the user has decided.
  public private(set) var pendingDeletion: PendingDeletion?

  /// The number of deletions that can be undone, one after another.
  private static let undoLimit = 20

  private var trashed: [[TrashedAsset]] = []
  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let grid: LibraryModel
  @ObservationIgnored private let navigation: NavigationModel
  @ObservationIgnored private let messages: MessageModel

  public init(library: PhotoLibrary, grid: LibraryModel, navigation: NavigationModel, messages: MessageModel) {
    self.library = library
    self.grid = grid
    self.navigation = navigation
    self.messages = messages
  }

  /// Marks the targets as favorites; if all of them are, removes the mark.
  public func toggleFavorite() async {
    let assets = await navigation.targets()
    guard !assets.isEmpty else { return }
    let isFavorite = !assets.allSatisfy(\.isFavorite)
    let ids = assets.filter { $0.isFavorite != isFavorite }.map(\.id)
    await perform { changes in
      for id in ids { changes.change(AssetChangeRequest(for: id, isFavorite: isFavorite)) }
    }
  }

  /// Hides the targets, or shows them again. Those that already are as wanted stay as they are.
  public func setHidden(_ isHidden: Bool) async {
    let assets = await navigation.targets().filter { $0.isHidden != isHidden }
    guard !assets.isEmpty else { return }
    let ids = assets.map(\.id)
    let isDone = await perform { changes in
      for id in ids { changes.change(AssetChangeRequest(for: id, isHidden: isHidden)) }
    }
    guard isDone, isHidden else { return }
    messages.post("\(Self.name(of: assets)) moved to “\(SmartAlbum.hidden.title)”")
  }

  /// Moves the targets to the desktop's Trash, with a message that offers to undo it. Pictures on a disk without a
  /// Trash stay, and `pendingDeletion` asks about them.
  public func trash() async {
    var waiting = await navigation.targets()
    guard !waiting.isEmpty else { return }
    var refused: [Asset] = []
    var moved: [TrashedAsset] = []
    var movedAssets: [Asset] = []
    while !waiting.isEmpty {
      do {
        moved = try await library.trash(waiting.map(\.id))
        movedAssets = waiting
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
    if !moved.isEmpty {
      trashed.append(moved)
      if trashed.count > Self.undoLimit { trashed.removeFirst() }
      messages.post("\(Self.name(of: movedAssets)) moved to the trash", canBeUndone: true)
    }
    if refused.isEmpty { grid.stopSelecting() } else { pendingDeletion = PendingDeletion(assets: refused) }
  }

  /// Permanently deletes the pictures that couldn't be moved to the Trash. Only to be called after the confirmation.
  public func deletePending() async {
    guard let pending = pendingDeletion else { return }
    pendingDeletion = nil
    let ids = pending.assets.map(\.id)
    guard await perform({ changes in changes.deletePermanently(ids) }) else { return }
    grid.stopSelecting()
    messages.post("\(Self.name(of: pending.assets)) permanently deleted")
  }

  /// Keeps the pictures that couldn't be moved to the Trash.
  public func keepPending() { pendingDeletion = nil }

  /// Restores the pictures of the last deletion.
  public func undoTrash() async {
    guard let last = trashed.popLast() else { return }
    do { try await library.restore(last) } catch {
      messages.post(error.description)
      // A file that is no longer in the Trash won't be there the next time either.
      if case .fileMissing = error { return }
      trashed.append(last)
    }
  }

  /// Adds the targets to an album.
  public func add(toAlbum id: AssetCollection.ID) async {
    let assets = await navigation.targets()
    guard !assets.isEmpty else { return }
    let ids = assets.map(\.id)
    let title = grid.albums.first { $0.id == id }?.title
    let isDone = await perform { changes in
      changes.change(AssetCollectionChangeRequest(for: id, addAssets: ids))
    }
    guard isDone else { return }
    grid.stopSelecting()
    if let title { messages.post("\(Self.name(of: assets)) added to “\(title)”") }
  }

  /// Removes the targets from the album that the grid shows.
  public func removeFromAlbum() async {
    guard grid.collection.kind == .album else { return }
    let album = grid.collection.id
    let ids = await navigation.targets().map(\.id)
    guard !ids.isEmpty else { return }
    await perform { changes in changes.change(AssetCollectionChangeRequest(for: album, removeAssets: ids)) }
  }

  /// The consequence of `createAlbum(title:)` for the targets, to be shown beside its prompt; `nil` without targets.
  public var newAlbumNote: String? {
    switch navigation.targetCount {
    case 0: nil
    case 1: "The selected picture will be added to it."
    case let count: "The \(count) selected pictures will be added to it."
    }
  }

  /// Creates an album with the targets in it, if there are any.
  public func createAlbum(title: String) async {
    let title = title.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !title.isEmpty else { return }
    let ids = await navigation.targets().map(\.id)
    let isDone = await perform { changes in
      let album = changes.createAlbum(title: title)
      if !ids.isEmpty { changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: ids)) }
    }
    if isDone, !ids.isEmpty { grid.stopSelecting() }
  }

  /// - Returns: Whether it succeeded; otherwise a message was posted.
  @discardableResult
  private func perform(_ body: @Sendable (inout ChangeSet) throws -> Void) async -> Bool {
    do {
      try await library.performChanges(body)
      return true
    } catch {
      messages.post(error.description)
      return false
    }
  }

  fileprivate static func name(of assets: [Asset]) -> String {
    guard assets.count == 1, let asset = assets.first else { return "\(assets.count) items" }
    return "“\(asset.url.lastPathComponent)”"
  }
}

/// Pictures that can only be deleted permanently, because their disk has no Trash.
public struct PendingDeletion: Hashable, Sendable {
  let assets: [Asset]

  @MainActor public var question: Question {
    let isOne = assets.count == 1
    return Question(
      title: "Permanently Delete \(PictureActionsModel.name(of: assets))?",
      text: "The disk has no trash, so \(isOne ? "it" : "they") can’t be restored.",
      answer: "_Delete")
  }
}
