// Shell completions, as data/packaging/install writes them.

import Foundation
import TestSupport
import Testing

@Suite("Completions of photomectl")
struct CompletionTests {
  @Test("bash completes commands and their options")
  func bash() throws {
    let place = try Place()
    let script = place.folder.appendingPathComponent("photomectl.bash")
    try Data(place.run(["--generate-completion-script", "bash"]).utf8).write(to: script)
    func completions(_ words: [String]) throws -> [String] {
      let line = words.joined(separator: " ")
      // The variables that bash sets for a completion function, and the arguments that it passes.
      let call = """
        source "$1"; COMP_WORDS=(\(line)); COMP_CWORD=\(words.count - 1); COMP_LINE='\(line)'; COMP_POINT=\(line.count)
        COMP_TYPE=9; _photomectl photomectl "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"; printf '%s\\n' "${COMPREPLY[@]}"
        """
      return try place.tool("bash", ["-c", call, "bash", script.path]).split(separator: "\n").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }
    #expect(try completions(["photomectl", "li"]) == ["library"])
    let options = try completions(["photomectl", "capture", "--"])
    #expect(options.contains("--live") && options.contains("--camera") && !options.contains("--codec"))
  }

  @Test(
    "The scripts of zsh and fish are valid", .enabled(if: Command.areInstalled("zsh", "fish"), "needs zsh and fish"),
    arguments: ["zsh", "fish"])
  func otherShells(shell: String) throws {
    let place = try Place()
    let script = place.folder.appendingPathComponent("photomectl.\(shell)")
    try Data(place.run(["--generate-completion-script", shell]).utf8).write(to: script)
    #expect(try place.tool(shell, ["-n", script.path]) == "")
  }
}
