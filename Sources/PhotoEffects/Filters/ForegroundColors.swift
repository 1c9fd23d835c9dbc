// The colors of a person at soft edges.

import CameraCore
import Foundation

/// Estimates the person's own colors where a pixel shows both the person and what is behind: in hair and at edges.
///
/// With the matte m, the picture I is m·F + (1 − m)·B. F and B are first the means of what is near, weighted by m³ and (1 − m)³;
/// then F gets what the picture has besides: F + m·(I − m·F − (1 − m)·B). Source: M. Forte, “Approximate Fast Foreground
/// Colour Estimation”, ICIP 2021.
struct ForegroundColors {
  typealias Color = SIMD4<Float>

  private let front: DiscBlur
  private let back: DiscBlur

  /// The radius of what is near, in pattern units.
  private static let radius: Float = 10
  private static let leastWeight: Float = 1e-6

  init(for view: PixelView, context: FrameContext, threads: Int) {
    let radius = max(1, context.patternUnit(in: view) * Self.radius)
    // What is surely the person's counts most.
    let weights = (0..<256).map { byte in max(Self.leastWeight, pow(Float(byte) / 255, 3)) }
    front = DiscBlur(radius: radius, light: .display, weights: weights, for: view, threads: threads)
    back = DiscBlur(radius: radius, light: .display, weights: weights.reversed(), for: view, threads: threads)
  }

  /// Blends a picture with colors made of the person's.
  ///
  /// - Parameters:
  ///   - matte: Of the view's size.
  ///   - share: Of the new colors, 0…1.
  ///   - color: Gets column and row, the person's color, and how much of the pixel is the person's, 0…1.
  @inline(__always)
  func blend(
    into view: PixelView, _ matte: Matte, share: Float, scratch: EffectScratch,
    _ color: (_ x: Int, _ y: Int, _ person: Color, _ share: Float) -> Color
  ) {
    let shares = [Float](repeating: share, count: 256)
    front.withRows(of: view, matte, named: "foreground", scratch: scratch) { front in
      back.withRows(of: view, matte, named: "background", scratch: scratch) { back in
        let line = front.lineCount
        scratch.withColors("foreground lines", count: 2 * line * scratch.threadCount) { lines in
          view.blendRows(matte, shares, threads: scratch.threadCount) { y, band, bytes, shares in
            let fronts = front.row(y, lines + 2 * band * line)
            let backs = back.row(y, lines + (2 * band + 1) * line)
            view.blend(row: y, bytes, shares) { x, own, person in
              let near = fronts[x]
              let rest = own - near * person - backs[x] * (1 - person)
              return color(x, y, person > 0.999 ? own : near + rest * person, person)
            }
          }
        }
      }
    }
  }
}
