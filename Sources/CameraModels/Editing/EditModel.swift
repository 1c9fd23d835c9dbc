// The editor: an editing session of one picture, from opening to saving.

import CameraCore
import EngineInterface
import Foundation
import Localization
import Observation
import PhotoEffects
import PhotoLibrary

/// Edits a picture of the library. The picture doesn't change before it is saved, and its original is kept even then.
@MainActor @Observable
public final class EditModel {
  /// The pages of tools.
  public enum Tab: String, CaseIterable, Sendable {
    case effects, adjust, crop, live, matte
  }

  /// The stages of an editing session.
  public enum State: Hashable, Sendable {
    case closed
    case opening
    /// The picture can't be edited, for this reason.
    case failed(String)
    case editing
    /// An outside program edits the picture; the completed fraction, 0…1.
    case saving(Double)
    case reverting
  }

  /// The confirmations.
  public enum Asking: String, Hashable, Sendable {
    case discard, revert
    /// An outside program would start from the original, without the other edits.
    case replace
  }

  public internal(set) var state = State.closed
  /// The picture; `nil` while the editor is closed.
  public internal(set) var asset: Asset?
  /// The outside programs that can edit the picture.
  public internal(set) var extensions: [EditingExtension] = []
  /// The failure of the last attempt to do something; `nil` when there was none.
  public internal(set) var problem: String?
  public internal(set) var tab = Tab.effects
  public internal(set) var asking: Asking?
  /// Whether the original is shown, while a key or a button is held down.
  public internal(set) var isShowingOriginal = false
  /// The aspect ratio that the crop keeps while it is dragged; `nil` for a free crop.
  public internal(set) var cropRatio: CropRatio?
  /// The brush that corrects the person's matte.
  public internal(set) var brush = MatteBrush()
  /// Whether the person is tinted while the matte is corrected, in place of the effect.
  public internal(set) var showsMatte = true
  /// The recipe on the clipboard, to be pasted onto other pictures.
  public internal(set) var copied: AdjustmentRecipe?

  public let preview: EditPreview
  public let thumbnails: EffectThumbnails
  public let movieStrip: MovieStrip
  /// Saves edits while the user goes on.
  public let queue: EditQueue
  /// The user's presets.
  public let presets: PresetsModel

  /// Whether a stroke of the brush is being drawn.
  @ObservationIgnored var isDrawing = false
  /// The outside program that edits the picture once the user has confirmed.
  var chosenExtension: EditingExtension?
  var history = EditHistory(AdjustmentRecipe())
  /// What an automatic enhancement has measured in this picture; `nil` before it was asked for.
  var measurement: Measurement?
  /// The settings from before the automatic enhancement; `nil` when it is older than this session.
  @ObservationIgnored var beforeEnhancement: AdjustmentRecipe?
  /// The faces that were found in this picture; `nil` before they were looked for.
  var foundFaces: EditedFaces?
  /// Whether red eyes are being looked for.
  public internal(set) var isLookingForRedEyes = false
  var start: EditStart?
  /// Whether the session began with settings that couldn't be saved the last time.
  @ObservationIgnored var hasUnsaved = false
  /// The last strength of each effect for this picture.
  @ObservationIgnored var intensities: [Effect: Double] = [:]
  /// The last backdrop and scope for this picture.
  @ObservationIgnored var backdrop: Backdrop?
  @ObservationIgnored var scope = EffectScope.everywhere
  @ObservationIgnored let editing: any AssetEditing
  @ObservationIgnored let library: PhotoLibrary
  @ObservationIgnored let reader: any MovieReader
  @ObservationIgnored let messages: MessageModel
  @ObservationIgnored let mattes: MatteAvailability
  /// The own backdrops to choose from.
  @ObservationIgnored public let backdrops: BackdropsModel?
  @ObservationIgnored let detector: (any FaceDetecting)?
  /// Returns when nothing else is about to edit an asset: a shot may still be waiting for its effect.
  @ObservationIgnored public var waitForPendingEffect: ((Asset.ID) async -> Void)? {
    didSet { queue.waitForPendingEffect = waitForPendingEffect }
  }
  /// Takes note of saved edits and reverts, so that they can be undone after the editor is closed.
  @ObservationIgnored public var changes: ChangeHistory? {
    didSet { queue.history = changes }
  }
  @ObservationIgnored var work: Task<Void, Never>?
  /// Grows each time the editor is opened or closed.
  @ObservationIgnored var session = 0

  /// - Parameters:
  ///   - editing: Opens and saves edits.
  ///   - reader: Decodes single frames of movies.
  ///   - players: Plays movies in the preview.
  ///   - presets: Those of the user's data folder, except in tests.
  ///   - mattes: Tells people from the background; `nil` where nobody does.
  ///   - backdrops: The own backdrops, where another model has them as well.
  ///   - detector: Finds faces; `nil` where nobody does.
  public init(
    editing: any AssetEditing, library: PhotoLibrary, reader: any MovieReader,
    players: any MoviePlayerFactory, messages: MessageModel, presets: PresetsModel = PresetsModel(),
    mattes: (any MatteProvider)? = nil, backdrops: BackdropsModel? = nil, detector: (any FaceDetecting)? = nil
  ) {
    let backdrops = backdrops ?? BackdropsModel(library: library, reader: reader)
    self.backdrops = backdrops
    self.detector = detector
    self.mattes = MatteAvailability(mattes)
    self.presets = presets
    self.editing = editing
    self.library = library
    self.reader = reader
    self.messages = messages
    preview = EditPreview(library: library, reader: reader, players: players, mattes: mattes)
    thumbnails = EffectThumbnails(mattes: mattes, backdrops: library.backdrops)
    movieStrip = MovieStrip(reader: reader)
    queue = EditQueue(editing: editing, library: library, messages: messages)
    backdrops.addUser { [queue] id in queue.unsavedSettings.values.count { $0.ownBackdrop?.id == id } }
  }

  // MARK: What there is

  /// The current settings.
  public var recipe: AdjustmentRecipe { history.present }
  public var canUndo: Bool { state == .editing && history.canUndo }
  public var canRedo: Bool { state == .editing && history.canRedo }
  /// Whether there is anything to save.
  public var hasChanges: Bool { start.map { $0.recipe != recipe } ?? false }
  /// Whether there is an edit to revert, including one that can't be opened here.
  public var canRevert: Bool {
    switch state {
    case .editing: start?.input.asset.isEdited == true
    case .failed: asset?.isEdited == true
    case .closed, .opening, .saving, .reverting: false
    }
  }
  /// The duration of the movie, in seconds; `nil` without one.
  public var movieDuration: Double? { start?.input.duration }
  /// The upright size of the picture before the edit, in pixels.
  public var fullSize: PixelSize? { start?.input.size }
  public var hasMovie: Bool { start?.input.movieRange != nil }
  /// Whether the picture is a video, without a still.
  public var isVideo: Bool { asset?.mediaType == .video }
  /// The pages of tools that apply to the picture.
  public var tabs: [Tab] {
    Tab.allCases.filter { tab in
      switch tab {
      case .effects, .adjust, .crop: true
      case .matte: canCorrectMatte
      case .live: hasMovie
      }
    }
  }

  /// The confirmation that is waiting for an answer.
  public var question: Question? {
    switch asking {
    case .discard:
      Question(
        title: localized("Discard Changes?"), text: localized("Your changes will be lost."),
        answer: localized("_Discard"))
    case .revert:
      Question(
        title: localized("Revert to Original?"),
        text: isVideo
          ? localized("All edits to this video will be removed.")
          : localized("All edits to this photo will be removed."),
        answer: localized("_Revert"))
    case .replace:
      Question(
        title: localized("Edit With “\(chosenExtension?.name ?? "")”?"),
        text: isVideo
          ? localized("It starts from the original, so all other edits to this video will be removed.")
          : localized("It starts from the original, so all other edits to this photo will be removed."),
        answer: localized("_Edit"))
    case nil: nil
    }
  }

  // MARK: Opening and closing

  /// Opens a picture, once an edit of it that is being saved is. Does nothing while another one is being edited.
  ///
  /// Settings that couldn't be saved the last time are set again, as changes to be saved.
  public func open(_ asset: Asset) async {
    guard state == .closed else { return }
    session += 1
    let mine = session
    self.asset = asset
    state = .opening
    await queue.finished(asset.id)
    await waitForPendingEffect?(asset.id)
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
    (backdrop, scope) = (start.recipe.effect?.backdrop, start.recipe.effect?.scope ?? .everywhere)
    cropRatio = nil
    brush.mode = .add
    showsMatte = true
    tab = .effects
    state = .editing
    preview.open(start.input, scene, matte: start.matte)
    if start.input.isAnimated { problem = AssetEditor.animationNote }
    loadThumbnails(start)
    loadExtensions(start)
    do throws(PresetError) { try presets.reload() } catch { problem = error.description }
    // The switch shows whether these are the settings of an enhancement.
    if !recipe.adjustments.isNeutral || recipe.geometry.straighten != 0 { Task { await measure() } }
    if let movie = start.input.movie, let duration = start.input.duration {
      movieStrip.open(movie, duration: duration)
    }
    // They stay in their file until they are saved or discarded: the program may be killed before.
    if let unsaved = queue.unsaved[start.input.asset.id] {
      hasUnsaved = true
      change { $0 = unsaved }
    }
  }

  /// Closes the editor. With unsaved changes it asks first; while saving, it stops saving.
  public func cancel() {
    switch state {
    case .closed, .reverting: break
    case .opening, .failed: close()
    case .saving: cancelSaving()
    case .editing: if hasChanges { asking = .discard } else { close() }
    }
  }

  /// The user has confirmed.
  public func confirm() async {
    guard let asking else { return }
    self.asking = nil
    switch asking {
    case .discard: close()
    case .revert: await revert()
    case .replace: if let chosenExtension { await edit(with: chosenExtension) }
    }
  }

  /// The user has declined.
  public func dismiss() { (asking, chosenExtension) = (nil, nil) }

  func close() {
    if hasUnsaved, let asset { queue.forgetUnsaved(asset.id) }
    (hasUnsaved, isDrawing) = (false, false)
    session += 1
    work?.cancel()
    work = nil
    preview.close()
    thumbnails.close()
    movieStrip.close()
    (start, problem, asking, chosenExtension) = (nil, nil, nil, nil)
    (measurement, beforeEnhancement, foundFaces) = (nil, nil, nil)
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
    // The short side of a wide picture fills the square; a high-density screen has twice as many pixels.
    let side = 4 * EffectThumbnails.side
    Task { [weak self] in
      do {
        let picture = try await library.editingImage(
          for: start.input, targetSize: PixelSize(width: side, height: side), movieFrames: reader)
        guard let self, mine == self.session else { return }
        self.thumbnails.open(picture, recipe: self.recipe, matte: start.matte)
      } catch {
        // The large preview is decoded from the same file, and reports what is wrong with it.
        if let self, mine == self.session { self.problem = error.localizedDescription }
      }
    }
  }
}
