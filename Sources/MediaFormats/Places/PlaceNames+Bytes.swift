// The place in bytes that are no text, or not only one.

import Foundation

extension PlaceNames {
  /// In bytes of UTF-8: fewer occur among any bytes by chance.
  private static let shortestText = 4

  /// The texts between other bytes, in UTF-8 and UTF-16.
  public static func texts(in bytes: [UInt8]) -> [String] {
    var texts = [String(decoding: bytes, as: UTF8.self)]
    // Most texts in UTF-16 have zeros.
    for start in bytes.contains(0) ? [0, 1] : [] {
      let pairs = stride(from: start, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
      texts += [String(decoding: pairs, as: UTF16.self), String(decoding: pairs.map(\.byteSwapped), as: UTF16.self)]
    }
    return texts.flatMap { text in
      text.unicodeScalars.split { !isText($0) }.map { String(String.UnicodeScalarView($0)) }
        .filter { $0.utf8.count >= shortestText }
    }
  }

  private static func isText(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control: ["\t", "\n", "\r"].contains(scalar)
    case .unassigned, .privateUse, .surrogate: false
    // Stands for what can't be decoded.
    default: scalar != "\u{fffd}"
    }
  }

  /// Whether one of the texts between other bytes tells the place.
  public func isTold(inBytes bytes: [UInt8]) -> Bool { Self.texts(in: bytes).contains(where: isTold) }

  /// Whether one of the texts between other bytes has a name of the place, or one of its known coordinates.
  public func isKnown(inBytes bytes: [UInt8]) -> Bool { Self.texts(in: bytes).contains(where: isKnown) }
}
