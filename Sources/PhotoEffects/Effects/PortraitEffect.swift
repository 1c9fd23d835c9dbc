// The portrait effect: the background out of focus.

import CameraCore
import Foundation

/// The background as by a lens with a large aperture, which is what the intensity sets: discs of up to 16 thousandths of the
/// picture's long side, in linear light, so that bright points become bright discs. See `DiscBlur`. A pixel's fourth byte is
/// kept.
public struct PortraitEffect: PixelEffect {
  public init() {}

  /// The radius of the full look's discs, in pattern units.
  private static let radius: Float = 16
  /// The weight of a person's own pixels, which may be all that there is.
  private static let leastWeight: Float = 1e-6
  /// People bleed into what is behind them unless pixels at their edges weigh little: (1 − m)³.
  private static let weights = (0..<256).map { byte in
    max(leastWeight, pow(1 - Float(byte) / 255, 3))
  }

  public var needsMatte: Bool { true }

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    guard intensity > 0, let matte = context.matte, matte.presence > 0 else { return }
    let radius = context.patternUnit(in: view) * Self.radius * Float(min(1, intensity))
    guard radius >= 0.25 else { return }
    let blur = DiscBlur(
      radius: radius, light: .lens, weights: Self.weights, for: view, threads: scratch.threadCount)
    let shares = (0..<256).map { Float(255 - $0) / 255 * Float(min(1, matte.presence)) }
    blur.withRows(of: view, matte, named: "portrait", scratch: scratch) { rows in
      let line = rows.lineCount
      scratch.withColors("portrait line", count: line * scratch.threadCount) { lines in
        view.blendRows(matte, shares, threads: scratch.threadCount) { y, band, bytes, shares in
          let colors = rows.row(y, lines + band * line)
          view.blend(row: y, bytes, shares) { x, _, _ in colors[x] }
        }
      }
    }
  }
}
