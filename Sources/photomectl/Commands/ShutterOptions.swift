// The shutter's options of photos and movies.

import ArgumentParser
import CameraModels
import Foundation
import Localization

/// The options of commands that press the shutter.
struct ShutterOptions: ParsableArguments {
  @Flag(help: ArgumentHelp(localized("Mirror photos and videos left to right.")))
  var mirror = false

  @Option(help: ArgumentHelp(localized("Seconds to count down first, up to 60."), valueName: "seconds"))
  var countdown = 0

  func validate() throws {
    guard (0...60).contains(countdown) else {
      throw ValidationError(localized("--countdown must be from 0 to 60 seconds."))
    }
  }

  /// What is mirrored.
  var mirrorChoice: MirrorChoice { mirror ? .files : .nothing }

  /// Prints the seconds of each countdown on standard error, as long as that is a terminal.
  @MainActor
  static func tellCountdown(of model: CameraModel) {
    model.countdown.ticked = { remaining in
      if isatty(STDERR_FILENO) != 0 { complain("\(remaining)…") }
    }
  }

  /// Counts down, on standard error as long as that is a terminal.
  ///
  /// - Parameter interruption: What is said when it is interrupted.
  /// - Throws: When it is interrupted, and when the camera is lost meanwhile.
  @MainActor
  func countDown(_ model: CameraModel, interruption: String) async throws {
    guard countdown > 0 else { return }
    Self.tellCountdown(of: model)
    guard await model.countdown.count(from: countdown) else {
      throw Task.isCancelled ? CommandError(interruption) : model.shotRefusal ?? .notRunning
    }
  }
}
