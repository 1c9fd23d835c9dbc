// Import and export: one transfer at a time, with its progress.

import CameraCore
import EngineInterface
import Foundation
import Localization
import Observation
import PhotoEffects
import PhotoLibrary

/// Runs transfers, and reports their progress and outcome.
@MainActor @Observable
public final class TransferModel {
  /// The progress of a transfer.
  public struct Progress: Hashable, Sendable {
    /// The activity: “Importing 3 of 12…”, “Looking for photos and videos…”.
    public var title: String
    /// From 0 to 1; `nil` while it isn't known.
    public var fraction: Double?
  }

  /// `nil` while nothing is being transferred.
  public private(set) var progress: Progress?

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private let history: ChangeHistory?
  @ObservationIgnored private let movieFrames: (any MovieReader)?
  @ObservationIgnored private let renderer: (any EditRenderer)?
  @ObservationIgnored private var task: Task<Outcome?, Never>?

  /// - Parameters:
  ///   - history: Takes note of imports, so that they can be undone; `nil` for none.
  ///   - movieFrames: Decodes movies, for animations.
  ///   - renderer: Makes movies smaller.
  public init(
    library: PhotoLibrary, messages: MessageModel, history: ChangeHistory? = nil,
    movieFrames: (any MovieReader)? = nil, renderer: (any EditRenderer)? = nil
  ) {
    self.library = library
    self.messages = messages
    self.history = history
    self.movieFrames = movieFrames
    self.renderer = renderer
  }

  /// Copies files, and folders with everything in them, into the library. A message reports the outcome.
  ///
  /// - Parameter album: The album to which they are added; also those that the library had already.
  /// - Returns: The assets of the files, without those that couldn't be imported.
  @discardableResult
  public func importFiles(_ urls: [URL], toAlbum album: AssetCollection? = nil) async -> [Asset.ID] {
    guard !urls.isEmpty else { return [] }
    let outcome = await transfer(localized("Looking for photos and videos…")) { [library] show in
      let report = try await library.importAssets(from: urls, progress: show)
      let all = report.imported.map { ($0.asset.id, $0.source) } + report.duplicates.map { ($0.assetID, $0.source) }
      return Outcome(
        texts: Self.outcome(report), imported: report.imported.map(\.asset.id), found: all.map(\.0),
        names: all.map(\.1.lastPathComponent))
    }
    guard let outcome else { return [] }
    if let album, !outcome.found.isEmpty { await add(outcome.found, outcome.names, to: album) }
    return outcome.found
  }

  /// Adds what was imported to an album, which can be undone by itself.
  private func add(_ ids: [Asset.ID], _ names: [String], to album: AssetCollection) async {
    do {
      let entry = try await history?.perform(ChangeName(.addToAlbum, count: ids.count, title: album.title)) { changes in
        changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: ids))
      }
      guard let entry else { return }
      messages.post(ActionNotice.added(album: album.title).text(about: names), action: .undo(entry))
    } catch { messages.post(error.localizedDescription) }
  }

  /// Copies pictures to a folder outside the library. A message reports the outcome, and offers to show the first copy.
  public func export(
    _ assets: [Asset], as form: ExportForm, _ options: ExportOptions = ExportOptions(), into folder: URL
  ) async {
    guard !assets.isEmpty else { return }
    await transfer(localized("Exporting…")) { [library, movieFrames, renderer] show in
      let report = try await library.export(
        assets, as: form, options, into: folder, movieFrames: movieFrames, renderer: renderer, progress: show)
      return Outcome(texts: Self.outcome(report, as: form, into: folder), exported: report.exported.first?.url)
    }
  }

  /// Exports copies that are handed on at once; a message reports only what couldn't be exported, and deficiencies.
  ///
  /// - Returns: The files.
  public func copies(
    of assets: [Asset], as form: ExportForm, _ options: ExportOptions, in folder: URL
  ) async -> [URL] {
    guard !assets.isEmpty else { return [] }
    let outcome = await transfer(localized("Exporting…")) { [library, movieFrames, renderer] show in
      let report = try await library.export(
        assets, as: form, options, into: folder, movieFrames: movieFrames, renderer: renderer, progress: show)
      return Outcome(
        texts: Self.troubles(report),
        copies: report.isCancelled ? [] : report.exported.flatMap { [$0.url] + $0.companions })
    }
    return outcome?.copies ?? []
  }

  /// Cancels the transfer; files that were copied completely stay.
  public func cancel() { task?.cancel() }

  private struct Outcome: Sendable {
    /// Sentences, the first one about what was done. They are a single message.
    var texts: [String]
    var imported: [Asset.ID] = []
    /// The assets of the given files, and the files' names; of an import.
    var found: [Asset.ID] = []
    var names: [String] = []
    /// The first of the new files.
    var exported: URL?
    /// The files that are handed on.
    var copies: [URL] = []
  }

  /// - Returns: `nil` after a failure, which was posted.
  @discardableResult
  private func transfer(
    _ title: String,
    _ body: @escaping @Sendable (_ show: @escaping @Sendable (LibraryProgress) -> Void) async throws -> Outcome
  ) async -> Outcome? {
    guard task == nil else {
      messages.post(localized("Another import or export is in progress. Wait for it to finish, or cancel it."))
      return nil
    }
    progress = Progress(title: title, fraction: nil)
    let (steps, continuation) = AsyncStream<LibraryProgress>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let shown = Task { [weak self] in
      for await step in steps { self?.show(step) }
    }
    let task = Task { [messages, history] () -> Outcome? in
      defer { continuation.finish() }
      do {
        let outcome = try await body { continuation.yield($0) }
        var action = outcome.exported.map { Message.Action.showFile($0) }
        if !outcome.imported.isEmpty {
          let name = ChangeName(.importing, count: outcome.imported.count)
          if let entry = history?.add(name, .added(outcome.imported)) { action = .undo(entry) }
        }
        if !outcome.texts.isEmpty { messages.post(outcome.texts.joined(separator: " "), action: action) }
        return outcome
      } catch {
        messages.post(error.localizedDescription)
        return nil
      }
    }
    self.task = task
    let outcome = await task.value
    await shown.value
    self.task = nil
    progress = nil
    return outcome
  }

  private func show(_ step: LibraryProgress) {
    let title =
      switch step.step {
      case .looking: localized("Looking for photos and videos…")
      case .importing: localized("Importing \(min(step.done + 1, step.total)) of \(step.total)…")
      case .exporting: localized("Exporting \(min(step.done + 1, step.total)) of \(step.total)…")
      case .checking, .reading: localized("Working…")
      }
    progress = Progress(title: title, fraction: step.total > 0 ? step.fraction : nil)
  }
}
