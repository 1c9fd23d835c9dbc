// A wide blur of a color picture, computed at reduced size.

/// Luma and color of a picture under a Gaussian blur.
///
/// The picture is first reduced as far as the Gaussian stays more than one pixel wide; the variances that reducing (means
/// over squares of side `f`: `(f² − 1)/12`) and enlarging (linear: `f²/6`) add are subtracted.
struct ColorBlur {
  let reduction: Reduction
  let blur: GaussianBlur
  let width: Int
  let height: Int
  let threads: Int
  /// Without color, the differences passed to `use` are undefined.
  let colored: Bool

  /// - Parameter sigma: The standard deviation, in pixels of the picture.
  init(sigma: Float, for view: PixelView, threads: Int, colored: Bool = true) {
    self.colored = colored
    reduction = Reduction(factor: sigma < 3 ? 1 : sigma < 8 ? 2 : sigma < 18 ? 4 : 8)
    let factor = Float(reduction.factor)
    let own = reduction.factor == 1 ? 0 : (factor * factor - 1) / 12 + factor * factor / 6
    blur = GaussianBlur(sigma: (sigma * sigma - own).squareRoot() / factor)
    width = reduction.count(view.width)
    height = reduction.count(view.height)
    self.threads = threads
  }

  /// The memory it needs, in numbers.
  var scratchCount: Int {
    4 * width * height + blur.scratchCount(width: width, threads: threads) + threads * rowCount
  }

  private var wide: Int { width * reduction.factor }
  private var rowCount: Int { 3 * wide + width + 2 }

  typealias Row = UnsafeMutablePointer<Float>

  /// Blurs a picture and passes on its rows at full size: luma and the differences `B − Y` and `R − Y`, 0 to 1.
  ///
  /// - Parameter prepare: Changes luma and the differences of the reduced picture before the blur.
  func rows(
    of view: PixelView, arena: inout PlaneArena, prepare: (_ luma: Row, _ blue: Row, _ red: Row, _ count: Int) -> Void,
    use: (_ y: Int, _ luma: Row, _ blue: Row, _ red: Row) -> Void
  ) {
    let luma = arena.plane(width: width, height: height)
    let blue = arena.plane(width: width, height: height)
    let red = arena.plane(width: width, height: height)
    let spare = arena.plane(width: width, height: height)
    let scratch = arena.numbers(blur.scratchCount(width: width, threads: threads))
    let memory = arena.numbers(threads * rowCount)
    reduction.lumaAndColor(of: view, weights: .video, luma: luma, blue: blue, red: red, threads: threads)
    prepare(luma.values, blue.values, red.values, width * height)
    // Each is blurred into the plane that the previous one left.
    blur.apply(from: luma, to: spare, scratch: scratch, threads: threads)
    if colored {
      blur.apply(from: blue, to: luma, scratch: scratch, threads: threads)
      blur.apply(from: red, to: blue, scratch: scratch, threads: threads)
    }
    let enlargement = Enlargement(factor: reduction.factor)
    RowBands.run(rows: view.height, threads: threads) { range, band in
      let (rowLuma, wide) = (memory + band * rowCount, wide)
      for y in range {
        enlargement.row(y, of: spare, to: rowLuma, scratch: rowLuma + 3 * wide)
        if colored {
          enlargement.row(y, of: luma, to: rowLuma + wide, scratch: rowLuma + 3 * wide)
          enlargement.row(y, of: blue, to: rowLuma + 2 * wide, scratch: rowLuma + 3 * wide)
        }
        use(y, rowLuma, rowLuma + wide, rowLuma + 2 * wide)
      }
    }
  }
}
