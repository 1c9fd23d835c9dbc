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
    await transfer(localized("Looking for photos and videos…")) { [library] show in
      let report = try await library.importAssets(from: urls, progress: show)
      return Outcome(texts: Self.outcome(report), imported: report.imported.map(\.asset.id))
    }
  }

  /// Copies pictures to a folder outside the library. A message reports the outcome, and offers to show the first copy.
  public func export(
    _ assets: [Asset], as form: ExportForm, _ options: ExportOptions = ExportOptions(), into folder: URL
  ) async {
    guard !assets.isEmpty else { return }
    await transfer(localized("Exporting…")) { [library, movieFrames, renderer] show in
      let report = try await library.export(
        assets, as: form, options, into: folder, movieFrames: movieFrames, renderer: renderer, progress: show)
      return Outcome(texts: Self.outcome(report, into: folder), exported: report.exported.first?.url)
    }
  }

  /// Cancels the transfer; files that were copied completely stay.
  public func cancel() { task?.cancel() }

  private struct Outcome: Sendable {
    /// The first one is about what was done.
    var texts: [String]
    var imported: [Asset.ID] = []
    /// The first of the new files.
    var exported: URL?
  }

  private func transfer(
    _ title: String,
    _ body: @escaping @Sendable (_ show: @escaping @Sendable (LibraryProgress) -> Void) async throws -> Outcome
  ) async {
    guard task == nil else {
      messages.post(localized("Another import or export is in progress. Wait for it to finish, or cancel it."))
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
        var action = outcome.exported.map { Message.Action.showFile($0) }
        if !outcome.imported.isEmpty {
          let name = ChangeName(.importing, count: outcome.imported.count)
          if let entry = history?.add(name, .added(outcome.imported)) { action = .undo(entry) }
        }
        for (index, text) in outcome.texts.enumerated() { messages.post(text, action: index == 0 ? action : nil) }
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
      case .looking: localized("Looking for photos and videos…")
      case .importing: localized("Importing \(min(step.done + 1, step.total)) of \(step.total)…")
      case .exporting: localized("Exporting \(min(step.done + 1, step.total)) of \(step.total)…")
      case .checking, .reading: localized("Working…")
      }
    progress = Progress(title: title, fraction: step.total > 0 ? step.fraction : nil)
  }
}
