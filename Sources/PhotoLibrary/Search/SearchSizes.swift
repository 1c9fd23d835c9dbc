// Sizes in searches: “>5 MB”, “<500kB”, “4000x3000”.

import CameraCore
import Foundation

/// Reads sizes of files and pictures.
enum SearchSizes {
  /// Powers of ten, as the program shows sizes; the binary units as their names say.
  private static let units: [String: Double] = [
    "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 1024, "mib": 1_048_576, "gib": 1_073_741_824,
  ]

  /// A comparison with a file's size, and the number of words that it takes: `>`, `<`, `>=` or `<=`, a number, a unit.
  static func read(_ words: [String]) -> (meaning: SearchQuery.Condition, count: Int)? {
    var text = ""
    for (index, word) in words.prefix(3).enumerated() {
      text += word.lowercased()
      if let meaning = comparison(text) { return (meaning, index + 1) }
    }
    return nil
  }

  private static func comparison(_ text: String) -> SearchQuery.Condition? {
    guard let match = text.wholeMatch(of: /([<>≤≥]=?)([0-9]{1,9}(?:[.,][0-9]{1,6})?)([kmg]?i?b)/),
      let factor = units[String(match.3)], let number = Double(match.2.replacing(",", with: "."))
    else { return nil }
    // At most 10^9 GiB.
    let bytes = UInt64(number * factor)
    return match.1.hasPrefix(">") || match.1.hasPrefix("≥")
      ? .fileSize(bytes...UInt64(Int64.max)) : .fileSize(0...bytes)
  }

  /// A picture's size: `4000x3000`, `4000×3000`.
  static func pixels(_ word: String) -> SearchQuery.Condition? {
    guard let match = word.lowercased().wholeMatch(of: /([0-9]{1,6})[x×*]([0-9]{1,6})/), let width = Int(match.1),
      let height = Int(match.2), width > 0, height > 0
    else { return nil }
    return .pixels(PixelSize(width: width, height: height))
  }
}
