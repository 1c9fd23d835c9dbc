// Geographic coordinates in texts.

import Foundation

/// Finds positions in what people and programs write: “46.7003, 10.0981”, “46°42′1″N”, “geo:46.7,10.1”, “Lat 46.7”.
///
/// Only forms that hardly mean anything else: two decimal numbers of a position, with three decimals or more each (a
/// hundred meters), a number of degrees with minutes, or a number with a name or a hemisphere.
enum CoordinateText {
  /// In bytes; nobody writes a longer text.
  private static let longest = 64 << 10

  static func isFound(in text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count <= longest, bytes.contains(where: { (48...57).contains($0) }) else { return false }
    let pieces = pieces(of: text)
    return isLabelled(pieces) || hasDegrees(pieces) || hasHemispheres(pieces) || hasPair(pieces)
  }

  // MARK: Pieces

  /// A piece of a text.
  private enum Piece: Equatable {
    case number(Number)
    /// Letters, in lower case.
    case word(String)
    /// Anything but white space.
    case sign(Character)
    case space
  }

  private struct Number: Equatable {
    var value: Double
    /// The digits behind the point.
    var decimals: Int
    var hasComma = false
    var isSigned = false

    var isLatitude: Bool { abs(value) <= 90 }
    var isLongitude: Bool { abs(value) <= 180 }
    /// Groups of thousands have three digits behind a comma.
    var isExact: Bool { decimals >= (hasComma ? 4 : 3) }
  }

  private static func pieces(of text: String) -> [Piece] {
    var pieces: [Piece] = []
    let letters = Array(text)
    var at = 0
    while at < letters.count {
      let letter = letters[at]
      if isDigit(letter) {
        let start = at
        while at < letters.count, isDigit(letters[at]) { at += 1 }
        var number = Number(value: 0, decimals: 0)
        let whole = at
        if at + 1 < letters.count, letters[at] == "." || letters[at] == ",", isDigit(letters[at + 1]) {
          number.hasComma = letters[at] == ","
          at += 1
          while at < letters.count, isDigit(letters[at]) { at += 1 }
          number.decimals = at - whole - 1
        }
        number.value = Double(String(letters[start..<at]).replacing(",", with: ".")) ?? 1e9
        // Of a version or an address, and of a list without spaces that has more than two numbers.
        if at + 1 < letters.count, letters[at] == ".", isDigit(letters[at + 1]) { number.value = 1e9 }
        if start > 1, letters[start - 1] == ".", isDigit(letters[start - 2]) { number.value = 1e9 }
        if case .sign(let sign)? = pieces.last, sign == "-" || sign == "+" || sign == "−" {
          pieces.removeLast()
          number.isSigned = true
          if sign != "+" { number.value = -number.value }
        }
        pieces.append(.number(number))
      } else if letter.isLetter, letter != "º" {
        let start = at
        while at < letters.count, letters[at].isLetter, letters[at] != "º" { at += 1 }
        pieces.append(.word(String(letters[start..<at]).lowercased()))
      } else if letter.isWhitespace {
        if pieces.last != .space { pieces.append(.space) }
        at += 1
      } else {
        pieces.append(.sign(letter))
        at += 1
      }
    }
    return pieces
  }

  private static func isDigit(_ letter: Character) -> Bool { letter.isASCII && letter.isNumber }

  // MARK: Forms

  /// The names of coordinates in texts and addresses of maps, with a number behind them: “Lat 46.7”, “geo:46.7,10.1”.
  private static func isLabelled(_ pieces: [Piece]) -> Bool {
    let parts = pieces.filter { ![.space, .sign("\""), .sign("'"), .sign("."), .sign("="), .sign(":")].contains($0) }
    for index in parts.indices.dropLast() {
      guard case .word(let word) = parts[index], case .number(let number) = parts[index + 1], number.isLongitude else {
        continue
      }
      if labels.contains(word), number.decimals > 0 { return true }
      if word == "geo", index + 3 < parts.count, parts[index + 2] == .sign(","), case .number = parts[index + 3] {
        return true
      }
    }
    return false
  }

  private static let labels: Set<String> = [
    "lat", "latitude", "lon", "lng", "long", "longitude", "breite", "lange", "länge", "latitud", "longitud",
    "latitudine", "longitudine",
  ]

  /// Degrees and minutes: 46°42', 46 deg 42' 1.2".
  private static func hasDegrees(_ pieces: [Piece]) -> Bool {
    let parts = pieces.filter { $0 != .space }
    for index in parts.indices.dropLast(3) {
      guard case .number(let degrees) = parts[index], degrees.isLongitude, degrees.decimals == 0,
        [.sign("°"), .sign("º"), .sign("˚"), .word("deg")].contains(parts[index + 1]),
        case .number(let minutes) = parts[index + 2], !minutes.isSigned, minutes.value < 60,
        [.sign("'"), .sign("′"), .sign("’"), .sign("´"), .word("min")].contains(parts[index + 3])
      else { continue }
      return true
    }
    return false
  }

  /// Two numbers with hemispheres: 46.7N 10.1E, N 46.7° E 10.1°, 46°N, 10°E.
  private static func hasHemispheres(_ pieces: [Piece]) -> Bool {
    let parts = pieces.filter { ![.space, .sign("°"), .sign("º"), .sign("˚"), .sign(","), .sign(";")].contains($0) }
    let hasDegrees = pieces.contains { [.sign("°"), .sign("º"), .sign("˚")].contains($0) }
    func isNumber(_ index: Int, _ isLatitude: Bool) -> Bool {
      guard case .number(let number) = parts[index], number.decimals > 0 || hasDegrees else { return false }
      return isLatitude ? number.isLatitude : number.isLongitude
    }
    func isWord(_ index: Int, _ words: [String]) -> Bool { words.contains { parts[index] == .word($0) } }
    for index in parts.indices.dropLast(3) {
      let (latitudes, longitudes) = (["n", "s"], ["e", "w", "o"])
      if isNumber(index, true), isWord(index + 1, latitudes), isNumber(index + 2, false),
        isWord(index + 3, longitudes)
      {
        return true
      }
      if isWord(index, latitudes), isNumber(index + 1, true), isWord(index + 2, longitudes),
        isNumber(index + 3, false)
      {
        return true
      }
    }
    return false
  }

  /// Two exact numbers behind each other, and no list of more than three.
  private static func hasPair(_ pieces: [Piece]) -> Bool {
    var run: [Number] = []
    var isFound = false
    func close() {
      if (2...3).contains(run.count), isPair(run[0], run[1]) { isFound = true }
      run = []
    }
    var signs = 0
    for piece in pieces {
      switch piece {
      case .number(let number):
        // Without a separator only a sign stands between two numbers (ISO 6709).
        if !run.isEmpty, signs == 0, !number.isSigned { close() }
        run.append(number)
        signs = 0
      case .space: signs += 1
      case .sign(","), .sign(";"), .sign("°"), .sign("º"): signs += 1
      case .sign("/") where run.count == 1: signs += 1
      default:
        close()
        signs = 0
      }
    }
    close()
    return isFound
  }

  /// Both between -1 and 1 are parts of a picture, or a place in the sea.
  private static func isPair(_ latitude: Number, _ longitude: Number) -> Bool {
    latitude.isExact && longitude.isExact && latitude.isLatitude && longitude.isLongitude
      && (abs(latitude.value) > 1 || abs(longitude.value) > 1)
  }
}
