// The JSON form of a recipe: stable, strict and the same on every machine.

import Foundation
import Localization

/// The format, version 1.3, with all its keys; neutral values are not written:
///
///     {
///       "adjustments" : { "exposure" : 0.5, … },                               names of `Adjustments.fields`
///       "effect" : { "intensity" : 0.8, "name" : "noir",                       an `Effect`'s identifier
///                    "on" : "person", "backdrop" : "sunset" },                 an `EffectScope`, the name of a `Backdrop`
///       "geometry" : { "crop" : { "height" : 1, "width" : 0.5, "x" : 0.25, "y" : 0 },
///                      "flip" : true, "straighten" : -2.5, "turn" : 90 },
///       "keyPhotoTime" : 1.5, "mute" : true, "playbackStyle" : "bounce",
///       "matte" : [ { "mode" : "add", "points" : [5000, 2500, 5100, 2620], "radius" : 0.03 }, … ],
///       "person" : true,
///       "redEye" : [ { "radius" : 0.004, "x" : 0.41, "y" : 0.3 }, … ],         `RedEyeSpot`s
///       "trim" : { "end" : 2.5, "start" : 0.5 }
///     }
///
/// The points of a stroke (`MatteStroke`) are ten-thousandths of the picture's width and height, by turns.
///
/// Version 1.1 added `on`, `backdrop`, and effects that tell people from the background; version 1.2 `matte`,
/// `redEye`, and own backdrops (`own:…`); version 1.3 `person`,
/// which most shots with such effects have, and `skin` as a value of `on`. A higher major version is refused.
/// The minor version counts additions: an edit of version 1.7 that uses none of them is
/// read. Unknown keys and names are always refused: an edit that can't be rendered exactly is not opened.
extension AdjustmentRecipe: Codable {
  public static let formatIdentifier = "io.github.photome.recipe"
  public static let formatVersion = "1.3"

  /// The limit of a recipe's length, in bytes: longer than one with as many strokes as there may be.
  static let longestData = 1 << 19

  /// Reads a recipe from an asset's adjustment data.
  ///
  /// - Throws: A `RecipeError` when it is another program's or a newer version's, or can't be read or rendered exactly.
  public init(formatIdentifier: String, formatVersion: String, data: Data) throws {
    try Self.checkFormat(identifier: formatIdentifier, version: formatVersion)
    try Self.checkShape(data)
    do {
      self = try JSONDecoder().decode(AdjustmentRecipe.self, from: data)
    } catch let error as DecodingError {
      throw RecipeError.malformed(message: Self.text(of: error))
    }
  }

  /// The recipe as adjustment data of an asset: the same bytes for the same values.
  ///
  /// - Throws: A `RecipeError` for values that can't be rendered.
  public func data() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }

  /// Checks that this version reads an edit's format.
  ///
  /// - Throws: `RecipeError.unknownFormat`, `.newerVersion` or `.malformedVersion`.
  public static func checkFormat(identifier: String, version: String) throws {
    guard identifier == formatIdentifier else { throw RecipeError.unknownFormat(identifier: identifier) }
    let parts = version.split(separator: ".", omittingEmptySubsequences: false)
    let isDigits = parts.allSatisfy { !$0.isEmpty && $0.count <= 6 && $0.allSatisfy { $0.isASCII && $0.isNumber } }
    guard parts.count == 2, isDigits, let major = Int(parts[0]), major > 0 else {
      throw RecipeError.malformedVersion(version)
    }
    guard major == 1 else { throw RecipeError.newerVersion(version, supported: formatVersion) }
  }

  /// Refuses text unlike any recipe before it is parsed: the time of Foundation's decoder grows with the square of the
  /// nesting depth.
  ///
  /// - Parameter longest: The limit of its length, in bytes.
  static func checkShape(_ data: Data, longest: Int = longestData) throws {
    guard data.count <= longest else { throw RecipeError.malformed(message: localized("they are too long")) }
    var depth = 0
    for byte in data {
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth += 1 }
      if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { depth -= 1 }
      guard depth <= 8 else { throw RecipeError.malformed(message: localized("they are nested too deeply")) }
    }
  }

  private static func text(of error: DecodingError) -> String {
    func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
      (context.codingPath + [key].compactMap(\.self)).map(\.stringValue).joined(separator: ".")
    }
    let (isMissing, name) =
      switch error {
      case .typeMismatch(_, let context): (false, path(context))
      case .valueNotFound(_, let context): (true, path(context))
      case .keyNotFound(let key, let context): (true, path(context, key))
      case .dataCorrupted(let context): (false, path(context))
      @unknown default: (false, "")
      }
    if name.isEmpty { return localized("they aren’t valid JSON", comment: "The settings of an edit") }
    return isMissing ? localized("“\(name)” has no value") : localized("the value of “\(name)” isn’t valid")
  }

  // MARK: Codable

  private enum Key: String, CaseIterable {
    case adjustments, effect, geometry, keyPhotoTime, matte, mute, person, playbackStyle, redEye, trim
  }
  private enum EffectKey: String, CaseIterable { case backdrop, intensity, name, on }
  private enum GeometryKey: String, CaseIterable { case crop, flip, straighten, turn }
  private enum CropKey: String, CaseIterable { case height, width, x, y }
  private enum TrimKey: String, CaseIterable { case end, start }
  private enum StrokeKey: String, CaseIterable { case mode, points, radius }

  /// - Throws: A `RecipeError` for values that can't be rendered exactly, a `DecodingError` for those of another type.
  public init(from decoder: any Decoder) throws {
    self.init()
    let values = try StrictValues<Key>(decoder)
    if let nested = try values.nested(.effect, EffectKey.self) {
      let name = try nested.required(.name, String.self)
      guard let effect = Effect.all.first(where: { $0.identifier == name }) else {
        throw RecipeError.unknownEffect(name, known: Effect.all.map(\.identifier))
      }
      self.effect = EffectSetting(
        effect, intensity: try nested.required(.intensity, Double.self),
        scope: try nested.value(.on).map { try EffectScope(named: $0) } ?? .everywhere,
        backdrop: try nested.value(.backdrop).map { try Backdrop(named: $0) })
    }
    if let nested = try values.container(.adjustments) {
      let known = Adjustments.fields.map(\.name)
      try StrictValues<Key>.refuse(nested.allKeys, known: known, path: Key.adjustments.rawValue + ".")
      for field in Adjustments.fields {
        if nested.contains(AnyKey(field.name)) {
          adjustments[keyPath: field.keyPath] = try nested.decode(Double.self, forKey: AnyKey(field.name))
        }
      }
    }
    if let nested = try values.nested(.geometry, GeometryKey.self) {
      geometry.turn = try Geometry.Turn(degrees: nested.value(.turn) ?? 0)
      geometry.isFlipped = try nested.value(.flip) ?? false
      geometry.straighten = try nested.value(.straighten) ?? 0
      if let crop = try nested.nested(.crop, CropKey.self) {
        geometry.crop = try Geometry.Crop(
          x: crop.required(.x, Double.self), y: crop.required(.y, Double.self),
          width: crop.required(.width, Double.self), height: crop.required(.height, Double.self))
      }
    }
    matteStrokes = try values.list(.matte, StrokeKey.self) { try Self.stroke($0) }
    redEye = try values.value(.redEye) ?? []
    keyPhotoTime = try values.value(.keyPhotoTime)
    isMuted = try values.value(.mute) ?? false
    hasPerson = try values.value(.person) ?? false
    if let name: String = try values.value(.playbackStyle) {
      guard let style = PlaybackStyle(rawValue: name) else {
        throw RecipeError.unknownPlaybackStyle(name, known: PlaybackStyle.allCases.map(\.rawValue))
      }
      playbackStyle = style
    }
    if let nested = try values.nested(.trim, TrimKey.self) {
      trim = try Trim(start: nested.required(.start, Double.self), end: nested.required(.end, Double.self))
    }
    try validate()
  }

  private static func stroke(_ values: StrictValues<StrokeKey>) throws -> MatteStroke {
    let name = try values.required(.mode, String.self)
    let numbers = try values.required(.points, [Int32].self)
    guard let mode = MatteStroke.Mode(rawValue: name), !numbers.isEmpty, numbers.count % 2 == 0,
      numbers.allSatisfy(MatteStroke.Point.range.contains)
    else { throw RecipeError.malformed(message: localized("the value of “\("matte")” isn’t valid")) }
    let points = stride(from: 0, to: numbers.count, by: 2).map {
      MatteStroke.Point(column: numbers[$0], row: numbers[$0 + 1])
    }
    return MatteStroke(mode, radius: try values.required(.radius, Double.self), points: points)
  }

  /// - Throws: A `RecipeError` for values that can't be rendered.
  public func encode(to encoder: any Encoder) throws {
    try validate()
    var values = encoder.container(keyedBy: AnyKey.self)
    func nested(_ key: Key) -> KeyedEncodingContainer<AnyKey> {
      values.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(key))
    }
    if let effect {
      var container = nested(.effect)
      try container.encode(effect.effect.identifier, forKey: AnyKey(EffectKey.name))
      try container.encode(effect.intensity, forKey: AnyKey(EffectKey.intensity))
      try container.encodeIfPresent(effect.backdrop?.name, forKey: AnyKey(EffectKey.backdrop))
      if effect.scope != .everywhere { try container.encode(effect.scope.rawValue, forKey: AnyKey(EffectKey.on)) }
    }
    if !adjustments.isNeutral {
      var container = nested(.adjustments)
      for field in Adjustments.fields where adjustments[keyPath: field.keyPath] != 0 {
        try container.encode(adjustments[keyPath: field.keyPath], forKey: AnyKey(field.name))
      }
    }
    if !geometry.isNeutral {
      var container = nested(.geometry)
      if geometry.turn != .none { try container.encode(geometry.turn.rawValue, forKey: AnyKey(GeometryKey.turn)) }
      if geometry.isFlipped { try container.encode(true, forKey: AnyKey(GeometryKey.flip)) }
      if geometry.straighten != 0 { try container.encode(geometry.straighten, forKey: AnyKey(GeometryKey.straighten)) }
      if geometry.crop != .full {
        var crop = container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(GeometryKey.crop))
        try crop.encode(geometry.crop.x, forKey: AnyKey(CropKey.x))
        try crop.encode(geometry.crop.y, forKey: AnyKey(CropKey.y))
        try crop.encode(geometry.crop.width, forKey: AnyKey(CropKey.width))
        try crop.encode(geometry.crop.height, forKey: AnyKey(CropKey.height))
      }
    }
    if !matteStrokes.isEmpty {
      var list = values.nestedUnkeyedContainer(forKey: AnyKey(Key.matte))
      for stroke in matteStrokes {
        var container = list.nestedContainer(keyedBy: AnyKey.self)
        try container.encode(stroke.mode.rawValue, forKey: AnyKey(StrokeKey.mode))
        try container.encode(stroke.radius, forKey: AnyKey(StrokeKey.radius))
        try container.encode(stroke.points.flatMap { [$0.column, $0.row] }, forKey: AnyKey(StrokeKey.points))
      }
    }
    if !redEye.isEmpty { try values.encode(redEye, forKey: AnyKey(Key.redEye)) }
    try values.encodeIfPresent(keyPhotoTime, forKey: AnyKey(Key.keyPhotoTime))
    if isMuted { try values.encode(true, forKey: AnyKey(Key.mute)) }
    if hasPerson { try values.encode(true, forKey: AnyKey(Key.person)) }
    if playbackStyle != .live { try values.encode(playbackStyle.rawValue, forKey: AnyKey(Key.playbackStyle)) }
    if let trim {
      var container = nested(.trim)
      try container.encode(trim.start, forKey: AnyKey(TrimKey.start))
      try container.encode(trim.end, forKey: AnyKey(TrimKey.end))
    }
  }
}
