// A running PhotoMe with the test camera on a Wayland desktop of its own.

import CameraCore
import Foundation
import MediaEngine
import Testing

/// A `RunningPhotoMe` with an empty library on a `WaylandDesktop` of its own.
struct WaylandSession {
  let desktop: WaylandDesktop
  /// The library's folder.
  let library: URL
  let photoMe: RunningPhotoMe
  /// `nil` where there is only a pointer.
  let keyboard: WaylandKeyboard?

  /// - Parameters:
  ///   - isTyping: Whether there is a keyboard.
  ///   - rate: The test camera's frames a second.
  init(scale: Int = 1, renderer: String = "cairo", isTyping: Bool = false, rate: Int = 10) async throws {
    desktop = try await WaylandDesktop(scale: scale, renderer: renderer)
    keyboard = isTyping ? try WaylandKeyboard(on: desktop) : nil
    library = desktop.folder.appendingPathComponent("pictures")
    photoMe = try await RunningPhotoMe(
      on: desktop, ["--camera", "test", "--library", library.path],
      environment: ["PHOTOME_TEST_RATE": "\(rate)"])
    try await photoMe.wait(for: "status", "running")
  }

  /// The pictures in the library's folder, by name, without PhotoMe's own files beside them.
  var pictures: [URL] {
    let files = FileManager.default.enumerator(
      at: library, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
    return (files?.allObjects as? [URL] ?? []).filter { !$0.hasDirectoryPath }.sorted { $0.path < $1.path }
  }

  /// Looks at the screen until something is found on it.
  func find<Found>(in part: ScreenPart? = nil, _ found: (ScreenCapture) -> Found?) async throws -> Found {
    while true {
      if let result = found(try await desktop.screenshot(of: part)) { return result }
      // A request to the program leaves it time to paint.
      #expect(try await photoMe.state(of: "status") != nil)
      try Task.checkCancellation()
    }
  }

  /// The number of the test camera's frame in a photo; `nil` when it can't be read.
  static func frameNumber(in photo: URL) throws -> UInt32? {
    let picture = try Data(contentsOf: photo).withUnsafeBytes { try JPEGDecoder().decode($0) }
    return FrameNumberMark.read(picture)
  }

  /// Quits the program, which must not have logged anything critical.
  func end() async throws {
    #expect(try await photoMe.quit() == 0)
    #expect(!photoMe.errorText.contains("CRITICAL"), "\(photoMe.errorText)")
  }
}
