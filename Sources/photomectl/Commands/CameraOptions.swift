// The camera and the microphone that a command works with.

import ArgumentParser
import CameraCore
import CameraModels
import Foundation
import Localization
import MediaEngine

/// The options of commands that open a camera.
struct CameraOptions: ParsableArguments {
  @Option(help: ArgumentHelp(localized("The camera, as “photomectl cameras” names it."), valueName: "id|test"))
  var camera: String?

  @Option(
    help: ArgumentHelp(localized("The microphone; the desktop’s default if not given."), valueName: "id|test|none"))
  var microphone: String?

  @Option(help: ArgumentHelp(localized("The picture’s size, one that the camera offers."), valueName: "WxH"))
  var resolution: PixelSize?

  @Option(help: ArgumentHelp(localized("Frames a second, a rate that the camera offers."), valueName: "n"))
  var frameRate: Double?

  @Flag(help: ArgumentHelp(localized("Use a 10-bit mode; fails if the camera has none.")))
  var hdr = false

  @Option(
    help: ArgumentHelp(
      localized("Enlarge the picture, 1 to 4 or more: by the camera’s own zoom where it has one, else digitally."),
      valueName: "factor"))
  var zoom: Double?

  @Option(
    // Values may be below zero.
    parsing: .unconditional,
    help: ArgumentHelp(
      localized(
        "The brightness, in the range that “photomectl controls” lists. PhotoMe does it where the camera can’t."),
      valueName: "value"))
  var brightness: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      localized("The contrast, in the range that “photomectl controls” lists. PhotoMe does it where the camera can’t."),
      valueName: "value"))
  var contrast: String?

  func validate() throws {
    if let frameRate, !(frameRate > 0 && frameRate <= 1000) {
      throw ValidationError(localized("--frame-rate must be above 0 and at most 1000."))
    }
    if let zoom, !(zoom >= 1 && zoom.isFinite) { throw ValidationError(localized("--zoom must be at least 1.")) }
  }

  /// The request for the camera.
  ///
  /// - Parameter savesRaw: Whether pictures are saved with the sensor's own frame.
  func configuration(savesRaw: Bool = false) -> CameraConfiguration {
    CameraConfiguration(
      cameraID: camera, size: resolution, sizeIsExact: resolution != nil, rate: rate, savesRaw: savesRaw, isHDR: hdr)
  }

  /// The frame rate that is wanted, to thousandths.
  private var rate: FrameRate? { frameRate.map { FrameRate(Int(($0 * 1000).rounded()), 1000) } }

  /// The controls that are wanted.
  var controls: ControlRequest { ControlRequest(zoom: zoom, brightness: brightness, contrast: contrast) }

  /// Checks that the camera was opened with the 10 bits and the frame rate that are wanted.
  ///
  /// - Throws: `CameraError.hdrUnavailable`, or a `CommandError` that names the rates.
  func checkMode(_ session: CameraSession?) throws {
    guard let session else { return }
    let name = session.camera.displayName
    if hdr, !session.isHDR { throw CameraError.hdrUnavailable(camera: name) }
    guard let rate, let frameRate, !session.frameRate.isAlike(rate) else { return }
    let rates = ModeChoices(session.camera.formats, isHDR: hdr).rates(of: resolution).map {
      "\(Int($0.framesPerSecond.rounded()))"
    }.localizedList
    // As it is typed.
    let wanted = String(format: "%g", frameRate)
    guard let size = resolution?.description else {
      throw CommandError(
        localized("“\(name)” doesn’t offer the frame rate \(wanted). Available frame rates: \(rates)."))
    }
    throw CommandError(
      localized(
        "“\(name)” doesn’t offer the frame rate \(wanted) at \(size). Available frame rates: \(rates).",
        comment: "{2} is a size like 1280x720"))
  }

  /// The camera that is named, or the first real one.
  ///
  /// - Throws: `CameraError` when there is none.
  static func camera(_ id: String?, among devices: DeviceList) throws(CameraError) -> CameraDevice {
    guard let id else {
      let cameras = devices.realCameras
      // That which is opened: one that can't be used is passed over.
      guard let first = cameras.first(where: { $0.obstacle == nil }) ?? cameras.first else { throw .noCamera }
      return first
    }
    guard let found = devices.camera(id) else { throw .unknownCamera(id: id, known: devices.cameras.map(\.id)) }
    return found
  }

  var microphoneChoice: MicrophoneChoice {
    switch microphone {
    case nil: .automatic
    case "none": .none
    case let id?: .device(id)
    }
  }

  /// Returns when the microphone that was named is connected, or none was.
  ///
  /// - Throws: `CameraError.unknownMicrophone`.
  func checkMicrophone(_ engine: CameraEngine) async throws {
    guard case .device(let id) = microphoneChoice, id != MicrophoneDevice.testID else { return }
    let known = await engine.devices().microphones
    guard known.contains(where: { $0.id == id }) else {
      throw CameraError.unknownMicrophone(id: id, known: known.map(\.id))
    }
  }
}
