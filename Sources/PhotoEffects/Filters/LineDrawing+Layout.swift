// The sizes, radii and memory of a line drawing.

extension LineDrawing {
  /// The style of a drawing. Lengths are in pattern units, thousandths of the picture's long side.
  struct Style {
    /// The standard deviation of the window in which tones are flattened.
    var windowSigma: Float
    /// Contrasts below this are flattened; luma is 0 to 1.
    var flatContrast: Float
    /// Half the width of a line.
    var lineSigma: Float
    /// The weight of soft edges beside sharp ones.
    var softEdges: Float
    /// The gain of color saturation; `nil` for drawings without color.
    var saturation: Float?
  }

  /// The sizes and filters of a drawing, derived from the pattern unit.
  struct Layout {
    let style: Style
    let threads: Int
    /// A thousandth of the long side, in pixels of the picture.
    let unit: Float
    /// The reduction from the picture to the drawing, whose long side has 500 to 1500 pixels.
    let reduction: Reduction
    let width: Int
    let height: Int
    /// The reduction from the drawing to the small planes that hold window statistics.
    let smallReduction: Reduction
    let smallWidth: Int
    let smallHeight: Int
    let filter: GuidedFilter
    /// Narrower than for luma: color that bleeds over an edge without a line would be visible.
    let colorFilter: GuidedFilter
    /// The two blurs whose difference shows edges, in pixels of the drawing. The coarse one is applied to the fine one's result.
    let fine: GaussianBlur
    let coarse: GaussianBlur
    /// The same for soft edges, in pixels of the small planes.
    let wideFine: GaussianBlur
    let wideCoarse: GaussianBlur
    let flow: EdgeFlow

    init(_ style: Style, for view: PixelView, unit: Float, threads: Int) {
      self.style = style
      self.threads = threads
      self.unit = unit
      let longSide = max(view.width, view.height)
      reduction = Reduction(factor: longSide < 1000 ? 1 : longSide < 2600 ? 2 : longSide < 6000 ? 4 : 8)
      width = reduction.count(view.width)
      height = reduction.count(view.height)
      let drawn = unit / Float(reduction.factor)
      let window = drawn * style.windowSigma
      smallReduction = Reduction(factor: window >= 3.6 ? 4 : window >= 1.8 ? 2 : 1)
      smallWidth = smallReduction.count(width)
      smallHeight = smallReduction.count(height)
      let small = drawn / Float(smallReduction.factor)
      filter = GuidedFilter(
        window: GaussianBlur(sigma: small * style.windowSigma), epsilon: style.flatContrast * style.flatContrast)
      colorFilter = GuidedFilter(window: GaussianBlur(sigma: filter.window.sigma / 2), epsilon: filter.epsilon)
      // 1.6 times as wide: nearest to the second derivative of a bell curve (Marr, Hildreth: “Theory of Edge Detection”,
      // 1980).
      fine = GaussianBlur(sigma: drawn * style.lineSigma)
      coarse = GaussianBlur(sigma: drawn * style.lineSigma * (1.6 * 1.6 - 1).squareRoot())
      wideFine = GaussianBlur(sigma: small * style.lineSigma * 2)
      wideCoarse = GaussianBlur(sigma: small * style.lineSigma * 3.2)
      flow = EdgeFlow(
        factor: smallReduction.factor, window: GaussianBlur(sigma: small * 4), step: drawn * 1.6, faintest: 0.002,
        blackest: 0.08)
    }

    /// The memory of a drawing, in numbers.
    var scratchCount: Int {
      5 * width * height + 4 * smallWidth * smallHeight
        + filter.scratchCount(width: smallWidth, height: smallHeight)
        + colorFilter.scratchCount(width: smallWidth, height: smallHeight)
        + flow.scratchCount(width: smallWidth, height: smallHeight)
        + wideCoarse.scratchCount(width: smallWidth, threads: 1)
        + coarse.scratchCount(width: width, threads: threads) + threads * rowCount
    }

    /// The memory that a thread needs to enlarge two small planes, in numbers.
    var rowCount: Int { 2 * smallReduction.factor * smallWidth + smallWidth + 2 }
  }
}
