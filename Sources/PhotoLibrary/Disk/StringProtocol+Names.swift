// File names and paths, compared and divided by their bytes.

/// A file name is a row of bytes, and Swift's own functions are about characters: an accent at the beginning of a name
/// makes one character with the dot or slash before it, and one letter in two normal forms counts as the same.
extension StringProtocol {
  /// Whether a name or path begins with these bytes.
  func begins(with start: some StringProtocol) -> Bool { utf8.starts(with: start.utf8) }

  /// Whether a name or path ends with these bytes.
  func ends(with end: some StringProtocol) -> Bool { utf8.suffix(end.utf8.count).elementsEqual(end.utf8) }

  /// Whether a file with this name is hidden.
  var isHiddenName: Bool { begins(with: ".") }

  /// Whether a path begins at the root.
  var isAbsolutePath: Bool { begins(with: "/") }

  /// The parts of a name or path between dots or slashes, the empty ones as well.
  ///
  /// - Parameter separator: An ASCII character.
  func parts(between separator: Unicode.Scalar) -> [String] {
    utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
