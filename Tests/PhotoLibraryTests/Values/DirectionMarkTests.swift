// Texts of other programs in messages: marks that turn the writing around, and control characters.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct DirectionMarkTests {
  /// “gpj.exe” is shown as “exe.jpg”; and what ends an isolation, begins a line, or rings a bell.
  private static let marks =
    ["\u{202e}", "\u{202a}", "\u{202b}", "\u{202d}", "\u{202c}", "\u{2066}", "\u{2067}"]
    + ["\u{2068}", "\u{2069}", "\u{2028}", "\u{2029}", "\u{1b}", "\u{7}", "\u{9b}", "\n", "\u{206a}"]

  private func isPlain(_ text: String) -> Bool {
    !text.unicodeScalars.contains { scalar in Self.marks.contains { $0.unicodeScalars.first == scalar } }
  }

  @Test func messagesShowNoneOfThem() {
    for mark in Self.marks {
      let name = "a\(mark)gpj.exe"
      let url = URL(fileURLWithPath: "/pictures/\(name)")
      let texts = [
        PhotoLibraryError.fileMissing(path: "/" + name).description,
        PhotoLibraryError.extensionFailed(name: name, reason: name).localizedDescription,
        PhotoLibraryError.unusableFile(path: name, reason: name).description,
        LibraryWarning.keptVersion(of: url, as: url).description,
        LibraryWarning.recovered(.broughtBack(url)).description,
        RecoveryNote.removedMovie(name: name).description,
        AssetCollection(album: "1", title: name, listID: nil, created: Date()).title,
      ]
      for text in texts {
        #expect(isPlain(text) && text.contains("agpj.exe"), "\(text.debugDescription)")
      }
    }
  }

  /// Letters that are written from right to left, joined emoji and accents are no such marks.
  @Test func otherTextsStay() {
    for name in ["שלום", "مرحبا", "👨‍👩‍👧.jpg", "e\u{301}.jpg", "नमस्ते", "a\u{200f}b"] {
      #expect(PhotoLibraryError.fileMissing(path: name).description.contains("“\(name)”"))
    }
  }

  @Test func extensionsShowNoneOfThem() throws {
    let scratch = try Scratch()
    let folder = scratch.url.appendingPathComponent("extensions")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let text = """
      [Editing Extension]
      Name=In\u{202e}vert
      Comment=Turns\u{2066} around
      Exec=/bin/sh -c true
      FormatIdentifier=org.example.invert
      FormatVersions=1

      """
    try Data(text.utf8).write(to: folder.appendingPathComponent("invert.extension"))
    let found = EditingExtensions(in: [folder]).extensions
    #expect(found.map(\.name) == ["Invert"] && found.map(\.comment) == ["Turns around"])
    let file = scratch.url.appendingPathComponent("output")
    let output = try #require(ProgramOutput(file))
    try Data("It \u{202e}failed\u{2069} \u{1b}[31mhere.\n".utf8).write(to: file)
    #expect(output.lastLine == "It failed [31mhere")
  }
}
