// The camera and the microphone that a command works with.

import ArgumentParser
import CameraCore
import MediaEngine

/// The options of commands that open a camera.
struct CameraOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The camera, as “photomectl cameras” names it.", valueName: "id|test"))
  var camera: String?

  @Option(help: ArgumentHelp("The microphone; without it the desktop’s default.", valueName: "id|test|none"))
  var microphone: String?

  @Option(help: ArgumentHelp("The picture’s size, one that the camera offers.", valueName: "WxH"))
  var resolution: PixelSize?

  @Flag(help: "Open the camera in a mode with 10 bits, which HEIC, AVIF and videos keep; refused without one.")
  var hdr = false

  /// The request for the camera.
  ///
  /// - Parameter savesRaw: Whether pictures are saved with the sensor's own frame.
  func configuration(savesRaw: Bool = false) -> CameraConfiguration {
    CameraConfiguration(
      cameraID: camera, size: resolution, sizeIsExact: resolution != nil, savesRaw: savesRaw, isHDR: hdr)
  }

  /// Checks that the camera was opened with 10 bits where they are wanted.
  ///
  /// - Throws: `CameraError.hdrUnavailable`.
  func checkHDR(_ session: CameraSession?) throws {
    if hdr, let session, !session.isHDR { throw CameraError.hdrUnavailable(camera: session.camera.name) }
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
