// The adjustments of pictures with 16 bits a channel.

import CameraCore

/// `ToneFormulas` for 16-bit channels: a curve of each channel as a table, everything else in single precision.
struct DeepTones: Sendable {
  /// Of red, green and blue: 65,536 values each, 0…1, and beyond what is white.
  private let curves: [Float]
  /// Columns of the saturation's matrix: the contributions of red, green and blue.
  private let columns: [SIMD4<Float>]
  /// The factor of shadows and highlights for brightnesses 0…`brightest`; empty when it is always 1.
  private let gains: [Float]
  private let vignette: Double

  private static let levels = 65_536
  private static let gainSteps = 4096
  private static let brightest: Float = 2
  private static let luma = SIMD4<Float>(
    Float(ColorTransform.luma709[0]), Float(ColorTransform.luma709[1]), Float(ColorTransform.luma709[2]), 0)

  init(_ adjustments: Adjustments) {
    let formulas = ToneFormulas(adjustments)
    curves = (0..<3).flatMap { channel in
      (0..<Self.levels).map { Float(formulas.curve(Double($0) / Double(Self.levels - 1), channel: channel)) }
    }
    let matrix = formulas.saturation
    columns = (0..<3).map { SIMD4(Float(matrix[0][$0]), Float(matrix[1][$0]), Float(matrix[2][$0]), 0) }
    let isPlain = adjustments.shadows == 0 && adjustments.highlights == 0
    gains =
      isPlain
      ? []
      : (0...Self.gainSteps + 1).map {
        Float(formulas.gain(brightness: Double($0) * Double(Self.brightest) / Double(Self.gainSteps)))
      }
    vignette = adjustments.vignette
  }

  /// Changes a picture in place.
  func apply(to pixels: UnsafeMutablePointer<DeepPixels.Pixel>, _ size: PixelSize, threads: Int) {
    let (width, height) = (size.width, size.height)
    let diagonal = Double(width * width + height * height)
    let white = Float(Self.levels - 1)
    // Proof: each band writes rows of its own, and all have ended when `run` returns.
    nonisolated(unsafe) let pixels = pixels
    curves.withUnsafeBufferPointer { curves in
      RowBands.run(rows: height, width: width, threads: threads) { rows in
        for y in rows {
          let dy = Double(y) - Double(height - 1) / 2
          for x in 0..<width {
            let pixel = pixels[y * width + x]
            let curved = SIMD4<Float>(
              curves[Int(pixel.x)], curves[Self.levels + Int(pixel.y)], curves[2 * Self.levels + Int(pixel.z)], 0)
            var color = columns[0] * curved.x + columns[1] * curved.y + columns[2] * curved.z
            if !gains.isEmpty { color *= gain((curved * Self.luma).sum()) }
            if vignette != 0 {
              let dx = Double(x) - Double(width - 1) / 2
              color *= Float(ToneFormulas.vignette(vignette, square: 4 * (dx * dx + dy * dy) / diagonal))
            }
            pixels[y * width + x] = DeepPixels.Pixel(
              (color * white).clamped(lowerBound: .zero, upperBound: SIMD4(repeating: white)),
              rounding: .toNearestOrEven)
          }
        }
      }
    }
  }

  /// Between two entries of the table, so that no steps come in.
  private func gain(_ brightness: Float) -> Float {
    let place = min(max(brightness, 0), Self.brightest) * (Float(Self.gainSteps) / Self.brightest)
    let index = Int(place)
    return gains[index] + (gains[index + 1] - gains[index]) * (place - Float(index))
  }
}
