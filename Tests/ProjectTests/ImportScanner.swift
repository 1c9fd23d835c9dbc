// The imports and includes of a file, and its `canImport` conditions.

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
    let attributes = #"(?:@\w+(?:\([^)]*\))?\s+)*"#
    let access = #"(?:(?:public|package|internal|fileprivate|private)\s+)?"#
    let kind = #"(?:(?:typealias|struct|class|enum|protocol|let|var|func|actor)\s+)?"#
    // `import` and `canImport`.
    let found = SwiftCode(text).lines.enumerated().filter { $1.code.contains("mport") }
    guard !found.isEmpty,
      let statement = try? Regex(#"^\s*"# + attributes + access + #"import\s+"# + kind + #"`?(\w+)"#)
    else { return [] }
    let question = #/canImport\s*\(\s*(\w+)/#
    return found.flatMap { index, line in
      let imported = line.code.split(separator: ";").compactMap { $0.firstMatch(of: statement)?.output[1].substring }
      let asked = line.code.matches(of: question).map(\.1)
      return (imported + asked).map { FoundImport(name: String($0), line: index + 1) }
    }
  }

  /// The headers that a C file includes.
  static func headers(inC text: String) -> [FoundImport] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
      line.firstMatch(of: #/^\s*#\s*(?:include|import)\s*[<"]([^>"]+)[>"]/#)
        .map { FoundImport(name: String($0.1), line: index + 1) }
    }
  }
}
