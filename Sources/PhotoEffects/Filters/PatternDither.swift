// Shows pictures in the colours of a palette, so that what stands still in a film stands still.

import CameraCore

/// Pattern dithering after Thomas Knoll (US 6 606 166, expired): for each colour sixteen colours of the palette whose mean
/// is near to it, sorted by brightness; a pixel takes the one that its place in a 4 × 4 Bayer matrix names.
///
/// What a pixel becomes depends on its own colour and place alone. Error diffusion looks better in one picture, but carries
/// each flicker of noise to all pixels behind it, and a film boils. And a pixel whose colour has changed by no more than a
/// camera's noise since it was chosen keeps what it has, which also makes the file small.
public struct PatternDither: Sendable {
  /// Of noise that is not worth a change, in steps of any channel.
  private static let calm = 5
  /// How much of the error of the colours so far the next one is to make good: less is calmer, more is truer.
  private static let correction = 0.5
  private static let patternLength = 16
  private static let matrix: [UInt8] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]

  private let palette: [SIMD3<Double>]
  private let size: PixelSize
  /// Of each colour of `ColorCount` that was met: its sixteen.
  private var patterns = [UInt8](repeating: 0, count: ColorCount.steps * patternLength)
  private var isKnown = [Bool](repeating: false, count: ColorCount.steps)
  /// What is shown: a number of the palette for each pixel, top row first.
  public private(set) var indexes: [UInt8]
  /// The colours for which that was chosen.
  private var sources: [SIMD4<UInt8>]
  private var isFirst = true

  /// - Parameter palette: Not empty, and at most 256 colours.
  public init(palette: [SIMD3<UInt8>], size: PixelSize) {
    self.palette = palette.map { SIMD3(Double($0.x), Double($0.y), Double($0.z)) }
    self.size = size
    indexes = [UInt8](repeating: 0, count: size.area)
    sources = [SIMD4<UInt8>](repeating: .zero, count: size.area)
  }

  /// Takes the next picture of the film, of the film's size; `indexes` then is what is to be shown.
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
      // About as the eye weighs them.
      let distance = (difference * difference * SIMD3(2, 4, 3)).sum()
      if distance < least { (best, least) = (index, distance) }
    }
    return best
  }

  /// BT.601.
  private static func brightness(_ color: SIMD3<Double>) -> Double { (color * SIMD3(0.299, 0.587, 0.114)).sum() }
}
