// Output of the commands: lines, JSON and errors.

import ArgumentParser
import CameraCore
import Foundation
import Localization

/// Options of every command.
struct OutputOptions: ParsableArguments {
  @Flag(help: ArgumentHelp(localized("Print JSON."))) var json = false
}

/// Prints a line at once, also when standard output is a full pipe.
func say(_ line: String) { TerminalLight.print(Data((line + "\n").utf8), to: STDOUT_FILENO) }

/// Prints a line on standard error.
func complain(_ line: String) {
  TerminalLight.print(Data("photomectl: \(oneLine(line))\n".utf8), to: STDERR_FILENO)
}

/// A text with line breaks, control characters and marks that turn the writing escaped; file names may contain them.
///
/// - Parameter keepsIsolates: Whether the marks stay that a translated text puts around its values where it is read from
///   the right. In a file name they turn only what follows in the line.
func oneLine(_ text: String, keepsIsolates: Bool = MessageCatalog.isRightToLeft) -> String {
  text.unicodeScalars.reduce(into: "") { line, scalar in
    switch scalar {
    case "\n": line += "\\n"
    case "\r": line += "\\r"
    case "\t": line += "\\t"
    case _ where keepsIsolates && (scalar == "\u{2068}" || scalar == "\u{2069}"): line.unicodeScalars.append(scalar)
    case _ where scalar.properties.generalCategory == .control: line += String(format: "\\x%02x", scalar.value)
    case _ where String(scalar).displayed.isEmpty: line += String(format: "\\u%04x", scalar.value)
    default: line.unicodeScalars.append(scalar)
    }
  }
}

/// Prints a value as JSON with sorted keys.
func printJSON(_ value: some Encodable, pretty: Bool = true) throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
  say(String(decoding: try encoder.encode(value), as: UTF8.self))
}

/// An error with a message for people.
struct CommandError: LocalizedError {
  var errorDescription: String?
  init(_ text: String) { errorDescription = text }
}
