// Import and export: one transfer at a time, with its progress.

import CameraCore
import EngineInterface
import Foundation
import Observation
import PhotoEffects
import PhotoLibrary

/// Runs transfers, and reports their progress and outcome.
@MainActor @Observable
public final class TransferModel {
  /// The progress of a transfer.
  public struct Progress: Hashable, Sendable {
    /// The activity: “Importing…”, “Looking for pictures…”.
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
  @ObservationIgnored private var task: Task<Void, Never>?

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
  public func importFiles(_ urls: [URL]) async {
    guard !urls.isEmpty else { return }
    await transfer("Looking for pictures…") { [library] show in
      let report = try await library.importAssets(from: urls, progress: show)
      return Outcome(texts: Self.outcome(report), imported: report.imported.map(\.asset.id))
    }
  }

  /// Copies pictures to a folder outside the library. A message reports the outcome.
  public func export(
    _ assets: [Asset], as form: ExportForm, _ options: ExportOptions = ExportOptions(), into folder: URL
  ) async {
    guard !assets.isEmpty else { return }
    await transfer("Exporting…") { [library, movieFrames, renderer] show in
      let report = try await library.export(
        assets, as: form, options, into: folder, movieFrames: movieFrames, renderer: renderer, progress: show)
      return Outcome(texts: Self.outcome(report, into: folder))
    }
  }

  /// Cancels the transfer; files that were copied completely stay.
  public func cancel() { task?.cancel() }

  private struct Outcome: Sendable {
    /// The first one is about what was done.
    var texts: [String]
    var imported: [Asset.ID] = []
  }

  private func transfer(
    _ title: String,
    _ body: @escaping @Sendable (_ show: @escaping @Sendable (LibraryProgress) -> Void) async throws -> Outcome
  ) async {
    guard task == nil else {
      messages.post("Another import or export is in progress. Wait for it to finish, or cancel it.")
      return
    }
    progress = Progress(title: title, fraction: nil)
    let (steps, continuation) = AsyncStream<LibraryProgress>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let shown = Task { [weak self] in
      for await step in steps { self?.show(step) }
    }
    let task = Task { [messages, history] in
      do {
        let outcome = try await body { continuation.yield($0) }
        var entry: ChangeEntry.ID?
        if !outcome.imported.isEmpty {
          entry = history?.add(ChangeName(.importing, count: outcome.imported.count), .added(outcome.imported))
        }
        for (index, text) in outcome.texts.enumerated() {
          messages.post(text, action: index == 0 ? entry.map { .undo($0) } : nil)
        }
      } catch { messages.post(error.localizedDescription) }
      continuation.finish()
    }
    self.task = task
    await task.value
    await shown.value
    self.task = nil
    progress = nil
  }

  private func show(_ step: LibraryProgress) {
    let title =
      switch step.step {
      case .looking: "Looking for pictures…"
      case .importing: "Importing \(min(step.done + 1, step.total)) of \(step.total)…"
      case .exporting: "Exporting \(min(step.done + 1, step.total)) of \(step.total)…"
      case .checking, .reading: "Working…"
      }
    progress = Progress(title: title, fraction: step.total > 0 ? step.fraction : nil)
  }

  // MARK: Outcomes in words

  nonisolated static func outcome(_ report: ImportReport) -> [String] {
    var texts: [String] = []
    let there = report.duplicates.count
    switch (report.imported.count, there) {
    case (0, 0):
      texts.append(report.refused.isEmpty ? "There are no photos or videos to import." : "Nothing was imported.")
    case (0, _):
      texts.append(
        "Nothing was imported: \(there == 1 ? "the item is" : "all \(there) items are") already in the library.")
    case (let count, 0): texts.append("\(pictures(count)) imported.")
    case (let count, _):
      texts.append("\(pictures(count)) imported; \(there) \(there == 1 ? "was" : "were") already in the library.")
    }
    if let first = report.refused.first {
      let count = report.refused.count
      texts.append(
        count == 1 ? first.description : "\(count) files could not be imported, for example \(first.description)")
    }
    let faulty = report.imported.filter { $0.fault != nil }
    if let fault = faulty.first?.fault {
      texts.append(faulty.count == 1 ? fault : "\(faulty.count) items have faults, for example \(fault)")
    }
    texts += report.skipped.map(\.description)
    switch report.end {
    case .complete: break
    case .cancelled: texts.append("The import was canceled.")
    case .stopped(let error): texts.append(error.description)
    }
    return texts
  }

  nonisolated static func outcome(_ report: ExportReport, into folder: URL) -> [String] {
    var texts: [String] = []
    if !report.exported.isEmpty {
      texts.append("\(pictures(report.exported.count)) exported to “\(folder.lastPathComponent)”.")
    }
    let notes = report.exported.compactMap(\.note)
    texts += notes.prefix(mostNotes)
    if notes.count > mostNotes { texts.append("The same is true of \(notes.count - mostNotes) more items.") }
    if let first = report.refused.first {
      let count = report.refused.count
      texts.append(
        count == 1 ? first.error.description : "\(count) items could not be exported. \(first.error.description)")
    }
    if report.isCancelled { texts.append("The export was canceled.") }
    return texts
  }

  /// Of deficiencies of copies that are told one by one.
  private nonisolated static let mostNotes = 3

  private nonisolated static func pictures(_ count: Int) -> String { count == 1 ? "1 item" : "\(count) items" }
}
