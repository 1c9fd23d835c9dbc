// The adjustments of a picture's light and color.

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
    /// The title for people.
    public let title: String
    public let range: ClosedRange<Double>
    // Proof: key paths to stored properties of a value hold nothing.
    nonisolated(unsafe) public let keyPath: WritableKeyPath<Adjustments, Double>
  }

  /// All adjustments in display order.
  public static let fields: [Field] = [
    Field(name: "exposure", title: "Exposure", range: -2...2, keyPath: \.exposure),
    Field(name: "contrast", title: "Contrast", range: -1...1, keyPath: \.contrast),
    Field(name: "brightness", title: "Brightness", range: -1...1, keyPath: \.brightness),
    Field(name: "highlights", title: "Highlights", range: -1...1, keyPath: \.highlights),
    Field(name: "shadows", title: "Shadows", range: -1...1, keyPath: \.shadows),
    Field(name: "saturation", title: "Saturation", range: -1...1, keyPath: \.saturation),
    Field(name: "warmth", title: "Warmth", range: -1...1, keyPath: \.warmth),
    Field(name: "tint", title: "Tint", range: -1...1, keyPath: \.tint),
    Field(name: "sharpness", title: "Sharpness", range: 0...1, keyPath: \.sharpness),
    Field(name: "vignette", title: "Vignette", range: -1...1, keyPath: \.vignette),
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
