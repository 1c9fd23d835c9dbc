// Painting a line drawing over its picture, row by row.

extension LineDrawing {
  /// A drawing, its enlargement to the picture's size, and memory for painting it.
  struct Canvas {
    let drawing: LineDrawing
    let enlargement: Enlargement
    /// A thousandth of the long side, in pixels of the picture.
    let unit: Float
    /// The requested column planes, one after the other, each of the picture's width.
    let columns: UnsafeMutablePointer<Float>
    fileprivate let rows: UnsafeMutablePointer<Float>
    fileprivate let rowPlanes: Int
    fileprivate let rowCount: Int
    fileprivate let height: Int
    fileprivate let threads: Int

    /// Calls `body` for bands of the picture's rows, in parallel, each with memory of its own.
    func forEachBand(_ body: (_ rows: Range<Int>, _ memory: RowMemory) -> Void) {
      RowBands.run(rows: height, threads: threads) { range, band in
        body(
          range,
          RowMemory(first: rows + band * rowCount, wide: drawing.luma.width * enlargement.factor, planes: rowPlanes))
      }
    }
  }

  /// Rows of numbers at the picture's size, at least as long as the picture is wide.
  struct RowMemory {
    fileprivate let first: UnsafeMutablePointer<Float>
    fileprivate let wide: Int
    fileprivate let planes: Int

    subscript(plane: Int) -> UnsafeMutablePointer<Float> { first + plane * wide }
    /// For `Enlargement.row`.
    var scratch: UnsafeMutablePointer<Float> { first + planes * wide }
  }

  /// Draws a picture and lends the drawing for a call.
  ///
  /// - Parameters:
  ///   - columnPlanes: Numbers for each column of the picture.
  ///   - rowPlanes: Rows of memory for each thread.
  static func withCanvas(
    for view: PixelView, style: Style, context: FrameContext, scratch: EffectScratch, columnPlanes: Int = 0,
    rowPlanes: Int, _ body: (Canvas) -> Void
  ) {
    let layout = Layout(style, for: view, unit: context.patternUnit(in: view), threads: scratch.threadCount)
    let enlargement = Enlargement(factor: layout.reduction.factor)
    let wide = layout.width * enlargement.factor
    let rowCount = rowPlanes * wide + enlargement.scratchCount(width: layout.width)
    let count = layout.scratchCount + columnPlanes * view.width + layout.threads * rowCount
    scratch.withFloats("drawing", count: count) { block in
      var arena = PlaneArena(block, count: count)
      let drawing = LineDrawing(of: view, layout: layout, arena: &arena)
      body(
        Canvas(
          drawing: drawing, enlargement: enlargement, unit: layout.unit,
          columns: arena.numbers(columnPlanes * view.width), rows: arena.numbers(layout.threads * rowCount),
          rowPlanes: rowPlanes, rowCount: rowCount, height: view.height, threads: layout.threads))
    }
  }
}
