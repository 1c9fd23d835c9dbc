// Pupils that a flash has made red, dark again.

import CameraCore

/// Takes the red out of spots of a picture: what is red there becomes a dark gray, and what isn't stays, such as the glint in
/// the pupil and the iris around it.
///
/// It comes after the geometry, in the places to which that has moved the spots: no copy of the whole picture is needed for a
/// few pixels, and a round spot stays round.
struct RedEyeRemoval {
  /// A spot of the result, in pixels; whole numbers are pixel centers.
  struct Disk {
    var center: SIMD2<Double>
    var radius: Double

    /// How much of a pixel is in it, 0…1: it fades over the outer third, and over a pixel at least.
    func weight(_ x: Int, _ y: Int) -> Float {
      let way = SIMD2(Double(x), Double(y)) - center
      let distance = (way * way).sum().squareRoot()
      return Float(max(0, min(1, (radius + 0.5 - distance) / max(1, radius / 3))))
    }
  }

  /// How much larger red is than the larger of green and blue, in parts of red: of less nothing is taken out, and of more all.
  /// Pale skin has 0.2, dark skin 0.4, and a red pupil 0.5 and more.
  static let redness: ClosedRange<Float> = 0.3...0.5
  /// The brightness of the pupil, in parts of the mean of green and blue.
  static let brightness: Float = 0.8

  let disks: [Disk]

  /// - Parameters:
  ///   - source: The size of the picture before its geometry, in pixels.
  ///   - isEven: As of the rendering.
  init(_ spots: [RedEyeSpot], _ geometry: Geometry, source: PixelSize, isEven: Bool) {
    let placement = geometry.placement(for: source, isEven: isEven)
    let (width, height) = (Double(source.width), Double(source.height))
    disks = spots.map { spot in
      // The ways to the next pixels have the length 1 and a right angle between them: the way back is the transposed one.
      let way = SIMD2(spot.x * width - 0.5, spot.y * height - 0.5) - placement.origin
      let center = SIMD2((way * placement.right).sum(), (way * placement.down).sum())
      return Disk(center: center, radius: spot.radius * max(width, height))
    }
  }

  /// The color without its red, as far as it has any.
  ///
  /// - Parameters:
  ///   - color: Red, green and blue, from 0 to any limit.
  ///   - weight: 0…1.
  static func corrected(_ color: SIMD3<Float>, weight: Float) -> SIMD3<Float> {
    guard color.x > 0 else { return color }
    let share = (color.x - max(color.y, color.z)) / color.x
    let part = (share - redness.lowerBound) / (redness.upperBound - redness.lowerBound)
    let strength = weight * max(0, min(1, part))
    let dark = SIMD3(repeating: brightness * (color.y + color.z) / 2)
    return color + (dark - color) * strength
  }

  /// The pixels of a disk that are in a picture, each with its weight.
  private func forEachPixel(in size: PixelSize, _ body: (_ x: Int, _ y: Int, _ weight: Float) -> Void) {
    for disk in disks {
      func range(_ middle: Double, _ count: Int) -> Range<Int> {
        let low = max(0, min(Double(count), (middle - disk.radius - 1).rounded(.down)))
        return Int(low)..<max(Int(low), Int(max(0, min(Double(count), (middle + disk.radius + 2).rounded(.up)))))
      }
      for y in range(disk.center.y, size.height) {
        for x in range(disk.center.x, size.width) {
          let weight = disk.weight(x, y)
          if weight > 0 { body(x, y, weight) }
        }
      }
    }
  }

  func apply(to view: PixelView) {
    forEachPixel(in: view.size) { x, y, weight in
      let pixel = view.row(y)[x]
      let color = SIMD3(Float(pixel >> 16 & 255), Float(pixel >> 8 & 255), Float(pixel & 255))
      let new = SIMD3<UInt32>(Self.corrected(color, weight: weight), rounding: .toNearestOrAwayFromZero)
      view.row(y)[x] = pixel & 0xff00_0000 | new.x << 16 | new.y << 8 | new.z
    }
  }

  /// - Parameter pixels: Of a picture of `size`, row by row.
  func apply(to pixels: UnsafeMutablePointer<DeepPixels.Pixel>, _ size: PixelSize) {
    forEachPixel(in: size) { x, y, weight in
      let index = y * size.width + x
      let pixel = pixels[index]
      let color = SIMD3(Float(pixel.x), Float(pixel.y), Float(pixel.z))
      let new = SIMD3<UInt16>(Self.corrected(color, weight: weight), rounding: .toNearestOrAwayFromZero)
      pixels[index] = DeepPixels.Pixel(new.x, new.y, new.z, pixel.w)
    }
  }
}
