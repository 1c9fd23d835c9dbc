// Effects that change colors only: monochromes, moods and palettes.

import Foundation

/// A look that depends on a pixel's own color alone, so that it is the same at every size.
public struct ColorEffect: PixelEffect {
  public let look: ColorLook

  public init(_ look: ColorLook) { self.look = look }

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    Self.tables[look]?.apply(to: view, intensity: intensity, threads: scratch.threadCount)
  }

  /// Computed once, when the first color effect is used: some 20 KB each.
  private static let tables = Dictionary(
    uniqueKeysWithValues: ColorLook.allCases.map { ($0, ColorTables($0.transform)) })
}

/// A change of color. Values are sRGB, 0 to 1; `contrast`, `saturation` and `gradient` are those of `ColorTransform`.
public enum ColorLook: String, CaseIterable, Sendable, Hashable {
  /// Dark and hard, as if through an orange filter: `0.36 r + 0.54 g + 0.10 b`, contrast 0.85 about a lowered middle.
  case noir
  /// Black and white: `0.30 r + 0.59 g + 0.11 b` (ITU-R BT.601, nearer to film on faces than BT.709), contrast 0.15.
  case mono
  /// A silver print: BT.601, lifted middle tones, blue-gray shadows, cream highlights.
  case silver
  /// An old print: BT.601, contrast 0.25, brown from black to cream.
  case sepia
  /// Saturation 1.4 and contrast 0.35.
  case vivid
  /// Late sun: red ·1.07, blue ·0.84 of the curve's middle, saturation 1.1.
  case warm
  /// Morning shade: red ·0.90, blue ·1.10, saturation 0.95.
  case cool
  /// A print that hung in the sun: black at 0.13, white at 0.94, saturation 0.68.
  case fade
  /// An instant picture: yellow in the lights, blue-green in the shadows, saturation 0.85, soft contrast.
  case instant
  /// A heat camera's picture: brightness to black, indigo, magenta, orange, yellow, white.
  case thermal
  /// An X-ray film: brightness turned over, hard, in blue-white.
  case xRay = "x-ray"

  /// ITU-R BT.601.
  private static let luma601 = [0.299, 0.587, 0.114]

  /// A curve that keeps 0 and 1 and moves the middle.
  private static func bent(_ x: Double, _ gamma: Double) -> Double { pow(min(max(x, 0), 1), gamma) }

  var transform: ColorTransform {
    typealias T = ColorTransform
    switch self {
    case .noir:
      return T(
        matrix: T.monochrome([0.36, 0.54, 0.10]),
        after: T.same { T.contrast(Self.bent($0, 1.18), 0.85) })
    case .mono:
      return T(matrix: T.monochrome(Self.luma601), after: T.same { T.contrast($0, 0.15) })
    case .silver:
      let toning = T.gradient([(0, 0x0b0e13), (0.25, 0x3a4048), (0.6, 0x999b9d), (1, 0xfffcf5)])
      return T(
        matrix: T.monochrome(Self.luma601),
        after: toning.map { tone in { tone(T.contrast(Self.bent($0, 0.82), 0.3)) } })
    case .sepia:
      let toning = T.gradient([(0, 0x140b05), (0.3, 0x5f4127), (0.65, 0xbb946a), (1, 0xfff3dc)])
      return T(
        matrix: T.monochrome(Self.luma601), after: toning.map { tone in { tone(T.contrast($0, 0.25)) } })
    case .vivid:
      return T(before: T.same { T.contrast($0, 0.35) }, matrix: T.saturation(1.4))
    case .warm:
      return T(
        before: [{ Self.bent($0, 0.9) * 1.02 }, { Self.bent($0, 0.98) }, { Self.bent($0, 1.18) * 0.93 }],
        matrix: T.saturation(1.08))
    case .cool:
      return T(
        before: [{ Self.bent($0, 1.12) * 0.95 }, { Self.bent($0, 1.0) }, { Self.bent($0, 0.86) }],
        matrix: T.saturation(0.95))
    case .fade:
      return T(matrix: T.saturation(0.68), after: T.same { 0.13 + 0.81 * Self.bent($0, 0.95) })
    case .instant:
      let tones = T.gradient([(0, 0x121f26), (0.3, 0x575a55), (0.6, 0xa69f8c), (0.85, 0xe8dcbc), (1, 0xfff6d9)])
      return T(
        matrix: T.saturation(0.85), after: tones.map { tone in { tone(T.contrast(Self.bent($0, 0.92), 0.25)) } })
    case .thermal:
      let heat = T.gradient([
        (0, 0x000010), (0.15, 0x1c0a5c), (0.35, 0x8a0f8f), (0.52, 0xd9304a), (0.68, 0xf87d16), (0.84, 0xffd02b),
        (1, 0xfffde8),
      ])
      return T(matrix: T.monochrome(Self.luma601), after: heat)
    case .xRay:
      let film = T.gradient([(0, 0x01040a), (0.35, 0x123049), (0.7, 0x7fb4d0), (1, 0xf2fdff)])
      return T(
        matrix: T.monochrome(Self.luma601),
        after: film.map { tone in { tone(T.contrast(1 - Self.bent($0, 0.8), 0.5)) } })
    }
  }
}
