// Dots, strokes, grain and smoothed lines against their formulas.

import Foundation
import TestSupport
import Testing

@testable import PhotoEffects

@Suite("Patterns and lines")
struct PatternTests {
  @Test("Dots stand on a square grid that stands on its corner")
  func dotScreen() {
    let pitch = 7.3
    var columns = [Float](repeating: 0, count: 50)
    columns.withUnsafeMutableBufferPointer {
      let screen = DotScreen(pitch: Float(pitch), columns: $0.baseAddress!, width: 50)
      for y in 0..<40 {
        for x in 0..<50 {
          // Two waves, each at 45° and one pitch long.
          let (a, b) = ((Double(x) + 0.5 + Double(y) + 0.5) / 2.0.squareRoot(), Double(x - y) / 2.0.squareRoot())
          let expected = (cos(2 * .pi * a / pitch) + cos(2 * .pi * b / pitch)) / 2
          #expect(abs(Double(screen.columns[x] * screen.row(y)) - expected) < 1e-4)
        }
      }
    }
  }

  @Test("Dots and strokes finer than the pixels fade, for they would be seen as others")
  func finePatterns() {
    var columns = [Float](repeating: 0, count: PencilStrokes.columnCount * 30)
    columns.withUnsafeMutableBufferPointer {
      #expect(DotScreen(pitch: 1.2, columns: $0.baseAddress!, width: 30).columns[3] == 0)
      let strokes = PencilStrokes(pitch: 1.1, columns: $0.baseAddress!, width: 30)
      var row = [Float](repeating: 0.3, count: 30)
      strokes.shade(row: 2, luma: &row)
      #expect(Set(row).count == 1)
    }
  }

  @Test("Strokes are waves in two directions that darken as luma falls")
  func strokes() {
    var columns = [Float](repeating: 0, count: PencilStrokes.columnCount * 30)
    columns.withUnsafeMutableBufferPointer {
      let strokes = PencilStrokes(pitch: 5.2, columns: $0.baseAddress!, width: 30)
      for (y, luma) in [(0, 0.0), (3, 0.2), (11, 0.45), (17, 0.7), (20, 1.0)] {
        var row = [Float](repeating: Float(luma), count: 30)
        strokes.shade(row: y, luma: &row)
        for x in 0..<30 {
          func wave(_ angle: Double) -> Double {
            cos(2 * .pi * ((Double(x) + 0.5) * cos(angle) + (Double(y) + 0.5) * sin(angle)) / 5.2)
          }
          func limited(_ number: Double) -> Double { min(max(number, 0), 1) }
          let dark = 1 - luma
          let expected =
            0.4 * limited(wave(.pi * 0.29) * 0.4 + dark * 2.4 - 0.9)
            + 0.36 * limited(wave(.pi * -0.21) * 0.4 + dark * 2.6 - 1.65) + 0.2 * dark * dark
          #expect(abs(Double(row[x]) - expected) < 1e-4)
        }
      }
    }
  }

  @Test("Paper is uneven, the same each time, and flat where its grain is finer than the pixels")
  func grain() {
    func row(_ pitch: Float, _ y: Int) -> [Float] {
      var row = [Float](repeating: .nan, count: 4000)
      PaperGrain(pitch: pitch).write(row: y, to: &row, count: row.count)
      return row
    }
    let grain = row(2.2, 5)
    #expect(grain == row(2.2, 5))
    #expect(grain != row(2.2, 6))
    #expect(grain.allSatisfy { (0...1).contains($0) })
    #expect(abs(grain.reduce(0, +) / 4000 - 0.5) < 0.03)
    #expect(grain.max()! - grain.min()! > 0.6)
    #expect(row(0.2, 5).allSatisfy { $0 == 0.5 })
    // Between two points of the grid the height changes evenly.
    let wide = row(16, 0)
    for x in 1..<14 { #expect(abs(wide[x + 1] - 2 * wide[x] + wide[x - 1]) < 1e-5) }
  }

  @Test(
    "Edges have the direction of the structure tensor's smaller eigenvalue", arguments: [0, 25, 45, 80, 90, 120, 170])
  func directions(degrees: Int) {
    let angle = Double(degrees) * .pi / 180
    // A wave across that direction.
    var luma = TestPlane(width: 40, height: 30) { x, y in
      0.5 + 0.4 * sin((-Double(x) * sin(angle) + Double(y) * cos(angle)) * 0.5)
    }
    let flow = EdgeFlow(factor: 1, window: GaussianBlur(sigma: 1.5), step: 1, faintest: 0, blackest: 1)
    let memoryCount = flow.scratchCount(width: 40, height: 30)
    var memory = [Float](repeating: .nan, count: memoryCount)
    luma.lend { luma in
      memory.withUnsafeMutableBufferPointer {
        var arena = PlaneArena($0.baseAddress!, count: memoryCount)
        let found = flow.directions(in: luma, arena: &arena)
        for (x, y) in [(20, 15), (12, 9), (31, 20)] {
          let (dx, dy) = (Double(found.x.row(y)[x]), Double(found.y.row(y)[x]))
          #expect(abs(dx * sin(angle) - dy * cos(angle)) < 0.05, "across the edge")
          #expect((0.9...1.001).contains((dx * dx + dy * dy).squareRoot()), "as long as the edges are coherent")
        }
      }
    }
  }

  @Test("A plane without edges has no directions")
  func flat() {
    var luma = TestPlane(width: 9, height: 7) { _, _ in 0.4 }
    let flow = EdgeFlow(factor: 1, window: GaussianBlur(sigma: 1), step: 1, faintest: 0, blackest: 1)
    let memoryCount = flow.scratchCount(width: 9, height: 7)
    var memory = [Float](repeating: .nan, count: memoryCount)
    luma.lend { luma in
      memory.withUnsafeMutableBufferPointer {
        var arena = PlaneArena($0.baseAddress!, count: memoryCount)
        let found = flow.directions(in: luma, arena: &arena)
        for i in 0..<63 { #expect(abs(found.x.values[i]) < 1e-3 && abs(found.y.values[i]) < 1e-3) }
      }
    }
  }

  @Test("Marks are drawn out along an edge by seven weighted samples", arguments: [1, 2, 4])
  func draw(factor: Int) {
    var marks = TestPlane.uneven(width: 48, height: 32, seed: 9)
    var (x, y) = (
      TestPlane(width: 48 / factor, height: 32 / factor), TestPlane(width: 48 / factor, height: 32 / factor)
    )
    var numbers = SeededNumbers(state: 10)
    for i in x.values.indices {
      let angle = numbers.fraction() * 2 * .pi
      (x.values[i], y.values[i]) = (Float(cos(angle)), Float(sin(angle)))
    }
    let flow = EdgeFlow(factor: factor, window: GaussianBlur(sigma: 1), step: 1.3, faintest: 0.3, blackest: 2)
    var lines = TestPlane(width: 48, height: 32)
    marks.lend { marks in
      x.lend { x in y.lend { y in lines.lend { flow.draw(marks, along: (x, y), to: $0, threads: 2) } } }
    }
    let reach = Int(3 * 1.3) + 2
    var drawn = 0
    for row in 0..<32 {
      for column in 0..<48 {
        let own = marks.at(column, row)
        let result = lines.at(column, row)
        let (dx, dy) = (x.at(column / factor, row / factor) * 1.3, y.at(column / factor, row / factor) * 1.3)
        var expected = 0.0
        for (steps, weight) in [(-3.0, 1.0), (-2, 6), (-1, 15), (0, 20), (1, 15), (2, 6), (3, 1)] {
          expected += marks.between(Double(column) + dx * steps, Double(row) + dy * steps) * weight / 64
        }
        let isInside = column >= reach && row >= reach && row < 32 - reach && column < 48 - reach - 2 * factor
        if isInside, own > 0.3, column >= reach + factor { #expect(abs(result - expected) < 1e-4) }
        if result != own { drawn += 1 } else { #expect(!isInside || own <= 0.3 || column < reach + factor) }
      }
    }
    #expect(drawn > 300)
  }
}
