// photomectl: the camera and the library without a display, for scripts and tests.

import ArgumentParser
import CameraCore
import Foundation
import Localization
import Logging
import MediaEngine
import PhotoLibrary

@main
struct PhotomeCtl: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photomectl",
    abstract: localized("Takes photos and live photos, and manages the library, without a window."),
    version: "PhotoMe \(ProgramVersion.text)",
    subcommands: [
      CamerasCommand.self, ControlsCommand.self, MicrophonesCommand.self, CaptureCommand.self, RecordCommand.self,
      LibraryCommand.self,
      EditCommand.self, RevertCommand.self, EffectsCommand.self, PresetsCommand.self, ExtensionsCommand.self,
      ExportCommand.self,
    ])

  static func main() async {
    ProcessMemory.useOneHeap()
    // Before any text is looked up: those of the help are once the commands are described. Without its files the program
    // speaks English.
    if let data = DataFolder.find() { MessageCatalog.use(folder: data.translations) }
    // Log lines go to standard error, so that standard output has only the results.
    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = .error
      return handler
    }
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      ProgramEnd.end(ExitCode.success.rawValue)
    } catch {
      switch exitCode(for: error) {
      case .success:
        // The help and the version.
        exit(withError: error)
      case .validationFailure:
        let reason = message(for: error).asClause
        complain(
          localized("\(reason). See “photomectl --help”.", comment: "{0} is what is wrong with the command"))
        ProgramEnd.end(ExitCode.validationFailure.rawValue)
      case let code:
        complain(error.localizedDescription)
        ProgramEnd.end(Interruption.exitStatus ?? code.rawValue)
      }
    }
  }
}
