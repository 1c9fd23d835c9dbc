// Saving, reverting, and handing a picture to an outside program: everything that ends an editing session.

import Foundation
import PhotoEffects
import PhotoLibrary

extension EditModel {
  /// Closes the editor, and saves the edit in the background; see `queue`.
  public func save() {
    guard state == .editing, let start else { return }
    endStroke()
    endStep()
    let changed = hasChanges ? recipe : nil
    // First: settings of the last time are in their file until these take their place.
    if let changed { queue.save(changed, of: start) }
    close()
  }

  /// Has an outside program edit the picture, and closes the editor. The program starts from the original; if that
  /// discards edits, a confirmation comes first.
  public func edit(with id: String) async {
    guard state == .editing, let start, let found = extensions.first(where: { $0.id == id }) else { return }
    guard !hasChanges, !start.input.asset.isEdited else {
      (asking, chosenExtension) = (.replace, found)
      return
    }
    await edit(with: found)
  }

  func edit(with extension: EditingExtension) async {
    guard state == .editing, let asset = start?.input.asset else { return }
    chosenExtension = nil
    await saving { [editing] in try await editing.edit(asset, with: `extension`, progress: $0) }
  }

  private func saving(
    _ body: @escaping @Sendable (_ progress: @escaping @Sendable (Double) -> Void) async throws -> Void
  ) async {
    // Decoding for the preview would take time from the rendering.
    state = .saving(0)
    updatePreview()
    let (steps, continuation) = AsyncStream<Double>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let shown = Task { [weak self] in
      for await done in steps { self?.advance(to: done) }
    }
    await perform(.edit) {
      defer { continuation.finish() }
      try await body { continuation.yield($0) }
    }
    await shown.value
  }

  private func advance(to done: Double) {
    if case .saving(let before) = state { state = .saving(min(1, max(before, done))) }
  }

  /// Stops saving; the picture stays as it was, and the editor open.
  public func cancelSaving() {
    if case .saving = state { work?.cancel() }
  }

  /// Asks for confirmation before reverting to the original.
  public func askRevert() {
    if canRevert { asking = .revert }
  }

  func revert() async {
    guard canRevert, let asset = start?.input.asset ?? asset else { return }
    state = .reverting
    updatePreview()
    await perform(.revert) { [editing] in try await editing.revert(asset) }
  }

  /// Runs an operation and closes the editor; after a failure it stays open.
  private func perform(_ kind: ChangeName.Kind, _ body: @escaping @Sendable () async throws -> Void) async {
    problem = nil
    let mine = session
    let (id, library, changes) = (asset?.id, library, changes)
    let task = Task { [weak self] in
      var failure: String?
      let before = await Self.edit(of: id, in: library)
      do {
        try await body()
        // Also when the editor was closed meanwhile: the picture is edited.
        if let id, let before, let after = await Self.edit(of: id, in: library), before.data != after.data {
          changes?.add(
            ChangeName(kind), .edited(EditChange(asset: id, before: before.data, after: after.data)))
        }
      } catch is CancellationError {
        guard let self, mine == self.session else { return }
        return self.resume(failure: nil)
      } catch { failure = error.localizedDescription }
      guard let self, mine == self.session else { return }
      if let failure { self.resume(failure: failure) } else { self.close() }
    }
    work = task
    await task.value
  }

  /// The edit of a picture, if it is known.
  private struct KnownEdit {
    /// `nil` for an untouched picture.
    var data: AdjustmentData?
  }

  /// - Returns: `nil` when its record can't be read: such a picture can be edited, but the edit can't be undone.
  private static func edit(of id: Asset.ID?, in library: PhotoLibrary) async -> KnownEdit? {
    guard let id else { return nil }
    do throws(PhotoLibraryError) { return KnownEdit(data: try await library.adjustmentData(for: id)) } catch {
      return nil
    }
  }

  private func resume(failure: String?) {
    work = nil
    // A picture that couldn't be opened, and now not reverted either, can't be edited.
    guard start != nil else {
      state = .failed(failure ?? "")
      return
    }
    problem = failure
    state = .editing
    updatePreview()
  }

  /// The user has read the problem.
  public func dismissProblem() {
    problem = nil
    preview.dismissFailure()
  }
}
