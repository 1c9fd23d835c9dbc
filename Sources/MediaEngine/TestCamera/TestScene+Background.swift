// The static parts of the test camera's scene: sky, lake, clouds, hills, shore.

import CameraCore
import Foundation

extension TestScene {
  func drawBackground(_ canvas: TestCanvas) {
    drawSkyAndWater(canvas)
    drawClouds(canvas)
    drawHills(canvas)
    drawShore(canvas)
    addGrain(canvas)
  }

  /// A color between stops.
  private func gradient(_ stops: [(at: Float, color: SceneColor)], _ value: Float) -> SceneColor {
    guard let next = stops.firstIndex(where: { $0.at >= value }), next > 0 else {
      return value <= stops[0].at ? stops[0].color : stops[stops.count - 1].color
    }
    let (low, high) = (stops[next - 1], stops[next])
    return low.color + (high.color - low.color) * ((value - low.at) / (high.at - low.at))
  }

  private func drawSkyAndWater(_ canvas: TestCanvas) {
    let sky: [(at: Float, color: SceneColor)] = [
      (0, color(0x1b2a55)), (0.22, color(0x43407c)), (0.42, color(0x8f5587)), (0.56, color(0xd9737a)),
      (0.65, color(0xf59b62)), (0.70, color(0xffc27a)),
    ]
    let water: [(at: Float, color: SceneColor)] = [
      (0.69, color(0xe39a72)), (0.74, color(0xb56a78)), (0.84, color(0x5f4674)), (1, color(0x252a52)),
    ]
    let glow = color(0xffdf9e)
    let sun = color(0xfff4cf)
    let (sunX, sunY, scale) = (sunX, Float(0.60), Float(size.height))
    let unit = 1 / scale
    for row in 0..<size.height {
      let y = (Float(row) + 0.5) * unit
      let isWater = y > horizon
      let base = isWater ? gradient(water, y) : gradient(sky, y)
      let rise = glow - base
      // The lake mirrors the glow, stretched toward the viewer.
      let dy = isWater ? (2 * horizon - y - sunY) * 0.55 : (y - sunY) * 1.25
      let strength: Float = isWater ? 0.5 : 0.85
      let line = canvas.luma + row * size.width
      let (blue, red) = (canvas.blue + row * size.width / 2, canvas.red + row * size.width / 2)
      // Smooth enough for one value to serve two pixels.
      for pair in 0..<size.width / 2 {
        let dx = (Float(pair) * 2 + 1) * unit - sunX
        let near = strength / (1 + (dx * dx + dy * dy) * 22)
        let glowing = near * near
        let luma = UInt8(truncatingIfNeeded: Int32(base.x + rise.x * glowing + 0.5))
        line[2 * pair] = luma
        line[2 * pair + 1] = luma
        blue[pair] = UInt8(truncatingIfNeeded: Int32(base.y + rise.y * glowing + 0.5))
        red[pair] = UInt8(truncatingIfNeeded: Int32(base.z + rise.z * glowing + 0.5))
      }
    }
    canvas.paint(canvas.box(x: sunX - 0.065...sunX + 0.065, y: sunY - 0.065...sunY + 0.065, floor: floor)) { x, y in
      let (dx, dy) = (x - sunX, y - sunY)
      var shade = sun
      shade.w = coverage((dx * dx + dy * dy).squareRoot() - 0.062, scale)
      return shade
    }
  }

  private func drawClouds(_ canvas: TestCanvas) {
    // Long streaks, lit from below: each is a few flat ellipses.
    let streaks: [(x: Float, y: Float, width: Float, height: Float, rgb: UInt32, cover: Float)] = [
      (0.18, 0.16, 0.34, 0.016, 0x6e5790, 0.55), (0.34, 0.185, 0.26, 0.012, 0x8a6296, 0.5),
      (0.80, 0.30, 0.40, 0.018, 0xc0708c, 0.5), (0.92, 0.33, 0.30, 0.011, 0xe08a86, 0.55),
      (0.10, 0.43, 0.30, 0.014, 0xd47e86, 0.5), (0.30, 0.455, 0.22, 0.009, 0xf0a081, 0.55),
      (0.62, 0.50, 0.30, 0.010, 0xffb98a, 0.5), (0.50, 0.09, 0.24, 0.011, 0x584a86, 0.5),
      (0.95, 0.13, 0.30, 0.014, 0x5c4c88, 0.5),
    ]
    for streak in streaks {
      let (cx, rgb) = (streak.x * aspect, color(streak.rgb))
      let box = canvas.box(
        x: cx - streak.width...cx + streak.width, y: streak.y - 3 * streak.height...streak.y + 3 * streak.height,
        floor: floor)
      canvas.paint(box) { x, y in
        let (dx, dy) = ((x - cx) / streak.width, (y - streak.y) / (3 * streak.height))
        let edge = max(0, 1 - dx * dx - dy * dy - 0.25 * dx * dx * dx)
        var shade = rgb
        shade.w = streak.cover * edge * edge * (1.2 - 0.4 * dy)
        return shade
      }
    }
  }

  private func drawHills(_ canvas: TestCanvas) {
    let ranges: [(rgb: UInt32, base: Float, rise: Float, pitch: Float, shift: Float)] = [
      (0xb96a80, 0.640, 0.045, 2.3, 0.4), (0x84527f, 0.662, 0.040, 3.9, 2.1), (0x55406f, 0.680, 0.026, 6.1, 4.0),
    ]
    let scale = Float(size.height)
    for hills in ranges {
      let rgb = color(hills.rgb)
      let crest = (0..<size.width + 1).map { column -> Float in
        let x = Float(column) / scale * hills.pitch + hills.shift
        let fine = 0.10 * sin(9.7 * x) + 0.06 * sin(23.1 * x + 1)
        return hills.base - hills.rise * (0.55 * sin(x) + 0.3 * sin(2.3 * x + 1.7) + fine)
      }
      let box = canvas.box(x: 0...aspect, y: (hills.base - hills.rise * 1.1)...horizon, floor: floor)
      crest.withUnsafeBufferPointer { crest in
        canvas.paint(box) { x, y in
          let column = min(Int(x * scale), crest.count - 1)
          var shade = rgb
          // A little haze toward the water.
          shade.x += 14 * smoothStep(0, 0.06, y - crest[column])
          shade.w = coverage(crest[column] - y, scale) * coverage(y - horizon, scale)
          return shade
        }
      }
    }
  }

  /// The upper edge of the near shore, without its grass.
  static func shoreLine(_ x: Float, aspect: Float) -> Float {
    let slope = 0.89 - 0.12 * (1 - smoothStep(0, 0.75 * aspect, x)) + 0.07 * smoothStep(0.45 * aspect, aspect, x)
    return slope - 0.006 * sin(9 * x) - 0.003 * sin(23 * x)
  }

  /// The dark near shore with its grass and pines.
  private func drawShore(_ canvas: TestCanvas) {
    let scale = Float(size.height)
    let dark = color(0x1d1c38)
    let grass = color(0x352b4f)
    for (x, height) in [(0.07, 0.30), (0.15, 0.38), (0.215, 0.26), (0.27, 0.17)] as [(Float, Float)] {
      drawPine(canvas, x: x, foot: Self.shoreLine(x, aspect: aspect) + 0.03, height: height, dark)
    }
    let line = (0..<size.width + 1).map { Self.shoreLine(Float($0) / scale, aspect: aspect) }
    // Blades: each a leaning triangle of its own height.
    let crest = (0..<size.width + 1).map { column -> Float in
      let place = Float(column) / scale * 260
      let blade = UInt32(place)
      // Two rounds of a multiplicative hash: no two tufts alike.
      var mixed = (blade &+ 1) &* 0x9e37_79b1
      mixed = (mixed ^ (mixed >> 15)) &* 0x85eb_ca77
      mixed ^= mixed >> 13
      let height = Float(mixed >> 20 & 255) / 255
      let across = abs(place - Float(blade) - 0.3 - 0.4 * Float(mixed >> 8 & 255) / 255)
      return line[column] - 0.020 * height * height * max(0, 1 - 1.6 * across)
    }
    crest.withUnsafeBufferPointer { crest in
      line.withUnsafeBufferPointer { line in
        canvas.paint(canvas.box(x: 0...aspect, y: 0.74...1, floor: floor)) { x, y in
          let column = min(Int(x * scale), crest.count - 1)
          var shade = grass + (dark - grass) * min(max((y - line[column] + 0.02) * 16, 0), 1)
          shade.w = coverage(crest[column] - y, scale)
          return shade
        }
      }
    }
  }

  private func drawPine(_ canvas: TestCanvas, x: Float, foot: Float, height: Float, _ rgb: SceneColor) {
    let scale = Float(size.height)
    let top = foot - height
    canvas.paint(canvas.box(x: x - height * 0.22...x + height * 0.22, y: top...foot + 0.02, floor: floor)) { px, y in
      let down = (y - top) / height
      // Branches: a saw along the height, ragged at the tips.
      let tier = down * 11 + 0.15 * sin(90 * px)
      let saw = tier - tier.rounded(.down)
      let spread = height * (0.004 + 0.18 * min(down, 0.93) * (0.62 + 0.38 * saw))
      let half = down > 0.95 ? height * 0.02 : spread
      var shade = rgb
      shade.w = down < 0 ? 0 : coverage(abs(px - x) - half, scale)
      return shade
    }
  }

  /// Grain, as a sensor has it: without it JPEGs would be half as large as a webcam's, and gradients would show steps.
  private func addGrain(_ canvas: TestCanvas) {
    var state: UInt32 = 0x2545_f491
    func next() -> UInt32 {
      state ^= state << 13
      state ^= state >> 17
      state ^= state << 5
      return state
    }
    // The sum of two dice: mostly small.
    let grain = (0..<8192 + size.width).map { _ in Int16(next() % 5) + Int16(next() % 5) - 4 }
    grain.withUnsafeBufferPointer { grain in
      for row in 0..<floor {
        let shift = Int(next() & 8191)
        let line = canvas.luma + row * size.width
        for column in 0..<size.width {
          let value = Int16(line[column]) + grain[shift + column]
          line[column] = UInt8(truncatingIfNeeded: min(max(value, 0), 255))
        }
      }
    }
  }
}
