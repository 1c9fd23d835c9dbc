// The adjustments of a picture's light and color.

import Localization

/// The adjustments of a picture. With everything at 0 the picture stays as it is, byte for byte.
public struct Adjustments: Sendable, Hashable {
  /// Stops of light, −2…2: +1 doubles the light. Applied in linear light, before everything else.
  public var exposure = 0.0
  /// −1…1: toward middle gray, more contrast.
  public var contrast = 0.0
  /// −1…1: midtones darker, lighter; black and white stay.
  public var brightness = 0.0
  /// −1…1: highlights darker (recovers what exposure pushed past white), lighter.
  public var highlights = 0.0
  /// −1…1: shadows darker, lighter.
  public var shadows = 0.0
  /// −1…1: gray at −1, twice the distance from gray at 1.
  public var saturation = 0.0
  /// −1…1: bluer, yellower.
  public var warmth = 0.0
  /// −1…1: greener, more magenta.
  public var tint = 0.0
  /// 0…1: more fine detail.
  public var sharpness = 0.0
  /// −1…1: corners lighter, darker. Applied last, after an effect.
  public var vignette = 0.0

  public init() {}

  public var isNeutral: Bool { self == Adjustments() }

  /// One of the adjustments, for code that lists, reads or writes all of them.
  public struct Field: Sendable {
    /// The name in recipes and on the command line.
    public let name: String
    private let localizedTitle: @Sendable () -> String
    public let range: ClosedRange<Double>
    // Proof: key paths to stored properties of a value hold nothing.
    nonisolated(unsafe) public let keyPath: WritableKeyPath<Adjustments, Double>

    /// The title for people.
    public var title: String { localizedTitle() }

    fileprivate init(
      _ name: String, _ title: @autoclosure @escaping @Sendable () -> String, _ range: ClosedRange<Double>,
      _ keyPath: WritableKeyPath<Adjustments, Double>
    ) {
      self.name = name
      localizedTitle = title
      self.range = range
      self.keyPath = keyPath
    }
  }

  /// All adjustments in display order.
  public static let fields: [Field] = [
    Field("exposure", localized("Exposure", context: "adjustment"), -2...2, \.exposure),
    Field("contrast", localized("Contrast", context: "adjustment"), -1...1, \.contrast),
    Field("brightness", localized("Brightness", context: "adjustment"), -1...1, \.brightness),
    Field("highlights", localized("Highlights", context: "adjustment"), -1...1, \.highlights),
    Field("shadows", localized("Shadows", context: "adjustment"), -1...1, \.shadows),
    Field("saturation", localized("Saturation", context: "adjustment"), -1...1, \.saturation),
    Field("warmth", localized("Warmth", context: "adjustment"), -1...1, \.warmth),
    Field("tint", localized("Tint", context: "adjustment"), -1...1, \.tint),
    Field("sharpness", localized("Sharpness", context: "adjustment"), 0...1, \.sharpness),
    Field("vignette", localized("Vignette", context: "adjustment"), -1...1, \.vignette),
  ]

  /// The field of a name, case-insensitive.
  ///
  /// - Throws: `RecipeError.unknownAdjustment`, which lists the names.
  public static func field(named name: String) throws -> Field {
    guard let field = fields.first(where: { $0.name == name.lowercased() }) else {
      throw RecipeError.unknownAdjustment(name, known: fields.map(\.name))
    }
    return field
  }

  /// - Throws: `RecipeError.outOfRange` for the first value that is not a number or out of range.
  public func validate() throws {
    for field in Self.fields {
      try RecipeError.check(self[keyPath: field.keyPath], in: field.range, name: field.name)
    }
  }
}
