// The moving parts of the test camera's scene: balloons, gulls, a sailboat, the sun on the water.

import CameraCore
import Foundation

extension TestScene {
  struct Balloon {
    var x: Float
    var y: Float
    var radius: Float
    var stripes: (UInt32, UInt32)
  }

  struct Gull {
    var x: Float
    var y: Float
    var span: Float
    /// From -1, wings down, to 1, wings up.
    var wings: Float
  }

  /// A spark of the sun on the water.
  struct Glint {
    var x: Float
    var y: Float
    var length: Float
    var shift: Float
    var speed: Float
  }

  private func turn(_ phase: Float) -> (sin: Float, cos: Float) {
    (Foundation.sin(2 * .pi * phase), Foundation.cos(2 * .pi * phase))
  }

  /// The near one first.
  func balloons(_ phase: Float) -> [Balloon] {
    [
      Balloon(
        x: aspect * 0.36 + 0.012 * turn(phase).cos, y: 0.30 + 0.020 * turn(phase).sin, radius: 0.130,
        stripes: (0xf5821f, 0xffe3b8)),
      Balloon(
        x: aspect * 0.83 + 0.008 * turn(phase + 0.4).cos, y: 0.215 + 0.014 * turn(phase + 0.3).sin, radius: 0.068,
        stripes: (0xc23b4e, 0xf7b267)),
      Balloon(
        x: aspect * 0.57 + 0.004 * turn(phase + 0.1).cos, y: 0.39 + 0.008 * turn(phase + 0.6).sin, radius: 0.032,
        stripes: (0x3f6f8f, 0xe8d3b0)),
    ]
  }

  func gulls(_ phase: Float) -> [Gull] {
    (0..<4).map { index in
      let own = phase + 0.13 * Float(index)
      let (dx, dy) = ([0, 0.085, -0.075, 0.16][index] as Float, [0, 0.03, 0.042, 0.075][index] as Float)
      return Gull(
        x: aspect * 0.64 + dx + 0.11 * turn(phase).cos, y: 0.17 + dy + 0.03 * turn(own).sin,
        span: 0.034 - 0.003 * Float(index), wings: turn(2 * own).sin)
    }
  }

  var boatBox: (x: ClosedRange<Float>, y: ClosedRange<Float>) {
    let x = aspect * 0.475
    return (x - 0.11...x + 0.11, 0.555...0.83)
  }

  static func makeGlints(sunX: Float, horizon: Float, aspect: Float) -> [Glint] {
    var state: UInt32 = 77
    func next() -> Float {
      state = state &* 1_664_525 &+ 1_013_904_223
      return Float(state >> 8) / Float(1 << 24)
    }
    return (0..<120).compactMap { index in
      let depth = Float(index) / 120
      // The path of light widens toward the viewer.
      let spread = 0.035 + 0.15 * depth
      let glint = Glint(
        x: sunX + (next() + next() - 1) * spread, y: horizon + 0.006 + 0.25 * depth * (0.7 + 0.3 * depth),
        length: 0.008 + 0.022 * depth * (0.5 + next()), shift: next(), speed: next() < 0.5 ? 1 : 2)
      // None on land.
      let shore = min(
        shoreLine(glint.x - glint.length, aspect: aspect), shoreLine(glint.x + glint.length, aspect: aspect))
      return glint.y < shore - 0.025 ? glint : nil
    }
  }

  func drawGlints(_ phase: Float, _ isFlash: Bool, _ canvas: TestCanvas) {
    let light = color(0xffe2a8, isFlash)
    for glint in glints {
      let strength = turn(phase * glint.speed + glint.shift).sin
      guard strength > -0.4 else { continue }
      let x = glint.x + 0.006 * turn(phase + glint.shift).cos
      let thickness = 0.0016 + glint.length * 0.07
      let box = canvas.box(
        x: x - glint.length...x + glint.length, y: glint.y - thickness...glint.y + thickness, floor: floor)
      canvas.paint(box) { px, py in
        let (dx, dy) = ((px - x) / glint.length, (py - glint.y) / thickness)
        var shade = light
        shade.w = max(0, 1 - dx * dx - dy * dy) * (0.35 + 0.5 * strength)
        shade.w = max(0, shade.w)
        return shade
      }
    }
  }

  func draw(_ balloon: Balloon, _ isFlash: Bool, _ canvas: TestCanvas) {
    let (r, scale) = (balloon.radius, Float(size.height))
    let (first, second) = (color(balloon.stripes.0, isFlash), color(balloon.stripes.1, isFlash))
    let shadow = color(0x3a2350, isFlash)
    let light = color(0xfff0cc, isFlash)
    let basket = color(0x4a2c2a, isFlash)
    let box = canvas.box(
      x: balloon.x - 1.1 * r...balloon.x + 1.1 * r, y: balloon.y - 1.05 * r...balloon.y + 2 * r, floor: floor)
    for row in box.rows {
      let y = ((Float(row) + 0.5) / scale - balloon.y) / r
      let line = PixelBox(columns: box.columns, rows: row..<row + 1)
      if y >= 1.36 {
        canvas.paint(line) { px, _ in
          let across = abs(px - balloon.x) / r
          var shade = basket
          // The basket, or two ropes.
          shade.w =
            y > 1.62
            ? coverage(max(across - 0.17, y - 1.88) * r, scale)
            : 0.8 * coverage((abs(across - 0.15) - 0.012) * r, scale * 0.8)
          return shade
        }
        continue
      }
      // A globe above, narrowing to the mouth below.
      let square = 1 - (y - 0.15) * (y - 0.15) / 1.3225
      guard y >= 0.15 || square > 0 else { continue }
      let half = y < 0.15 ? square.squareRoot() : 1 - 0.5766 * (y - 0.15) * (y - 0.15)
      let slant = r * (y < 0.15 ? max(half, 0.2) : 0.9)
      let span = canvas.box(
        x: balloon.x - half * r...balloon.x + half * r, y: balloon.y...balloon.y, floor: floor)
      canvas.paint(PixelBox(columns: span.columns, rows: row..<row + 1)) { px, _ in
        let x = (px - balloon.x) / r
        let across = min(max(x / half, -1), 1)
        // Gores: even in angle, so narrower toward the sides.
        let gore = 3.5 * (1 + across * (0.64 + 0.36 * across * across))
        var shade = Int32(gore + 0.5) & 1 == 1 ? first : second
        // Lit from the sun's side, dark below and on the other.
        let lit = across * 0.6 + 0.35 * (0.2 - y)
        shade += (shadow - shade) * min(0.55, max(0, -lit * 0.6 + 0.08))
        shade += (light - shade) * min(0.4, max(0, lit * 0.45))
        shade.w = coverage((abs(x) - half) * slant, scale)
        return shade
      }
    }
  }

  func draw(_ gull: Gull, _ isFlash: Bool, _ canvas: TestCanvas) {
    let (span, scale) = (gull.span, Float(size.height))
    let dark = color(0x2b2547, isFlash)
    let box = canvas.box(
      x: gull.x - 1.2 * span...gull.x + 1.2 * span, y: gull.y - span...gull.y + span, floor: floor)
    canvas.paint(box) { px, py in
      let (x, y) = ((px - gull.x) / span, (py - gull.y) / span)
      let out = abs(x)
      // Two arcs that beat: the wings' middles rise before their tips.
      let bend = 0.5 * gull.wings * out - (0.45 + 0.25 * gull.wings) * (out - out * out)
      let line = -bend * 0.8
      let thickness = 0.075 * (1 - 0.75 * out) + (out < 0.14 ? 0.05 : 0)
      var shade = dark
      shade.w = out > 1 ? 0 : coverage((abs(y - line) - thickness) * span, scale)
      return shade
    }
  }

  func drawBoat(_ phase: Float, _ isFlash: Bool, _ canvas: TestCanvas) {
    let scale = Float(size.height)
    let (x0, line) = (aspect * 0.475, Float(0.752))
    // It rocks about the waterline.
    let tilt = 0.075 * turn(phase).sin
    let lift = 0.0035 * turn(phase + 0.25).sin
    let sail = color(0xfff1dc, isFlash)
    let jib = color(0xf5a54a, isFlash)
    let hull = color(0x3a2344, isFlash)
    let ripple = color(0xc9909a, isFlash)
    let box = canvas.box(x: boatBox.x, y: boatBox.y, floor: floor)
    for row in box.rows {
      let py = (Float(row) + 0.5) / scale
      let isMirrored = py > line
      // Under the waterline the same boat upside down, wavering and faint.
      let mirrorY = isMirrored ? 2 * line - py : py
      let waver: Float = isMirrored ? 0.004 * sin(420 * (py - line) + 2 * .pi * phase) : 0
      canvas.paint(PixelBox(columns: box.columns, rows: row..<row + 1)) { px, _ in
        let (dx, dy) = (px - x0 + waver, mirrorY - line - lift)
        let x = dx + tilt * dy
        let y = dy - tilt * dx
        var shade = SceneColor.zero
        let mast = abs(x) - 0.0022
        if y > -0.028 {
          let length = 0.062 - 0.5 * max(0, y + 0.028)
          shade = hull
          shade.w = coverage(max(abs(x - 0.004) - length, -y - 0.024), scale)
        }
        if y < -0.024, shade.w == 0 {
          // The mainsail right of the mast, the jib left of it: triangles with a little belly.
          let up = (-y - 0.03) / 0.15
          let main = max(x - 0.062 * (1 - up) * (1 + 0.25 * up), max(0.005 - x, max(-up * 0.15, (up - 1) * 0.15)))
          let fore = max(
            -x - 0.048 * (1 - up * 1.15) * (1 + 0.2 * up), max(x + 0.005, max(-up * 0.15, (up - 0.87) * 0.15)))
          if main < fore {
            shade = sail
            shade.x -= 26 * (x / 0.06)
            shade.w = coverage(main, scale)
          } else {
            shade = jib
            shade.w = coverage(fore, scale)
          }
          if mast < 0, up < 1.05 {
            shade = hull
            shade.w = max(shade.w, coverage(mast, scale))
          }
        }
        if isMirrored {
          shade += (ripple - shade) * 0.35 * (shade.w > 0 ? 1 : 0)
          shade.w = min(shade.w, 1) * 0.5 * max(0, 1 - (py - line) / 0.075)
        }
        return shade
      }
    }
  }
}
