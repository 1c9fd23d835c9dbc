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
  static let dotPitch: Float = 4.2
  static let tones: Float = 6

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
        tone(luma, ink: ink, wave: Self.wave(at: y, pitch: pitch), count: view.width)
        color(view.row(y), luma: luma, blue: blue, red: red, count: view.width)
      }
    }
  }

  /// Reduces luma to tones, and prints dots and ink over them.
  private func tone(_ luma: UnsafeMutablePointer<Float>, ink: UnsafeMutablePointer<Float>, wave: Float, count: Int) {
    let waves = self.wave
    let tones = Self.tones
    let sharp = layout.unit * Self.dotPitch / 4.5
    for x in 0..<count {
      let value = luma[x]
      // Steps between the tones: flat, but for a slope of a quarter of a tone.
      let scaled = value * tones
      let step = (scaled + 12_582_912) - 12_582_912
      let slope = min(max((scaled - step) * 4, -1), 1)
      let flat = (step + slope * (0.75 - 0.25 * slope * slope)) / tones
      // Dots that grow as it gets darker, from luma 0.42 downwards.
      let size = (0.42 - value) * 3.2 - 1
      let dot = min(max((waves[x] * wave + size) * sharp + 0.5, 0), 1)
      // Ink.
      let line = min(max((ink[x] - 0.008) * 45, 0), 1)
      let left = 1 - line * line * (3 - 2 * line)
      luma[x] = (flat * 1.12 + 0.03) * (1 - 0.45 * dot) * left
    }
  }

  /// Gives the tones their colour and mixes them with the picture by the intensity.
  private func color(
    _ pixels: UnsafeMutablePointer<UInt32>, luma: UnsafeMutablePointer<Float>, blue: UnsafeMutablePointer<Float>,
    red: UnsafeMutablePointer<Float>, count: Int
  ) {
    // Adding 1.5·2²³ leaves the nearest whole number in the lowest bits of a Float: SSE2 has nothing that is as fast.
    let magic: Float = 12_582_912
    if intensity >= 1 {
      for x in 0..<count {
        let value = luma[x] * 255
        let (u, v) = (blue[x], red[x])
        let b = min(max(value + value * u, 0), 255)
        let r = min(max(value + value * v, 0), 255)
        let g = min(max(value - value * (u * 0.194_207 + v * 0.509_370), 0), 255)
        pixels[x] =
          (pixels[x] & 0xff00_0000) | (((r + magic).bitPattern & 0xff) << 16) | (((g + magic).bitPattern & 0xff) << 8)
          | ((b + magic).bitPattern & 0xff)
      }
    } else {
      for x in 0..<count {
        let value = luma[x] * 255
        let (u, v) = (blue[x], red[x])
        var b = min(max(value + value * u, 0), 255)
        var r = min(max(value + value * v, 0), 255)
        var g = min(max(value - value * (u * 0.194_207 + v * 0.509_370), 0), 255)
        let old = pixels[x]
        let (oldBlue, oldGreen) = (Float(Int32(bitPattern: old & 0xff)), Float(Int32(bitPattern: (old >> 8) & 0xff)))
        let oldRed = Float(Int32(bitPattern: (old >> 16) & 0xff))
        b = oldBlue + (b - oldBlue) * intensity
        g = oldGreen + (g - oldGreen) * intensity
        r = oldRed + (r - oldRed) * intensity
        pixels[x] =
          (old & 0xff00_0000) | (((r + magic).bitPattern & 0xff) << 16) | (((g + magic).bitPattern & 0xff) << 8)
          | ((b + magic).bitPattern & 0xff)
      }
    }
  }
}
