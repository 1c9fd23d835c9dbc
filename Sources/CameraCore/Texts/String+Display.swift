// Texts of others for display.

extension String {
  /// The text without what would change the writing around it: control characters, line breaks, and the marks that turn
  /// its direction, with which “gpj.exe” is shown as “exe.jpg”.
  ///
  /// File names, and what extensions and records of other programs say, can hold any character. Letters that are written
  /// from right to left need no such marks, and stay.
  ///
  /// Source: Unicode Standard Annex 9, 2, “Directional Formatting Characters”.
  public var displayed: String {
    guard unicodeScalars.contains(where: Self.turnsWriting) else { return self }
    return String(String.UnicodeScalarView(unicodeScalars.filter { !Self.turnsWriting($0) }))
  }

  /// Whether a scalar is a control character, a separator of lines, or begins or ends an embedding, override or isolate.
  private static func turnsWriting(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x206f: true
    default: false
    }
  }
}
