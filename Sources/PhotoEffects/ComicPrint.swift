// Puts a comic's tones, dots and ink on the picture, at full size.

import Foundation

struct ComicPrint {
  let layout: ComicLayout
  let intensity: Float
  /// `cos(2πx/p)` for each column: the dot screen is a product of two waves.
  private let wave: UnsafeMutablePointer<Float>
  private let rows: UnsafeMutablePointer<Float>
  private let pitch: Float

  init(layout: ComicLayout, intensity: Float, arena: inout PlaneArena) {
    self.layout = layout
    self.intensity = intensity
    let wide = layout.width * layout.reduction.factor
    wave = arena.numbers(wide)
    rows = arena.numbers(layout.threads * (4 * wide + layout.width + 2))
    pitch = Self.dotPitch * layout.unit * Float(2).squareRoot()
    for x in 0..<wide { wave[x] = Self.wave(at: x, pitch: pitch) }
  }

  /// From dot to dot, in pattern units.
  static let dotPitch: Float = 4.8
  /// How many steps luma is reduced to.
  static let tones: Float = 6
  /// Dots are printed below this luma.
  static let dotsBelow: Float = 0.42
  /// The difference between the blurs where ink begins, and how fast it gets black from there.
  static let faintestInk: Float = 0.006
  static let inkGain: Float = 55

  private static func wave(at position: Int, pitch: Float) -> Float {
    cos(2 * Float.pi * (Float(position) + 0.5) / pitch)
  }

  func print(_ drawing: ComicDrawing, on view: PixelView) {
    let enlargement = Enlargement(factor: layout.reduction.factor)
    let wide = layout.width * layout.reduction.factor
    RowBands.run(rows: view.height, threads: layout.threads) { range, band in
      let luma = rows + band * (4 * wide + layout.width + 2)
      let (blue, red, ink, scratch) = (luma + wide, luma + 2 * wide, luma + 3 * wide, luma + 4 * wide)
      for y in range {
        enlargement.row(y, of: drawing.luma, to: luma, scratch: scratch)
        enlargement.row(y, of: drawing.blue, to: blue, scratch: scratch)
        enlargement.row(y, of: drawing.red, to: red, scratch: scratch)
        enlargement.row(y, of: drawing.ink, to: ink, scratch: scratch)
        let wave = Self.wave(at: y, pitch: pitch)
        let pixels = view.row(y)
        if intensity >= 1 {
          printRow(pixels, luma, blue, red, ink, wave: wave, count: view.width)
        } else {
          mixRow(pixels, luma, blue, red, ink, wave: wave, count: view.width)
        }
      }
    }
  }

  private typealias Row = UnsafeMutablePointer<Float>

  /// Prints a row over what is there.
  private func printRow(
    _ pixels: UnsafeMutablePointer<UInt32>, _ luma: Row, _ blue: Row, _ red: Row, _ ink: Row, wave: Float, count: Int
  ) {
    let waves = self.wave
    let sharpness = layout.unit * Self.dotPitch / 4.5
    for x in 0..<count {
      let tone = Self.tone(luma[x], ink: ink[x], wave: waves[x] * wave, sharpness: sharpness) * 255
      let color = PackedColor(luma: tone, blue: tone * blue[x], red: tone * red[x])
      pixels[x] = (pixels[x] & 0xff00_0000) | color.packed
    }
  }

  /// Prints a row and mixes it with what is there.
  private func mixRow(
    _ pixels: UnsafeMutablePointer<UInt32>, _ luma: Row, _ blue: Row, _ red: Row, _ ink: Row, wave: Float, count: Int
  ) {
    let waves = self.wave
    let intensity = intensity
    let sharpness = layout.unit * Self.dotPitch / 4.5
    for x in 0..<count {
      let tone = Self.tone(luma[x], ink: ink[x], wave: waves[x] * wave, sharpness: sharpness) * 255
      let color = PackedColor(luma: tone, blue: tone * blue[x], red: tone * red[x])
      pixels[x] = (pixels[x] & 0xff00_0000) | PackedColor(pixels[x]).mixed(with: color, share: intensity).packed
    }
  }

  /// What is printed for a luma: a flat tone, dots in the shadows, and ink over them.
  @inline(__always)
  private static func tone(_ luma: Float, ink: Float, wave: Float, sharpness: Float) -> Float {
    // Tones with soft steps between them, half a tone away from each: flat, but for a slope of a quarter of a tone.
    let scaled = luma * tones
    let step = (scaled + 12_582_912) - 12_582_912
    let flat = step - 0.5 + ((scaled - step) * 4 + 0.5).softStep
    // Dots that grow as it gets darker.
    let size = (dotsBelow - luma) * 3.2 - 1
    let dot = ((wave + size) * sharpness + 0.5).limited(to: 1)
    let line = ((ink - faintestInk) * inkGain).softStep
    return (flat * (1.12 / tones) + 0.03) * (1 - 0.45 * dot) * (1 - line)
  }
}
