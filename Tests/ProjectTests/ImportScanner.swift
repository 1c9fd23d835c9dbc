// Finds what a file imports, includes, and asks for with `canImport`.

/// One import of a module, or one include of a C header.
struct FoundImport: Equatable {
  /// The module, or the header with its folder (`gst/gst.h`).
  var name: String
  /// Counted from 1.
  var line: Int
}

enum ImportScanner {
  /// The modules that a Swift file imports or asks for, whatever stands around the word `import`: attributes, an access
  /// level, a kind of declaration, a condition.
  static func modules(inSwift text: String) -> [FoundImport] {
    var found: [FoundImport] = []
    for (index, line) in SwiftCode(text).lines.enumerated() {
      for statement in line.code.split(separator: ";") {
        let pattern =
          #/^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:typealias|struct|class|enum|protocol|let|var|func|actor)\s+)?`?(\w+)/#
        if let match = statement.firstMatch(of: pattern) {
          found.append(FoundImport(name: String(match.1), line: index + 1))
        }
      }
      for match in line.code.matches(of: #/canImport\s*\(\s*(\w+)/#) {
        found.append(FoundImport(name: String(match.1), line: index + 1))
      }
    }
    return found
  }

  /// The headers that a C file includes.
  static func headers(inC text: String) -> [FoundImport] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
      line.firstMatch(of: #/^\s*#\s*(?:include|import)\s*[<"]([^>"]+)[>"]/#)
        .map { FoundImport(name: String($0.1), line: index + 1) }
    }
  }
}
