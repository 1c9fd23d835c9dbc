// The settings that persist between starts.

import CameraCore

/// All persistent settings.
///
/// They are read value by value: what is missing takes its default, and so does what isn't understood, because a newer
/// PhotoMe or a person wrote it. Only `locksHidden` is on where it isn't understood.
public struct AppSettings: Codable, Equatable, Sendable {
  /// The settings of one camera.
  public struct PerCamera: Codable, Equatable, Sendable {
    /// The size that was chosen; `nil` lets PhotoMe choose.
    public var size: PixelSize?
    /// The frame rate that was chosen; `nil` lets PhotoMe choose.
    public var rate: FrameRate?
    /// Whether modes with 10 bits are wanted.
    public var isHDR = false
    /// The controls that were set, by their ids.
    public var controls: [CameraControl.ID: Int] = [:]

    public init(size: PixelSize? = nil, rate: FrameRate? = nil) { (self.size, self.rate) = (size, rate) }

    /// Reads settings of any version.
    ///
    /// - Throws: `DecodingError` when it isn't an object.
    public init(from decoder: any Decoder) throws {
      let values = try SettingsReader(decoder, keyedBy: CodingKeys.self)
      size = values.read(.size)
      rate = values.read(.rate)
      isHDR = values.read(.isHDR) ?? false
      controls = values.dictionary(.controls)
    }
  }

  /// An effect on the viewfinder.
  public struct ViewfinderEffect: Codable, Equatable, Sendable {
    /// The effect's identifier in recipes; an unknown one counts as none.
    public var identifier: String
    /// 0…1.
    public var intensity: Double
    /// The name of an `EffectScope`; `nil`, and an unknown one, for everywhere.
    public var scope: String?
    /// The name of a `Backdrop`; `nil` for none, and an unknown one for the first.
    public var backdrop: String?

    public init(identifier: String, intensity: Double = 1, scope: String? = nil, backdrop: String? = nil) {
      (self.identifier, self.intensity, self.scope, self.backdrop) = (identifier, intensity, scope, backdrop)
    }
  }

  /// The size of the main window, in the toolkit's pixels, and whether it was maximized.
  public struct WindowSize: Codable, Equatable, Sendable {
    public var width: Int
    public var height: Int
    public var isMaximized: Bool

    public init(width: Int, height: Int, isMaximized: Bool = false) {
      (self.width, self.height, self.isMaximized) = (width, height, isMaximized)
    }

    /// Reads sizes of any version.
    ///
    /// - Throws: `DecodingError` when it isn't a size.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      (width, height) = (try values.decode(Int.self, forKey: .width), try values.decode(Int.self, forKey: .height))
      isMaximized = try values.decodeIfPresent(Bool.self, forKey: .isMaximized) ?? false
      guard (1...65_535).contains(width), (1...65_535).contains(height) else {
        throw DecodingError.dataCorruptedError(forKey: .width, in: values, debugDescription: "no size of a window")
      }
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
  /// The file format of photos.
  public var photoFormat = PhotoFormat.jpeg
  /// The quality of recorded movies.
  public var movieQuality = RecordingSettings.Quality.standard
  /// The codec of recorded movies.
  public var movieCodec = RecordingSettings.Codec.automatic
  /// Whether the shaking of the camera is taken out of movies.
  public var stabilizesMovies = false
  /// Whether the shutter records movies instead of taking photos.
  public var recordsMovies = false
  /// How shots are taken.
  public var capture = CaptureOptions()

  /// Whether pictures are saved with the sensor's own frame, from cameras that offer it.
  public var savesRaw = false
  /// The path of the folder that was chosen for the library; `nil` for the usual one.
  public var libraryFolder: String?
  /// The choices of the last export.
  public var export = ExportSettings()
  /// A person's own presets for exports, by their names. Those with a value that can't be read aren't among them.
  public var exportPresets: [String: ExportSettings] = [:]
  /// Whether the windows are light or dark.
  public var appearance = Appearance.system
  /// The size that the window had last; `nil` before it was ever closed.
  public var window: WindowSize?

  /// Whether the first-run page was closed.
  public var isWelcomed = false

  /// The paths of the values that could not be read and have their defaults, as `capture.delay`. Never written.
  public internal(set) var unreadable: [String] = []
  /// The keys of the unreadable values of presets for exports, by the presets' names. Never written.
  public internal(set) var unreadablePresets: [String: [String]] = [:]

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
    case addsLocation, photoQuality, photoFormat, movieQuality, movieCodec, stabilizesMovies, recordsMovies, capture
    case savesRaw, libraryFolder, export, exportPresets, appearance, window, isWelcomed
  }

  /// Reads settings of any version.
  ///
  /// - Throws: `DecodingError` when it isn't an object.
  public init(from decoder: any Decoder) throws {
    let values = try SettingsReader(decoder, keyedBy: CodingKeys.self)
    cameraID = values.read(.cameraID)
    cameras = values.dictionary(.cameras)
    isLiveOn = values.read(.isLiveOn) ?? false
    microphone = values.read(.microphone) ?? .automatic
    microphoneName = values.read(.microphoneName)
    isMirrored = values.read(.isMirrored) ?? true
    viewfinderEffect = values.read(.viewfinderEffect)
    // A lock that can't be read is closed: the password opens it.
    locksHidden = values.read(.locksHidden) ?? values.holds(.locksHidden)
    addsLocation = values.read(.addsLocation) ?? false
    photoQuality = values.choice(.photoQuality) ?? .balanced
    let format: PhotoFormat? = values.choice(.photoFormat)
    photoFormat = format.flatMap { PhotoFormat.ofShots.contains($0) ? $0 : nil } ?? .jpeg
    movieQuality = values.choice(.movieQuality) ?? .standard
    movieCodec = values.choice(.movieCodec) ?? .automatic
    recordsMovies = values.read(.recordsMovies) ?? false
    capture = values.read(.capture) ?? CaptureOptions()
    stabilizesMovies = values.read(.stabilizesMovies) ?? false
    savesRaw = values.read(.savesRaw) ?? false
    libraryFolder = values.read(.libraryFolder)
    let lastExport: ExportSettings? = values.read(.export)
    export = lastExport ?? ExportSettings()
    // Nobody knows what was left out of the copies.
    if lastExport == nil, values.holds(.export) { (export.removesLocation, export.removesSound) = (true, true) }
    let presets: [String: ExportSettings.Preset] = values.dictionary(.exportPresets)
    exportPresets = presets.filter(\.value.unreadable.isEmpty).mapValues(\.settings)
    unreadablePresets = presets.mapValues(\.unreadable).filter { !$0.value.isEmpty }
    appearance = values.choice(.appearance) ?? .system
    window = values.read(.window)
    // Whoever has settings without it has used PhotoMe before there was such a page.
    isWelcomed = values.read(.isWelcomed) ?? true
  }
}
