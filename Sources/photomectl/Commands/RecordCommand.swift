// `photomectl record`: a movie from the command line, through the same models as the window.

import ArgumentParser
import CameraCore
import CameraModels
import Foundation
import MediaEngine
import PhotoEffects
import PhotoLibrary

struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Records a video into the library.",
    discussion: """
      Without --camera the first real camera is used; “test” is the built-in moving scene. Records until the duration is \
      over, or until SIGINT or SIGTERM, which finish the file as well. With --effect the video is edited once it is saved; “photomectl \
      revert” brings the original back. Prints the video’s path, or a JSON object with --json.
      """)

  @OptionGroup var device: CameraOptions

  @Option(help: ArgumentHelp("The length of the video; without it, until a signal comes.", valueName: "seconds"))
  var duration: Double?

  @Option(help: ArgumentHelp("The picture’s quality: compact, standard or high.", valueName: "name"))
  var quality = RecordingSettings.Quality.standard

  @Option(
    help: ArgumentHelp(
      "The picture’s codec: auto is H.264, and HEVC with --hdr; h264 plays everywhere; hevc is half as large.",
      valueName: "auto|h264|hevc"))
  var codec = RecordingSettings.Codec.automatic

  @OptionGroup var shutter: ShutterOptions

  @Flag(help: "Take the shaking of the camera out of the picture; its margins are cut off for that.")
  var stabilize = false

  @Option(
    help: ArgumentHelp(
      "An effect that the video gets, and how strong it is, 0 to 1; “photomectl effects” lists them.",
      valueName: "name[:intensity]"))
  var effect: String?

  @OptionGroup var place: LibraryOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard duration.map({ $0 > 0 && $0 <= 604_800 }) ?? true else {
      throw ValidationError("--duration must be above 0 and at most 604800 seconds.")
    }
  }

  func run() async throws {
    try await Interruption.endsInOrder { begin in try await record(begin) }
  }

  /// - Parameter begin: Called before the recording.
  @MainActor
  private func record(_ begin: @Sendable () -> Void) async throws {
    // A name that is wrong is known before the camera is opened.
    let setting = try effect.flatMap { try EditOptions.effect($0) }
    if let setting { try AdjustmentRecipe(setting).validate() }
    let library = try await place.open()
    for note in library.recovery { complain(note.description) }
    let engine = CameraEngine()
    let messages = MessageModel()
    let settings = SettingsModel(store: TransientSettingsStore(), messages: messages)
    let strip = ThumbnailStripModel(library: library, images: ImageManager())
    let model = CameraModel(service: engine, library: library, strip: strip, settings: settings, messages: messages)
    let movies = MovieModel(
      service: engine, library: library, live: model.live, settings: settings, messages: messages)
    model.movies = movies
    let effects = EffectsModel(
      preview: nil, gallery: nil, settings: settings,
      shots: ShotEffects(
        editing: AssetEditor(library: library, renderer: EngineEditRenderer()), library: library, messages: messages,
        file: nil))
    effects.choose(setting)
    movies.effects = effects
    settings.update {
      $0.movieQuality = quality
      $0.movieCodec = codec
      $0.stabilizesMovies = stabilize
      $0.microphone = device.microphoneChoice
      $0.mirror = shutter.mirrorChoice
    }
    await movies.restore()
    tell(messages)
    let outcome: Result<RecordedMovie, any Error>
    do {
      try await device.checkMicrophone(engine)
      try await model.open(device.configuration())
      try device.checkHDR(model.session)
      if device.hdr, let refusal = codec == .h264 ? "H.264 was chosen" : engine.deepMovieRefusal() {
        complain("the video has 8 bits: \(refusal)")
      }
      begin()
      try await shutter.countDown(model, nothing: "no video was recorded")
      outcome = .success(try await take(movies, messages))
    } catch { outcome = .failure(error) }
    await model.shutDown()
    let edit: Result<AdjustmentRecipe.EffectSetting?, any Error>
    do { edit = .success(try await appliedEffect(outcome, effects, library)) } catch { edit = .failure(error) }
    await effects.shots.finished()
    await library.close()
    let movie = try outcome.get()
    switch edit {
    case .success(let setting):
      try report(movie, setting, model.pressure.highest)
    case .failure(let error):
      // The movie itself is saved.
      try report(movie, nil, model.pressure.highest)
      throw error
    }
  }

  /// Waits for the movie's effect.
  ///
  /// - Returns: The effect; `nil` when none was wanted, and without a movie.
  @MainActor
  private func appliedEffect(
    _ outcome: Result<RecordedMovie, any Error>, _ effects: EffectsModel, _ library: PhotoLibrary
  ) async throws -> AdjustmentRecipe.EffectSetting? {
    guard case .success(let movie) = outcome, let setting = effects.setting, setting.intensity > 0 else { return nil }
    guard let asset = try await library.asset(at: movie.url) else {
      throw CommandError(
        "The video was saved without \(setting.effect.title), because the library doesn’t list it: \(movie.url.path)")
    }
    try await effects.shots.waitForEffect(of: asset.id)
    return setting
  }

  /// Records until the duration is over, the task is canceled, or the movie has ended by itself.
  @MainActor
  private func take(_ movies: MovieModel, _ messages: MessageModel) async throws -> RecordedMovie {
    await movies.start(duration: duration.map { .seconds($0) })
    await withTaskCancellationHandler {
      await movies.waitForEnd()
    } onCancel: {
      Task { await movies.stop() }
    }
    switch movies.lastOutcome {
    case .success(let movie):
      tell(messages)
      return movie
    case .failure(let error): throw error
    case nil: throw CommandError("The video was stopped before it began.")
    }
  }

  /// Says what a window would have shown.
  @MainActor
  private func tell(_ messages: MessageModel) {
    while let message = messages.takeNext() { complain(message.text) }
  }

  /// - Parameter setting: The effect that the movie got.
  private func report(
    _ movie: RecordedMovie, _ setting: AdjustmentRecipe.EffectSetting?, _ pressure: PressureLevel
  ) throws {
    if pressure.measures.halvesMovies, movie.droppedFrames > 0 {
      complain("the computer could not keep up: \(movie.droppedFrames) frames were left out")
    }
    guard output.json else {
      say(movie.url.path)
      return
    }
    try printJSON(MovieReport(movie, setting, pressure), pretty: false)
  }
}

/// A movie as `--json` shows it.
struct MovieReport: Encodable {
  var path: String
  /// In seconds.
  var duration: Double
  var sound: Bool
  var droppedFrames: Int
  /// Why it ended before its time.
  var shortfall: String?
  /// Whether the file is an edit of what the camera took.
  var edited: Bool
  /// The effect that it has, by its identifier, and how strong it is.
  var effect: String?
  var intensity: Double?
  /// The highest level of pressure while it was recorded.
  var pressure: String

  /// - Parameters:
  ///   - setting: The effect that was applied.
  ///   - pressure: The highest level.
  init(_ movie: RecordedMovie, _ setting: AdjustmentRecipe.EffectSetting?, _ pressure: PressureLevel) {
    self.pressure = pressure.name
    edited = (setting?.intensity ?? 0) > 0
    effect = setting?.effect.identifier
    intensity = setting?.intensity
    path = movie.url.path
    duration = movie.duration
    sound = movie.hasSound
    droppedFrames = movie.droppedFrames
    shortfall = movie.shortfall
  }
}

extension RecordingSettings.Quality: ExpressibleByArgument {}

extension RecordingSettings.Codec: ExpressibleByArgument {}
