// `photomectl cameras` and `photomectl microphones`: the connected devices.

import ArgumentParser
import CameraCore
import Foundation
import Localization
import MediaEngine

struct CamerasCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cameras",
    abstract: localized("Lists the cameras and what they can do; the built-in test camera is last."))

  @OptionGroup var output: OutputOptions

  func run() async throws {
    let cameras = await CameraEngine().devices().cameras
    if output.json { return try printJSON(cameras.map(CameraReport.init)) }
    for camera in cameras {
      say("\(camera.id)  \(camera.displayName)")
      for format in camera.formats {
        let list = format.frameRates.map(\.description).joined(separator: ", ")
        let last = format.frameRates.last?.framesPerSecond ?? 0
        let rates = localized(
          "\(list) frame per second", plural: "\(list) frames per second", count: last.countOfPlural())
        let depth = format.encoding.isDeep ? "  \(localized("10-bit", comment: "A mode of a camera"))" : ""
        say("    \(format.encoding) \(format.size)  \(rates)\(depth)")
      }
      if let problem = camera.obstacleError { say("    \(problem)") }
    }
  }
}

struct MicrophonesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "microphones", abstract: localized("Lists the microphones; the built-in test tone is last."))

  @OptionGroup var output: OutputOptions

  func run() async throws {
    let microphones = await CameraEngine().devices().microphones
    if output.json { return try printJSON(microphones.map(MicrophoneReport.init)) }
    for microphone in microphones {
      let note = microphone.isDefault ? "  \(localized("(default)", comment: "Of several microphones"))" : ""
      say("\(microphone.id)  \(microphone.displayName)\(note)")
    }
  }
}

/// A camera as `--json` shows it.
struct CameraReport: Encodable {
  struct Format: Encodable {
    var encoding: String
    var width: Int
    var height: Int
    var frameRates: [Double]
    /// Bits a sample; left out for modes of 8 bits and for those of the sensor's own frames.
    var bitDepth: Int?
  }

  var id: String
  var name: String
  /// `v4l2`, `pipewire` or `test`.
  var kind: String
  /// The V4L2 device file or the PipeWire node's name.
  var device: String?
  var formats: [Format]
  /// The reason why it can't be opened; left out where it can.
  var problem: String?

  init(_ camera: CameraDevice) {
    id = camera.id
    name = camera.name
    switch camera.kind {
    case .v4l2(let path): (kind, device) = ("v4l2", path)
    case .pipeWire(let node): (kind, device) = ("pipewire", node)
    case .test: (kind, device) = ("test", nil)
    }
    formats = camera.formats.map {
      Format(
        encoding: $0.encoding.description, width: $0.size.width, height: $0.size.height,
        frameRates: $0.frameRates.map(\.framesPerSecond),
        bitDepth: $0.encoding.isDeep ? DeepLayout.bits : nil)
    }
    problem = camera.obstacleError?.description
  }
}

/// A microphone as `--json` shows it.
struct MicrophoneReport: Encodable {
  var id: String
  var name: String
  /// `pulse` or `test`.
  var kind: String
  var isDefault: Bool

  init(_ microphone: MicrophoneDevice) {
    id = microphone.id
    name = microphone.name
    kind = microphone.kind == .test ? "test" : "pulse"
    isDefault = microphone.isDefault
  }
}
