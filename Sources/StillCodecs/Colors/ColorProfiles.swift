// Color profiles of numbers that video and HEIF files use.

import CLCMS
import Foundation

/// Profiles made of the code points of ITU-T H.273.
enum ColorProfiles {
  /// The coordinates of red, green, blue and white, in CIE 1931 xy (H.273, table 2).
  private static func primaries(_ number: UInt32) -> [(Double, Double)]? {
    let d65 = (0.3127, 0.3290)
    return switch number {
    // Unspecified is taken for that of screens.
    case 1, 2: [(0.640, 0.330), (0.300, 0.600), (0.150, 0.060), d65]
    case 4: [(0.67, 0.33), (0.21, 0.71), (0.14, 0.08), (0.310, 0.316)]
    case 5: [(0.64, 0.33), (0.29, 0.60), (0.15, 0.06), d65]
    case 6, 7: [(0.630, 0.340), (0.310, 0.595), (0.155, 0.070), d65]
    case 9: [(0.708, 0.292), (0.170, 0.797), (0.131, 0.046), d65]
    case 11: [(0.680, 0.320), (0.265, 0.690), (0.150, 0.060), (0.314, 0.351)]
    case 12: [(0.680, 0.320), (0.265, 0.690), (0.150, 0.060), d65]
    default: nil
    }
  }

  /// The profile of code points; the caller closes it.
  ///
  /// - Returns: `nil` for numbers without a meaning.
  static func profile(_ points: StillColors.CodePoints) -> cmsHPROFILE? {
    guard let places = primaries(points.primaries), let curve = curve(points.transfer) else { return nil }
    defer { cmsFreeToneCurve(curve) }
    func place(_ index: Int) -> cmsCIExyY { cmsCIExyY(x: places[index].0, y: places[index].1, Y: 1) }
    var (white, colors) = (place(3), cmsCIExyYTRIPLE(Red: place(0), Green: place(1), Blue: place(2)))
    return cmsCreateRGBProfile(&white, &colors, [curve, curve, curve])
  }

  /// Tags in a profile, and steps of one conversion in it.
  private static let (mostTags, mostSteps): (UInt32, UInt32) = (100, 32)

  /// Whether a profile's conversions have few steps. All steps may name the same bytes, so that a kilobyte in a compressed
  /// file has a hundred thousand; Little CMS counts them again for each one, and makes all of them for each color.
  ///
  /// Source: ICC.1:2022, 7.3 (tags) and 10.16 (multiProcessElementsType).
  static func isShort(_ profile: Data) -> Bool {
    func number(_ offset: Int) -> UInt32? {
      guard offset >= 0, offset + 4 <= profile.count else { return nil }
      let start = profile.startIndex + offset
      return profile[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    let elements = "mpet".utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard let count = number(128), count <= mostTags else { return false }
    return (0..<Int(count)).allSatisfy { index in
      guard let offset = number(128 + 4 + 12 * index + 4).map(Int.init), number(offset) == elements else { return true }
      return number(offset + 12).map { $0 <= mostSteps } ?? true
    }
  }

  /// The profile of Adobe RGB.
  ///
  /// Source: Adobe RGB (1998) Color Image Encoding, 2005-05, 4.3.
  static let adobeRGB: Data? = {
    guard let curve = cmsBuildGamma(nil, 563.0 / 256) else { return nil }
    defer { cmsFreeToneCurve(curve) }
    var white = cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1)
    var colors = cmsCIExyYTRIPLE(
      Red: cmsCIExyY(x: 0.64, y: 0.33, Y: 1), Green: cmsCIExyY(x: 0.21, y: 0.71, Y: 1),
      Blue: cmsCIExyY(x: 0.15, y: 0.06, Y: 1))
    guard let profile = cmsCreateRGBProfile(&white, &colors, [curve, curve, curve]) else { return nil }
    defer { cmsCloseProfile(profile) }
    var count: cmsUInt32Number = 0
    guard cmsSaveProfileToMem(profile, nil, &count) != 0 else { return nil }
    var data = Data(count: Int(count))
    return data.withUnsafeMutableBytes { cmsSaveProfileToMem(profile, $0.baseAddress, &count) } != 0 ? data : nil
  }()

  /// The curve from values to light (H.273, table 3); the caller frees it.
  private static func curve(_ number: UInt32) -> OpaquePointer? {
    switch number {
    // Stills in the curve of BT.709 are shown as those in sRGB's: what screens undo is the same for both.
    case 1, 2, 6, 13, 14, 15: parametric(4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
    case 4: cmsBuildGamma(nil, 2.2)
    case 5: cmsBuildGamma(nil, 2.8)
    case 8: cmsBuildGamma(nil, 1)
    case 17: cmsBuildGamma(nil, 2.6)
    case 16: table(HDRToneCurve.perceptualQuantizer)
    case 18: table(HDRToneCurve.hybridLogGamma)
    default: nil
    }
  }

  private static func parametric(_ kind: Int32, _ values: [Double]) -> OpaquePointer? {
    cmsBuildParametricToneCurve(nil, kind, values)
  }

  private static func table(_ function: (Double) -> Double) -> OpaquePointer? {
    let count = 4096
    let values = (0..<count).map { cmsUInt16Number((function(Double($0) / Double(count - 1)) * 65_535).rounded()) }
    return cmsBuildTabulatedToneCurve16(nil, cmsUInt32Number(count), values)
  }
}

extension StillColors {
  /// Those of Adobe RGB (1998).
  public static let adobeRGB = StillColors(profile: ColorProfiles.adobeRGB)
}

/// The light of HDR values, toned down to what a screen of ordinary brightness shows.
enum HDRToneCurve {
  /// The brightness of white paper, in candelas per square meter (ITU-R BT.2408, table 1).
  static let white = 203.0
  /// The brightness that becomes the screen's white, in multiples of white paper.
  private static let peak = 1000 / white

  /// Light of a value in SMPTE ST 2084's curve (ITU-R BT.2100, table 4), from 0 to 1.
  static func perceptualQuantizer(_ value: Double) -> Double {
    let (m1, m2) = (2610.0 / 16384, 2523.0 / 4096 * 128)
    let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)
    let power = pow(max(0, value), 1 / m2)
    let light = pow(max(0, power - c1) / (c2 - c3 * power), 1 / m1)
    return toned(light * 10_000 / white)
  }

  /// Light of a value in hybrid log-gamma (ITU-R BT.2100, table 5), with the system gamma of 1.2 of a screen of 1000 cd/m².
  static func hybridLogGamma(_ value: Double) -> Double {
    let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
    let scene = value <= 0.5 ? value * value / 3 : (exp((value - c) / a) + b) / 12
    return toned(pow(scene, 1.2) * 1000 / white)
  }

  /// Below, light stays as it is: faces and rooms are as bright as in ordinary pictures.
  private static let knee = 0.6

  /// Bends what is brighter than the knee so that `peak` is 1: a hyperbola that leaves the straight line without a kink.
  static func toned(_ light: Double) -> Double {
    guard light > knee else { return max(0, light) }
    let share = min(1, (light - knee) / (peak - knee))
    let slope = (peak - knee) / (1 - knee)
    return knee + (1 - knee) * slope * share / (1 + (slope - 1) * share)
  }
}
