// The halftone effect: dots of one ink on newsprint.

/// Black dots on a screen at 45°, on newsprint: the darker the picture, the larger the dots, until white dots are left in
/// black. Luma is blurred over half a dot, so that dots are round. A pixel's fourth byte is kept.
public struct HalftoneEffect: PixelEffect {
  public init() {}

  /// The distance between dots, in pattern units.
  private static let pitch: Float = 5
  private static let paper = PackedColor(0xf3eee0)
  private static let ink = PackedColor(0x1d1b1a)

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    guard intensity > 0 else { return }
    let unit = context.patternUnit(in: view)
    let blur = ColorBlur(sigma: unit * Self.pitch * 0.3, for: view, threads: scratch.threadCount, colored: false)
    let count = blur.scratchCount + view.width
    let share = Float(intensity)
    scratch.withFloats("blur", count: count) { block in
      var arena = PlaneArena(block, count: count)
      let screen = DotScreen(pitch: unit * Self.pitch, columns: arena.numbers(view.width), width: view.width)
      let (columns, sharpness) = (screen.columns, screen.sharpness)
      let (paper, ink) = (Self.paper, Self.ink)
      blur.rows(of: view, arena: &arena) { _, _, _, _ in
      } use: { y, luma, _, _ in
        let wave = screen.row(y)
        view.paint(row: y, share: share) { x, _ in
          // Extra contrast: newsprint has little of its own. Dots touch at luma 0.5.
          let height = (0.52 - luma[x]) * 2.2
          let black = ((columns[x] * wave + height) * sharpness + 0.5).limited(to: 1)
          return paper.mixed(with: ink, share: black)
        }
      }
    }
  }
}
