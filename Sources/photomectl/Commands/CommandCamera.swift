// The camera of a command that takes pictures: library, engine and models from their opening to their end.

import CameraCore
import CameraModels
import Foundation
import Localization
import MediaEngine
import PersonMatte
import PhotoEffects
import PhotoLibrary

/// Owns what `capture` and `record` work with, and closes it.
///
///     let camera = try await CommandCamera(device, place, effect: setting) { $0.mirror = .files }
///     try await camera.use {
///       try await camera.open()
///       …
///     }
@MainActor
final class CommandCamera {
  let library: PhotoLibrary
  let engine = CameraEngine()
  let lines = MessageLines()
  let settings: SettingsModel
  let model: CameraModel
  let effects: EffectsModel

  private let device: CameraOptions
  private var light: ModelObservation?
  private var signals: SignalSources?
  private var isClosed = false
  /// The values of the camera's controls before they were changed, in the order in which they are to be set.
  private var controlsBefore: (camera: CameraDevice, values: [ControlValue])?

  /// Opens the library and makes the models. No camera is opened yet.
  ///
  /// - Parameters:
  ///   - effect: The effect that shots get, as it is typed; `nil` for none.
  ///   - details: About it.
  ///   - change: Sets what the options choose. The settings of the window are neither read nor changed.
  init(
    _ device: CameraOptions, _ place: LibraryOptions, effect: String?, _ details: EffectDetailOptions,
    _ change: (inout AppSettings) -> Void
  ) async throws {
    let mattes = PersonMatteProvider()
    // What is wrong with it is known before anything is opened.
    if let setting = try details.setting(effect) {
      try AdjustmentRecipe(setting).validate()
      if setting.needsMatte, let reason = mattes.reasonForAbsence() { throw reason }
    }
    self.device = device
    library = try await place.open()
    for note in library.recovery { complain(note.description) }
    let messages = lines.messages
    settings = SettingsModel(store: TransientSettingsStore(), messages: messages)
    settings.update(change)
    let strip = ThumbnailStripModel(library: library, images: ImageManager())
    model = CameraModel(service: engine, library: library, strip: strip, settings: settings, messages: messages)
    effects = EffectsModel(
      preview: nil, gallery: nil, settings: settings,
      shots: ShotEffects(
        editing: AssetEditor(library: library, renderer: EngineEditRenderer(), mattes: mattes), library: library,
        messages: messages, file: nil),
      mattes: mattes)
    effects.choose(try await details.keepingBackdrop(in: library).setting(effect))
    model.effects = effects
  }

  /// Opens the camera with its controls as the options say.
  ///
  /// - Throws: When it can't be had as the options ask for it.
  func open(savesRaw: Bool = false) async throws {
    try await device.checkMicrophone(engine)
    // Before the camera runs: the very first frame is to show them.
    try await setControls()
    try await model.open(device.configuration(savesRaw: savesRaw))
    if savesRaw, let session = model.session, !session.savesRaw {
      throw CameraError.rawUnavailable(camera: session.camera.name)
    }
    try device.checkMode(model.session)
  }

  /// Has the terminal shine while the flash is lit.
  func lightTerminal() {
    signals = TerminalLight.yieldsToSignals()
    light = ModelObservation(of: { [model] in model.flash.isLit }, do: { TerminalLight.set($0) })
  }

  /// Runs the command, then closes everything, and prints the models' messages.
  func use(_ body: () async throws -> Void) async throws {
    do { try await body() } catch {
      lines.reports(error)
      await shutDown()
      throw error
    }
    await shutDown()
  }

  /// Closes the camera, once shots and movies are saved.
  func close() async {
    guard !isClosed else { return }
    isClosed = true
    await model.shutDown()
    light = nil
    TerminalLight.set(false)
    signals = nil
    await restoreControls()
  }

  private func shutDown() async {
    await close()
    await effects.shots.finished()
    await library.close()
    lines.tell()
  }

  // MARK: Controls

  private func setControls() async throws {
    let request = device.controls
    guard !request.isEmpty else { return }
    let camera = try CameraOptions.camera(device.camera, among: await engine.devices())
    let hardware = try await engine.controls.controls(of: camera)
    let plan = try request.plan(hardware, of: camera.name)
    engine.controls.setLook(plan.look, of: camera)
    let before = plan.writes.reversed().compactMap { write in
      hardware.first { $0.id == write.id && $0.value != write.value }.map { ControlValue($0.id, $0.value) }
    }
    if !before.isEmpty { controlsBefore = (camera, before) }
    _ = try await engine.controls.set(plan.writes, of: camera)
  }

  /// The options hold for this command only; a camera keeps what it is told.
  private func restoreControls() async {
    guard let (camera, values) = controlsBefore else { return }
    controlsBefore = nil
    // A task of its own: an interruption has canceled this one, and cancellation would end it at once.
    let result = await Task { [engine] () async -> Result<Void, CameraControlError> in
      do throws(CameraControlError) {
        _ = try await engine.controls.set(values, of: camera)
        return .success(())
      } catch { return .failure(error) }
    }.value
    if case .failure(let error) = result {
      complain(localized("Some camera settings couldn’t be restored. \(error.description)"))
    }
  }
}
