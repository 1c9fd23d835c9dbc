// Open location codes in texts.

extension CoordinateText {
  /// A code such as “8FVC9G8F+6X”, or the end of one, which is written with the name of a town: “9G8F+6X Zürich”.
  struct PlusCode {
    /// Whether it has all digits, and a letter among them.
    var isWhole: Bool
    /// Of the latitude and the longitude, above the whole degrees below them.
    var fractions: [Double]

    /// Whether its latitude and its longitude may be among coordinates of either sign, to a distance in degrees.
    func isAmong(_ coordinates: Set<Double>, within distance: Double) -> Bool {
      fractions.allSatisfy { fraction in
        coordinates.contains { coordinate in
          [coordinate, -coordinate].contains { coordinate in
            let apart = abs(coordinate - coordinate.rounded(.down) - fraction)
            return min(apart, 1 - apart) < distance
          }
        }
      }
    }
  }

  private static let alphabet = Array("23456789CFGHJMPQRVWX".utf8)

  /// The codes in a text, whole or without their first or first two pairs of digits.
  ///
  /// A pair has a digit to the base of 20 of the latitude, and one of the longitude. The first counts steps of 20 degrees,
  /// the fourth, in front of the plus, steps of a 400th.
  ///
  /// Source: Open Location Code Specification, “Character Set” and “Encoding”.
  static func plusCodes(in text: String) -> [PlusCode] {
    let bytes = Array(text.uppercased().utf8)
    return bytes.indices.compactMap { plus in
      guard bytes[plus] == UInt8(ascii: "+") else { return nil }
      let front = Array(bytes[..<plus].suffix(9).reversed().prefix { isOfWord($0) }.reversed())
      let back = Array(bytes[(plus + 1)...].prefix(8).prefix { isOfWord($0) })
      let digits = (front + back).compactMap { alphabet.firstIndex(of: $0) }
      let end = front.count
      guard [4, 6, 8].contains(end), (2...7).contains(back.count), digits.count == end + back.count else { return nil }
      // There is nothing north of the pole, nor east of the 180th meridian.
      let isWhole = end == 8 && digits[0] < 9 && digits[1] < 18 && digits[..<8].contains { $0 > 7 }
      let fractions = [0, 1].map { axis in
        Double(digits[end - 4 + axis]) / 20 + Double(digits[end - 2 + axis]) / 400
          + (Double(digits[end + axis]) + 0.5) / 8000
      }
      return PlusCode(isWhole: isWhole, fractions: fractions)
    }
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || byte > 127
  }
}
