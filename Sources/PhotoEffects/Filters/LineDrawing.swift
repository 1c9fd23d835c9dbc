// The common base of comics, prints and pencil drawings: flattened tones and colors, and lines.

/// A drawing of a picture, in planes whose long side has 500 to 1500 pixels.
///
/// 1. The picture is reduced, which removes much of the noise; a dim picture is brightened.
/// 2. The guided filter flattens luma and color between the edges.
/// 3. Lines are on the dark side of edges, where a wide blur of the luma is brighter than a narrow one: the difference of
///    Gaussians, as in Winnemöller, Kyprianidis, Olsen: “XDoG: An eXtended difference-of-Gaussians compendium”, 2012. It
///    is smoothed along the edges by `EdgeFlow`.
struct LineDrawing {
  /// The luma weights of drawings.
  static let weights = LumaWeights.orthochromatic

  /// The flattened luma, 0 to 1.
  let luma: FloatPlane
  /// `(B − Y) / Y` and `(R − Y) / Y` of the flattened color, independent of the brightness.
  /// Undefined when the style has no color.
  let blue: FloatPlane
  let red: FloatPlane
  /// The strength of lines: differences of luma, positive on the dark side of an edge.
  let lines: FloatPlane

  init(of view: PixelView, layout: Layout, arena: inout PlaneArena) {
    let (width, height) = (layout.width, layout.height)
    let (smallWidth, smallHeight) = (layout.smallWidth, layout.smallHeight)
    let picture = arena.plane(width: width, height: height)
    blue = arena.plane(width: width, height: height)
    red = arena.plane(width: width, height: height)
    layout.reduction.lumaAndColor(
      of: view, weights: Self.weights, luma: picture, blue: blue, red: red, threads: layout.threads)

    let rows = arena.numbers(layout.threads * layout.rowCount)
    let small = arena.plane(width: smallWidth, height: smallHeight)
    let slope = arena.plane(width: smallWidth, height: smallHeight)
    let offset = arena.plane(width: smallWidth, height: smallHeight)
    layout.smallReduction.means(of: picture, to: small, scratch: rows)
    let gain = Self.gain(for: small)
    if gain > 1 {
      for plane in [picture, blue, red, small] {
        for i in 0..<plane.width * plane.height { plane.values[i] *= gain }
      }
    }
    let guide = layout.filter.prepare(small, arena: &arena)
    if layout.style.saturation != nil {
      let input = arena.plane(width: smallWidth, height: smallHeight)
      let guide = layout.colorFilter.prepare(small, arena: &arena)
      for color in [blue, red] {
        layout.smallReduction.means(of: color, to: input, scratch: rows)
        layout.colorFilter.coefficients(for: input, guide: guide, slope: slope, offset: offset)
        Self.apply(slope, offset, to: picture, result: color, layout: layout, rows: rows)
      }
    }
    layout.filter.coefficients(for: small, guide: guide, slope: slope, offset: offset)
    Self.apply(slope, offset, to: picture, result: picture, layout: layout, rows: rows)
    if let saturation = layout.style.saturation {
      let (luma, blue, red) = (picture.values, blue.values, red.values)
      for i in 0..<width * height {
        // The constant keeps noise in dark areas from getting colorful.
        let scale = saturation / (luma[i] + 0.08)
        blue[i] *= scale
        red[i] *= scale
      }
    }

    luma = arena.plane(width: width, height: height)
    let edges = arena.plane(width: width, height: height)
    let scratch = arena.numbers(layout.coarse.scratchCount(width: width, threads: layout.threads))
    layout.fine.apply(from: picture, to: luma, scratch: scratch, threads: layout.threads)
    layout.coarse.apply(from: luma, to: edges, scratch: scratch, threads: layout.threads)
    // Soft edges, like hair against skin, show only between wider blurs.
    let smallScratch = arena.numbers(layout.wideCoarse.scratchCount(width: smallWidth, threads: 1))
    layout.wideFine.apply(from: small, to: slope, scratch: smallScratch)
    layout.wideCoarse.apply(from: small, to: offset, scratch: smallScratch)
    let share = layout.style.softEdges
    for i in 0..<smallWidth * smallHeight { offset.values[i] = (offset.values[i] - slope.values[i]) * share }
    Self.addEdges(offset, of: luma, to: edges, layout: layout, rows: rows)
    let directions = layout.flow.directions(in: small, arena: &arena)
    // The picture's luma is not needed any more.
    lines = picture
    layout.flow.draw(edges, along: directions, to: lines, threads: layout.threads)
  }

  /// The gain of a dim picture, whose contrasts would otherwise be too small to count as edges. Measured by the fourth root of
  /// the mean fourth power, which bright areas dominate: it is robust against noise, and changes smoothly with motion.
  static func gain(for luma: FloatPlane) -> Float {
    var sum: Float = 0
    for y in 0..<luma.height {
      let values = luma.row(y)
      var row: Float = 0
      for x in 0..<luma.width {
        let square = values[x] * values[x]
        row += square * square
      }
      sum += row / Float(luma.width)
    }
    let brightness = (sum / Float(luma.height)).squareRoot().squareRoot()
    return min(max(wellLit / max(brightness, 0.001), 1), 2.2)
  }

  /// The brightness from which a picture is drawn as it is.
  private static let wellLit: Float = 0.6

  /// `result = slope · guide + offset`, with slope and offset enlarged to the drawing's size.
  private static func apply(
    _ slope: FloatPlane, _ offset: FloatPlane, to guide: FloatPlane, result: FloatPlane, layout: Layout,
    rows: UnsafeMutablePointer<Float>
  ) {
    let enlargement = Enlargement(factor: layout.smallReduction.factor)
    let wide = enlargement.factor * slope.width
    RowBands.run(rows: guide.height, threads: layout.threads) { range, band in
      let slopes = rows + band * layout.rowCount
      let (offsets, scratch) = (slopes + wide, slopes + 2 * wide)
      for y in range {
        enlargement.row(y, of: slope, to: slopes, scratch: scratch)
        enlargement.row(y, of: offset, to: offsets, scratch: scratch)
        let (values, out) = (guide.row(y), result.row(y))
        for x in 0..<guide.width { out[x] = slopes[x] * values[x] + offsets[x] }
      }
    }
  }

  /// Makes a coarse blur the difference to a fine one, and adds the enlarged difference of wider blurs.
  private static func addEdges(
    _ wide: FloatPlane, of fine: FloatPlane, to coarse: FloatPlane, layout: Layout, rows: UnsafeMutablePointer<Float>
  ) {
    let enlargement = Enlargement(factor: layout.smallReduction.factor)
    let width = enlargement.factor * wide.width
    RowBands.run(rows: fine.height, threads: layout.threads) { range, band in
      let edges = rows + band * layout.rowCount
      for y in range {
        enlargement.row(y, of: wide, to: edges, scratch: edges + width)
        let (values, out) = (fine.row(y), coarse.row(y))
        for x in 0..<fine.width { out[x] += edges[x] - values[x] }
      }
    }
  }
}
