// Color profiles of numbers that video and HEIF files use.

import CLCMS
import Foundation

/// Profiles made of the code points of ITU-T H.273.
enum ColorProfiles {
  /// The profile of code points; the caller closes it.
  ///
  /// - Returns: `nil` for numbers without a meaning.
  static func profile(_ points: StillColors.CodePoints) -> cmsHPROFILE? {
    guard let places = ColorPrimaries.places(points.primaries), let curve = curve(points.transfer) else { return nil }
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
