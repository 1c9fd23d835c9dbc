// Dithering to a palette that keeps still parts of a film still.

import CameraCore

/// Pattern dithering after Thomas Knoll (US 6 606 166, expired): for each color sixteen colors of the palette whose mean is
/// near to it, sorted by brightness; a pixel takes the one that its position in a 4 × 4 Bayer matrix selects.
///
/// The result depends on the pixel's own color and position alone. Error diffusion looks better in a single picture, but
/// carries each flicker of noise to all following pixels, and a film boils. A pixel whose color has changed by no more than
/// a camera's noise since it was chosen keeps its color, which also makes the file small.
public struct PatternDither: Sendable {
  /// The largest change that counts as noise, in steps of any channel.
  private static let calm = 5
  /// The share of the accumulated error that the next color corrects: less is calmer, more is more accurate.
  private static let correction = 0.5
  private static let patternLength = 16
  private static let matrix: [UInt8] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]

  private let palette: [SIMD3<Double>]
  private let size: PixelSize
  /// The sixteen candidates of each color bin met so far.
  private var patterns = [UInt8](repeating: 0, count: ColorCount.steps * patternLength)
  private var isKnown = [Bool](repeating: false, count: ColorCount.steps)
  /// The current picture: a palette index for each pixel, top row first.
  public private(set) var indexes: [UInt8]
  /// The colors for which the indexes were chosen.
  private var sources: [SIMD4<UInt8>]
  private var isFirst = true

  /// - Parameter palette: 1 to 256 colors.
  public init(palette: [SIMD3<UInt8>], size: PixelSize) {
    self.palette = palette.map { SIMD3(Double($0.x), Double($0.y), Double($0.z)) }
    self.size = size
    indexes = [UInt8](repeating: 0, count: size.area)
    sources = [SIMD4<UInt8>](repeating: .zero, count: size.area)
  }

  /// Dithers the next picture of the film, of the film's size, into `indexes`.
  public mutating func show(_ image: DecodedImage) {
    precondition(image.size == size, "All pictures of a film have one size.")
    image.block.withUnsafeBytes { pixels in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let (at, place) = (y * image.stride + 4 * x, y * size.width + x)
          let color = SIMD4(pixels[at + 2], pixels[at + 1], pixels[at], 0)
          if !isFirst, Self.isCalm(color, sources[place]) { continue }
          sources[place] = color
          let known = ColorCount.index(red: color.x, green: color.y, blue: color.z)
          if !isKnown[known] { learn(known) }
          let step = Int(Self.matrix[(y & 3) << 2 | x & 3])
          indexes[place] = patterns[known * Self.patternLength + step]
        }
      }
    }
    isFirst = false
  }

  private static func isCalm(_ color: SIMD4<UInt8>, _ other: SIMD4<UInt8>) -> Bool {
    abs(Int(color.x) - Int(other.x)) <= calm && abs(Int(color.y) - Int(other.y)) <= calm
      && abs(Int(color.z) - Int(other.z)) <= calm
  }

  private mutating func learn(_ known: Int) {
    let color = ColorCount.color(at: known)
    let wanted = SIMD3(Double(color.x), Double(color.y), Double(color.z))
    var error = SIMD3<Double>.zero
    var chosen: [Int] = []
    for _ in 0..<Self.patternLength {
      let next = nearest(wanted + error * Self.correction)
      error += wanted - palette[next]
      chosen.append(next)
    }
    chosen.sort { Self.brightness(palette[$0]) < Self.brightness(palette[$1]) }
    for (step, index) in chosen.enumerated() { patterns[known * Self.patternLength + step] = UInt8(index) }
    isKnown[known] = true
  }

  private func nearest(_ color: SIMD3<Double>) -> Int {
    var (best, least) = (0, Double.infinity)
    for (index, candidate) in palette.enumerated() {
      let difference = candidate - color
      // Roughly the eye's weights.
      let distance = (difference * difference * SIMD3(2, 4, 3)).sum()
      if distance < least { (best, least) = (index, distance) }
    }
    return best
  }

  /// BT.601.
  private static func brightness(_ color: SIMD3<Double>) -> Double { (color * SIMD3(0.299, 0.587, 0.114)).sum() }
}
