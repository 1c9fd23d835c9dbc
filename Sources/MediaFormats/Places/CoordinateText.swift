// Geographic coordinates in texts.

import Foundation

/// Finds positions in what people and programs write: “46.7003, 10.0981”, “46°42′1″N”, “geo:46.7,10.1”, “Lat 46.7”.
///
/// Only forms that hardly mean anything else: two decimal numbers of a position, with four decimals or more each (ten
/// meters; prices and sizes have up to three), a number of degrees with minutes, a number with a name or a hemisphere, an
/// address of a map, or a whole plus code.
enum CoordinateText {
  /// In bytes; nobody writes a longer text.
  static let longest = 64 << 10
  /// Of a caption with two angles and some other numbers.
  private static let mostNumbers = 64

  static func isFound(in text: String) -> Bool {
    guard text.utf8.count <= longest else { return false }
    let decoded = decoded(text)
    guard decoded.utf8.contains(where: { (48...57).contains($0) }) else { return false }
    let pieces = pieces(of: decoded)
    return isLabelled(pieces) || hasDegrees(pieces) || hasHemispheres(pieces) || hasPair(pieces) || isOfMap(pieces)
      || plusCodes(in: decoded).contains { $0.isWhole }
  }

  /// The numbers in a text that may be a coordinate of a place, to a hundred meters.
  static func exactNumbers(in text: String) -> [Double] {
    guard text.utf8.count <= longest else { return [] }
    return pieces(of: text).compactMap { piece in
      guard case .number(let number) = piece, number.isExact, number.isLongitude else { return nil }
      return number.value
    }
  }

  /// The sizes of the angles that the numbers in a text may mean where they are two: decimals with a comma; degrees, minutes
  /// and seconds behind each other, or in one number (ISO 6709).
  static func possibleAngles(in text: String) -> [Double] {
    guard text.utf8.count <= longest else { return [] }
    let angles = possibleAngles(pieces(of: text))
    // A comma is a decimal one, or between two angles.
    return text.contains(",") ? angles + possibleAngles(pieces(of: text.replacing(",", with: ", "))) : angles
  }

  private static func possibleAngles(_ pieces: [Piece]) -> [Double] {
    let numbers = pieces.compactMap { piece in
      if case .number(let number) = piece, abs(number.value) < 1e9 { number } else { nil }
    }
    // Any two angles are among many numbers.
    guard numbers.count <= mostNumbers else { return [] }
    var angles: [Double] = []
    for (index, number) in numbers.enumerated() {
      let value = abs(number.value)
      if number.decimals > 2 { angles.append(value) }
      if (4...5).contains(number.digits), number.decimals > 1 {
        angles.append((value / 100).rounded(.down) + value.truncatingRemainder(dividingBy: 100) / 60)
      } else if (6...7).contains(number.digits) {
        let minutes = (value / 100).rounded(.down).truncatingRemainder(dividingBy: 100)
        angles.append(
          (value / 10_000).rounded(.down) + minutes / 60 + value.truncatingRemainder(dividingBy: 100) / 3600)
      }
      guard number.decimals == 0, number.isLongitude, index + 1 < numbers.count else { continue }
      let (minutes, seconds) = (numbers[index + 1], index + 2 < numbers.count ? numbers[index + 2] : nil)
      guard abs(minutes.value) < 60 else { continue }
      if minutes.decimals > 1 { angles.append(value + abs(minutes.value) / 60) }
      if minutes.decimals == 0, let seconds, abs(seconds.value) < 60 {
        angles.append(value + abs(minutes.value) / 60 + abs(seconds.value) / 3600)
      }
    }
    return angles
  }

  /// A coordinate of the form that XMP has for EXIF's: “46,42.018N”, “46,42,1N”.
  ///
  /// Source: XMP specification, part 2, 2.2.
  static func coordinate(_ text: String) -> Double? {
    guard let last = text.last, "NSEW".contains(last) else { return nil }
    let parts = text.dropLast().split(separator: ",").map { Double($0) }
    guard (2...3).contains(parts.count), let degrees = parts[0], let minutes = parts[1] else { return nil }
    let seconds = parts.count == 3 ? parts[2] ?? 0 : 0
    return (degrees + minutes / 60 + seconds / 3600) * (last == "S" || last == "W" ? -1 : 1)
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
    /// The digits before the point.
    var digits = 0
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
        number.digits = at - start
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
    let parts = pieces.filter { ![.space, .sign("\""), .sign("'"), .sign("="), .sign(":")].contains($0) }
    var sizes: Set<String> = []
    for (index, piece) in parts.enumerated() {
      guard case .word(let word) = piece else { continue }
      let isAbbreviated = index + 1 < parts.count && parts[index + 1] == .sign(".") && abbreviations.contains(word)
      let next = index + (isAbbreviated ? 2 : 1)
      guard next < parts.count, case .number(let number) = parts[next], number.isLongitude else { continue }
      if labels.contains(word), number.decimals > 0 { return true }
      if sizeLabels.contains(word), number.decimals > 0 {
        if number.decimals > 3 || next + 1 < parts.count && degreeSigns.contains(parts[next + 1]) { return true }
        if number.decimals > 2 { sizes.insert(word) }
        if sizes.count > 1 { return true }
      }
      if word == "geo", index + 3 < parts.count, parts[index + 2] == .sign(","), case .number = parts[index + 3] {
        return true
      }
      if word == "geo", number.hasComma, pieces.contains(.sign(":")) { return true }
    }
    return false
  }

  private static let labels: Set<String> = [
    "lat", "latitude", "lon", "lng", "longitude", "latitud", "longitud", "latitudine", "longitudine", "mlat", "mlon",
  ]
  /// Those that are also words for sizes, in meters: they need degrees, four decimals, or three at both of two.
  private static let sizeLabels: Set<String> = ["long", "breite", "lange", "länge"]
  /// Those that may have a full stop.
  private static let abbreviations: Set<String> = ["lat", "lon", "lng", "long"]

  private static let degreeSigns: [Piece] = [.sign("°"), .sign("º"), .sign("˚")]
  private static let minuteSigns: [Piece] = [.sign("'"), .sign("′"), .sign("’"), .sign("´"), .sign("ʹ"), .word("min")]
  private static let latitudes: [Piece] = [.word("n"), .word("s")]
  private static let longitudes: [Piece] = [.word("e"), .word("w"), .word("o")]

  /// Degrees and minutes: 46°42', 46 deg 42' 1.2", N 46° 42.018.
  private static func hasDegrees(_ pieces: [Piece]) -> Bool {
    let parts = pieces.filter { $0 != .space }
    let hemispheres = latitudes + longitudes
    var uncertain = 0
    for index in parts.indices.dropLast(2) {
      guard case .number(let degrees) = parts[index], degrees.isLongitude, degrees.decimals == 0,
        (degreeSigns + [.word("deg")]).contains(parts[index + 1]),
        case .number(let minutes) = parts[index + 2], !minutes.isSigned, minutes.value < 60
      else { continue }
      let next = index + 3 < parts.count ? parts[index + 3] : .space
      if minuteSigns.contains(next) {
        // An angle in words may be any, and feet have the sign of minutes.
        let isPlain = parts[index + 1] == .word("deg") || next == .word("min")
        if !isPlain || isSecond(parts, index + 4) { return true }
        if next != .word("min") { uncertain += 1 }
      }
      if uncertain > 1 { return true }
      guard minutes.decimals > 1 else { continue }
      if hemispheres.contains(next) || index > 0 && hemispheres.contains(parts[index - 1]) { return true }
    }
    return false
  }

  /// Whether seconds or a hemisphere are at an index.
  private static func isSecond(_ parts: [Piece], _ index: Int) -> Bool {
    guard index < parts.count else { return false }
    if case .number = parts[index] { return true }
    return (latitudes + longitudes).contains(parts[index])
  }

  /// Two positions with hemispheres: 46.7N 10.1E, N 46.7° E 10.1°, 46°N, 10°E, 46 42 1 N 10 5 53 E, and those of receivers.
  private static func hasHemispheres(_ pieces: [Piece]) -> Bool {
    let between: [Piece] =
      degreeSigns + minuteSigns + [.space, .sign(","), .sign(";"), .sign("\""), .sign("″"), .sign("”")]
    let parts = pieces.filter { !between.contains($0) }
    let hasDegrees = pieces.contains { degreeSigns.contains($0) }
    for start in parts.indices {
      // The hemisphere is before both angles, or behind.
      for isBefore in [true, false] {
        var at = start
        if take(latitudes, 90, parts, &at, isBefore, hasDegrees),
          take(longitudes, 180, parts, &at, isBefore, hasDegrees)
        {
          return true
        }
      }
    }
    return false
  }

  /// Moves behind an angle with its hemisphere.
  private static func take(
    _ hemispheres: [Piece], _ limit: Double, _ parts: [Piece], _ at: inout Int, _ isBefore: Bool, _ hasDegrees: Bool
  ) -> Bool {
    if isBefore {
      guard at < parts.count, hemispheres.contains(parts[at]) else { return false }
      at += 1
    }
    var numbers: [Number] = []
    while at < parts.count, numbers.count < 4, case .number(let number) = parts[at] {
      numbers.append(number)
      at += 1
    }
    guard isAngle(numbers, limit, hasDegrees) else { return false }
    if isBefore { return true }
    guard at < parts.count, hemispheres.contains(parts[at]) else { return false }
    at += 1
    return true
  }

  /// Degrees; degrees and minutes; degrees, minutes and seconds; or all of these as one number (NMEA 0183, ISO 6709).
  private static func isAngle(_ numbers: [Number], _ limit: Double, _ hasDegrees: Bool) -> Bool {
    guard let first = numbers.first, numbers.dropFirst().allSatisfy({ $0.value >= 0 && $0.value < 60 && !$0.isSigned })
    else { return false }
    switch numbers.count {
    case 1:
      if abs(first.value) <= limit { return first.decimals > 0 || hasDegrees }
      // Any number of digits may be written.
      guard abs(first.value) <= limit * 10_000 else { return false }
      let width = limit > 90 ? 3 : 2
      let minutes = Int(first.value) % 100
      if first.digits == width + 2, first.decimals > 1 { return first.value <= limit * 100 && minutes < 60 }
      return first.digits == width + 4 && first.decimals == 0 && first.value <= limit * 10_000
        && minutes < 60 && Int(first.value) / 100 % 100 < 60
    case 2: return abs(first.value) <= limit && first.decimals == 0 && (numbers[1].decimals > 1 || hasDegrees)
    case 3: return abs(first.value) <= limit && first.decimals == 0 && numbers[1].decimals == 0
    default: return false
    }
  }

  /// An address of a map: /@46.7,10.1, !3d46.7!4d10.1, #map=15/46.7/10.1, ?q=46.7,10.1.
  private static func isOfMap(_ pieces: [Piece]) -> Bool {
    let isMap = pieces.contains { piece in
      guard case .word(let word) = piece else { return false }
      return word.hasPrefix("map") || word == "openstreetmap" || word == "osm" || word == "waze"
    }
    for index in pieces.indices {
      switch pieces[index] {
      case .sign("@"):
        let isInAddress = index > 0 && pieces[index - 1] == .sign("/")
        if hasPosition(pieces, index + 1, [.sign(",")], decimals: isInAddress ? 1 : 2) { return true }
      case .sign("="), .sign(":"):
        guard index > 0, case .word(let key) = pieces[index - 1], isMap || mapKeys.contains(key) else { continue }
        let isInAddress = index > 1 && [.sign("?"), .sign("&"), .sign("="), .sign("#")].contains(pieces[index - 2])
        if hasPosition(pieces, index + 1, [.sign(","), .sign("~")], decimals: isInAddress ? 1 : 2) { return true }
        // OpenStreetMap's: the zoom comes first.
        if hasZoom(pieces, index + 1) { return true }
      case .sign("#"):
        if hasZoom(pieces, index + 1) { return true }
      case .sign("/") where isMap:
        if hasPosition(pieces, index + 1, [.sign(",")]) { return true }
      case .sign("!"):
        guard index + 3 < pieces.count, case .number(let field) = pieces[index + 1], field.value == 3,
          pieces[index + 2] == .word("d"), let latitude = decimal(pieces, index + 3), latitude.isLatitude
        else { continue }
        return true
      default: continue
      }
    }
    return false
  }

  /// The names of positions in addresses of maps.
  private static let mapKeys: Set<String> = [
    "q", "ll", "sll", "cp", "loc", "query", "center", "daddr", "saddr", "destination", "origin", "viewpoint", "map",
  ]

  /// Whether two decimal numbers with a separator, without spaces, are at an index, one of them with so many decimals.
  private static func hasPosition(
    _ pieces: [Piece], _ index: Int, _ separators: [Piece], decimals: Int = 1
  ) -> Bool {
    guard let latitude = decimal(pieces, index), index + 2 < pieces.count, separators.contains(pieces[index + 1]),
      let longitude = decimal(pieces, index + 2)
    else { return false }
    return latitude.isLatitude && longitude.isLongitude && max(latitude.decimals, longitude.decimals) >= decimals
  }

  private static func hasZoom(_ pieces: [Piece], _ index: Int) -> Bool {
    guard index + 1 < pieces.count, case .number(let zoom) = pieces[index], zoom.value <= 24,
      pieces[index + 1] == .sign("/")
    else { return false }
    return hasPosition(pieces, index + 2, [.sign("/")])
  }

  private static func decimal(_ pieces: [Piece], _ index: Int) -> Number? {
    guard index < pieces.count, case .number(let number) = pieces[index], number.decimals > 0, !number.hasComma else {
      return nil
    }
    return number
  }

  /// Two numbers of a position behind each other, and no list of more than three.
  private static func hasPair(_ pieces: [Piece]) -> Bool {
    var run: [Number] = []
    var hasDegrees = false
    var isApart = false
    var isFound = false
    func close() {
      if (2...3).contains(run.count), isPair(run[0], run[1], hasDegrees, isApart) { isFound = true }
      run = []
      (hasDegrees, isApart) = (false, false)
    }
    var signs = 0
    for piece in pieces {
      switch piece {
      case .number(let number):
        // Without a separator only a sign stands between two numbers (ISO 6709).
        if !run.isEmpty, signs == 0, !number.isSigned { close() }
        if run.count == 1 { isApart = signs > 0 }
        run.append(number)
        signs = 0
      case .space: signs += 1
      case .sign(","), .sign(";"): signs += 1
      case _ where degreeSigns.contains(piece):
        signs += 1
        hasDegrees = hasDegrees || !run.isEmpty
      case .sign("/") where run.count == 1: signs += 1
      default:
        close()
        signs = 0
      }
    }
    close()
    return isFound
  }

  /// Both between -1 and 1 are parts of a picture, or a place in the sea. Three decimals are those of prices and sizes,
  /// unless the numbers are degrees, or have the signs and the digits of ISO 6709.
  private static func isPair(_ latitude: Number, _ longitude: Number, _ hasDegrees: Bool, _ isApart: Bool) -> Bool {
    let isStandard =
      !isApart && latitude.isSigned && longitude.isSigned && latitude.digits == 2 && longitude.digits == 3
    let isExact =
      min(latitude.decimals, longitude.decimals) > 3
      || (hasDegrees || isStandard) && latitude.isExact
        && longitude.isExact
    return isExact && latitude.isLatitude && longitude.isLongitude
      && (abs(latitude.value) > 1 || abs(longitude.value) > 1)
  }
}
