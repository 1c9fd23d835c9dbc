// How much each colour counts for how bright a pixel is taken to be.

/// Shares of red, green and blue; together they are 1.
struct LumaWeights {
  let red: Float
  let green: Float
  let blue: Float

  /// ITU-R BT.601, as in JPEG.
  static let video = LumaWeights(red: 0.299, green: 0.587, blue: 0.114)
  /// As film for blueprints and early films saw it, with little red: lips, skin and everything orange stand out from a grey
  /// that is as bright to the eye, so edges between them are seen.
  static let orthochromatic = LumaWeights(red: 0.2, green: 0.58, blue: 0.22)
}
