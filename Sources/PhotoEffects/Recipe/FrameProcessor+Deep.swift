// Rendering of a recipe with 16 bits a channel.

import CameraCore

extension FrameProcessor {
  /// Effects draw with 8 bits: ink and posterized tones have no values in between.
  public func render(
    _ source: DeepPixels, context: FrameContext, scratch: EffectScratch
  ) throws -> DeepPixels? {
    guard (recipe.effect?.intensity ?? 0) == 0 else { return nil }
    guard max(source.size.width, source.size.height) <= Self.longestSide else {
      throw RecipeError.tooLarge(size: source.size.description, longestSide: Self.longestSide)
    }
    let placed = recipe.geometry.render(source, threads: scratch.threadCount)
    let adjustments = recipe.adjustments
    let redEyes = redEyeRemoval(for: source.size)
    let hasRedEyes = context.kind == .still && !redEyes.disks.isEmpty
    if adjustments.isNeutral && !hasRedEyes { return placed }
    return placed.withPixels { pixels in
      DeepPixels(placed.size) { target in
        target.update(from: pixels, count: placed.size.area)
        if hasRedEyes { redEyes.apply(to: target, placed.size) }
        // In the order of 8 bits: the vignette is part of the one pass.
        var tones = adjustments
        tones.sharpness = 0
        if !tones.isNeutral { DeepTones(tones).apply(to: target, placed.size, threads: scratch.threadCount) }
        if adjustments.sharpness > 0 {
          UnsharpMask(sharpness: adjustments.sharpness).apply(
            to: target, placed.size, fullSize: context.fullSize, threads: scratch.threadCount)
        }
      }
    }
  }
}
