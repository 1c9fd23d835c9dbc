// What a person can change about a picture's light and colour, as numbers.

/// The adjustments of a picture. Everything at 0 is the picture as it is, byte for byte.
public struct Adjustments: Sendable, Hashable {
  /// Stops of light, −2…2: +1 doubles the light. Applied in linear light, before everything else.
  public var exposure = 0.0
  /// −1…1: nearer to the middle grey, harder.
  public var contrast = 0.0
  /// −1…1: middle tones darker, lighter; black and white stay.
  public var brightness = 0.0
  /// −1…1: light tones darker (what exposure pushed past white comes back), lighter.
  public var highlights = 0.0
  /// −1…1: dark tones darker, lighter.
  public var shadows = 0.0
  /// −1…1: grey at −1, colours twice as far from grey at 1.
  public var saturation = 0.0
  /// −1…1: bluer, yellower.
  public var warmth = 0.0
  /// −1…1: greener, more magenta.
  public var tint = 0.0
  /// 0…1: fine detail stands out.
  public var sharpness = 0.0
  /// −1…1: corners lighter, darker. The last thing that is done to a picture, after an effect.
  public var vignette = 0.0

  public init() {}

  public var isNeutral: Bool { self == Adjustments() }

  /// One of the adjustments, for whoever lists, reads or writes all of them.
  public struct Field: Sendable {
    /// As recipes and the command line name it.
    public let name: String
    /// As a person reads it.
    public let title: String
    public let range: ClosedRange<Double>
    // Proof: key paths to stored properties of a value hold nothing.
    nonisolated(unsafe) public let keyPath: WritableKeyPath<Adjustments, Double>
  }

  /// All adjustments in the order in which they are shown.
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

  /// The field of a name, in any case.
  ///
  /// - Throws: `RecipeError.unknownAdjustment`, which lists the names.
  public static func field(named name: String) throws -> Field {
    guard let field = fields.first(where: { $0.name == name.lowercased() }) else {
      throw RecipeError.unknownAdjustment(name, known: fields.map(\.name))
    }
    return field
  }

  /// - Throws: `RecipeError.outOfRange` for the first value that is none or outside of its range.
  public func validate() throws {
    for field in Self.fields {
      try RecipeError.check(self[keyPath: field.keyPath], in: field.range, name: field.name)
    }
  }
}

extension Adjustments {
  /// Applies all of it to a picture in place, the vignette last. For many pictures, `FrameProcessor` makes the tables once.
  ///
  /// Values outside of their ranges are not looked for; `validate()` does that.
  public func apply(to view: PixelView, context: FrameContext, scratch: EffectScratch) {
    let renderer = AdjustmentRenderer(self, isLast: true)
    renderer.apply(to: view, context: context, scratch: scratch)
    renderer.applyVignette(to: view, scratch: scratch)
  }
}
