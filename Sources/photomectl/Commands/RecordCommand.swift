// `photomectl record`: a movie from the command line, through the same models as the window.

import ArgumentParser
import CameraCore
import CameraModels
import Foundation
import Localization
import MediaEngine
import PhotoEffects
import PhotoLibrary

struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: localized("Records a video into the library."),
    discussion: localized(
      """
      Without --camera the first real camera is used; “test” is the built-in moving scene. Records until the duration \
      is over, or until SIGINT or SIGTERM, which finish the file as well. With --effect the video is edited once it is \
      saved; “photomectl revert” brings the original back. Prints the video’s path, or a JSON object with --json.
      """))

  @OptionGroup var device: CameraOptions

  @Option(
    help: ArgumentHelp(localized("The length of the video; if not given, until a signal comes."), valueName: "seconds"))
  var duration: Double?

  @Option(help: ArgumentHelp(localized("The picture’s quality: compact, standard, or high."), valueName: "name"))
  var quality = RecordingSettings.Quality.standard

  @Option(
    help: ArgumentHelp(
      localized(
        "The picture’s codec: auto is H.264, and HEVC with --hdr; h264 plays everywhere; hevc is half as large."),
      valueName: "auto|h264|hevc"))
  var codec = RecordingSettings.Codec.automatic

  @OptionGroup var shutter: ShutterOptions

  @Flag(help: ArgumentHelp(localized("Stabilize the video; crops the margins.")))
  var stabilize = false

  @Option(
    help: ArgumentHelp(
      localized("An effect that the video gets, and how strong it is, 0 to 1; “photomectl effects” lists them."),
      valueName: "name[:intensity]"))
  var effect: String?

  @OptionGroup var details: EffectDetailOptions

  @OptionGroup var place: LibraryOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard duration.map({ $0 > 0 && $0 <= 604_800 }) ?? true else {
      throw ValidationError(localized("--duration must be above 0 and at most 604800 seconds."))
    }
  }

  func run() async throws {
    try await Interruption.endsInOrder { begin in try await record(begin) }
  }

  /// - Parameter begin: Called before the recording.
  @MainActor
  private func record(_ begin: @Sendable () -> Void) async throws {
    let camera = try await CommandCamera(device, place, effect: effect, details) {
      $0.movieQuality = quality
      $0.movieCodec = codec
      $0.stabilizesMovies = stabilize
      $0.microphone = device.microphoneChoice
      $0.mirror = shutter.mirrorChoice
    }
    try await camera.use { try await record(with: camera, begin) }
  }

  @MainActor
  private func record(with camera: CommandCamera, _ begin: @Sendable () -> Void) async throws {
    let model = camera.model
    let movies = MovieModel(
      service: camera.engine, library: camera.library, live: model.live, settings: camera.settings,
      messages: camera.lines.messages)
    model.movies = movies
    movies.effects = camera.effects
    await movies.restore()
    camera.lines.tell()
    try await camera.open()
    if device.hdr {
      if codec == .h264 {
        complain(localized("Videos have 8 bits, because H.264 is chosen for them."))
      } else if let refusal = camera.engine.deepMovieRefusal() {
        complain(localized("Videos have 8 bits: \(refusal.asClause)."))
      }
    }
    begin()
    try await shutter.countDown(
      model, interruption: localized("Interrupted during the countdown. No video was recorded."))
    let movie = try await take(movies, camera.lines)
    // The camera isn't needed for the effect.
    await camera.close()
    let setting: AdjustmentRecipe.EffectSetting?
    do { setting = try await appliedEffect(movie, camera) } catch {
      // The movie itself is saved.
      try report(movie, nil, model.pressure.highest)
      throw error
    }
    try report(movie, setting, model.pressure.highest)
  }

  /// Waits for the movie's effect.
  ///
  /// - Returns: The effect; `nil` when none was wanted.
  @MainActor
  private func appliedEffect(
    _ movie: RecordedMovie, _ camera: CommandCamera
  ) async throws -> AdjustmentRecipe.EffectSetting? {
    guard let setting = camera.effects.setting, setting.intensity > 0 else { return nil }
    guard let asset = try await camera.library.asset(at: movie.url) else {
      let (name, title) = (movie.url.lastPathComponent, setting.effect.title)
      throw CommandError(localized("“\(name)” was saved without “\(title)”, because the library doesn’t list it."))
    }
    try await camera.effects.shots.waitForEffect(of: asset.id)
    return setting
  }

  /// Records until the duration is over, the task is canceled, or the movie has ended by itself.
  @MainActor
  private func take(_ movies: MovieModel, _ lines: MessageLines) async throws -> RecordedMovie {
    await movies.start(duration: duration.map { .seconds($0) })
    await withTaskCancellationHandler {
      await movies.waitForEnd()
    } onCancel: {
      Task { await movies.stop() }
    }
    switch movies.lastOutcome {
    case .success(let movie):
      lines.tell()
      return movie
    case .failure(let error):
      // The model has posted the reason alone.
      if case .recordingFailed(let message) = error { lines.reports(message) }
      throw error
    case nil: throw CommandError(localized("The video was stopped before it began."))
    }
  }

  /// - Parameter setting: The effect that the movie got.
  private func report(
    _ movie: RecordedMovie, _ setting: AdjustmentRecipe.EffectSetting?, _ pressure: PressureLevel
  ) throws {
    if pressure.measures.halvesMovies, movie.droppedFrames > 0 {
      let count = movie.droppedFrames
      complain(
        localized(
          "The computer couldn’t keep up, and \(count) frame was left out.",
          plural: "The computer couldn’t keep up, and \(count) frames were left out.", count: count))
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
  /// The part of the picture that it changes, and its backdrop, by their names.
  var on: String?
  var backdrop: String?
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
    on = setting?.scope.rawValue
    backdrop = setting?.backdrop?.name
    path = movie.url.path
    duration = movie.duration
    sound = movie.hasSound
    droppedFrames = movie.droppedFrames
    shortfall = movie.shortfall
  }
}

extension RecordingSettings.Quality: ExpressibleByArgument {}

extension RecordingSettings.Codec: ExpressibleByArgument {}
