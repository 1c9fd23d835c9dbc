// The brightness of HDR on a screen of ordinary brightness.

import Foundation

/// The light of HDR values, toned down to what a screen of ordinary brightness shows: of stills and of movies.
///
/// Each of red, green and blue is toned for itself, which brings colors toward white as they get brighter (ITU-R BT.2390,
/// 5.4, calls it the way of R’G’B’).
public enum HDRToneCurve {
  /// The brightness of white paper, in candelas per square meter (ITU-R BT.2408, table 1).
  public static let white = 203.0
  /// The brightness that becomes the screen's white, in multiples of white paper.
  private static let peak = 1000 / white

  /// Light of a value in SMPTE ST 2084's curve (ITU-R BT.2100, table 4), from 0 to 1.
  public static func perceptualQuantizer(_ value: Double) -> Double {
    let (m1, m2) = (2610.0 / 16384, 2523.0 / 4096 * 128)
    let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)
    let power = pow(max(0, value), 1 / m2)
    let light = pow(max(0, power - c1) / (c2 - c3 * power), 1 / m1)
    return toned(light * 10_000 / white)
  }

  /// Light of a value in hybrid log-gamma (ITU-R BT.2100, table 5), with the system gamma of 1.2 of a screen of 1000 cd/m².
  public static func hybridLogGamma(_ value: Double) -> Double {
    let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
    let scene = value <= 0.5 ? value * value / 3 : (exp((value - c) / a) + b) / 12
    return toned(pow(scene, 1.2) * 1000 / white)
  }

  /// Below, light stays as it is: faces and rooms are as bright as in ordinary pictures.
  private static let knee = 0.6

  /// Bends what is brighter than the knee so that `peak` is 1: a hyperbola that leaves the straight line without a kink.
  public static func toned(_ light: Double) -> Double {
    guard light > knee else { return max(0, light) }
    let share = min(1, (light - knee) / (peak - knee))
    let slope = (peak - knee) / (1 - knee)
    return knee + (1 - knee) * slope * share / (1 + (slope - 1) * share)
  }
}
