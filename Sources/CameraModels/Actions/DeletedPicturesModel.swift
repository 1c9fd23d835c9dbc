// Actions on the pictures in the trash: restoring them, and deleting them for good.

import Foundation
import Localization
import Observation
import PhotoLibrary

/// The intents of the page “Recently Deleted”. They apply to the pictures that are selected there.
@MainActor @Observable
public final class DeletedPicturesModel {
  /// The pictures that are to be deleted for good, until the user has decided.
  public private(set) var pending: [TrashedPicture] = []

  /// The number of pictures that an action applies to.
  public var targetCount: Int { grid.isOpen && grid.isShowingDeleted ? grid.selection.count : 0 }

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let history: ChangeHistory
  @ObservationIgnored private let grid: LibraryModel
  @ObservationIgnored private let messages: MessageModel

  public init(library: PhotoLibrary, history: ChangeHistory, grid: LibraryModel, messages: MessageModel) {
    self.library = library
    self.history = history
    self.grid = grid
    self.messages = messages
  }

  private var targets: [TrashedPicture] {
    guard targetCount > 0 else { return [] }
    return grid.selection.compactMap { grid.list.assetIfRead(at: $0) }.compactMap {
      grid.recentlyDeleted.picture($0.id)
    }
  }

  /// Moves the selected pictures back to where they were, with their albums and edits.
  public func restore() async {
    let pictures = targets
    guard !pictures.isEmpty else { return }
    do throws(PhotoLibraryError) {
      let entry = try await history.restore(pictures.map(\.trashed))
      grid.stopSelecting()
      messages.post(ActionNotice.restored.text(about: Self.names(of: pictures)), action: .undo(entry))
    } catch { messages.post(error.description) }
  }

  /// Asks whether the selected pictures are to be deleted for good.
  public func askToDelete() { pending = targets }

  /// The confirmation before the pending pictures are deleted; `nil` when there are none.
  public var question: Question? {
    guard !pending.isEmpty else { return nil }
    return Question(
      title: ActionNotice.deletionQuestion(about: Self.names(of: pending)),
      text: localized(
        "It will be removed from the Trash, with its original and its edits. You can’t undo this.",
        plural: "They will be removed from the Trash, with their originals and their edits. You can’t undo this.",
        count: pending.count),
      answer: localized("_Delete"))
  }

  /// The user has declined.
  public func keepPending() { pending = [] }

  /// Deletes the pending pictures for good. Only to be called after the confirmation.
  public func deletePending() async {
    let pictures = pending
    guard !pictures.isEmpty else { return }
    pending = []
    do throws(PhotoLibraryError) {
      try await library.deletePermanently(pictures.map(\.trashed))
      grid.stopSelecting()
      messages.post(ActionNotice.deletedPermanently.text(about: Self.names(of: pictures)))
    } catch { messages.post(error.description) }
  }

  private static func names(of pictures: [TrashedPicture]) -> [String] {
    pictures.map(\.trashed.url.lastPathComponent)
  }
}
