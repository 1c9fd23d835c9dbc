// The effects under test.

import PhotoEffects
import Testing

struct EffectCase: Sendable, CustomTestStringConvertible {
  let name: String
  let effect: any PixelEffect
  /// The required PSNR of a preview against the reduced full picture, in decibels; measured values are some 2 dB higher.
  let previewLikeness: Double

  var testDescription: String { name }

  static let all = [
    EffectCase(name: "Comic", effect: ComicEffect(), previewLikeness: 26),
    EffectCase(name: "Pencil", effect: PencilEffect(), previewLikeness: 25),
    EffectCase(name: "Halftone", effect: HalftoneEffect(), previewLikeness: 21),
    EffectCase(name: "PopArt", effect: PopArtEffect(), previewLikeness: 26),
    EffectCase(name: "Pixelate", effect: PixelateEffect(), previewLikeness: 45),
    EffectCase(name: "Glow", effect: GlowEffect(), previewLikeness: 45),
    EffectCase(name: "Blur", effect: BlurEffect(), previewLikeness: 45),
    EffectCase(name: "Vignette", effect: VignetteEffect(), previewLikeness: 45),
  ]
}
