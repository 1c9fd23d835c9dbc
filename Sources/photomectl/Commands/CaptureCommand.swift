// `photomectl capture`: photos and live photos from the command line, through the same models as the window.

import ArgumentParser
import CameraCore
import CameraModels
import Foundation
import MediaEngine
import PhotoEffects
import PhotoLibrary

struct CaptureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture", abstract: "Takes photos, or live photos with --live.",
    discussion: """
      Without --camera the first real camera is used; “test” is the built-in moving scene. Prints a line a shot, or a \
      JSON object a shot with --json. With --effect each shot is edited once it is saved; “photomectl revert” brings the \
      original back.
      """)

  @Option(help: ArgumentHelp("The camera, as “photomectl cameras” names it.", valueName: "id|test"))
  var camera: String?

  @Option(
    help: ArgumentHelp(
      "The microphone of live photos; without it the desktop's default.", valueName: "id|test|none"))
  var microphone: String?

  @Flag(help: "Keep 1.5 s before and after each press, with sound.")
  var live = false

  @Option(help: "How many photos to take.")
  var count = 1

  @Option(help: ArgumentHelp("Seconds from one press to the next.", valueName: "seconds"))
  var interval = 0.0

  @Flag(help: "Mirror the photos, and the movies of live photos, left to right.")
  var mirror = false

  @Flag(help: "Refused: only the window of photome has a screen to flash with.")
  var flash = false

  @Option(help: ArgumentHelp("Seconds to count down before the first photo, up to 60.", valueName: "seconds"))
  var countdown = 0

  @Option(help: ArgumentHelp("The picture's size, one that the camera offers.", valueName: "WxH"))
  var resolution: PixelSize?

  @Option(
    help: ArgumentHelp(
      "What matters most: speed, balanced, or quality, which averages several frames in dim light.",
      valueName: "name"))
  var quality = PhotoQuality.balanced

  @Option(
    help: ArgumentHelp(
      "An effect that each shot gets, and how strong it is, 0 to 1; “photomectl effects” lists them.",
      valueName: "name[:intensity]"))
  var effect: String?

  @Option(
    help: ArgumentHelp(
      "The file format: jpeg, or dng, which saves the sensor's own frame beside the JPEG; for cameras that offer it.",
      valueName: "jpeg|dng"))
  var format = CaptureFormat.jpeg

  @OptionGroup var place: LibraryOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard !flash else {
      throw ValidationError(
        "--flash needs a screen to flash with, and photomectl has none; photome flashes with its window.")
    }
    guard count > 0 else { throw ValidationError("--count must be at least 1.") }
    guard interval >= 0, interval <= 86_400 else {
      throw ValidationError("--interval must be from 0 to 86400 seconds.")
    }
    guard (0...60).contains(countdown) else { throw ValidationError("--countdown must be from 0 to 60 seconds.") }
  }

  func run() async throws {
    try await Interruption.endsInOrder { begin in try await capture(begin) }
  }

  /// - Parameter begin: Called before the first photo.
  @MainActor
  private func capture(_ begin: @Sendable () -> Void) async throws {
    // A name that is wrong is known before the camera is opened.
    let setting = try effect.flatMap { try EditOptions.effect($0) }
    if let setting { try AdjustmentRecipe(setting).validate() }
    let library = try await place.open()
    for note in library.recovery { complain(note.description) }
    let engine = CameraEngine()
    let messages = MessageModel()
    let settings = SettingsModel(store: TransientSettingsStore(), messages: messages)
    settings.update { $0.mirror = mirror ? .files : .nothing }
    let strip = ThumbnailStripModel(library: library, images: ImageManager())
    let model = CameraModel(service: engine, library: library, strip: strip, settings: settings, messages: messages)
    let effects = EffectsModel(
      preview: nil, gallery: nil, settings: settings,
      shots: ShotEffects(
        editing: AssetEditor(library: library, renderer: EngineEditRenderer()), library: library, messages: messages,
        file: nil))
    effects.choose(setting)
    model.setPhotoQuality(quality)
    model.effects = effects
    do {
      try await model.open(
        CameraConfiguration(
          cameraID: camera, size: resolution, sizeIsExact: resolution != nil, savesRaw: format == .dng))
      if format == .dng, let session = model.session, !session.savesRaw {
        throw CameraError.rawUnavailable(camera: session.camera.name)
      }
      if live { try await turnLiveOn(model, engine: engine) }
      if quality == .quality { await engine.waitForPreRoll() }
      begin()
      if countdown > 0 { try await countDown(model) }
      try await shoot(with: model, effects)
    } catch {
      await shutDown(model, effects, library)
      throw error
    }
    await shutDown(model, effects, library)
  }

  @MainActor
  private func shutDown(_ model: CameraModel, _ effects: EffectsModel, _ library: PhotoLibrary) async {
    await model.shutDown()
    await effects.shots.finished()
    await library.close()
  }

  @MainActor
  private func turnLiveOn(_ model: CameraModel, engine: CameraEngine) async throws {
    if case .unavailable(let reason) = await engine.liveCapability() { throw CameraError.movieFailed(message: reason) }
    if let microphone, microphone != "none", microphone != MicrophoneDevice.testID {
      let known = await engine.devices().microphones
      guard known.contains(where: { $0.id == microphone }) else {
        throw CameraError.unknownMicrophone(id: microphone, known: known.map(\.id))
      }
    }
    let choice: MicrophoneChoice =
      switch microphone {
      case nil: .automatic
      case "none": .none
      case let id?: .device(id)
      }
    await model.live.selectMicrophone(choice)
    await model.live.setOn(true)
    if case .silent(let reason) = model.live.sound, choice != .none {
      complain("live photos have no sound: \(reason)")
    }
    // A live photo taken right away would lack its beginning.
    await engine.waitForPreRoll()
  }

  /// Counts down, on standard error as long as that is a terminal.
  @MainActor
  private func countDown(_ model: CameraModel) async throws {
    model.countdown.ticked = { remaining in
      if isatty(STDERR_FILENO) != 0 { complain("\(remaining)…") }
    }
    guard await model.countdown.count(from: countdown) else {
      throw Task.isCancelled
        ? CommandError("Interrupted during the countdown; no photo was taken.") : model.shotRefusal ?? .notRunning
    }
  }

  @MainActor
  private func shoot(with model: CameraModel, _ effects: EffectsModel) async throws {
    var shots: [PhotoCapture] = []
    var taken = 0
    let first = MonotonicTime.now
    for number in 0..<count {
      let due = first + .seconds(interval * Double(number))
      let wait = due - .now
      if wait > .zero {
        do { try await Task.sleep(nanoseconds: UInt64(wait.nanoseconds)) } catch { break }
      }
      // Captures in progress are finished and reported.
      if Task.isCancelled { break }
      guard let shot = model.takePhoto() else {
        throw model.status.error?.ofShot ?? model.shotRefusal ?? CameraError.notRunning
      }
      shots.append(shot)
      taken += 1
      // Finished shots are reported at once, while others go on.
      if interval > 0, !live { try await tell(of: shots.removeFirst(), model, effects) }
    }
    var failure: (any Error)?
    for shot in shots {
      do { try await tell(of: shot, model, effects) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
    if Task.isCancelled, taken < count {
      throw CommandError("Interrupted. \(taken) of \(count) photos were taken; all of them are saved.")
    }
  }

  /// Waits for a shot and for its effect, and reports it.
  @MainActor
  private func tell(of shot: PhotoCapture, _ model: CameraModel, _ effects: EffectsModel) async throws {
    let saved = try await shot.saved
    do { try await effects.shots.waitForEffect(of: saved.assetID) } catch {
      // The picture itself is saved.
      try report(saved, nil, model.pressure.highest)
      throw error
    }
    try report(saved, effects.setting, model.pressure.highest)
  }

  private func report(
    _ saved: SavedPhoto, _ effect: AdjustmentRecipe.EffectSetting?, _ pressure: PressureLevel
  ) throws {
    if let shortfall = saved.shortfall { complain(shortfall) }
    if format == .dng, saved.rawURL == nil { complain("the picture was saved without its raw frame") }
    guard output.json else {
      say(saved.url.path)
      if let raw = saved.rawURL { say(raw.path) }
      return
    }
    try printJSON(ShotReport(saved, effect, pressure), pretty: false)
  }
}

/// The file format of a shot.
enum CaptureFormat: String, ExpressibleByArgument {
  case jpeg
  /// A JPEG with the sensor's own frame beside it.
  case dng
}

/// A shot as `--json` shows it.
struct ShotReport: Encodable {
  var path: String
  /// The DNG beside it.
  var rawPath: String?
  var id: String
  var live: Bool
  var width: Int
  var height: Int
  /// On the monotonic clock.
  var stillTimestampNs: Int64
  /// In seconds.
  var movieDuration: Double?
  /// In seconds from the movie's start.
  var photoDisplayTime: Double?
  var pressToSavedMs: Double
  /// The missing part, for example the movie.
  var shortfall: String?
  /// Whether the file is an edit of what the camera took.
  var edited: Bool
  /// The effect that it has, by its identifier, and how strong it is.
  var effect: String?
  var intensity: Double?
  /// The frames that the still was made of.
  var frames: Int
  /// The highest level of pressure so far.
  var pressure: String

  /// - Parameters:
  ///   - setting: The effect that was applied.
  ///   - pressure: The highest level so far.
  init(_ saved: SavedPhoto, _ setting: AdjustmentRecipe.EffectSetting?, _ pressure: PressureLevel) {
    self.pressure = pressure.name
    edited = (setting?.intensity ?? 0) > 0
    effect = setting?.effect.identifier
    intensity = setting?.intensity
    frames = saved.frameCount
    path = saved.url.path
    rawPath = saved.rawURL?.path
    id = saved.assetID
    live = saved.isLive
    width = saved.size.width
    height = saved.size.height
    stillTimestampNs = saved.resolved.stillTime.nanoseconds
    movieDuration = saved.movieDuration
    photoDisplayTime = saved.photoDisplayTime
    pressToSavedMs = saved.pressToSaved.seconds * 1000
    shortfall = saved.shortfall
  }
}

extension PhotoQuality: ExpressibleByArgument {}

extension PixelSize: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}
