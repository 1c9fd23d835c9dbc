// The canvas on which the frames of an animation are put together.

import CameraCore

/// The pixels of an animation: each frame draws a part of them.
struct AnimationCanvas {
  /// The area of a frame; what isn't on the canvas isn't drawn.
  struct Area {
    var (x, y): (Int, Int)
    var size: PixelSize
  }

  /// What becomes of a frame's area before the next one.
  enum Disposal {
    case kept
    case cleared
    /// As it was before the frame.
    case restored
  }

  /// The time that a frame is shown, in seconds. Browsers show one of no duration, or of a hundredth of a second, for a tenth
  /// of a second, and such files are made for that.
  static func shown(_ duration: Double) -> Double { duration < 0.02 ? 0.1 : duration }

  let size: PixelSize
  /// Red, green, blue and opacity.
  private var pixels: [UInt8]
  private var pending: (disposal: Disposal, area: Area)?
  private var before: [UInt8] = []

  init(_ size: PixelSize) {
    self.size = size
    pixels = [UInt8](repeating: 0, count: size.area * 4)
  }

  /// Draws a frame.
  ///
  /// - Parameters:
  ///   - source: Its pixels, red, green, blue and opacity, without gaps.
  ///   - isBlended: Whether the canvas shows through where the frame is transparent.
  ///   - disposal: What becomes of it before the next frame.
  mutating func draw(_ source: UnsafePointer<UInt8>, _ area: Area, isBlended: Bool, disposal: Disposal) {
    dispose()
    guard (0..<size.width).contains(area.x), (0..<size.height).contains(area.y) else { return }
    if disposal == .restored { before = pixels }
    pending = (disposal, area)
    for row in 0..<min(area.size.height, size.height - area.y) {
      var from = source + row * area.size.width * 4
      var to = ((area.y + row) * size.width + area.x) * 4
      for _ in 0..<min(area.size.width, size.width - area.x) {
        if isBlended, from[3] != 255 {
          blend(from, at: to)
        } else {
          for byte in 0..<4 { pixels[to + byte] = from[byte] }
        }
        from += 4
        to += 4
      }
    }
  }

  /// Source over destination, both with straight opacity (PNG, 13.16).
  private mutating func blend(_ source: UnsafePointer<UInt8>, at index: Int) {
    let (over, under) = (Int(source[3]), Int(pixels[index + 3]))
    if over == 0 { return }
    let rest = under * (255 - over)
    let total = over * 255 + rest
    for byte in 0..<3 {
      let sum = Int(source[byte]) * over * 255 + Int(pixels[index + byte]) * rest
      pixels[index + byte] = UInt8((sum + total / 2) / total)
    }
    pixels[index + 3] = UInt8((total + 127) / 255)
  }

  private mutating func dispose() {
    guard let (disposal, area) = pending else { return }
    pending = nil
    switch disposal {
    case .kept: break
    case .restored: pixels = before
    case .cleared:
      let width = min(area.size.width, size.width - area.x)
      for row in area.y..<min(size.height, area.y + area.size.height) {
        let start = (row * size.width + area.x) * 4
        for index in start..<start + width * 4 { pixels[index] = 0 }
      }
    }
  }

  /// The canvas over white.
  func still() throws(StillCodecError) -> DecodedStill {
    // A closure can't throw typed errors through an array, hence the `Result`.
    let result = pixels.withUnsafeBufferPointer { pixels in
      Result { () throws(StillCodecError) in
        guard let start = pixels.baseAddress else { throw .noPicture }
        return try DecodedStill.overWhite(rgba: start, stride: size.width * 4, size: size, .straight)
      }
    }
    return try result.get()
  }
}
