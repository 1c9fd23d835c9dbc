// A person's own picture or movie as a backdrop, and its place behind the person.

import CameraCore

/// A picture or movie that a person has chosen as backdrop. It is known by its content, wherever its file is: see
/// `BackdropProvider`.
public struct OwnBackdrop: Sendable, Hashable {
  /// The size of the backdrop in the picture, when their shapes differ.
  public enum Fit: String, CaseIterable, Sendable, Hashable {
    /// The backdrop covers the picture, and loses what reaches out of it.
    case fill
    /// All of the backdrop is seen; a blurred copy of it is around it.
    case fit
  }

  /// 32 lowercase hexadecimal digits: the first half of the SHA-256 of the kept file.
  public let id: String
  public var fit: Fit
  /// The place along the axis where backdrop and picture differ, in percent: at 0 their left or upper edges meet, at 100
  /// their right or lower ones.
  public var position: Position
  /// Of a movie: the time in it at the beginning of the picture's own movie, in hundredths of a second, so that what is saved
  /// goes on from what was seen.
  public var start = 0

  /// In hundredths of a second: a minute and more, longer than any kept movie.
  public static let startRange = 0...9999

  /// A place in percent, 0…100.
  public struct Position: Sendable, Hashable {
    /// From the left.
    public let x: Int
    /// From the top.
    public let y: Int

    public static let center = Position(x: 50, y: 50)
    public static let range = 0...100

    /// - Parameters: Taken to the nearest end of the range.
    public init(x: Int, y: Int) {
      func held(_ value: Int) -> Int { min(max(value, Self.range.lowerBound), Self.range.upperBound) }
      (self.x, self.y) = (held(x), held(y))
    }
  }

  /// - Returns: `nil` for an id of another form.
  public init?(id: String, fit: Fit = .fill, position: Position = .center, start: Int = 0) {
    guard Self.isID(id), Self.startRange.contains(start) else { return nil }
    (self.id, self.fit, self.position, self.start) = (id, fit, position, start)
  }

  /// Whether a text has the form of an id.
  public static func isID(_ text: String) -> Bool {
    text.utf8.count == 32 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }

  private static let prefix = "own:"

  /// The name in recipes: `own:`, the id, and the place, as in `own:0123456789abcdef0123456789abcdef:fill:50,50`; behind
  /// another colon the start, unless it is 0.
  public var name: String {
    "\(Self.prefix)\(id):\(fit.rawValue):\(position.x),\(position.y)" + (start == 0 ? "" : ":\(start)")
  }

  /// - Returns: `nil` for a text of another form than `name`.
  init?(named name: String) {
    let parts = name.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard name.hasPrefix(Self.prefix), 4...5 ~= parts.count, let fit = Fit(rawValue: parts[2]),
      let position = Position(named: parts[3])
    else { return nil }
    var start = 0
    if parts.count == 5 {
      // Each start has one spelling.
      guard let number = Int(parts[4]), number > 0, "\(number)" == parts[4] else { return nil }
      start = number
    }
    self.init(id: parts[1], fit: fit, position: position, start: start)
  }

  /// Whether a text claims to be such a name.
  static func isNamed(_ name: String) -> Bool { name.hasPrefix(prefix) }

  /// The rectangle of the backdrop behind a picture, in the picture's pixels; it may reach out of it.
  ///
  /// - Parameters:
  ///   - size: Of the backdrop, in pixels.
  ///   - picture: In pixels.
  func place(of size: PixelSize, in picture: PixelSize) -> (x: Double, y: Double, scale: Double) {
    let across = Double(picture.width) / Double(max(1, size.width))
    let down = Double(picture.height) / Double(max(1, size.height))
    let scale = fit == .fill ? max(across, down) : min(across, down)
    func start(_ room: Int, _ length: Int, _ percent: Int) -> Double {
      (Double(room) - Double(length) * scale) * Double(percent) / 100
    }
    return (start(picture.width, size.width, position.x), start(picture.height, size.height, position.y), scale)
  }
}

extension OwnBackdrop.Position {
  /// - Parameter text: Both numbers, with a comma, as in `50,0`.
  /// - Returns: `nil` for another text, and for numbers out of range.
  public init?(named text: String) {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { part -> Int? in
      part.utf8.count <= 3 && part.utf8.allSatisfy { (48...57).contains($0) } ? Int(part) : nil
    }
    guard numbers.count == 2, let x = numbers[0], let y = numbers[1], Self.range.contains(x), Self.range.contains(y)
    else { return nil }
    self.init(x: x, y: y)
  }
}
