// File names that fit into what file systems take.

/// Names of at most 255 bytes.
enum FileName {
  /// In bytes: `NAME_MAX` of limits.h, on all common file systems. exFAT and NTFS take 255 units of UTF-16, which is no
  /// less.
  static let longest = 255
  /// In bytes. What follows the first dot of a longer name is no ending.
  private static let longestEnding = 16

  /// A name of two parts. Where both are too long together, the first loses its end.
  ///
  /// - Parameter ending: What has to stay, such as a number and a file extension.
  static func fitting(_ stem: some StringProtocol, _ ending: String, atMost longest: Int = longest) -> String {
    var (stem, ending) = (String(stem), ending)
    while stem.utf8.count + ending.utf8.count > longest {
      if stem.count > 1 {
        stem.removeLast()
      } else if stem.unicodeScalars.count > 1 {
        // One letter with a long row of accents.
        stem.unicodeScalars.removeLast()
      } else {
        ending.unicodeScalars.removeFirst()
      }
    }
    return stem + ending
  }

  /// A name that FAT, exFAT and NTFS take: what they have no letter for is an underscore.
  ///
  /// Source: Microsoft, Naming Files, Paths, and Namespaces.
  static func plain(_ name: String) -> String {
    var plain = String(
      String.UnicodeScalarView(
        name.unicodeScalars.map {
          $0.value < 32 || $0.value == 127 || "\"*/:<>?\\|".unicodeScalars.contains($0) ? "_" : $0
        }))
    // Dots and spaces at the end are dropped.
    if let last = plain.last, last == "." || last == " " { plain = plain.dropLast() + "_" }
    return plain
  }

  /// The file extension of a name or a path, with the dot; empty without one. The dot of a hidden file begins none.
  static func ending(of path: String) -> String {
    let name = Disk.name(of: path)
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
    return String(name[dot...])
  }

  /// The name at the end of a path without its file extension.
  static func stem(of path: String) -> String { String(Disk.name(of: path).dropLast(ending(of: path).count)) }

  /// The part of a name before which a number goes, and the rest.
  ///
  /// `IMG_1.MP.jpg` must stay one: a second one's number goes before the whole extension. In a name with a dot somewhere in
  /// its text, only what follows the last one is an extension.
  static func split(_ name: String) -> (stem: String, ending: String) {
    guard let last = name.utf8.lastIndex(of: UInt8(ascii: ".")), last > name.utf8.startIndex else { return (name, "") }
    if let first = name.utf8.firstIndex(of: UInt8(ascii: ".")), first > name.utf8.startIndex,
      name.utf8.distance(from: first, to: name.utf8.endIndex) <= longestEnding
    {
      return (String(name[..<first]), String(name[first...]))
    }
    let stem = name[..<last]
    let mark = [".MP", ".mp"].first { stem.hasSuffix($0) } ?? ""
    return (String(stem.dropLast(mark.count)), mark + name[last...])
  }
}
