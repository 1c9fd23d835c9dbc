// photomectl: the camera and the library without a display, for scripts and for tests.

import ArgumentParser
import CameraCore
import Foundation
import Logging
import PhotoLibrary

@main
struct PhotomeCtl: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photomectl",
    abstract: "Takes photos and live photos, and looks into the library, without a window.",
    version: "PhotoMe \(ProgramVersion.text)",
    subcommands: [
      CamerasCommand.self, MicrophonesCommand.self, CaptureCommand.self, LibraryCommand.self, EditCommand.self,
      RevertCommand.self, EffectsCommand.self, ExportCommand.self,
    ])

  static func main() async {
    ProcessMemory.useOneHeap()
    // Log lines go to standard error, so that standard output stays what was asked for.
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
      end(ExitCode.success.rawValue)
    } catch {
      switch exitCode(for: error) {
      case .success:
        // The help and the version.
        exit(withError: error)
      case .validationFailure:
        let reason = message(for: error)
        complain("\(reason)\(reason.hasSuffix(".") ? "" : ".") See “photomectl --help”.")
        end(ExitCode.validationFailure.rawValue)
      case let code:
        complain(error.localizedDescription)
        end(Interruption.exitStatus ?? code.rawValue)
      }
    }
  }

  /// Ends the program at once. Without the destructors of C++ libraries: a thread that still looks through the library in
  /// the background may be in one of them, and would crash.
  private static func end(_ status: Int32) -> Never {
    fflush(nil)
    _exit(status)
  }
}

/// Options that every command has.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON.") var json = false
}

/// Prints a line at once, also where standard output is a pipe that is kept full.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Prints a line on standard error.
func complain(_ line: String) { FileHandle.standardError.write(Data("photomectl: \(oneLine(line))\n".utf8)) }

/// A text with names in it that may hold line breaks, or what moves a terminal's cursor.
func oneLine(_ text: String) -> String {
  text.unicodeScalars.reduce(into: "") { line, scalar in
    switch scalar {
    case "\n": line += "\\n"
    case "\r": line += "\\r"
    case "\t": line += "\\t"
    case _ where scalar.properties.generalCategory == .control: line += String(format: "\\x%02x", scalar.value)
    default: line.unicodeScalars.append(scalar)
    }
  }
}

/// Prints a value as JSON, keys in order.
func printJSON(_ value: some Encodable, pretty: Bool = true) throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
  say(String(decoding: try encoder.encode(value), as: UTF8.self))
}
