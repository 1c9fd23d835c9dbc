// A pixel's color as floating-point channels, and the weights of luma.

/// Blue, green and red, 0 to 255.
struct PackedColor {
  var blue: Float
  var green: Float
  var red: Float

  @inline(__always)
  init(blue: Float, green: Float, red: Float) {
    self.blue = blue
    self.green = green
    self.red = red
  }

  /// From BGRX. Through Int32: SSE2 converts only signed integers to floating point.
  @inline(__always)
  init(_ pixel: UInt32) {
    blue = Float(Int32(bitPattern: pixel & 0xff))
    green = Float(Int32(bitPattern: (pixel >> 8) & 0xff))
    red = Float(Int32(bitPattern: (pixel >> 16) & 0xff))
  }

  /// From the luma `Y` and the differences `B − Y` and `R − Y`, which give `G − Y` as `−(r (R − Y) + b (B − Y)) / g` of the
  /// weights `r`, `g` and `b`.
  @inline(__always)
  init(luma: Float, blue: Float, red: Float, weights: LumaWeights) {
    self.blue = (luma + blue).limited(to: 255)
    green = (luma - (blue * (weights.blue / weights.green) + red * (weights.red / weights.green))).limited(to: 255)
    self.red = (luma + red).limited(to: 255)
  }

  /// BGRX with 0 for X. The parts must be 0 to 255.
  ///
  /// Adding 1.5·2²³ leaves the nearest whole number in the lowest bits of a Float, which no compiler turns into a trap.
  @inline(__always)
  var packed: UInt32 {
    let magic: Float = 12_582_912
    return (((red + magic).bitPattern & 0xff) << 16) | (((green + magic).bitPattern & 0xff) << 8)
      | ((blue + magic).bitPattern & 0xff)
  }

  /// Between this color (0) and another one (1).
  @inline(__always)
  func mixed(with other: Self, share: Float) -> Self {
    Self(
      blue: blue + (other.blue - blue) * share, green: green + (other.green - green) * share,
      red: red + (other.red - red) * share)
  }
}

/// The weights of red, green and blue in luma; their sum is 1.
struct LumaWeights {
  let red: Float
  let green: Float
  let blue: Float

  /// ITU-R BT.601, as in JPEG.
  static let video = LumaWeights(red: 0.299, green: 0.587, blue: 0.114)
  /// As orthochromatic film, with little red: lips, skin and everything orange stand out from a gray of the same brightness,
  /// so that edges between them are detected.
  static let orthochromatic = LumaWeights(red: 0.2, green: 0.58, blue: 0.22)
}
