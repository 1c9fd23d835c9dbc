// Undoing and redoing one entry: the present state of the library decides whether that is still possible.

import CameraCore
import Foundation
import Localization
import PhotoLibrary

extension ChangeHistory {
  /// Both directions are the same work: an entry that was undone holds what is needed to do it again.
  enum Direction {
    case undo, redo
  }

  /// The outcome of reversing an entry.
  private enum Outcome {
    /// - note: What could not be reversed, as a sentence.
    /// - rest: What an error that may pass has left for another attempt.
    case done(inverse: ChangeEntry.Content, note: String? = nil, rest: ChangeEntry.Content? = nil)
    /// - reason: A clause without a period.
    case impossible(reason: String)
  }

  func reverse(_ entry: ChangeEntry, _ direction: Direction) async {
    if entry.showsHiddenPictures, let mayShowHidden, await !mayShowHidden() { return }
    let name = entry.name.text
    activity = Activity(
      title: direction == .undo ? localized("Undoing “\(name)”…") : localized("Redoing “\(name)”…"))
    defer { activity = nil }
    do {
      switch try await reversed(entry.content) {
      case .done(let inverse, let note, let rest): finish(entry, direction, inverse, note, rest: rest)
      case .impossible(let reason): giveUp(entry, direction, reason)
      }
    } catch let error as PhotoLibraryError where !error.isLasting {
      // It stays: with room on the disk, for example, it will succeed.
      messages.post(error.description)
    } catch let error as UnrestorableEdit {
      giveUp(entry, direction, error.reason)
    } catch is CancellationError {
      return
    } catch {
      giveUp(entry, direction, error.localizedDescription)
    }
  }

  private func finish(
    _ entry: ChangeEntry, _ direction: Direction, _ inverse: ChangeEntry.Content, _ note: String?,
    rest: ChangeEntry.Content?
  ) {
    remove(entry)
    if let rest {
      let left = ChangeEntry(name: entry.name, date: entry.date, content: rest)
      if direction == .undo { past.append(left) } else { future.append(left) }
    }
    let reversed = ChangeEntry(name: entry.name, date: entry.date, content: inverse)
    let name = entry.name.text
    let text =
      switch (direction, note) {
      case (.undo, nil): localized("Undone: \(name)")
      case (.redo, nil): localized("Redone: \(name)")
      case (.undo, let note?): localized("Undone: \(name). \(note)", comment: "{1} is a sentence")
      case (.redo, let note?): localized("Redone: \(name). \(note)", comment: "{1} is a sentence")
      }
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

  /// - Parameter reason: A clause, or sentences.
  private func giveUp(_ entry: ChangeEntry, _ direction: Direction, _ reason: String) {
    remove(entry)
    save()
    let (name, reason) = (entry.name.text, reason.asClause)
    messages.post(
      direction == .undo
        ? localized("“\(name)” can’t be undone anymore: \(reason).")
        : localized("“\(name)” can’t be redone anymore: \(reason)."))
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
    case .severalEdited(let changes): try await reversed(changes)
    }
  }

  private func reversed(_ change: ReversibleChange) async throws(PhotoLibraryError) -> Outcome {
    let reversal = try await library.reverse(change)
    guard reversal.change.isEmpty else { return .done(inverse: .records(reversal.change), note: Self.note(reversal)) }
    if reversal.overridden > 0 { return .impossible(reason: localized("it has been changed again since")) }
    if reversal.missing > 0 { return .impossible(reason: localized("what it changed is no longer in the library")) }
    return .impossible(reason: localized("everything is already as it was before"))
  }

  private static func note(_ reversal: Reversal) -> String? {
    switch (reversal.missing, reversal.overridden) {
    case (0, 0): nil
    case (let missing, 0): notInLibrary(missing)
    case (_, let overridden):
      localized(
        "\(overridden) item was left alone, because it has been changed again since.",
        plural: "\(overridden) items were left alone, because they have been changed again since.", count: overridden)
    }
  }

  private static func notInLibrary(_ count: Int) -> String {
    localized(
      "\(count) item is no longer in the library.", plural: "\(count) items are no longer in the library.", count: count
    )
  }

  private func restored(_ assets: [TrashedAsset]) async throws(PhotoLibraryError) -> Outcome {
    let left = try await library.stillTrashed(assets)
    guard !left.isEmpty else {
      return .impossible(
        reason: localized(
          "the item is no longer in the Trash", plural: "the items are no longer in the Trash", count: assets.count))
    }
    try await library.restore(left)
    let missing = assets.count - left.count
    return .done(
      inverse: .added(left.map(\.id)),
      note: missing == 0
        ? nil
        : localized(
          "\(missing) item is no longer in the Trash.", plural: "\(missing) items are no longer in the Trash.",
          count: missing))
  }

  private func trashed(_ ids: [Asset.ID]) async throws(PhotoLibraryError) -> Outcome {
    var left: [Asset.ID] = []
    for id in ids { if try await library.asset(id: id) != nil { left.append(id) } }
    guard !left.isEmpty else {
      return .impossible(
        reason: localized(
          "the item is no longer in the library", plural: "the items are no longer in the library", count: ids.count))
    }
    let missing = ids.count - left.count
    return .done(
      inverse: .trashed(try await library.trash(left)),
      note: missing == 0 ? nil : Self.notInLibrary(missing))
  }

  /// Gives several pictures their earlier edits again, as far as that is possible. Those that can't have theirs anymore are left
  /// alone. An error that may pass ends it; what is left then is for another attempt.
  private func reversed(_ changes: [EditChange]) async throws -> Outcome {
    var inverse: [EditChange] = []
    var reasons: [String] = []
    var rest: [EditChange] = []
    for (index, change) in changes.enumerated() where rest.isEmpty {
      do {
        switch try await reversed(change) {
        case .done(inverse: .edited(let edit), _, _): inverse.append(edit)
        case .done: break
        case .impossible(let reason): reasons.append(reason)
        }
      } catch {
        let isLasting = (error as? PhotoLibraryError)?.isLasting ?? !(error is CancellationError)
        if !isLasting, inverse.isEmpty { throw error }
        reasons.append((error as? UnrestorableEdit)?.reason ?? error.localizedDescription.asClause)
        if !isLasting { rest = Array(changes[index...]) }
      }
    }
    guard !inverse.isEmpty else { return .impossible(reason: reasons.first ?? localized("unknown error")) }
    let missing = changes.count - inverse.count
    let note =
      missing == 0
      ? nil
      : localized(
        "\(missing) item was left alone: \(reasons.first ?? "").",
        plural: "\(missing) items were left alone: \(reasons.first ?? "").", count: missing,
        comment: "{1} is the reason")
    return .done(inverse: .severalEdited(inverse), note: note, rest: rest.isEmpty ? nil : .severalEdited(rest))
  }

  /// Renders the earlier edit anew. What other programs have written into the picture since is kept by the library.
  private func reversed(_ change: EditChange) async throws -> Outcome {
    guard let edits else { return .impossible(reason: localized("edits can’t be rendered here")) }
    guard let asset = try await library.asset(id: change.asset) else {
      return .impossible(
        reason: localized(
          "the item is no longer in the library", plural: "the items are no longer in the library", count: 1))
    }
    let present = try await library.adjustmentData(for: asset.id)
    guard EditChange.isSame(present, change.after) else {
      return .impossible(reason: localized("it has been edited again since"))
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
    case .fileMissing, .unusableFile, .unknownAsset, .unknownCollection, .trashUnavailable,
      .extensionFailed, .backdropInUse,
      .changesFailed, .exportFailed, .changesUnknown:
      true
    case .folderUnavailable, .libraryAbsent, .readOnly, .diskFull, .decoderFailed, .inputOutput, .index,
      .changedMeanwhile,
      .unfinishedChange, .cancelled:
      false
    }
  }
}
