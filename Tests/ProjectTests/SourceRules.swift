// The house rules that can be checked in one Swift file.

import Foundation

/// Each rule returns the faults of a file; none when it is kept.
enum SourceRules {
  /// The types that a file declares or extends, nested ones included.
  static func types(in code: SwiftCode) -> (declared: Set<String>, extended: Set<String>) {
    var declared: Set<String> = []
    var extended: Set<String> = []
    let pattern = #/\b(struct|class|enum|actor|protocol|typealias|extension)\s+([\w.]+)/#
    let words = ["struct", "class", "enum", "actor", "protocol", "typealias", "extension"]
    for line in code.lines where words.contains(where: line.code.contains) {
      for match in line.code.matches(of: pattern) {
        let names = match.2.split(separator: ".").map(String.init)
        if match.1 == "extension" { extended.formUnion(names) } else { declared.formUnion(names) }
      }
    }
    return (declared, extended)
  }

  /// A file is named after a type that it declares, or `Type+Concern` after a type that it extends or declares.
  static func fileName(_ stem: String, of code: SwiftCode) -> [String] {
    if stem == "main" { return [] }
    let types = types(in: code)
    let parts = stem.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
    if parts.count == 1 {
      return types.declared.contains(stem) ? [] : ["the file declares no type “\(stem)”"]
    }
    let isConcern = parts.count == 2 && !parts[1].isEmpty
    return isConcern && types.declared.union(types.extended).contains(parts[0])
      ? [] : ["the file neither extends nor declares “\(parts[0])” for one concern"]
  }

  /// The shortest time limit of a test, in minutes. All tests share one pool of threads and one machine, whose speed is
  /// unknown: a limit may end what hangs, and must never be met by what is slow.
  static let shortestTimeLimit = 30

  /// Time limits that a slow machine could reach.
  static func shortTimeLimits(in code: SwiftCode) -> [String] {
    let pattern = #/\.timeLimit\(\.minutes\((\d+)\)\)/#
    return code.lines.enumerated().flatMap { index, line in
      line.code.contains(".timeLimit")
        ? line.code.matches(of: pattern).filter { (Int($0.1) ?? 0) < shortestTimeLimit }
          .map { "line \(index + 1): \($0.0)" } : []
    }
  }

  /// No `try!` and no `fatalError`.
  static func traps(in code: SwiftCode) -> [String] {
    let pattern = #/\btry!|\bfatalError\s*\(/#
    return code.lines.enumerated().flatMap { index, line in
      line.code.contains("try!") || line.code.contains("fatalError")
        ? line.code.matches(of: pattern).map { "line \(index + 1): \($0.0)" } : []
    }
  }

  /// Claims that the compiler can't check have a comment that proves them: on the line, above it, or below it.
  static func unprovenClaims(in code: SwiftCode) -> [String] {
    func proof(_ index: Int) -> Bool {
      guard code.lines.indices.contains(index) else { return false }
      let line = code.lines[index]
      return line.comment.hasPrefix("//") && !line.comment.hasPrefix("///")
        && line.code.allSatisfy(\.isWhitespace)
    }
    return code.lines.indices.filter { index in
      ["@unchecked Sendable", "nonisolated(unsafe)"].contains(where: code.lines[index].code.contains)
        && code.lines[index].comment.isEmpty && !proof(index - 1) && !proof(index + 1)
    }.map { "line \($0 + 1): no proof beside \(code.lines[$0].code.trimmingCharacters(in: .whitespaces))" }
  }

  /// Calls of the system about files that bypass the library's `FileSystem`, so that no simulated one would see them.
  static func directFileCalls(in code: SwiftCode) -> [String] {
    let names =
      "l?stat|fstat|mkdir|rmdir|unlink|flock|fsync|fdatasync|sendfile|copy_file_range|futimens|utimensat|opendir"
      + "|fchmod|chmod|fchown|chown|ftruncate|truncate|statfs|fstatfs|[fl]?setxattr|[fl]?getxattr|[fl]?listxattr"
    let pattern =
      "(?:^|[^\\w.])(?:\(names))\\((?!\\))|\\bGlibc\\.(?:open|openat|rename|link|pread|write|\(names))\\("
      + "|(?:^|[^\\w.])open\\([^)]*\\bO_|\\blinux_(?:rename|open|clone)\\w*\\("
    guard let expression = try? Regex(pattern) else { return ["the rule's pattern is wrong"] }
    return code.lines.enumerated().compactMap { index, line in
      !line.code.contains("func ") && line.code.contains(expression)
        ? "line \(index + 1): \(line.code.trimmingCharacters(in: .whitespaces))" : nil
    }
  }

  /// Texts for people have typographic apostrophes. SQL's comments are no texts for people.
  static func straightApostrophes(in code: SwiftCode) -> [String] {
    code.lines.enumerated().compactMap { index, line in
      line.text.contains("'") && !line.text.trimmingCharacters(in: .whitespaces).hasPrefix("--")
        && line.text.contains(#/[\p{L}”)]'\p{L}/#) ? "line \(index + 1): \(line.text)" : nil
    }
  }

  /// Work that is left to do belongs to the issues, not to the code.
  static func leftovers(in code: SwiftCode) -> [String] {
    let words: Set<Substring> = ["TODO", "FIXME", "XXX", "HACK"]
    return code.lines.enumerated().compactMap { index, line in
      line.comment.split { !$0.isLetter }.contains(where: words.contains) ? "line \(index + 1): \(line.comment)" : nil
    }
  }

  /// No mutex is locked in asynchronous code: see “Locks” in MediaEngine.md.
  static func asynchronousLocks(in code: SwiftCode) -> [String] {
    LockScanner.lines(in: code).map {
      "line \($0): locks in asynchronous code; move it to a synchronous function with @inline(never)"
    }
  }

  /// Folders of one machine, and the marks of an unfinished merge.
  static func machineTraces(in text: String) -> [String] {
    let beginnings = ["/home/", "/root/", "/Users/", "/work/", "<<<<<<< ", ">>>>>>> "]
    guard beginnings.contains(where: text.contains) else { return [] }
    let pattern = #/(?:^|[\s"'`(=:])\/(?:home|root|Users|work)\/\w|^(?:<{7}|>{7}) /#
    return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .filter { $1.contains(pattern) }.map { "line \($0 + 1): \($1)" }
  }
}
