// Undoing and redoing one entry: the present state of the library decides whether that is still possible.

import CameraCore
import Foundation
import PhotoLibrary

extension ChangeHistory {
  /// Both directions are the same work: an entry that was undone holds what is needed to do it again.
  enum Direction {
    case undo, redo
  }

  /// The outcome of reversing an entry.
  private enum Outcome {
    /// - note: What could not be reversed, as a sentence.
    case done(inverse: ChangeEntry.Content, note: String? = nil)
    /// - reason: As a clause.
    case impossible(reason: String)
  }

  func reverse(_ entry: ChangeEntry, _ direction: Direction) async {
    if entry.showsHiddenPictures, let mayShowHidden, await !mayShowHidden() { return }
    let name = entry.name.text
    activity = Activity(title: direction == .undo ? "Undoing \(name)…" : "Redoing \(name)…")
    defer { activity = nil }
    do {
      switch try await reversed(entry.content) {
      case .done(let inverse, let note): finish(entry, direction, inverse, note)
      case .impossible(let reason): giveUp(entry, direction, "\(reason).")
      }
    } catch let error as PhotoLibraryError where !error.isLasting {
      // It stays: with room on the disk, for example, it will succeed.
      messages.post(error.description)
    } catch let error as UnrestorableEdit {
      giveUp(entry, direction, "\(error.reason).")
    } catch is CancellationError {
      return
    } catch {
      giveUp(entry, direction, error.localizedDescription)
    }
  }

  private func finish(
    _ entry: ChangeEntry, _ direction: Direction, _ inverse: ChangeEntry.Content, _ note: String?
  ) {
    remove(entry)
    let reversed = ChangeEntry(name: entry.name, date: entry.date, content: inverse)
    let text = [direction == .undo ? "Undone: \(entry.name.text)" : "Redone: \(entry.name.text)", note]
      .compactMap(\.self).joined(separator: ". ")
    switch direction {
    case .undo:
      future.append(reversed)
      save()
      messages.post(text, action: .redo(reversed.id))
    case .redo:
      push(reversed)
      messages.post(text, action: .undo(reversed.id))
    }
  }

  /// - Parameter reason: A clause with a full stop, or sentences.
  private func giveUp(_ entry: ChangeEntry, _ direction: Direction, _ reason: String) {
    remove(entry)
    save()
    let verb = direction == .undo ? "undone" : "redone"
    messages.post("“\(entry.name.text)” can’t be \(verb) anymore: \(reason)")
  }

  private func remove(_ entry: ChangeEntry) {
    past.removeAll { $0.id == entry.id }
    future.removeAll { $0.id == entry.id }
  }

  // MARK: Contents

  private func reversed(_ content: ChangeEntry.Content) async throws -> Outcome {
    switch content {
    case .records(let change): try await reversed(change)
    case .trashed(let assets): try await restored(assets)
    case .added(let ids): try await trashed(ids)
    case .edited(let change): try await reversed(change)
    }
  }

  private func reversed(_ change: ReversibleChange) async throws(PhotoLibraryError) -> Outcome {
    let reversal = try await library.reverse(change)
    guard reversal.change.isEmpty else { return .done(inverse: .records(reversal.change), note: Self.note(reversal)) }
    if reversal.overridden > 0 { return .impossible(reason: "it was changed again since") }
    if reversal.missing > 0 { return .impossible(reason: "what it changed isn’t in the library anymore") }
    return .impossible(reason: "everything is as it was before it already")
  }

  private static func note(_ reversal: Reversal) -> String? {
    switch (reversal.missing, reversal.overridden) {
    case (0, 0): nil
    case (let missing, 0): "\(missing) of them \(missing == 1 ? "isn’t" : "aren’t") in the library anymore."
    case (_, let overridden):
      "\(overridden) of them \(overridden == 1 ? "was" : "were") changed again since, and left alone."
    }
  }

  private func restored(_ assets: [TrashedAsset]) async throws(PhotoLibraryError) -> Outcome {
    let left = try await library.stillTrashed(assets)
    guard !left.isEmpty else {
      return .impossible(
        reason: assets.count == 1 ? "the picture is no longer in the Trash" : "the pictures are no longer in the Trash")
    }
    try await library.restore(left)
    let missing = assets.count - left.count
    return .done(
      inverse: .added(left.map(\.id)),
      note: missing == 0 ? nil : "\(missing) of them \(missing == 1 ? "is" : "are") no longer in the Trash.")
  }

  private func trashed(_ ids: [Asset.ID]) async throws(PhotoLibraryError) -> Outcome {
    var left: [Asset.ID] = []
    for id in ids { if try await library.asset(id: id) != nil { left.append(id) } }
    guard !left.isEmpty else {
      return .impossible(
        reason: ids.count == 1
          ? "the picture isn’t in the library anymore" : "the pictures aren’t in the library anymore"
      )
    }
    let missing = ids.count - left.count
    return .done(
      inverse: .trashed(try await library.trash(left)),
      note: missing == 0 ? nil : "\(missing) of them \(missing == 1 ? "isn’t" : "aren’t") in the library anymore.")
  }

  /// Renders the earlier edit anew. What other programs have written into the picture since is kept by the library.
  private func reversed(_ change: EditChange) async throws -> Outcome {
    guard let edits else { return .impossible(reason: "edits can’t be rendered here") }
    guard let asset = try await library.asset(id: change.asset) else {
      return .impossible(reason: "the picture isn’t in the library anymore")
    }
    let present = try await library.adjustmentData(for: asset.id)
    guard EditChange.isSame(present, change.after) else {
      return .impossible(reason: "the picture was edited again since")
    }
    let (steps, continuation) = AsyncStream<Double>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let shown = Task { [weak self] in
      for await done in steps { self?.activity?.fraction = done }
    }
    defer { shown.cancel() }
    do {
      try await edits.restore(change.before, of: asset) { continuation.yield($0) }
      continuation.finish()
    } catch {
      continuation.finish()
      throw error
    }
    let now = try await library.adjustmentData(for: asset.id)
    return .done(inverse: .edited(EditChange(asset: asset.id, before: present, after: now)))
  }
}

extension PhotoLibraryError {
  /// Whether another attempt would fail as well.
  fileprivate var isLasting: Bool {
    switch self {
    case .fileMissing, .unusableFile, .unknownAsset, .unknownCollection, .trashUnavailable, .extensionFailed,
      .changesFailed, .exportFailed:
      true
    case .folderUnavailable, .libraryAbsent, .readOnly, .diskFull, .inputOutput, .index, .changedMeanwhile,
      .unfinishedChange, .cancelled:
      false
    }
  }
}
