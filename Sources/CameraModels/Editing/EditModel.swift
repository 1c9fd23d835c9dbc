// The editor: one picture with its recipe, from opening to saving.

import CameraCore
import EngineInterface
import Foundation
import Observation
import PhotoEffects
import PhotoLibrary

/// Edits a picture of the library. Nothing of it is changed before it is saved, and nothing is lost by saving.
@MainActor @Observable
public final class EditModel {
  /// What is worked on.
  public enum Tab: String, CaseIterable, Sendable {
    case effects, adjust, crop, live
  }

  public enum State: Hashable, Sendable {
    case closed
    case opening
    /// It can't be edited, and why.
    case failed(String)
    case editing
    /// The part that is done, 0…1.
    case saving(Double)
    case reverting
  }

  /// What a person is asked before it is done.
  public enum Asking: String, Hashable, Sendable {
    case discard, revert
    /// Whether an outside program may begin with the original.
    case replace
  }

  public internal(set) var state = State.closed
  /// The picture; `nil` while the editor is closed.
  public internal(set) var asset: Asset?
  /// The outside programs that can edit the picture.
  public internal(set) var extensions: [EditingExtension] = []
  /// What could not be done, until it is tried again; `nil` when all is well.
  public internal(set) var problem: String?
  public internal(set) var tab = Tab.effects
  public internal(set) var asking: Asking?
  /// Whether the original is shown, while a person holds something down.
  public internal(set) var isShowingOriginal = false
  /// The shape that a crop keeps while it is dragged; `nil` where it is free.
  public internal(set) var cropRatio: CropRatio?
  /// A recipe that was copied, to be pasted onto other pictures.
  public internal(set) var copied: AdjustmentRecipe?

  public let preview: EditPreview
  public let thumbnails = EffectThumbnails()
  public let movieStrip: MovieStrip

  /// The outside program that is to edit the picture once the question is answered.
  var chosenExtension: EditingExtension?
  var history = EditHistory(AdjustmentRecipe())
  var start: EditStart?
  /// How strong each effect was the last time that it was chosen for this picture.
  @ObservationIgnored var intensities: [Effect: Double] = [:]
  @ObservationIgnored let editing: any AssetEditing
  @ObservationIgnored let library: PhotoLibrary
  @ObservationIgnored let reader: any MovieReader
  @ObservationIgnored let messages: MessageModel
  /// Returns when nobody else is about to edit an asset: a shot may still be waiting for its effect.
  @ObservationIgnored public var settle: ((Asset.ID) async -> Void)?
  @ObservationIgnored private var work: Task<Void, Never>?
  /// Grows with each opening and closing.
  @ObservationIgnored private var session = 0

  /// - Parameters:
  ///   - editing: Opens and saves edits.
  ///   - reader: Decodes single frames of movies.
  ///   - players: Plays movies into the preview.
  public init(
    editing: any AssetEditing, library: PhotoLibrary, reader: any MovieReader,
    players: any MoviePlayerFactory, messages: MessageModel
  ) {
    self.editing = editing
    self.library = library
    self.reader = reader
    self.messages = messages
    preview = EditPreview(library: library, reader: reader, players: players)
    movieStrip = MovieStrip(reader: reader)
  }

  // MARK: What there is

  /// The settings as they are now.
  public var recipe: AdjustmentRecipe { history.present }
  public var canUndo: Bool { state == .editing && history.canUndo }
  public var canRedo: Bool { state == .editing && history.canRedo }
  /// Whether there is anything to save.
  public var hasChanges: Bool { start.map { $0.recipe != recipe } ?? false }
  /// Whether there is an edit to take back, also one that can't be opened here.
  public var canRevert: Bool {
    switch state {
    case .editing: start?.input.asset.isEdited == true
    case .failed: asset?.isEdited == true
    case .closed, .opening, .saving, .reverting: false
    }
  }
  /// Of the movie that is edited, in seconds; `nil` without one.
  public var movieDuration: Double? { start?.input.duration }
  /// Of the picture before the edit, upright, in pixels.
  public var fullSize: PixelSize? { start?.input.size }
  public var hasMovie: Bool { start?.input.movieRange != nil }
  /// Whether it is a movie, without a still.
  public var isVideo: Bool { asset?.mediaType == .video }
  /// What can be worked on with this picture.
  public var tabs: [Tab] { Tab.allCases.filter { $0 != .live || hasMovie } }

  /// The question that waits for an answer.
  public var question: Question? {
    switch asking {
    case .discard:
      Question(
        title: "Discard the Changes?", text: "What was changed since the editor was opened is lost.",
        answer: "_Discard")
    case .revert:
      Question(
        title: "Revert to the Original?",
        text: "All edits of this picture are taken back, also those that were saved before.", answer: "_Revert")
    case .replace:
      Question(
        title: "Edit With “\(chosenExtension?.name ?? "")”?",
        text: "It begins with the original: all other edits of this picture are left out.", answer: "_Edit")
    case nil: nil
    }
  }

  // MARK: Opening and closing

  /// Opens a picture, in place of any other. Changes that were not saved are kept: then this does nothing.
  public func open(_ asset: Asset) async {
    guard state == .closed else { return }
    session += 1
    let mine = session
    self.asset = asset
    state = .opening
    await settle?(asset.id)
    guard mine == session else { return }
    do {
      let start = try await editing.open(asset)
      if mine == session { begin(start) }
    } catch {
      if mine == session { state = .failed(error.localizedDescription) }
    }
  }

  private func begin(_ start: EditStart) {
    self.start = start
    history = EditHistory(start.recipe)
    intensities = [:]
    if let effect = start.recipe.effect { intensities[effect.effect] = effect.intensity }
    cropRatio = nil
    tab = .effects
    state = .editing
    preview.open(start.input, scene)
    loadThumbnails(start)
    loadExtensions(start)
    if let range = start.input.movieRange, let duration = start.input.duration {
      movieStrip.open(MovieSource(url: start.input.url, byteRange: range), duration: duration)
    }
  }

  /// Closes the editor. With changes it asks first; while it saves, it stops saving.
  public func cancel() {
    switch state {
    case .closed, .reverting: break
    case .opening, .failed: close()
    case .saving: cancelSaving()
    case .editing: if hasChanges { asking = .discard } else { close() }
    }
  }

  /// The person has answered the question with yes.
  public func confirm() async {
    guard let asking else { return }
    self.asking = nil
    switch asking {
    case .discard: close()
    case .revert: await revert()
    case .replace: if let chosenExtension { await edit(with: chosenExtension) }
    }
  }

  /// The person would rather leave it as it is.
  public func dismiss() { (asking, chosenExtension) = (nil, nil) }

  private func close() {
    session += 1
    work?.cancel()
    work = nil
    preview.close()
    thumbnails.close()
    movieStrip.close()
    (start, problem, asking, chosenExtension) = (nil, nil, nil, nil)
    extensions = []
    isShowingOriginal = false
    history = EditHistory(AdjustmentRecipe())
    asset = nil
    state = .closed
  }

  private func loadExtensions(_ start: EditStart) {
    let mine = session
    Task { [weak self, editing] in
      let found = await editing.extensions(for: start.input.asset)
      if let self, mine == self.session { self.extensions = found }
    }
  }

  private func loadThumbnails(_ start: EditStart) {
    let (library, reader, mine) = (library, reader, session)
    // Of a wide picture the short side is what fills the square; on a dense screen there are twice as many pixels.
    let side = 4 * EffectThumbnails.side
    Task { [weak self] in
      do {
        let picture = try await library.editingImage(
          for: start.input, targetSize: PixelSize(width: side, height: side), movieFrames: reader)
        guard let self, mine == self.session else { return }
        self.thumbnails.open(picture, recipe: self.recipe)
      } catch {
        // The large picture is decoded from the same file, and tells what is wrong with it.
        if let self, mine == self.session { self.problem = error.localizedDescription }
      }
    }
  }

  // MARK: Saving

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

  private func edit(with extension: EditingExtension) async {
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

  private func revert() async {
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
