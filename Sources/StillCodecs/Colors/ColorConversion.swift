// Pictures in the colors of the screen.

import CLCMS
import CameraCore
import Foundation
import Synchronization

/// Converts pixels from what a picture's values mean to sRGB, which is what the desktop shows.
///
/// Colors that a screen of sRGB can't show are clipped to the nearest that it can; pictures with the brightness of HDR are
/// toned down (`HDRToneCurve`). By Little CMS, with the relative colorimetric intent and black point compensation.
public final class ColorConversion: @unchecked Sendable {
  // Sendable: Little CMS's transforms are used by several threads when they have no cache of their own.
  private let transform: cmsHTRANSFORM

  private init(_ transform: cmsHTRANSFORM) { self.transform = transform }

  deinit { cmsDeleteTransform(transform) }

  /// The latest conversions: most pictures of a library have one of a few profiles.
  private static let known = Mutex<[(colors: StillColors, conversion: ColorConversion?)]>([])
  private static let mostKnown = 16

  /// The conversion of a picture's colors.
  ///
  /// - Returns: `nil` when they are those of the screen already, as far as 8 bits tell, or can't be used.
  public static func toScreen(from colors: StillColors) -> ColorConversion? {
    if colors.profile == nil, colors.codePoints ?? .sRGB == .sRGB { return nil }
    if let known = known.withLock({ $0.first { $0.colors == colors } }) { return known.conversion }
    let conversion = make(colors)
    known.withLock { list in
      list.insert((colors, conversion), at: 0)
      if list.count > mostKnown { list.removeLast() }
    }
    return conversion
  }

  private static func make(_ colors: StillColors) -> ColorConversion? {
    let source = colors.profile.flatMap(opened) ?? colors.codePoints.flatMap(ColorProfiles.profile)
    guard let source else { return nil }
    defer { cmsCloseProfile(source) }
    guard cmsGetColorSpace(source) == cmsSigRgbData, let conversion = make(source, lcms_bgrx) else { return nil }
    return conversion.changesColors ? conversion : nil
  }

  fileprivate static func opened(_ profile: Data) -> cmsHPROFILE? {
    guard ColorProfiles.isShort(profile) else { return nil }
    return profile.withUnsafeBytes { cmsOpenProfileFromMem($0.baseAddress, cmsUInt32Number($0.count)) }
  }

  fileprivate static func make(_ source: cmsHPROFILE, _ layout: cmsUInt32Number) -> ColorConversion? {
    guard let screen = cmsCreate_sRGBProfile() else { return nil }
    defer { cmsCloseProfile(screen) }
    let flags = cmsUInt32Number(cmsFLAGS_NOCACHE | cmsFLAGS_BLACKPOINTCOMPENSATION)
    let intent = cmsUInt32Number(INTENT_RELATIVE_COLORIMETRIC)
    guard let transform = cmsCreateTransform(source, layout, screen, lcms_bgrx, intent, flags) else { return nil }
    return ColorConversion(transform)
  }

  /// Whether any of some colors comes out different by more than a step of rounding.
  private var changesColors: Bool {
    let steps: [UInt8] = [0, 51, 102, 153, 204, 255]
    var before: [UInt8] = []
    for red in steps { for green in steps { for blue in steps { before += [blue, green, red, 0] } } }
    var after = before
    cmsDoTransform(transform, before, &after, cmsUInt32Number(before.count / 4))
    return zip(before, after).contains { abs(Int($0) - Int($1)) > 1 }
  }

  /// The picture in sRGB.
  public func converted(_ image: DecodedImage) -> DecodedImage {
    let (size, stride) = (image.size, image.stride)
    let block = image.block.withUnsafeBytes { source in
      FrameBlock(count: size.area * 4) { target in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        for row in 0..<size.height {
          cmsDoTransform(transform, from + row * stride, to + row * size.width * 4, cmsUInt32Number(size.width))
        }
        // Little CMS leaves the fourth byte alone.
        for at in Swift.stride(from: 3, to: target.count, by: 4) { target[at] = 0 }
      }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }
}

extension DecodedStill {
  /// The picture as the screen shows it.
  public var onScreen: DecodedImage { ColorConversion.toScreen(from: colors)?.converted(image) ?? image }
}

/// Pictures in printing colors: cyan, magenta, yellow and black.
public enum InkPicture {
  /// Turns inks into sRGB.
  ///
  /// Without a profile, or with one that can't be used, light is what all inks let through: as browsers show it.
  ///
  /// - Parameters:
  ///   - inks: Four bytes a pixel, without gaps.
  ///   - isInverted: Whether 255 is no ink, as in files of Adobe's programs.
  ///   - profile: The ICC profile of the inks; `nil` for none.
  public static func image(
    inks: UnsafeRawBufferPointer, size: PixelSize, isInverted: Bool, profile: Data?
  ) -> DecodedImage {
    let conversion = profile.flatMap { Self.conversion($0, isInverted: isInverted) }
    defer { if let conversion { cmsDeleteTransform(conversion) } }
    let block = FrameBlock(count: size.area * 4) { (target: UnsafeMutableRawBufferPointer) in
      guard inks.count >= size.area * 4, let from = inks.baseAddress, let to = target.baseAddress else { return }
      if let conversion {
        for row in 0..<size.height {
          let offset = row * size.width * 4
          cmsDoTransform(conversion, from + offset, to + offset, cmsUInt32Number(size.width))
        }
        for at in stride(from: 3, to: target.count, by: 4) { target[at] = 0 }
      } else {
        for at in stride(from: 0, to: size.area * 4, by: 4) {
          // Light is what an ink lets through.
          let flip: UInt8 = isInverted ? 0 : 255
          let black = Int(inks[at + 3] ^ flip)
          target[at] = UInt8((Int(inks[at + 2] ^ flip) * black + 127) / 255)
          target[at + 1] = UInt8((Int(inks[at + 1] ^ flip) * black + 127) / 255)
          target[at + 2] = UInt8((Int(inks[at] ^ flip) * black + 127) / 255)
          target[at + 3] = 0
        }
      }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }

  private static func conversion(_ profile: Data, isInverted: Bool) -> cmsHTRANSFORM? {
    guard let source = ColorConversion.opened(profile), let screen = cmsCreate_sRGBProfile() else { return nil }
    defer {
      cmsCloseProfile(source)
      cmsCloseProfile(screen)
    }
    guard cmsGetColorSpace(source) == cmsSigCmykData else { return nil }
    let flags = cmsUInt32Number(cmsFLAGS_NOCACHE | cmsFLAGS_BLACKPOINTCOMPENSATION)
    return cmsCreateTransform(
      source, isInverted ? lcms_cmyk_inverted : lcms_cmyk, screen, lcms_bgrx,
      cmsUInt32Number(INTENT_RELATIVE_COLORIMETRIC), flags)
  }
}
