// The effects that the tests go through.

import PhotoEffects
import Testing

struct EffectCase: Sendable, CustomTestStringConvertible {
  let name: String
  let effect: any PixelEffect
  /// How near a preview comes to the reduced full picture, in decibels; what is measured is some 2 dB more.
  let previewLikeness: Double

  var testDescription: String { name }

  static let all = [
    EffectCase(name: "Comic", effect: ComicEffect(), previewLikeness: 26),
    EffectCase(name: "Pencil", effect: PencilEffect(), previewLikeness: 25),
    EffectCase(name: "Halftone", effect: HalftoneEffect(), previewLikeness: 21),
    EffectCase(name: "PopArt", effect: PopArtEffect(), previewLikeness: 26),
    EffectCase(name: "Pixellate", effect: PixellateEffect(), previewLikeness: 45),
    EffectCase(name: "Glow", effect: GlowEffect(), previewLikeness: 45),
    EffectCase(name: "Blur", effect: BlurEffect(), previewLikeness: 45),
    EffectCase(name: "Vignette", effect: VignetteEffect(), previewLikeness: 45),
  ]
}
