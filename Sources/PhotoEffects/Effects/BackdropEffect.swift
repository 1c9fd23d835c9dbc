// The backdrop effect: another background.

import CameraCore

/// A person before a backdrop. At soft edges the person's own color is estimated, so that nothing of the old background stays
/// in hair: see `ForegroundColors`. A pixel's fourth byte is kept.
public struct BackdropEffect: PixelEffect {
  public let backdrop: Backdrop
  /// Of an own backdrop.
  private let source: (any BackdropSource)?

  /// - Parameter source: Of an own backdrop; without it nothing is changed.
  public init(_ backdrop: Backdrop, source: (any BackdropSource)? = nil) {
    (self.backdrop, self.source) = (backdrop, source)
  }

  public var needsMatte: Bool { true }

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    guard intensity > 0, let matte = context.matte, matte.presence > 0 else { return }
    let share = Float(min(1, intensity) * min(1, matte.presence))
    let foreground = ForegroundColors(for: view, context: context, threads: scratch.threadCount)
    func blend(_ picture: FrameBlock) {
      picture.withUnsafeBytes { bytes in
        guard let pixels = bytes.bindMemory(to: UInt32.self).baseAddress else { return }
        let width = view.width
        foreground.blend(into: view, matte, share: share, scratch: scratch) { x, y, own, person in
          let color = Pixel.color(pixels[y * width + x])
          return color + (own - color) * person
        }
      }
    }
    switch backdrop {
    case .color(let red, let green, let blue):
      let color = SIMD4(Float(blue), Float(green), Float(red), 0)
      foreground.blend(into: view, matte, share: share, scratch: scratch) { _, _, own, person in
        color + (own - color) * person
      }
    case .scene(let scene): blend(BackdropPictures.picture(scene, view.size, threads: scratch.threadCount))
    case .own(let own):
      guard let source else { return }
      blend(
        BackdropPictures.picture(own, of: source, at: context.time, view.size, threads: scratch.threadCount))
    }
  }
}
