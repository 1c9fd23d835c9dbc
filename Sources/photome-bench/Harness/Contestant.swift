// A measured camera program: PhotoMe or a peer.

import CameraCore
import Foundation

/// The command that starts a program with the virtual camera.
struct Contestant {
  var name: String
  var command: [String]
  var environment: [String: String] = [:]
  /// Files under the home folder that are written before each start.
  var files: [String: String] = [:]
  /// The package that installs the command.
  var package = ""

  /// As one would type it.
  var commandLine: String {
    command.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ")
  }

  /// The barest pipeline that shows a Motion JPEG camera.
  static func pipeline(_ size: PixelSize) -> Contestant {
    Contestant(
      name: "bare pipeline",
      command: """
        gst-launch-1.0 -q pipewiresrc target-object=\(BenchCamera.name) \
        ! image/jpeg,width=\(size.width),height=\(size.height) ! jpegdec ! videoconvert ! ximagesink sync=false
        """.split(separator: " ").map(String.init),
      package: "gstreamer1.0-tools")
  }

  /// The same, scaled to the size at which PhotoMe shows the picture.
  static func scaledPipeline(_ size: PixelSize, shown: PixelSize) -> Contestant {
    Contestant(
      name: "scaling pipeline",
      command: """
        gst-launch-1.0 -q pipewiresrc target-object=\(BenchCamera.name) \
        ! image/jpeg,width=\(size.width),height=\(size.height) ! jpegdec ! videoscale \
        ! video/x-raw,width=\(shown.width),height=\(shown.height) ! videoconvert ! ximagesink sync=false
        """.split(separator: " ").map(String.init),
      package: "gstreamer1.0-tools")
  }

  /// The best-known camera program, without its countdown and flash.
  static let cheese = Contestant(
    name: "Cheese", command: ["cheese"],
    files: [
      ".config/glib-2.0/settings/keyfile":
        "[org/gnome/cheese]\ncountdown=false\nflash=false\ncamera='\(BenchCamera.name)'\n"
    ],
    package: "cheese")
}

/// A contestant at work.
final class Performance {
  let contestant: Contestant
  let desktop: PrivateDesktop
  let process: ChildProcess
  /// The picture's place on the screen, once found.
  private(set) var picture: PictureOnScreen?

  /// Starts the program.
  ///
  /// - Throws: `BenchError` when it isn't installed.
  init(of contestant: Contestant, on desktop: PrivateDesktop) throws {
    guard ChildProcess.exists(contestant.command[0]) else {
      let advice = contestant.package.isEmpty ? "" : ": apt install \(contestant.package)"
      throw BenchError("\(contestant.name) is not installed\(advice)")
    }
    self.contestant = contestant
    self.desktop = desktop
    for (path, text) in contestant.files { try desktop.write(text, to: path) }
    process = try desktop.start(contestant.command, with: contestant.environment)
  }

  /// Waits for the picture and finds where it is.
  @discardableResult
  func findPicture() throws -> PictureOnScreen {
    let isThere = waitUntil(seconds: 15) {
      guard process.isRunning, let window = desktop.screen.windows().first else { return !process.isRunning }
      picture = PictureOnScreen(in: visible(window.area), of: desktop.screen)
      return picture != nil
    }
    guard isThere, let picture else { throw BenchError("\(contestant.name) showed no picture: \(process.lastWords)") }
    return picture
  }

  /// Gives the window a size at which the picture has this one, as nearly as the program lets it.
  func showPicture(at size: PixelSize) throws {
    try findPicture()
    for _ in 0..<4 {
      guard let picture, let window = desktop.screen.windows().first,
        abs(picture.area.width - size.width) > 1 || abs(picture.area.height - size.height) > 1
      else { return }
      let width = min(window.area.width + size.width - picture.area.width, PrivateDesktop.screenSize.width)
      let height = min(window.area.height + size.height - picture.area.height, PrivateDesktop.screenSize.height)
      desktop.screen.place(window.id, width: width, height: height)
      pass(seconds: 0.5)
      try findPicture()
    }
  }

  /// Watches the picture for a while.
  func watch(seconds: Double) throws -> Watch {
    let picture = try picture ?? findPicture()
    let watch = Watch(of: process.pid, at: picture, on: desktop.screen, seconds: seconds)
    guard process.isRunning, watch.shown > 0 else {
      throw BenchError("\(contestant.name) stopped showing the camera: \(process.lastWords)")
    }
    return watch
  }

  func end() { process.end() }

  private func visible(_ area: ScreenArea) -> ScreenArea {
    let (x, y) = (max(0, area.x), max(0, area.y))
    return ScreenArea(
      x: x, y: y, width: min(area.x + area.width, PrivateDesktop.screenSize.width) - x,
      height: min(area.y + area.height, PrivateDesktop.screenSize.height) - y)
  }
}
