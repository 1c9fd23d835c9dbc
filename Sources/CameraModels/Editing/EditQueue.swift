// Edits that are saved in the background, one after another.
//
//     save, paste ──► waiting ──► running ──┬─► saved: an entry of the history, and for pastes a message
//                        │           │      ├─► failed: a message that names the picture
//                        └── cancel ─┴──────┴─► the settings are kept for the next time that the picture is edited

import CameraCore
import Foundation
import Localization
import Observation
import PhotoEffects
import PhotoLibrary

/// Renders and saves edits while the user goes on. Until an edit is saved, its picture stays as it was.
@MainActor @Observable
public final class EditQueue {
  /// What is shown of the work.
  public struct Activity: Hashable, Sendable {
    /// “Saving Edit…”, “Saving Edit 2 of 5…”.
    public var title: String
    /// Of all edits in the queue, 0…1.
    public var fraction: Double
  }

  /// Settings that are to become those of a picture.
  private struct Job {
    let asset: Asset
    /// `nil` for a picture that is opened when it is its turn.
    let start: EditStart?
    let recipe: AdjustmentRecipe
    let batch: Batch
  }

  /// The edits of one press of a button.
  private final class Batch {
    let count: Int
    /// Whether the recipe is a copied look.
    let isPaste: Bool
    var changes: [EditChange] = []
    var saved: [Asset] = []
    var failures: [(asset: Asset, reason: String)] = []
    var endedCount = 0

    init(count: Int, isPaste: Bool) { (self.count, self.isPaste) = (count, isPaste) }
  }

  private enum Outcome: Sendable {
    /// - change: `nil` when the picture had these settings already, or its records can't be read.
    case saved(EditChange?)
    case cancelled
    case failed(reason: String)
  }

  /// The completed parts of the edits that are waited for, 0…1, by picture.
  public private(set) var progress: [Asset.ID: Double] = [:]
  /// `nil` while there is nothing to be saved.
  public private(set) var activity: Activity?
  /// Settings that couldn't be saved, or were canceled.
  var unsaved: [Asset.ID: AdjustmentRecipe] = [:]
  /// Grows with each step of the work.
  public private(set) var steps = 0

  /// Takes note of saved edits, so that they can be undone.
  @ObservationIgnored var history: ChangeHistory?
  /// Returns when nothing else is about to edit an asset.
  @ObservationIgnored var waitForPendingEffect: ((Asset.ID) async -> Void)?

  @ObservationIgnored private let editing: any AssetEditing
  @ObservationIgnored let library: PhotoLibrary
  @ObservationIgnored let messages: MessageModel
  /// Keeps what isn't saved yet for the next start; `nil` keeps nothing.
  @ObservationIgnored public var file: UnsavedEditsFile?
  /// What the file has, or will have.
  @ObservationIgnored var keptEdits = UnsavedEdits()
  /// Entries of the file that this version doesn't know.
  @ObservationIgnored var others: [JSONValue] = []
  /// Whether the file can't be read, and is still in its place.
  @ObservationIgnored var mustSetAside = false
  /// The pictures whose settings have changed before `load` has ended; `nil` once it has.
  @ObservationIgnored var changedBeforeLoading: Set<Asset.ID>? = []
  @ObservationIgnored var keeping: Task<Void, Never>?
  /// Looks for pictures of earlier settings that are gone.
  @ObservationIgnored var forgetting: Task<Void, Never>?
  @ObservationIgnored private var waiting: [Job] = []
  @ObservationIgnored private var running: (job: Job, task: Task<Outcome, Never>)?
  @ObservationIgnored private var worker: Task<Void, Never>?
  /// Since the queue was empty.
  @ObservationIgnored private var totalCount = 0
  @ObservationIgnored private var endedCount = 0

  init(editing: any AssetEditing, library: PhotoLibrary, messages: MessageModel) {
    (self.editing, self.library, self.messages) = (editing, library, messages)
  }

  // MARK: Adding

  /// Saves the settings of an editing session.
  func save(_ recipe: AdjustmentRecipe, of start: EditStart) {
    let batch = Batch(count: 1, isPaste: false)
    add([Job(asset: start.input.asset, start: start, recipe: recipe, batch: batch)])
  }

  /// Gives pictures the look of an edit; see `AdjustmentRecipe.pasted(onto:)`. They are one entry of the history.
  func paste(_ recipe: AdjustmentRecipe, onto assets: [Asset]) {
    guard !assets.isEmpty else { return }
    let batch = Batch(count: assets.count, isPaste: true)
    add(assets.map { Job(asset: $0, start: nil, recipe: recipe, batch: batch) })
  }

  private func add(_ jobs: [Job]) {
    for job in jobs {
      progress[job.asset.id] = 0
      // Newer settings take their place.
      forgetKept(job.asset.id)
    }
    waiting += jobs
    totalCount += jobs.count
    keepInFile()
    showActivity()
    if worker == nil { worker = Task { [weak self] in await self?.work() } }
  }

  // MARK: Waiting and canceling

  /// Returns when a picture is no longer waited for.
  public func finished(_ id: Asset.ID) async {
    while progress[id] != nil { await nextEnd() }
  }

  /// Returns when everything is saved.
  public func finished() async { while let worker { await worker.value } }

  /// Stops saving an edit; its picture stays as it was.
  public func cancel(_ id: Asset.ID) {
    if let running, running.job.asset.id == id { running.task.cancel() }
    let gone = waiting.filter { $0.asset.id == id }
    waiting.removeAll { $0.asset.id == id }
    for job in gone { end(job, .cancelled) }
  }

  /// The same without keeping the settings: the picture is on its way out, or back to its original.
  func discard(_ id: Asset.ID) {
    forgetKept(id)
    guard progress[id] != nil else { return keepInFile() }
    discarded.insert(id)
    cancel(id)
  }

  /// Stops saving all edits.
  public func cancelAll() { for id in progress.keys { cancel(id) } }

  /// Forgets the settings of a picture that couldn't be saved: they were discarded.
  func forgetUnsaved(_ id: Asset.ID) {
    forgetKept(id)
    keepInFile()
  }

  func setUnsaved(_ recipe: AdjustmentRecipe, for id: Asset.ID) { unsaved[id] = recipe }

  /// Everything that a sudden end of the program would lose. Copied looks are in the picture that they come from.
  var unsavedSettings: [Asset.ID: AdjustmentRecipe] {
    var all = unsaved
    for job in [running?.job].compactMap(\.self) + waiting where !job.batch.isPaste { all[job.asset.id] = job.recipe }
    return all
  }

  /// Pictures whose settings aren't kept when saving them ends without success.
  @ObservationIgnored private var discarded: Set<Asset.ID> = []
  @ObservationIgnored private var waiters: [CheckedContinuation<Void, Never>] = []

  private func nextEnd() async {
    await withCheckedContinuation { waiters.append($0) }
  }

  // MARK: Working

  private func work() async {
    while !waiting.isEmpty {
      let job = waiting.removeFirst()
      let (steps, continuation) = AsyncStream<Double>.makeStream(bufferingPolicy: .bufferingNewest(1))
      let shown = Task { [weak self] in
        for await done in steps { self?.advance(job.asset.id, to: done) }
      }
      let task = Task { [weak self] () -> Outcome in
        defer { continuation.finish() }
        guard let self else { return .cancelled }
        return await perform(job) { continuation.yield($0) }
      }
      running = (job, task)
      let outcome = await task.value
      await shown.value
      running = nil
      end(job, outcome)
    }
    worker = nil
    (totalCount, endedCount) = (0, 0)
    showActivity()
  }

  private func perform(_ job: Job, progress: @escaping @Sendable (Double) -> Void) async -> Outcome {
    let id = job.asset.id
    do {
      await waitForPendingEffect?(id)
      try Task.checkCancellation()
      let before = await edit(of: id)
      let start: EditStart
      var recipe = job.recipe
      if let opened = job.start {
        start = opened
      } else {
        start = try await editing.open(job.asset)
        recipe = recipe.pasted(onto: start.recipe)
        guard !start.input.isAnimated else {
          return .failed(reason: localized("an animation would lose all frames but the first"))
        }
        guard recipe != start.recipe else { return .saved(nil) }
      }
      try await editing.save(recipe, of: start, progress: progress)
      guard let before, let after = await edit(of: id), before.data != after.data else { return .saved(nil) }
      return .saved(EditChange(asset: id, before: before.data, after: after.data))
    } catch is CancellationError {
      return .cancelled
    } catch PhotoLibraryError.cancelled {
      return .cancelled
    } catch {
      return .failed(reason: error.localizedDescription)
    }
  }

  /// The edit of a picture, if it is known.
  private struct KnownEdit {
    /// `nil` for an untouched picture.
    var data: AdjustmentData?
  }

  /// - Returns: `nil` when its record can't be read: such a picture can be edited, but the edit can't be undone.
  private func edit(of id: Asset.ID) async -> KnownEdit? {
    do throws(PhotoLibraryError) { return KnownEdit(data: try await library.adjustmentData(for: id)) } catch {
      return nil
    }
  }

  private func advance(_ id: Asset.ID, to done: Double) {
    guard let before = progress[id] else { return }
    steps &+= 1
    progress[id] = min(1, max(before, done))
    showActivity()
  }

  private func showActivity() {
    guard endedCount < totalCount else {
      activity = nil
      return
    }
    let title =
      totalCount == 1
      ? localized("Saving Edit…")
      : localized("Saving Edit \(min(endedCount + 1, totalCount)) of \(totalCount)…")
    let running = running.flatMap { progress[$0.job.asset.id] } ?? 0
    activity = Activity(title: title, fraction: (Double(endedCount) + running) / Double(totalCount))
  }

  // MARK: Ends

  private func end(_ job: Job, _ outcome: Outcome) {
    let (id, batch) = (job.asset.id, job.batch)
    steps &+= 1
    endedCount += 1
    batch.endedCount += 1
    // Another edit of the same picture may wait behind this one.
    progress[id] = waiting.contains { $0.asset.id == id } ? 0 : nil
    let isDiscarded = discarded.contains(id)
    if progress[id] == nil { discarded.remove(id) }
    switch outcome {
    case .saved(let change):
      batch.saved.append(job.asset)
      if let change { batch.changes.append(change) }
    case .cancelled where isDiscarded, .failed where isDiscarded: break
    case .cancelled:
      if !batch.isPaste { keep(job, localized("The changes to “\(job.asset.url.lastPathComponent)” weren’t saved.")) }
    case .failed(let reason):
      if batch.isPaste {
        batch.failures.append((job.asset, reason))
      } else {
        keep(
          job,
          localized(
            "The changes to “\(job.asset.url.lastPathComponent)” couldn’t be saved: \(reason.asClause).",
            comment: "{1} is the reason"))
      }
    }
    keepInFile()
    if batch.endedCount == batch.count { end(batch) }
    showActivity()
    let woken = waiters
    waiters = []
    for waiter in woken { waiter.resume() }
  }

  /// Keeps settings for the next time that the picture is edited, and offers to do that now.
  private func keep(_ job: Job, _ text: String) {
    unsaved[job.asset.id] = job.recipe
    messages.post(text, action: .editAgain(job.asset.id))
  }

  private func end(_ batch: Batch) {
    var entry: ChangeEntry.ID?
    if let first = batch.changes.first {
      let count = batch.changes.count
      entry = history?.add(
        ChangeName(.edit, count: count), count == 1 ? .edited(first) : .severalEdited(batch.changes))
    }
    guard batch.isPaste else { return }
    var texts: [String] = []
    if let name = batch.saved.first?.url.lastPathComponent {
      let count = batch.saved.count
      texts.append(
        count == 1
          ? localized("Edits pasted onto “\(name)”.")
          : localized("Edits pasted onto \(count) item.", plural: "Edits pasted onto \(count) items.", count: count))
    }
    if let first = batch.failures.first {
      let names = batch.failures.map { localized("“\($0.asset.url.lastPathComponent)”", comment: "A quoted file name") }
      texts.append(
        localized(
          "\(names.localizedList) couldn’t be edited: \(first.reason.asClause).",
          comment: "{0} is one or more file names, {1} the reason"))
    }
    if !texts.isEmpty { messages.post(texts.joined(separator: " "), action: entry.map { .undo($0) }) }
  }
}
