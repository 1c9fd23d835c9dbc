// The fixture of the effects' tests: a scripted camera, with a preview and a gallery that record their requests.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import PhotoLibrary
import Synchronization

@testable import CameraModels

/// Records the processors it is given.
final class ScriptedPreview: PreviewSource {
  private let given = Mutex<[AdjustmentRecipe?]>([])

  /// The recipes of the processors in order; `nil` where there was none.
  var recipes: [AdjustmentRecipe?] { given.withLock { $0 } }

  func setProcessor(_ processor: (any FrameProcessing)?) {
    given.withLock { $0.append((processor as? FrameProcessor)?.recipe) }
  }
  func setTarget(_ size: PixelSize?) {}
  func setMirrored(_ isMirrored: Bool) {}
  func setFrameHandler(_ handler: (@Sendable () -> Void)?) {}
  func takeFrame() -> (any PreviewFrame)? { nil }
  func markShown(_ time: MonotonicTime, at shown: MonotonicTime) {}
  var statistics: PreviewStatistics { PreviewStatistics() }

  private let people = Mutex<(presence: Double?, handler: (@Sendable (any Error) -> Void)?)>((nil, nil))

  var presence: Double? { people.withLock { $0.presence } }
  func setPresence(_ presence: Double?) { people.withLock { $0.presence = presence } }
  func setMatteFailureHandler(_ handler: (@Sendable (any Error) -> Void)?) { people.withLock { $0.handler = handler } }
  func failMattes(_ error: any Error) { people.withLock(\.handler)?(error) }
}

/// Records the scenes it is given.
final class ScriptedGallery: EffectGallery {
  private let given = Mutex<[EffectGalleryScene?]>([])

  var scenes: [EffectGalleryScene?] { given.withLock { $0 } }

  func setScene(_ scene: EffectGalleryScene?) { given.withLock { $0.append(scene) } }
  func setPictureHandler(_ handler: (@Sendable () -> Void)?) {}
  func takePictures() -> [String: any PreviewFrame] { [:] }
}

/// The models over a scripted camera, with effects.
@MainActor final class EffectsBench {
  let models: ModelBench
  let editing: ScriptedEditing
  let preview = ScriptedPreview()
  let gallery = ScriptedGallery()
  let file: ShotEffectFile
  let model: EffectsModel

  init(_ effect: AppSettings.ViewfinderEffect? = nil, mattes: (any MatteProvider)? = nil) async throws {
    var values = AppSettings()
    values.viewfinderEffect = effect
    models = try await ModelBench(settings: values)
    editing = ScriptedEditing(library: models.library)
    file = ShotEffectFile(url: models.folder.appendingPathComponent("data/effects.json"))
    model = EffectsModel(
      preview: preview, gallery: gallery, settings: models.settings,
      shots: ShotEffects(editing: editing, library: models.library, messages: models.messages, file: file),
      mattes: mattes,
      backdrops: BackdropsModel(library: models.library, reader: ScriptedFrames()))
    models.model.effects = model
  }

  var saved: [AdjustmentRecipe] { editing.script.withLock { $0.saved } }
  func set(_ change: (inout ScriptedEditing.Script) -> Void) { editing.script.withLock { change(&$0) } }

  /// Takes a photo, and returns when it is in the library.
  func shoot() async throws -> SavedPhoto {
    guard let shot = models.model.takePhoto(), let capture = models.captures.last else { throw CameraError.notRunning }
    models.expose(capture)
    return try await shot.saved
  }

  /// Another run of the program with the same library and file.
  func nextRun() -> ShotEffects {
    ShotEffects(editing: editing, library: models.library, messages: models.messages, file: file)
  }

  func end() async throws {
    await model.shots.finished()
    try await models.end()
  }
}
