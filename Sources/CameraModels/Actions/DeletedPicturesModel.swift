// Actions on the pictures in the trash: restoring them, and deleting them for good.

import Foundation
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
      messages.post("\(Self.name(of: pictures)) restored", action: .undo(entry))
    } catch { messages.post(error.description) }
  }

  /// Asks whether the selected pictures are to be deleted for good.
  public func askToDelete() { pending = targets }

  /// The confirmation before the pending pictures are deleted; `nil` when there are none.
  public var question: Question? {
    guard !pending.isEmpty else { return nil }
    let isOne = pending.count == 1
    return Question(
      title: "Permanently Delete \(Self.name(of: pending))?",
      text:
        "\(isOne ? "It is" : "They are") removed from the Trash, with \(isOne ? "its original" : "their originals") "
        + "and edits. This can’t be undone.",
      answer: "_Delete")
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
      messages.post("\(Self.name(of: pictures)) permanently deleted")
    } catch { messages.post(error.description) }
  }

  private static func name(of pictures: [TrashedPicture]) -> String {
    guard pictures.count == 1, let picture = pictures.first else { return "\(pictures.count) items" }
    return "“\(picture.trashed.url.lastPathComponent)”"
  }
}
