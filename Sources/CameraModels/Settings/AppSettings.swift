// The settings that persist between starts, and their file.

import CameraCore
import Foundation

/// All persistent settings. Unknown keys of a newer PhotoMe are ignored; missing ones take their defaults.
public struct AppSettings: Codable, Equatable, Sendable {
  /// The settings of one camera.
  public struct PerCamera: Codable, Equatable, Sendable {
    /// The size that was chosen; `nil` lets PhotoMe choose.
    public var size: PixelSize?
    /// The frame rate that was chosen; `nil` lets PhotoMe choose.
    public var rate: FrameRate?

    /// The controls that were set, by their ids.
    public var controls: [CameraControl.ID: Int] = [:]

    public init(size: PixelSize? = nil, rate: FrameRate? = nil) { (self.size, self.rate) = (size, rate) }

    /// Reads settings of this version and of earlier ones.
    ///
    /// - Throws: `DecodingError` for a value of another type.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      size = try values.decodeIfPresent(PixelSize.self, forKey: .size)
      rate = try values.decodeIfPresent(FrameRate.self, forKey: .rate)
      controls = try values.decodeIfPresent([String: Int].self, forKey: .controls) ?? [:]
    }
  }

  /// An effect on the viewfinder.
  public struct ViewfinderEffect: Codable, Equatable, Sendable {
    /// The effect's identifier in recipes; an unknown one counts as none.
    public var identifier: String
    /// 0…1.
    public var intensity: Double

    public init(identifier: String, intensity: Double = 1) {
      self.identifier = identifier
      self.intensity = intensity
    }
  }

  /// The camera that was chosen last, by its stable id.
  public var cameraID: CameraDevice.ID?
  /// By the cameras' stable ids, never by an index or a display name.
  public var cameras: [CameraDevice.ID: PerCamera] = [:]
  public var isLiveOn = false
  public var microphone = MicrophoneChoice.automatic
  /// The name of the microphone that was chosen, for when it isn't connected.
  public var microphoneName: String?
  /// Whether the viewfinder shows the picture as a mirror does. Whether files do too is said by `capture`.
  public var isMirrored = true
  /// The effect that the viewfinder shows and that shots get; `nil` for none.
  public var viewfinderEffect: ViewfinderEffect?
  /// Whether the password is asked for before hidden pictures are shown; see `HiddenLock`.
  public var locksHidden = false
  /// Whether new pictures say where they were taken.
  public var addsLocation = false
  /// What matters most in a photo.
  public var photoQuality = PhotoQuality.balanced
  /// The quality of recorded movies.
  public var movieQuality = RecordingSettings.Quality.standard
  /// Whether the shutter records movies instead of taking photos.
  public var recordsMovies = false
  /// How shots are taken.
  public var capture = CaptureOptions()

  /// Whether pictures are saved with the sensor's own frame, from cameras that offer it.
  public var savesRaw = false

  public init() {}

  /// The settings of the camera that is named.
  ///
  /// A camera may have been remembered by an id that it had before.
  ///
  /// - Parameter devices: The cameras that are plugged in, by which other names of the same one are known.
  public func camera(_ id: CameraDevice.ID, among devices: DeviceList) -> PerCamera {
    if let settings = cameras[id] { return settings }
    guard let camera = devices.camera(id) else { return PerCamera() }
    let names = [camera.id] + cameras.keys.sorted().filter(camera.answers(to:))
    return names.lazy.compactMap { cameras[$0] }.first ?? PerCamera()
  }

  private enum CodingKeys: String, CodingKey {
    case cameraID, cameras, isLiveOn, microphone, microphoneName, isMirrored, viewfinderEffect, locksHidden
    case addsLocation, photoQuality, movieQuality, recordsMovies, capture, savesRaw
  }

  /// Reads settings of this version and of earlier ones; what is missing gets its default.
  ///
  /// - Throws: `DecodingError` for a value of another type.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    cameraID = try values.decodeIfPresent(String.self, forKey: .cameraID)
    cameras = try values.decodeIfPresent([String: PerCamera].self, forKey: .cameras) ?? [:]
    isLiveOn = try values.decodeIfPresent(Bool.self, forKey: .isLiveOn) ?? false
    microphone = try values.decodeIfPresent(MicrophoneChoice.self, forKey: .microphone) ?? .automatic
    microphoneName = try values.decodeIfPresent(String.self, forKey: .microphoneName)
    isMirrored = try values.decodeIfPresent(Bool.self, forKey: .isMirrored) ?? true
    viewfinderEffect = try values.decodeIfPresent(ViewfinderEffect.self, forKey: .viewfinderEffect)
    locksHidden = try values.decodeIfPresent(Bool.self, forKey: .locksHidden) ?? false
    addsLocation = try values.decodeIfPresent(Bool.self, forKey: .addsLocation) ?? false
    let photos = try values.decodeIfPresent(String.self, forKey: .photoQuality)
    photoQuality = photos.flatMap(PhotoQuality.init) ?? .balanced
    let quality = try values.decodeIfPresent(String.self, forKey: .movieQuality)
    movieQuality = quality.flatMap(RecordingSettings.Quality.init) ?? .standard
    recordsMovies = try values.decodeIfPresent(Bool.self, forKey: .recordsMovies) ?? false
    capture = try values.decodeIfPresent(CaptureOptions.self, forKey: .capture) ?? CaptureOptions()
    savesRaw = try values.decodeIfPresent(Bool.self, forKey: .savesRaw) ?? false
  }
}

/// Storage for settings.
public protocol SettingsStore: Sendable {
  /// The settings that were saved last, or the defaults.
  ///
  /// - Throws: When they exist and can't be read.
  func load() throws -> AppSettings

  /// Replaces the saved settings.
  ///
  /// - Throws: When they can't be written; what was saved before is unchanged.
  func save(_ settings: AppSettings) throws
}

/// Settings as a JSON file, replaced in one step.
public struct FileSettingsStore: SettingsStore {
  public let url: URL

  public init(url: URL) { self.url = url }

  /// `photome/settings.json` in the XDG configuration folder.
  public static var standard: FileSettingsStore {
    FileSettingsStore(url: UserFolders().configuration.appendingPathComponent("photome/settings.json"))
  }

  /// - Throws: A `CocoaError` or a `DecodingError` when the file is there and can't be read.
  public func load() throws -> AppSettings {
    guard FileManager.default.fileExists(atPath: url.path) else { return AppSettings() }
    return try JSONDecoder().decode(AppSettings.self, from: Data(contentsOf: url))
  }

  /// - Throws: A `CocoaError` when the file can't be written.
  public func save(_ settings: AppSettings) throws {
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(settings).write(to: url, options: .atomic)
  }
}

/// Settings in memory only, for scripts and tests, which must not change the user's choices.
public final class TransientSettingsStore: SettingsStore, @unchecked Sendable {
  // Sendable: the lock guards the only stored value.
  private let lock = NSLock()
  private var settings: AppSettings

  public init(_ settings: AppSettings = AppSettings()) { self.settings = settings }

  public func load() -> AppSettings { lock.withLock { settings } }
  public func save(_ settings: AppSettings) { lock.withLock { self.settings = settings } }
}
