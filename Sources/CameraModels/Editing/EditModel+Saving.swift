// Saving, reverting and handing a picture to an outside program: everything that ends an editing session.

import Foundation
import PhotoEffects
import PhotoLibrary

extension EditModel {
  /// Saves the edit and closes the editor; without changes it only closes it. Whatever goes wrong is said in `problem`, and
  /// the editor stays as it is.
  public func save() async {
    guard state == .editing, let start else { return }
    endStep()
    guard hasChanges else { return close() }
    let recipe = recipe
    await saving { [editing] in try await editing.save(recipe, of: start, progress: $0) }
  }

  /// Has an outside program edit the picture, and closes the editor. It begins with the original; where that leaves edits
  /// out, it asks once.
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
    // What was decoded for the preview would take the time from the rendering.
    state = .saving(0)
    updatePreview()
    let (steps, continuation) = AsyncStream<Double>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let shown = Task { [weak self] in
      for await done in steps { self?.advance(to: done) }
    }
    await perform {
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

  /// Asks whether to bring the original back.
  public func askRevert() {
    if canRevert { asking = .revert }
  }

  func revert() async {
    guard canRevert, let asset = start?.input.asset ?? asset else { return }
    state = .reverting
    updatePreview()
    await perform { [editing] in try await editing.revert(asset) }
  }

  /// Closes the editor when it is done; else it goes on as it was.
  private func perform(_ body: @escaping @Sendable () async throws -> Void) async {
    problem = nil
    let mine = session
    let task = Task { [weak self] in
      var failure: String?
      do { try await body() } catch is CancellationError {
        guard let self, mine == self.session else { return }
        return self.resume(failure: nil)
      } catch { failure = error.localizedDescription }
      guard let self, mine == self.session else { return }
      if let failure { self.resume(failure: failure) } else { self.close() }
    }
    work = task
    await task.value
  }

  private func resume(failure: String?) {
    work = nil
    // What could not be opened can't be edited because it could not be reverted either.
    guard start != nil else {
      state = .failed(failure ?? "")
      return
    }
    problem = failure
    state = .editing
    updatePreview()
  }

  /// The person has read what went wrong.
  public func dismissProblem() {
    problem = nil
    preview.dismissFailure()
  }
}
