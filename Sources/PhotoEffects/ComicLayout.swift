// The sizes and radii of a comic for a picture of one size.

/// Where everything lies, worked out from the pattern unit, a thousandth of the picture's long side.
struct ComicLayout {
  let threads: Int
  /// A thousandth of the long side, in pixels of the picture.
  let unit: Float
  /// From the picture to the drawing, which is some 960 pixels wide.
  let reduction: Reduction
  let width: Int
  let height: Int
  /// From the drawing to the small planes, in which smoothing looks at its surroundings.
  let smallReduction: Reduction
  let smallWidth: Int
  let smallHeight: Int
  let filter: GuidedFilter
  /// The two blurs between which edges are seen, in pixels of the drawing.
  let fine: GaussianBlur
  let coarse: GaussianBlur

  /// The same for soft edges, in pixels of the small planes.
  let wideFine: GaussianBlur
  let wideCoarse: GaussianBlur
  let ink: ComicInk

  init(view: PixelView, unit: Float, threads: Int) {
    self.threads = threads
    self.unit = unit
    let longSide = max(view.width, view.height)
    reduction = Reduction(factor: max(1, Int((Float(longSide) / 960).rounded())))
    width = reduction.count(view.width)
    height = reduction.count(view.height)
    let drawn = unit / Float(reduction.factor)
    let window = drawn * Self.windowSigma
    smallReduction = Reduction(factor: window >= 3.6 ? 4 : window >= 1.8 ? 2 : 1)
    smallWidth = smallReduction.count(width)
    smallHeight = smallReduction.count(height)
    filter = GuidedFilter(
      window: GaussianBlur(sigma: window / Float(smallReduction.factor)), epsilon: Self.flatContrast * Self.flatContrast)
    fine = GaussianBlur(sigma: drawn * Self.lineSigma)
    coarse = GaussianBlur(sigma: drawn * Self.lineSigma * 1.6)
    let small = drawn / Float(smallReduction.factor)
    wideFine = GaussianBlur(sigma: small * Self.lineSigma * 2)
    wideCoarse = GaussianBlur(sigma: small * Self.lineSigma * 3.2)
    ink = ComicInk(
      factor: smallReduction.factor, window: GaussianBlur(sigma: drawn * 4 / Float(smallReduction.factor)),
      step: drawn * 1.6, faintest: 0.002, blackest: 0.08)
  }

  /// The window in which colours are flattened, in pattern units.
  static let windowSigma: Float = 4
  /// Contrasts below this are flattened.
  static let flatContrast: Float = 0.06
  /// Half the width of an ink line, in pattern units.
  static let lineSigma: Float = 1.1

  /// How many numbers of memory the drawing and the print need.
  var scratchCount: Int {
    let small = smallWidth * smallHeight
    let enlarged = threads * (4 * (width * reduction.factor + smallReduction.factor * smallWidth) + 2 * width + 64)
    return 6 * width * height + 9 * small + filter.scratchCount(width: smallWidth, height: smallHeight)
      + wideCoarse.scratchCount(width: smallWidth, threads: 1)
      + ink.scratchCount(width: smallWidth, height: smallHeight)
      + fine.scratchCount(width: width, threads: threads) + coarse.scratchCount(width: width, threads: threads)
      + 2 * enlarged + width * reduction.factor + 8192
  }
}
