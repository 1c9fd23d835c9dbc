// The drawing of backdrops.

import CameraCore
import Foundation

/// Paints scenes. Places are in heights of the picture: x from the middle, y from the top, 0…1; so that a wide picture shows
/// more of the scene, and not a wider one.
struct BackdropPainter {
  /// Red, green and blue, 0…1, as they are shown.
  typealias Light = SIMD3<Float>

  private let scene: BackdropScene
  private let discs: [Disc]

  /// A soft light out of focus.
  private struct Disc {
    var x: Float
    var y: Float
    var radius: Float
    var light: Light
  }

  init(_ scene: BackdropScene) {
    self.scene = scene
    switch scene {
    case .lights:
      discs = Self.discs(
        70, y: 0.28...0.8, radius: 0.015...0.055,
        lights: [Light(1, 0.72, 0.35), Light(1, 0.5, 0.25), Light(0.5, 0.7, 1), Light(1, 0.9, 0.7), Light(1, 0.3, 0.3)])
    case .leaves:
      discs = Self.discs(
        90, y: 0...0.75, radius: 0.03...0.09,
        lights: [Light(0.75, 0.85, 0.35), Light(0.9, 0.95, 0.6), Light(0.45, 0.65, 0.25), Light(1, 1, 0.85)])
    default: discs = []
    }
  }

  /// Scattered by a fixed rule, the same on every machine.
  private static func discs(
    _ count: Int, y: ClosedRange<Float>, radius: ClosedRange<Float>, lights: [Light]
  ) -> [Disc] {
    func part(_ index: Int, _ salt: Int) -> Float { noise(Int32(index), Int32(salt)) }
    func place(_ range: ClosedRange<Float>, _ part: Float) -> Float {
      range.lowerBound + (range.upperBound - range.lowerBound) * part
    }
    return (0..<count).map { index in
      Disc(
        x: place(-1.3...1.3, part(index, 1)), y: place(y, part(index, 2)), radius: place(radius, part(index, 3)),
        light: lights[min(lights.count - 1, Int(part(index, 4) * Float(lights.count)))]
          * place(0.25...0.8, part(index, 5)))
    }
  }

  /// Paints a whole picture.
  ///
  /// - Parameter target: BGRX, rows without gaps.
  func paint(_ target: UnsafeMutablePointer<UInt32>, _ size: PixelSize, threads: Int) {
    let unit = 1 / Float(size.height)
    RowBands.run(rows: size.height, threads: threads) { rows, _ in
      for row in rows {
        let y = (Float(row) + 0.5) * unit
        for column in 0..<size.width {
          let x = (Float(column) + 0.5 - Float(size.width) / 2) * unit
          let light = light(x, y) * 255
          // Less than a step of noise, so that gradients have no bands.
          let grain = Self.noise(Int32(column), Int32(row)) - 0.5
          target[row * size.width + column] = Pixel.packed(SIMD4(light.z, light.y, light.x, 0) + grain) | Pixel.unused
        }
      }
    }
  }

  private func light(_ x: Float, _ y: Float) -> Light {
    switch scene {
    case .sunset: Self.sunset(x, y)
    case .mountains: Self.mountains(x, y)
    case .sky: Self.sky(x, y)
    case .lights: Self.gradient(y, [(0, 0x0b1230), (0.55, 0x2a2348), (0.75, 0x3a2a3c), (1, 0x0c0a14)]) + glow(x, y)
    case .leaves: Self.gradient(y, [(0, 0x9fb861), (0.5, 0x55803a), (1, 0x20391d)]) + glow(x, y) * 0.55
    case .aurora: Self.aurora(x, y)
    case .curtain: Self.curtain(x, y)
    case .paper: Self.paper(x, y)
    }
  }

  // MARK: Scenes

  private static let horizon: Float = 0.62

  private static func sunset(_ x: Float, _ y: Float) -> Light {
    let sun = SIMD2<Float>(0.28, horizon - 0.07)
    let away = length(SIMD2(x, y) - sun)
    if y < horizon {
      var light = gradient(y, [(0, 0x2b3a67), (0.3, 0x8a5a83), (0.5, 0xf08a5d), (horizon, 0xffcf87)])
      let bands = smooth(0.5, 0.72, fractal(x * 1.6, y * 9, 4))
      light += (Light(1, 0.55, 0.4) - light) * (bands * 0.45 * smooth(0, 0.4, y))
      light += Light(1, 0.8, 0.5) * (0.55 * exp(-away * 5))
      return mixed(light, Light(1, 0.96, 0.85), smooth(0.062, 0.056, away))
    }
    let depth = (y - horizon) / (1 - horizon)
    let water = gradient(depth, [(0, 0xe8a070), (0.25, 0x9a6a78), (1, 0x26304f)])
    // Waves get larger toward the beach.
    let waves = fractal(x * 5 / (0.15 + depth), 14 * (depth.squareRoot() + 0.2), 3)
    let path = exp(-pow((x - sun.x) / (0.05 + 0.22 * depth), 2))
    return water + Light(1, 0.75, 0.45) * (smooth(0.45, 0.7, waves) * path * 0.8)
      + Light(repeating: 0.06) * smooth(0.55, 0.75, waves)
  }

  private static func mountains(_ x: Float, _ y: Float) -> Light {
    var light = gradient(y, [(0, 0x6fa3d8), (0.35, 0xbcd6ea), (0.6, 0xf6e7cf)])
    let ridges: [(height: Float, scale: Float, rough: Float, color: UInt32)] = [
      (0.34, 1.5, 0.24, 0x9db4cc), (0.46, 2.1, 0.2, 0x7894b2), (0.58, 2.8, 0.16, 0x526f8c),
      (0.72, 3.6, 0.13, 0x34506a), (0.86, 5, 0.09, 0x1f3446),
    ]
    for (index, ridge) in ridges.enumerated() {
      let top = ridge.height + ridge.rough * (0.5 - fractal(x * ridge.scale + Float(index) * 17, Float(index) * 7, 5))
      let cover = smooth(top - 0.002, top + 0.002, y)
      // Mist lies in the valleys.
      let mist = smooth(top, top + 0.28, y) * 0.35
      light = mixed(light, mixed(color(ridge.color), Light(0.93, 0.93, 0.9), mist), cover)
    }
    return light
  }

  private static func sky(_ x: Float, _ y: Float) -> Light {
    let blue = gradient(y, [(0, 0x2f73c4), (0.6, 0x7fb2e5), (1, 0xcfe3f4)])
    let cover = fractal(x * 2 + 3, y * 3.2, 6)
    let shade = fractal(x * 2 + 3.06, y * 3.2 - 0.12, 6)
    let white = Light(repeating: 0.98) - Light(0.28, 0.24, 0.18) * smooth(0.45, 0.8, shade)
    return mixed(blue, white, smooth(0.48, 0.68, cover))
  }

  private static func aurora(_ x: Float, _ y: Float) -> Light {
    var light = gradient(y, [(0, 0x050a1f), (0.6, 0x0c2340), (0.85, 0x123246)])
    let cell = SIMD2<Float>(x, y) * 60
    let star = noise(Int32(cell.x.rounded(.down)), Int32(cell.y.rounded(.down)) + 900)
    let inside = length(cell - cell.rounded(.down) - 0.5)
    if star > 0.93 { light += Light(repeating: (star - 0.93) * 12 * smooth(0.12, 0, inside)) }
    for (index, tint) in [Light(0.15, 0.95, 0.55), Light(0.3, 0.75, 0.9), Light(0.75, 0.3, 0.8)].enumerated() {
      let offset = Float(index)
      let base = 0.52 - 0.09 * offset + 0.55 * (fractal(x * 1.1 + offset * 9, 4 + offset, 3) - 0.5)
      let height = base - y
      let rays = 0.55 + 0.45 * fractal(x * 14 + offset * 5, 8, 3)
      let curtain = height > 0 ? exp(-height * 4.5) : exp(height * 60)
      light += tint * (curtain * rays * (0.75 - 0.2 * offset))
    }
    let hill = 0.86 + 0.06 * (fractal(x * 2.2, 3, 5) - 0.5)
    return mixed(light, Light(0.012, 0.025, 0.045), smooth(hill - 0.002, hill + 0.002, y))
  }

  private static func curtain(_ x: Float, _ y: Float) -> Light {
    let sway = 0.03 * sin(y * 3 + x * 4) + 0.05 * (fractal(x * 3, y * 0.6, 3) - 0.5)
    let fold = sin((x + sway) * 34)
    let deep = 0.5 + 0.5 * fold
    let shine = pow(max(0, sin((x + sway) * 34 + 0.7)), 6)
    let lit = 1.1 - 0.55 * pow(abs(x) * 0.9, 2) - 0.25 * y
    return (Light(0.5, 0.03, 0.05) * (0.25 + 0.85 * deep) + Light(0.55, 0.16, 0.14) * (shine * 0.4)) * max(0.15, lit)
  }

  private static func paper(_ x: Float, _ y: Float) -> Light {
    let away = length(SIMD2(x, (y - 0.42) * 0.9))
    let cloth = fractal(x * 2.4 + 5, y * 2.4, 5) - 0.5
    let value = 0.62 - 0.38 * smooth(0.1, 1.05, away) + cloth * 0.1
    return Light(value * 0.98, value, value * 1.03)
  }

  private func glow(_ x: Float, _ y: Float) -> Light {
    var sum = Light()
    for disc in discs {
      let (across, down) = (x - disc.x, y - disc.y)
      guard abs(across) < disc.radius * 1.1, abs(down) < disc.radius * 1.1 else { continue }
      let away = (across * across + down * down).squareRoot() / disc.radius
      // A little brighter at the rim, as lenses draw them.
      sum += disc.light * (Self.smooth(1.06, 0.94, away) * (0.8 + 0.2 * away * away))
    }
    return sum
  }

  // MARK: Formulas

  /// A soft step from 0 at `start` to 1 at `end`, which may be the smaller one.
  @inline(__always)
  private static func smooth(_ start: Float, _ end: Float, _ x: Float) -> Float {
    max(0, min(1, (x - start) / (end - start))).softStep
  }

  @inline(__always)
  private static func mixed(_ one: Light, _ other: Light, _ share: Float) -> Light { one + (other - one) * share }

  @inline(__always)
  private static func length(_ vector: SIMD2<Float>) -> Float { (vector * vector).sum().squareRoot() }

  private static func color(_ number: UInt32) -> Light {
    Light(Float(number >> 16 & 255), Float(number >> 8 & 255), Float(number & 255)) / 255
  }

  /// Colors between those at rising places.
  private static func gradient(_ place: Float, _ stops: [(place: Float, color: UInt32)]) -> Light {
    guard let next = stops.firstIndex(where: { $0.place >= place }) else { return color(stops[stops.count - 1].color) }
    guard next > 0 else { return color(stops[0].color) }
    let (low, high) = (stops[next - 1], stops[next])
    return mixed(color(low.color), color(high.color), (place - low.place) / (high.place - low.place))
  }

  /// A number of 0…1 for a pair of whole ones: bits mixed as in MurmurHash3's finalizer (public domain).
  @inline(__always)
  private static func noise(_ x: Int32, _ y: Int32) -> Float {
    var bits = UInt32(bitPattern: x) &* 0x9e37_79b1 ^ UInt32(bitPattern: y) &* 0x85eb_ca77
    bits = (bits ^ bits >> 16) &* 0x85eb_ca6b
    bits = (bits ^ bits >> 13) &* 0xc2b2_ae35
    return Float((bits ^ bits >> 16) >> 8) / 16_777_216
  }

  /// Value noise: between whole places, smooth.
  @inline(__always)
  private static func between(_ x: Float, _ y: Float) -> Float {
    let (column, row) = (x.rounded(.down), y.rounded(.down))
    let (left, top) = (Int32(column), Int32(row))
    let (across, down) = ((x - column).softStep, (y - row).softStep)
    let upper = noise(left, top) + (noise(left &+ 1, top) - noise(left, top)) * across
    let lower = noise(left, top &+ 1) + (noise(left &+ 1, top &+ 1) - noise(left, top &+ 1)) * across
    return upper + (lower - upper) * down
  }

  /// Noise of several sizes, each half as large and half as strong, 0…1.
  private static func fractal(_ x: Float, _ y: Float, _ octaves: Int) -> Float {
    var (sum, total, strength, scale) = (Float(0), Float(0), Float(1), Float(1))
    for octave in 0..<octaves {
      let offset = Float(octave) * 37
      sum += strength * between(x * scale + offset, y * scale + offset)
      total += strength
      strength /= 2
      scale *= 2
    }
    return sum / total
  }
}
