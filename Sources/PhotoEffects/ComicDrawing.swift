// What a comic is printed from: flattened luma and colour, and where ink belongs.

/// Planes of the drawing's size.
struct ComicDrawing {
  /// The flattened luma, 0 to 1.
  let luma: FloatPlane
  /// `(B − Y) / Y` and `(R − Y) / Y` of the flattened colour: what luma is multiplied with stays the same colour.
  let blue: FloatPlane
  let red: FloatPlane
  /// How clearly a pixel lies on the dark side of an edge.
  let ink: FloatPlane

  init(of view: PixelView, layout: ComicLayout, arena: inout PlaneArena) {
    let (width, height) = (layout.width, layout.height)
    let (smallWidth, smallHeight) = (layout.smallWidth, layout.smallHeight)
    let luma = arena.plane(width: width, height: height)
    blue = arena.plane(width: width, height: height)
    red = arena.plane(width: width, height: height)
    layout.reduction.lumaAndColor(of: view, luma: luma, blue: blue, red: red, threads: layout.threads)

    let rows = arena.numbers(layout.threads * (2 * layout.smallReduction.factor * smallWidth + smallWidth + 2))
    let small = arena.plane(width: smallWidth, height: smallHeight)
    layout.smallReduction.means(of: luma, to: small, scratch: rows)
    let guide = layout.filter.prepare(small, arena: &arena)
    let input = arena.plane(width: smallWidth, height: smallHeight)
    let slope = arena.plane(width: smallWidth, height: smallHeight)
    let offset = arena.plane(width: smallWidth, height: smallHeight)
    for color in [blue, red] {
      layout.smallReduction.means(of: color, to: input, scratch: rows)
      layout.filter.coefficients(for: input, guide: guide, slope: slope, offset: offset)
      Self.apply(slope, offset, to: luma, result: color, layout: layout, rows: rows)
    }
    layout.smallReduction.means(of: luma, to: input, scratch: rows)
    layout.filter.coefficients(for: input, guide: guide, slope: slope, offset: offset)
    Self.apply(slope, offset, to: luma, result: luma, layout: layout, rows: rows)
    for i in 0..<width * height {
      let scale = 1.35 / (luma.values[i] + 0.08)
      blue.values[i] *= scale
      red.values[i] *= scale
    }

    let smooth = arena.plane(width: width, height: height)
    let ink = arena.plane(width: width, height: height)
    let scratch = arena.numbers(layout.coarse.scratchCount(width: width, threads: layout.threads))
    layout.fine.apply(from: luma, to: smooth, scratch: scratch, threads: layout.threads)
    layout.coarse.apply(from: luma, to: ink, scratch: scratch, threads: layout.threads)
    let smallScratch = arena.numbers(layout.wideCoarse.scratchCount(width: smallWidth, threads: 1))
    // Soft edges, as of hair against skin, show only between wider blurs.
    layout.wideFine.apply(from: small, to: input, scratch: smallScratch)
    layout.wideCoarse.apply(from: small, to: offset, scratch: smallScratch)
    for i in 0..<smallWidth * smallHeight { offset.values[i] = (offset.values[i] - input.values[i]) * 0.38 }
    Self.addEdges(offset, of: smooth, to: ink, layout: layout, rows: rows)
    let directions = layout.ink.directions(in: small, arena: &arena)
    // The luma plane is not needed any more.
    layout.ink.draw(ink, along: directions, to: luma, threads: layout.threads)
    self.luma = smooth
    self.ink = luma
  }

  /// Makes a coarse blur the difference to a fine one, and adds the enlarged difference of wider blurs.
  private static func addEdges(
    _ wide: FloatPlane, of fine: FloatPlane, to coarse: FloatPlane, layout: ComicLayout,
    rows: UnsafeMutablePointer<Float>
  ) {
    let enlargement = Enlargement(factor: layout.smallReduction.factor)
    let width = enlargement.factor * wide.width
    RowBands.run(rows: fine.height, threads: layout.threads) { range, band in
      let edges = rows + band * (2 * width + wide.width + 2)
      for y in range {
        enlargement.row(y, of: wide, to: edges, scratch: edges + width)
        let (values, out) = (fine.row(y), coarse.row(y))
        for x in 0..<fine.width { out[x] += edges[x] - values[x] }
      }
    }
  }

  /// `result = slope · guide + offset`, with slope and offset enlarged to the drawing's size.
  private static func apply(
    _ slope: FloatPlane, _ offset: FloatPlane, to guide: FloatPlane, result: FloatPlane, layout: ComicLayout,
    rows: UnsafeMutablePointer<Float>
  ) {
    let enlargement = Enlargement(factor: layout.smallReduction.factor)
    let wide = enlargement.factor * slope.width
    RowBands.run(rows: guide.height, threads: layout.threads) { range, band in
      let slopes = rows + band * (2 * wide + slope.width + 2)
      let (offsets, scratch) = (slopes + wide, slopes + 2 * wide)
      for y in range {
        enlargement.row(y, of: slope, to: slopes, scratch: scratch)
        enlargement.row(y, of: offset, to: offsets, scratch: scratch)
        let (values, out) = (guide.row(y), result.row(y))
        for x in 0..<guide.width { out[x] = slopes[x] * values[x] + offsets[x] }
      }
    }
  }
}
