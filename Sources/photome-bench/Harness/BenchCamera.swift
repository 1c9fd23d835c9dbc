// The virtual camera, as a measurement controls it.

import CameraCore
import Foundation

/// A PipeWire camera that runs while this object lives.
final class BenchCamera {
  /// Its PipeWire `node.name` and its name for people.
  static let name = "photome-bench"

  private let process: ChildProcess

  /// Plugs a camera with one mode in, and returns when every program can see it.
  ///
  /// - Parameter showsPerson: Whether it shows a drawn person, and no frame numbers.
  init(on desktop: PrivateDesktop, encoding: FrameEncoding, size: PixelSize, showsPerson: Bool = false) throws {
    guard desktop.hasPipeWire else {
      throw BenchError(
        "no camera can be offered without PipeWire: apt install pipewire wireplumber gstreamer1.0-pipewire")
    }
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    process = try desktop.start(
      [own, "camera", Self.name, "--encoding", encoding.description, "--size", size.description]
        + (showsPerson ? ["--person"] : []))
    let isSeen = waitUntil(seconds: 10, interval: 0.1) {
      !process.isRunning || desktop.output(of: ["pw-cli", "ls", "Node"])?.contains("\"\(Self.name)\"") == true
    }
    guard isSeen, process.isRunning else { throw BenchError("The camera did not come up: \(process.lastWords)") }
  }

  func unplug() { process.end() }
}
