// What can be done to pictures, wherever they are shown: mark, put into albums, delete and bring back.

import Foundation
import Observation
import PhotoLibrary

/// The intents of the grid and the viewer, on whatever they show at the moment.
@MainActor @Observable
public final class PictureActionsModel {
  /// Whether the last delete can be taken back.
  public var canUndo: Bool { !trashed.isEmpty }
  /// What a delete could not move to the Trash, and is waiting for an answer.
  public private(set) var pendingDeletion: PendingDeletion?

  /// How many deletes can be taken back, one after another.
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

  /// Marks the targets as favourites, or when all of them are, takes the mark away.
  public func toggleFavorite() async {
    let assets = await navigation.targets()
    guard !assets.isEmpty else { return }
    let isFavorite = !assets.allSatisfy(\.isFavorite)
    let ids = assets.filter { $0.isFavorite != isFavorite }.map(\.id)
    await perform { changes in
      for id in ids { changes.change(AssetChangeRequest(for: id, isFavorite: isFavorite)) }
    }
  }

  /// Keeps the targets out of sight, or when all of them are, shows them again.
  public func toggleHidden() async {
    let assets = await navigation.targets()
    guard !assets.isEmpty else { return }
    let isHidden = !assets.allSatisfy(\.isHidden)
    let ids = assets.map(\.id)
    let isDone = await perform { changes in
      for id in ids { changes.change(AssetChangeRequest(for: id, isHidden: isHidden)) }
    }
    guard isDone, isHidden else { return }
    messages.post("\(Self.name(of: assets)) can be found in the album “\(SmartAlbum.hidden.title)”.")
  }

  /// Moves the targets to the desktop's Trash. A message offers to take it back. What lies on a disk without a Trash stays,
  /// and `pendingDeletion` asks about it.
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
        // Nothing was moved. What lies in the same folder lies on the same disk.
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
      messages.post("\(Self.name(of: movedAssets)) moved to the Trash.", canBeUndone: true)
    }
    if refused.isEmpty { grid.stopSelecting() } else { pendingDeletion = PendingDeletion(assets: refused) }
  }

  /// Deletes for good what could not be moved to the Trash. To be called after the question only.
  public func deletePending() async {
    guard let pending = pendingDeletion else { return }
    pendingDeletion = nil
    let ids = pending.assets.map(\.id)
    guard await perform({ changes in changes.deletePermanently(ids) }) else { return }
    grid.stopSelecting()
    messages.post("\(Self.name(of: pending.assets)) deleted for good.")
  }

  /// Leaves it where it is.
  public func keepPending() { pendingDeletion = nil }

  /// Brings back what the last delete took away.
  public func undoTrash() async {
    guard let last = trashed.popLast() else { return }
    do { try await library.restore(last) } catch {
      messages.post(error.description)
      // What isn't in the Trash any more can't be brought back by asking again.
      if case .fileMissing = error { return }
      trashed.append(last)
    }
  }

  /// Puts the targets into an album.
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
    if let title { messages.post("\(Self.name(of: assets)) added to “\(title)”.") }
  }

  /// Takes the targets out of the album that the grid shows.
  public func removeFromAlbum() async {
    guard grid.collection.kind == .album else { return }
    let album = grid.collection.id
    let ids = await navigation.targets().map(\.id)
    guard !ids.isEmpty else { return }
    await perform { changes in changes.change(AssetCollectionChangeRequest(for: album, removeAssets: ids)) }
  }

  /// Makes an album, with the targets in it when there are any.
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

  /// - Returns: Whether it was done; else a message says why not.
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
    guard assets.count == 1, let asset = assets.first else { return "\(assets.count) pictures" }
    return "“\(asset.url.lastPathComponent)”"
  }
}

/// Pictures that can only be deleted for good, since their disk has no Trash.
public struct PendingDeletion: Hashable, Sendable {
  let assets: [Asset]

  @MainActor public var question: Question {
    let isOne = assets.count == 1
    return Question(
      title: "Delete \(PictureActionsModel.name(of: assets)) for Good?",
      text: "There is no Trash on the disk where \(isOne ? "it lies. It" : "they lie. They") can’t be brought back.",
      answer: "_Delete for Good")
  }
}
