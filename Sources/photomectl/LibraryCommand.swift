// `photomectl library`: what is in the library, and everything that can be done with it.

import ArgumentParser
import CameraCore
import Foundation
import PhotoLibrary

struct LibraryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "library", abstract: "Looks into the photo library, and changes it.",
    discussion: """
      A picture is named by its id, by the first digits of it (at least \(AssetFinder.shortestPrefix)), or by its path.
      """,
    subcommands: [
      List.self, Info.self, Search.self, Favorite.self, Album.self, Import.self, Delete.self, Restore.self, Verify.self,
      Rebuild.self,
    ])
}

/// Where the library is.
struct LibraryOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The library's folder; without it PhotoMe in the Pictures folder.", valueName: "dir"))
  var library: String?

  /// Opens the library.
  func open() async throws -> PhotoLibrary {
    let folder = library.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? PhotoLibrary.defaultFolder
    return try await PhotoLibrary.open(at: folder)
  }

  /// Opens the library, does something with it when it knows all that is in the folder, and leaves nothing behind.
  func use<R>(_ body: (PhotoLibrary) async throws -> R) async throws -> R {
    let library = try await open()
    do {
      for note in library.recovery { complain(note.description) }
      try await library.refresh()
      let result = try await body(library)
      await library.close()
      return result
    } catch {
      await library.close()
      throw error
    }
  }
}

/// An error in words.
struct CommandError: LocalizedError {
  var errorDescription: String?
  init(_ text: String) { errorDescription = text }
}

extension LibraryOptions {
  /// The same for what takes its time: SIGINT and SIGTERM end it in good order.
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
