// A text of the interface with its values, as translators see it: “{0} of {1}”.

import Foundation

/// A text to translate, written as a string literal: its interpolated values become numbered placeholders.
///
/// ```swift
/// localized("Photo \(number) of \(count)")    // translators see “Photo {0} of {1}” and may change the order
/// ```
///
/// Only a literal can be one, so that `data/dev/translations` finds all of them in the source. A whole sentence is one text:
/// translators can't translate pieces of it. Values are names, and texts that are complete in themselves; words that
/// a sentence is put together from (“it” or “them”) belong to two sentences.
public struct LocalizationValue: ExpressibleByStringInterpolation, Sendable {
  /// What identifies the text in a catalog, and the English text itself.
  let key: String
  /// The values, as they are shown.
  let values: [String]

  public init(stringLiteral value: String) { (key, values) = (value, []) }

  public init(stringInterpolation interpolation: Interpolation) {
    (key, values) = (interpolation.key, interpolation.values)
  }

  public struct Interpolation: StringInterpolationProtocol, Sendable {
    fileprivate var key = ""
    fileprivate var values: [String] = []

    public init(literalCapacity: Int, interpolationCount: Int) {
      key.reserveCapacity(literalCapacity + 3 * interpolationCount)
      values.reserveCapacity(interpolationCount)
    }

    public mutating func appendLiteral(_ literal: String) { key += literal }

    private mutating func append(_ value: String) {
      key += "{\(values.count)}"
      values.append(value)
    }

    /// A name, or a text that is complete in itself and already translated.
    public mutating func appendInterpolation(_ text: String) { append(text) }

    /// A whole number, grouped and in the digits of the locale.
    public mutating func appendInterpolation(_ number: some BinaryInteger) { append(number.localized) }

    /// A number with some decimals.
    ///
    /// - Parameter decimals: The number of decimals, at least and at most.
    public mutating func appendInterpolation(_ number: Double, decimals: ClosedRange<Int> = 0...2) {
      append(number.localized(decimals: decimals))
    }
  }

  /// The text with its values in the place of the placeholders. A placeholder without a value stays as it is: a translation is
  /// never a reason to fail.
  ///
  /// - Parameter isolates: Whether each value keeps its own direction, whatever stands around it: in Arabic a path, or
  ///   “1280 × 720”, would be read backwards otherwise.
  func filled(_ text: String, isolates: Bool = MessageCatalog.isRightToLeft) -> String {
    if values.isEmpty { return text }
    var (result, rest) = ("", text[...])
    while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
      result += rest[..<start]
      let number = rest[rest.index(after: start)..<end]
      if let index = Int(number), values.indices.contains(index) {
        result += isolates ? "\u{2068}\(values[index])\u{2069}" : values[index]
        rest = rest[rest.index(after: end)...]
      } else {
        // Perhaps a placeholder begins within.
        result += "{"
        rest = rest[rest.index(after: start)...]
      }
    }
    return result + rest
  }
}
