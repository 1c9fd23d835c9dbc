// The window's history: what was done, in order, to be undone and done again.
//
//                 perform, trash, …              undo
//     (library) ──────────────────────► past ──────────────► future
//                                         ▲                    │
//                                         └────────────────────┘
//                                                 redo
//
// An entry holds values, not closures. Undoing it compares them with the library's present state, because other programs
// and other windows change the same library: what cannot be undone anymore says why, and leaves the history.

import CameraCore
import Foundation
import Localization
import Observation
import PhotoLibrary

/// Performs changes that can be undone, and undoes them.
///
///     try await history.perform(ChangeName(.favorite)) { $0.change(AssetChangeRequest(for: id, isFavorite: true)) }
///     history.undoTitle       // “Undo Favorite”
///     await history.undo()
///
/// Calls of `undo` and `redo` are carried out one after another, in the order in which they are made.
@MainActor @Observable
public final class ChangeHistory {
  /// The entry that is being undone or redone.
  public struct Activity: Hashable, Sendable {
    /// “Undoing “Edit”…”
    public var title: String
    /// 0…1; `nil` while it isn't known.
    public var fraction: Double?
  }

  /// What can be undone, oldest first.
  public internal(set) var past: [ChangeEntry] = []
  /// What can be redone: what was undone last comes last.
  public internal(set) var future: [ChangeEntry] = []
  /// `nil` while nothing is being undone or redone.
  public internal(set) var activity: Activity?

  public var canUndo: Bool { !past.isEmpty }
  public var canRedo: Bool { !future.isEmpty }
  /// For a menu: “Undo Deleting 3 Items”.
  public var undoTitle: String { past.last.map { localized("Undo \($0.name.text)") } ?? localized("Undo") }
  public var redoTitle: String { future.last.map { localized("Redo \($0.name.text)") } ?? localized("Redo") }

  /// Asks for the permission to show hidden pictures, where that is necessary; see `HiddenLock.permit`.
  @ObservationIgnored public var mayShowHidden: (@MainActor () async -> Bool)?

  /// The most entries that are kept, and the most ids in all of them: half a million take some 60 MB.
  static let (entryLimit, weightLimit) = (100, 500_000)

  @ObservationIgnored let library: PhotoLibrary
  @ObservationIgnored let messages: MessageModel
  @ObservationIgnored let edits: (any EditRestoring)?
  @ObservationIgnored private let file: HistoryFile?
  @ObservationIgnored private let now: () -> Date
  /// The last of the calls that wait for each other.
  @ObservationIgnored private var last: Task<Void, Never>?
  @ObservationIgnored private var saving: Task<Void, Never>?
  @ObservationIgnored private var mustSave = false
  @ObservationIgnored private var isLoaded = false
  @ObservationIgnored private var hasReportedFile = false

  /// - Parameters:
  ///   - edits: Renders earlier edits; without it, edits can't be undone.
  ///   - file: Keeps the history for the next start; `nil` keeps nothing.
  ///   - now: The wall clock.
  public init(
    library: PhotoLibrary, messages: MessageModel, edits: (any EditRestoring)? = nil, file: HistoryFile? = nil,
    now: @escaping () -> Date = { Date() }
  ) {
    (self.library, self.messages, self.edits, self.file, self.now) = (library, messages, edits, file, now)
    isLoaded = file == nil
  }

  // MARK: Changes

  /// Changes the library; marks, albums and folders can be changed back.
  ///
  /// - Returns: The entry's id; `nil` when nothing was changed.
  /// - Throws: As `PhotoLibrary.performChanges`.
  @discardableResult
  public func perform(
    _ name: ChangeName, _ body: @Sendable (inout ChangeSet) throws -> Void
  ) async throws(PhotoLibraryError) -> ChangeEntry.ID? {
    let change = try await library.performReversibly(body).change
    return change.isEmpty ? nil : add(name, .records(change))
  }

  /// Moves pictures to the trash.
  ///
  /// - Returns: The entry's id.
  /// - Throws: As `PhotoLibrary.trash`.
  @discardableResult
  public func trash(_ ids: [Asset.ID]) async throws(PhotoLibraryError) -> ChangeEntry.ID {
    let trashed = try await library.trash(ids)
    return add(ChangeName(.delete, count: trashed.count), .trashed(trashed))
  }

  /// Restores pictures from the trash.
  ///
  /// - Returns: The entry's id.
  /// - Throws: As `PhotoLibrary.restore`.
  @discardableResult
  public func restore(_ assets: [TrashedAsset]) async throws(PhotoLibraryError) -> ChangeEntry.ID {
    try await library.restore(assets)
    return add(ChangeName(.restore, count: assets.count), .added(assets.map(\.id)))
  }

  /// Adds a change that was made. What was undone before can't be redone after that.
  ///
  /// - Returns: The entry's id.
  @discardableResult
  public func add(_ name: ChangeName, _ content: ChangeEntry.Content) -> ChangeEntry.ID {
    let entry = ChangeEntry(name: name, date: now(), content: content)
    future = []
    push(entry)
    return entry.id
  }

  /// Appends an entry to the past, and drops the oldest ones that are too many.
  func push(_ entry: ChangeEntry) {
    past = Self.trimmed(past + [entry])
    save()
  }

  /// The newest entries within the limits; the newest one always.
  private static func trimmed(_ entries: [ChangeEntry]) -> [ChangeEntry] {
    var (count, weight) = (0, 0)
    for entry in entries.reversed() {
      weight += entry.weight
      guard count == 0 || count < entryLimit && weight <= weightLimit else { break }
      count += 1
    }
    return Array(entries.suffix(count))
  }

  // MARK: Undoing

  /// Undoes the last change.
  public func undo() async {
    await inOrder { [self] in if let entry = past.last { await reverse(entry, .undo) } }
  }

  /// Undoes a change, also when others have followed it. Does nothing when it isn't in the past anymore.
  public func undo(_ id: ChangeEntry.ID) async {
    await inOrder { [self] in if let entry = past.first(where: { $0.id == id }) { await reverse(entry, .undo) } }
  }

  /// Does again what was undone last.
  public func redo() async {
    await inOrder { [self] in if let entry = future.last { await reverse(entry, .redo) } }
  }

  /// Does again what was undone. Does nothing when it isn't in the future anymore.
  public func redo(_ id: ChangeEntry.ID) async {
    await inOrder { [self] in if let entry = future.first(where: { $0.id == id }) { await reverse(entry, .redo) } }
  }

  private func inOrder(_ body: @escaping @MainActor () async -> Void) async {
    let before = last
    let task = Task {
      await before?.value
      await body()
    }
    last = task
    await task.value
  }

  // MARK: The file

  /// Takes over what was done before this start. To be called once.
  public func load() async {
    guard let file, !isLoaded else { return }
    let earlier = await file.load(for: library.folder.path, now: now())
    isLoaded = true
    guard !earlier.isEmpty else { return }
    past = Self.trimmed(earlier + past)
    save()
  }

  /// Saves soon, unless the earlier history hasn't been read yet.
  func save() {
    guard let file, isLoaded else { return }
    mustSave = true
    guard saving == nil else { return }
    saving = Task { [weak self] in
      while let self, self.mustSave {
        self.mustSave = false
        do { try await file.save(self.past, for: self.library.folder.path) } catch { self.report(error) }
      }
      self?.saving = nil
    }
  }

  /// Returns when the file is up to date.
  public func saved() async { await saving?.value }

  private func report(_ error: any Error) {
    guard !hasReportedFile else { return }
    hasReportedFile = true
    messages.post(
      localized(
        """
        Changes that you make now can’t be undone after a restart, because the history couldn’t be saved: \
        \(error.localizedDescription.asClause).
        """))
  }
}
