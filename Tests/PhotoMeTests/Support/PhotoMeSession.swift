// A running PhotoMe with the test camera on a desktop of its own: the starting point of most tests of the program.

import Foundation
import Testing

/// A `RunningPhotoMe` with an empty library on a `TestDesktop` of its own.
struct PhotoMeSession {
  /// The titles of the windows.
  static let (mainWindow, editorWindow) = ("PhotoMe", "Edit")
  static let failureDialog = "PhotoMe Can’t Start"

  let desktop: TestDesktop
  /// The library's folder.
  let library: URL
  let photoMe: RunningPhotoMe

  var input: InputDriver { InputDriver(desktop: desktop) }

  /// - Parameters:
  ///   - environment: Added to the desktop's environment.
  ///   - prepare: Called before the program starts.
  init(
    camera: String = "test", status: String = "running", environment: [String: String] = [:],
    prepare: (TestDesktop) async throws -> Void = { _ in }
  ) async throws {
    desktop = try await TestDesktop()
    library = desktop.folder.appendingPathComponent("pictures")
    try await prepare(desktop)
    photoMe = try await RunningPhotoMe(
      on: desktop, ["--camera", camera, "--library", library.path], environment: environment)
    try await photoMe.wait(for: "status", status)
  }

  /// The middle of the shutter's ring, which has the accent's color.
  static func shutter(_ screen: Screenshot) -> ScreenPoint? {
    // Below the viewfinder, in which anything may be orange.
    let rows = (620..<screen.height).map { y in (y: y, runs: screen.runs(inRow: y) { $0 == 0xE8751A }) }
      .filter { !$0.runs.isEmpty }
    guard let top = rows.first?.y, let bottom = rows.last?.y, bottom - top > 40,
      let left = rows.compactMap(\.runs.first?.lowerBound).min(),
      let right = rows.compactMap(\.runs.last?.upperBound).max()
    else { return nil }
    return ScreenPoint(x: (left + right) / 2, y: (top + bottom) / 2)
  }

  /// The pictures in the library's folder, by name, without PhotoMe's own files beside them.
  var pictures: [URL] {
    let files = FileManager.default.enumerator(
      at: library, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
    return (files?.allObjects as? [URL] ?? []).filter { !$0.hasDirectoryPath }.sorted { $0.path < $1.path }
  }

  /// Takes photos one after another, and waits until they are saved.
  func takePhotos(_ count: Int) async throws {
    for number in 1...count {
      try await photoMe.activate("take-photo")
      try await photoMe.wait(for: "pictures", "\(number)")
    }
    try await photoMe.wait(for: "activity", "0")
  }

  /// Looks at the screen until something is found on it.
  func find<Found>(_ found: (Screenshot) -> Found?) async throws -> Found {
    while true {
      if let result = found(try desktop.screenshot()) { return result }
      // A request to the program leaves it time to paint.
      #expect(try await photoMe.state(of: "status") != nil)
      try Task.checkCancellation()
    }
  }

  /// Looks at the screen until something is no longer found on it: keys go to the new page then.
  func findNo<Found>(_ found: (Screenshot) -> Found?) async throws {
    _ = try await find { found($0) == nil ? true : nil }
  }

  /// Quits the program, which must not have logged anything critical.
  func end() async throws {
    #expect(try await photoMe.quit() == 0)
    #expect(!photoMe.errorText.contains("CRITICAL"), "\(photoMe.errorText)")
  }
}
