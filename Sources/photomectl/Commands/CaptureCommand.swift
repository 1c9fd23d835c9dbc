// `photomectl capture`: photos and live photos from the command line, through the same models as the window.

import ArgumentParser
import CameraCore
import CameraModels
import Foundation
import Localization
import MediaEngine
import PersonMatte
import PhotoEffects
import PhotoLibrary

struct CaptureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture", abstract: localized("Takes photos, or live photos with --live."),
    discussion: localized(
      """
      Without --camera the first real camera is used; “test” is the built-in moving scene. Prints a line a shot, or a \
      JSON object a shot with --json. With --effect each shot is edited once it is saved; “photomectl revert” brings the \
      original back.
      """))

  @OptionGroup var device: CameraOptions

  @Flag(help: ArgumentHelp(localized("Keep 1.5 s before and after each press, with sound.")))
  var live = false

  @Option(help: ArgumentHelp(localized("How many photos to take; 1 by default."), valueName: "n"))
  var count: Int?

  @Option(help: ArgumentHelp(localized("Seconds from one press to the next, with --count."), valueName: "seconds"))
  var interval: Double?

  @Option(
    help: ArgumentHelp(
      localized(
        """
        Take one burst of this many photos, up to 100, as when the shutter is held: ten a second, of different frames.
        """),
      valueName: "n"))
  var burst: Int?

  @Option(
    help: ArgumentHelp(
      localized("Take four photos, 3 seconds apart, and put them on one sheet: two by two, or one below the other."),
      valueName: "grid|strip"))
  var booth: SheetLayout?

  @OptionGroup var shutter: ShutterOptions

  @Flag(
    help: ArgumentHelp(
      localized(
        """
        Light the terminal up white for each photo, which is taken once the camera’s exposure has settled. Make the \
        terminal’s window as large as possible.
        """)))
  var flash = false

  @Option(
    help: ArgumentHelp(
      localized("What matters most: speed, balanced, or quality, which averages several frames in dim light."),
      valueName: "name"))
  var quality = PhotoQuality.balanced

  @Option(
    help: ArgumentHelp(
      localized("An effect that each shot gets, and how strong it is, 0 to 1; “photomectl effects” lists them."),
      valueName: "name[:intensity]"))
  var effect: String?

  @OptionGroup var details: EffectDetailOptions

  @Option(
    help: ArgumentHelp(
      localized("The file format. dng saves the sensor’s own frame beside a JPEG, for cameras that offer it."),
      valueName: "jpeg|heic|avif|png|dng"))
  var format = CaptureFormat.jpeg

  @OptionGroup var place: LibraryOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let count, count < 1 { throw ValidationError(localized("--count must be at least 1.")) }
    if let interval {
      guard interval >= 0, interval <= 86_400 else {
        throw ValidationError(localized("--interval must be from 0 to 86400 seconds."))
      }
      if count == nil, burst == nil {
        throw ValidationError(localized("--interval needs --count, the number of photos."))
      }
    }
    if let burst {
      guard (1...BurstModel.most).contains(burst) else {
        throw ValidationError(localized("--burst must be from 1 to \(String(BurstModel.most))."))
      }
      if let obstacle = burstObstacles.first {
        throw ValidationError(localized("--burst can’t be used with \(obstacle).", comment: "{0} is an option"))
      }
    }
    if booth != nil {
      if let obstacle = ((burst == nil ? [] : ["--burst"]) + groupObstacles).first {
        throw ValidationError(localized("--booth can’t be used with \(obstacle).", comment: "{0} is an option"))
      }
      if shutter.countdown != 0 {
        throw ValidationError(
          localized("--booth can’t be used with --countdown: there are 3 seconds before each photo."))
      }
    }
  }

  /// The options that were given and that no burst can have.
  private var burstObstacles: [String] {
    var given = groupObstacles
    if format != .jpeg { given.append("--format \(format.rawValue)") }
    if quality == .quality { given.append("--quality quality") }
    if flash { given.append("--flash") }
    return given
  }

  /// The options that were given and that neither a burst nor a photo booth can have.
  private var groupObstacles: [String] {
    var given: [String] = []
    if live { given.append("--live") }
    if count != nil { given.append("--count") }
    if interval != nil { given.append("--interval") }
    return given
  }

  func run() async throws {
    try await Interruption.endsInOrder { begin in try await capture(begin) }
  }

  /// - Parameter begin: Called before the first photo.
  @MainActor
  private func capture(_ begin: @Sendable () -> Void) async throws {
    if flash { try TerminalLight.check() }
    let camera = try await CommandCamera(device, place, effect: effect, details) {
      $0.mirror = shutter.mirrorChoice
      $0.photoFormat = format.photo
      $0.photoQuality = quality
      $0.savesRaw = format == .dng
      $0.capture.flash = flash ? .on : .off
    }
    if flash { camera.lightTerminal() }
    try await camera.use { try await take(with: camera, begin) }
  }

  @MainActor
  private func take(with camera: CommandCamera, _ begin: @Sendable () -> Void) async throws {
    let (model, engine) = (camera.model, camera.engine)
    if let refusal = engine.refusal(of: format.photo) {
      throw CommandError(localized("Photos can’t be saved as \(format.photo.name): \(refusal.asClause)."))
    }
    if live, !format.photo.canBeLive {
      complain(localized("Live photos are saved as JPEG, because \(format.photo.name) can’t hold a video."))
    }
    model.burst.detector = FaceDetector()
    model.flash.detector = FaceDetector(findsSmallFaces: false)
    try await camera.open(savesRaw: format == .dng)
    if !live, device.microphone != nil, device.microphoneChoice != .none {
      complain(localized("--microphone does nothing without --live: only live photos have sound."))
    }
    if device.hdr, let refusal = engine.deepRefusal(of: format.photo) {
      complain(localized("Photos have 8 bits: \(refusal.asClause)."))
    }
    if device.hdr, live, let refusal = engine.deepMovieRefusal() {
      complain(localized("Videos have 8 bits: \(refusal.asClause)."))
    }
    if live { try await turnLiveOn(camera) }
    if quality == .quality { await engine.waitForPreRoll() }
    begin()
    try await shutter.countDown(
      model, interruption: localized("Interrupted during the countdown. No photo was taken."))
    if let booth {
      try await take(booth: booth, with: camera)
    } else if let burst {
      try await take(burst: burst, with: camera)
    } else {
      try await shoot(with: camera)
    }
  }

  @MainActor
  private func turnLiveOn(_ camera: CommandCamera) async throws {
    let (model, engine) = (camera.model, camera.engine)
    if case .unavailable(let reason) = await engine.liveCapability() { throw CameraError.movieFailed(message: reason) }
    // Without sound, the model says why.
    let choice = device.microphoneChoice
    model.settings.update { $0.microphone = choice }
    await model.live.setOn(true)
    camera.lines.tell()
    // A live photo taken right away would lack its beginning.
    await engine.waitForPreRoll()
  }

  @MainActor
  private func shoot(with camera: CommandCamera) async throws {
    let model = camera.model
    try await PhotoSeries<PhotoCapture>(
      count: count ?? 1, interval: .seconds(interval ?? 0),
      take: {
        if let refusal = model.shotRefusal { throw model.status.error?.ofShot ?? refusal }
        guard let shot = await model.takePhotoOfSeries() else { throw model.shotRefusal ?? CameraError.notRunning }
        return shot
      },
      tell: {
        try await tell(of: $0, camera)
        camera.lines.tell()
      },
      tellFailure: {
        camera.lines.reports($1)
        complain(
          localized("Photo \($0) failed: \($1.localizedDescription.asClause).", comment: "{0} is the photo’s number"))
      }
    ).run()
  }

  @MainActor
  private func take(burst count: Int, with camera: CommandCamera) async throws {
    let model = camera.model
    let shots = await model.burst.take(count)
    try await tell(of: shots, camera)
    guard shots.count < count else { return }
    if Task.isCancelled {
      throw CommandError("\(localized("Interrupted.")) \(savedPhotos(shots.count, of: count))")
    }
    throw CommandError(
      model.burst.endReason ?? model.shotRefusal?.description
        ?? localized(
          "The burst ended after \(shots.count) of \(count) photo.",
          plural: "The burst ended after \(shots.count) of \(count) photos.", count: count))
  }

  /// Reports shots in their order. The first failure is thrown after all are reported.
  @MainActor
  func tell(of shots: [PhotoCapture], _ camera: CommandCamera) async throws {
    var failure: (any Error)?
    for shot in shots {
      do { try await tell(of: shot, camera) } catch {
        camera.lines.reports(error)
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Waits for a shot and for its effect, and reports it.
  @MainActor
  private func tell(of shot: PhotoCapture, _ camera: CommandCamera) async throws {
    let (effects, pressure) = (camera.effects, camera.model.pressure)
    let saved = try await shot.saved
    do { try await effects.shots.waitForEffect(of: saved.assetID) } catch {
      // The picture itself is saved.
      try report(saved, nil, pressure.highest)
      throw error
    }
    try report(saved, effects.setting.flatMap { $0.intensity > 0 ? $0 : nil }, pressure.highest)
  }

  private func report(
    _ saved: SavedPhoto, _ effect: AdjustmentRecipe.EffectSetting?, _ pressure: PressureLevel
  ) throws {
    guard output.json else {
      say(saved.url.path)
      if let raw = saved.rawURL { say(raw.path) }
      return
    }
    try printJSON(ShotReport(saved, effect, pressure), pretty: false)
  }
}

/// The file format of a shot.
enum CaptureFormat: String, ExpressibleByArgument, CaseIterable {
  case jpeg, heic, avif, png
  /// A JPEG with the sensor's own frame beside it.
  case dng

  /// That of the picture itself.
  var photo: PhotoFormat { PhotoFormat(rawValue: rawValue) ?? .jpeg }
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
  /// The part of the picture that it changes, and its backdrop, by their names.
  var on: String?
  var backdrop: String?
  /// The frames that the still was made of.
  var frames: Int
  /// The id that all photos of a burst share.
  var burst: String?
  /// The highest level of pressure so far.
  var pressure: String

  /// - Parameters:
  ///   - setting: The effect that was applied.
  ///   - pressure: The highest level so far.
  init(_ saved: SavedPhoto, _ setting: AdjustmentRecipe.EffectSetting?, _ pressure: PressureLevel) {
    self.pressure = pressure.name
    burst = saved.resolved.group?.id
    edited = setting != nil
    effect = setting?.effect.identifier
    intensity = setting?.intensity
    on = setting?.scope.rawValue
    backdrop = setting?.backdrop?.name
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
