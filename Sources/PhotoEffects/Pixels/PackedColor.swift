// A pixel's colour as fractions, and back.

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

  /// From BGRX. By way of Int32: SSE2 turns only signed numbers into fractions.
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

  /// Between this colour (0) and another one (1).
  @inline(__always)
  func mixed(with other: Self, share: Float) -> Self {
    Self(
      blue: blue + (other.blue - blue) * share, green: green + (other.green - green) * share,
      red: red + (other.red - red) * share)
  }
}
