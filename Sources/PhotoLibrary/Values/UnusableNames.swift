// Files that can't be shown because their names aren't valid UTF-8.

import Foundation
import Localization

/// Pictures, movies and folders of pictures in one folder whose names aren't valid UTF-8. They are left alone and can't
/// be shown.
///
/// Old archives and drives of other systems hold such names: `caf\xE9.jpg` is “café.jpg” in Latin-1.
public struct UnusableNames: Sendable, Hashable, CustomStringConvertible {
  public var folder: URL
  /// Sorted; bytes that aren't UTF-8 are written as `\xE9`.
  public var names: [String]

  /// More are counted, not listed.
  private static let largestToldCount = 3

  public var description: String {
    let told = names.prefix(Self.largestToldCount).map { localized("“\($0)”", comment: "The name of a file") }
      .localizedList
    let (folder, count) = (folder.path, names.count)
    return switch count {
    case 1: localized("The name of \(told) in “\(folder)” isn’t valid text. Rename the file to see it here.")
    case ...Self.largestToldCount:
      localized(
        """
        “\(folder)” contains \(count) file whose name isn’t valid text: \(told). Rename it to see it here.
        """,
        plural: """
          “\(folder)” contains \(count) files whose names aren’t valid text: \(told). Rename them to see them here.
          """, count: count)
    default:
      localized(
        """
        “\(folder)” contains \(count) file whose name isn’t valid text, such as \(told). Rename it to see it here.
        """,
        plural: """
          “\(folder)” contains \(count) files whose names aren’t valid text, such as \(told). Rename them to see \
          them here.
          """, count: count)
    }
  }

  /// A name for display: bytes that aren't UTF-8, and control characters, are written as `\x0A`.
  static func escaped(_ name: [UInt8]) -> String {
    var text = ""
    var at = 0
    while at < name.count {
      // The length of the scalar here, if there is one.
      let length = (1...4).first { at + $0 <= name.count && isScalar(name[at..<at + $0]) }
      if let length {
        text += String(decoding: name[at..<at + length], as: UTF8.self)
      } else {
        text += String(format: "\\x%02X", Int(name[at]))
      }
      at += length ?? 1
    }
    return text
  }

  private static func isScalar(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let scalar = String(validating: bytes, as: UTF8.self)?.unicodeScalars.first else { return false }
    return scalar.properties.generalCategory != .control
  }
}
