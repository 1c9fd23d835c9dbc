// The manual page of photome, compared with the program's own help.

import Foundation
import Testing

@Suite("The manual page of photome")
struct ManualPageTests {
  /// The options in GLib's help: at the beginning of a line, a short one before its long one.
  static func options(in help: String) -> [String] {
    help.split(separator: "\n").filter { $0.hasPrefix("  -") }
      .flatMap { $0.matches(of: #/[^\w-](--?[a-z][a-z-]*)/#).map { String($0.1) } }
  }

  @Test("It has every option of the program")
  func options() async throws {
    let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../data/man/photome.1").standardized
    let page = try String(contentsOf: file, encoding: .utf8).replacingOccurrences(of: "\\-", with: "-")
    // Not where another option or a key speaks of it.
    let section = try #require(page.components(separatedBy: "\n.SH ").first { $0.hasPrefix("OPTIONS\n") })
    let help = try await RunningPhotoMe.run(["--help"], environment: ["LC_ALL": "C.UTF-8"])
    #expect(help.status == 0)
    let options = Self.options(in: help.output.joined(separator: "\n"))
    #expect(options.contains("--camera") && options.contains("--library") && options.contains("-h"))
    // GLib's own page about GApplication's options has one option, which the page explains.
    for option in options where option != "--help-gapplication" {
      #expect(section.ranges(of: option).contains { !section[$0.upperBound...].hasPrefix("-") }, "\(option)")
    }
  }

  @Test("Options are found in a help text")
  func parsing() {
    let help = "Usage:\n  a [OPTION…]\n\n  -h, --help     Show --all\n  --camera=ID    Open this camera-like thing"
    #expect(Self.options(in: help) == ["-h", "--help", "--all", "--camera"])
  }
}
