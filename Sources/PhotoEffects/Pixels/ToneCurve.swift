// The tone curve of sRGB.

import Foundation

/// The curve between values on the screen and light (IEC 61966-2-1).
enum ToneCurve {
  /// The linear light of an sRGB value.
  static func linear(_ value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  /// The sRGB value of linear light, also above 1.
  static func encoded(_ light: Double) -> Double {
    light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
  }
}
