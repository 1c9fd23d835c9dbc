// The library that a command works on.

import ArgumentParser
import CameraModels
import Foundation
import Localization
import PhotoLibrary

/// The library's folder.
struct LibraryOptions: ParsableArguments {
  @Option(help: ArgumentHelp(localized("The library’s folder; PhotoMe’s own if not given."), valueName: "dir"))
  var library: String?

  /// The option as it has to be given again, in quotation marks of the shell; empty without one.
  var words: String { library.map { " --library '\($0.replacing("'", with: "'\\''"))'" } ?? "" }

  /// Opens the library.
  func open() async throws -> PhotoLibrary {
    let named = library.map { URL(fileURLWithPath: $0, isDirectory: true) }
    let choice = LibraryFolderChoice(named: named, store: FileSettingsStore.standard)
    if let warning = choice.warning, let obstacle = choice.obstacle { complain("\(warning) \(obstacle)") }
    return try await choice.open()
  }

  /// Opens the library, runs `body` once the index is up to date, and closes the library.
  func use<R>(_ body: (PhotoLibrary) async throws -> R) async throws -> R {
    let library = try await open()
    // That a command waits is said while it does.
    let waiting = Task {
      for await warning in library.warnings() where warning == .waiting { complain(warning.description) }
    }
    defer { waiting.cancel() }
    do {
      for note in library.recovery { complain(note.description) }
      try await library.refresh()
      let result = try await body(library)
      await Self.close(library)
      return result
    } catch {
      await Self.close(library)
      throw error
    }
  }

  /// Closes the library, and says what has happened to pictures without being asked for.
  private static func close(_ library: PhotoLibrary) async {
    await library.close()
    for await warning in library.warnings() {
      // A command doesn't follow what other programs do.
      if case .notFollowed = warning { continue }
      complain(warning.description)
    }
  }

  /// The same for long work: SIGINT and SIGTERM cancel it.
  func useUntilInterrupted<R: Sendable>(
    _ body: @escaping @Sendable (PhotoLibrary) async throws -> R
  ) async throws -> R {
    try await Interruption.endsInOrder { begin in
      try await use { library in
        begin()
        return try await body(library)
      }
    }
  }
}
