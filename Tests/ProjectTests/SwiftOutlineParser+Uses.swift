// Uses of names, and the labels of calls.

extension SwiftOutlineParser {
  /// Reads the uses inside brackets.
  mutating func skipBrackets() {
    var depth = 0
    repeat {
      if text() == "(" || text() == "[" { depth += 1 }
      if text() == ")" || text() == "]" { depth -= 1 }
      readUse()
    } while depth > 0 && at < tokens.count
  }

  mutating func readLocals(until isEnd: (String) -> Bool) {
    while let name = token(), !isEnd(name.text), name.text != "{" {
      if name.kind == .word { localNames.insert(name.text) }
      at += 1
    }
  }

  mutating func readUse() {
    defer { at += 1 }
    let current = tokens[at]
    if current.kind == .symbol {
      uses.append(
        SwiftOutline.Use(
          name: current.text, line: current.line, isMember: false, base: nil, arguments: nil,
          hasTrailingClosure: false, enclosing: []))
      return
    }
    guard current.kind == .word, !current.text.hasPrefix("#"), !current.text.hasPrefix("$") else { return }
    let previous = at > 0 ? tokens[at - 1].text : ""
    let isMember = previous == "."
    guard isMember || !Self.notNames.contains(current.text) else { return }
    // A label.
    if text(1) == ":", ["(", ",", "["].contains(previous) { return }
    let base = isMember && at > 1 && tokens[at - 2].kind == .word ? tokens[at - 2].text : nil
    var (arguments, end): ([String?]?, Int) = (nil, at + 1)
    if text(1) == "(", token(1)?.line == current.line { (arguments, end) = labels(from: at + 1) }
    uses.append(
      SwiftOutline.Use(
        name: current.text, line: current.line, isMember: isMember, base: base, arguments: arguments,
        hasTrailingClosure: end < tokens.count && tokens[end].text == "{", enclosing: enclosing))
  }

  /// The labels of the arguments in the list at `start`, and the index behind it.
  func labels(from start: Int) -> ([String?], Int) {
    var labels: [String?] = []
    var depth = 0
    var index = start
    while index < tokens.count {
      let current = tokens[index].text
      if ["(", "[", "{"].contains(current) { depth += 1 }
      if [")", "]", "}"].contains(current) { depth -= 1 }
      if depth == 0 { break }
      if depth == 1, current == "(" || current == ",", index + 2 < tokens.count, tokens[index + 1].text != ")" {
        let isLabel = tokens[index + 1].kind == .word && tokens[index + 2].text == ":"
        labels.append(isLabel ? tokens[index + 1].text : nil)
      }
      index += 1
    }
    return (labels, index + 1)
  }
}
