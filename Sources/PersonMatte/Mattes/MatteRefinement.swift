// Mattes with the edges of the picture.

import CameraCore

/// Refines a small matte with the picture that it is of, by a guided filter: around each pixel of the small picture the matte is
/// a linear function of the colors, and these functions are applied to the colors of the large picture. Edges of the matte
/// then lie on edges of the picture.
///
/// Source: K. He, J. Sun, X. Tang, “Guided Image Filtering”, ECCV 2010; K. He, J. Sun, “Fast Guided Filter”, 2015.
struct MatteRefinement {
  /// The colors that guide the filter.
  enum Guide: Sendable, Hashable {
    /// Brightness alone, for the viewfinder.
    case gray
    case color
  }

  /// Of the windows in which functions are found, in pixels of the small picture.
  static let radius = 3
  /// Of the windows over which functions are averaged.
  static let smoothingRadius = 2
  /// Differences of colors below its root are smoothed over (0…1).
  static func regularization(_ guide: Guide) -> Float { guide == .gray ? 4e-4 : 3e-4 }
  /// What is certain: below and above, the matte is nothing and all.
  static let levels: ClosedRange<Float> = 0.06...0.94
  /// Of red, green and blue in brightness (ITU-R BT.601).
  static let weights = SIMD3<Float>(0.299, 0.587, 0.114)

  /// Of each pixel of the small picture: m = red · r + green · g + blue · b + offset, with colors of 0…1.
  private var coefficients: [Plane]
  private let guide: Guide

  /// - Parameters:
  ///   - matte: 0…1.
  ///   - colors: Red, green and blue of the small picture, each of the matte's size, 0…1.
  init(_ matte: Plane, colors: [Plane], guide: Guide) {
    precondition(colors.count == 3, "The guide has three colors.")
    self.guide = guide
    coefficients = guide == .gray ? Self.gray(matte, colors) : Self.color(matte, colors)
    coefficients = coefficients.map { $0.blurred(radius: Self.smoothingRadius) }
  }

  private static func mean(_ plane: Plane) -> Plane { plane.blurred(radius: radius) }

  private static func gray(_ matte: Plane, _ colors: [Plane]) -> [Plane] {
    var brightness = colors[0]
    for index in brightness.numbers.indices {
      let color = SIMD3(colors[0].numbers[index], colors[1].numbers[index], colors[2].numbers[index])
      brightness.numbers[index] = (color * weights).sum()
    }
    let (light, share) = (mean(brightness), mean(matte))
    let variance = Plane.combined(mean(brightness * brightness), light) { $0 - $1 * $1 }
    let common = Plane.combined(mean(brightness * matte), light * share) { $0 - $1 }
    let slope = Plane.combined(common, variance) { $0 / (max(0, $1) + regularization(.gray)) }
    return [slope, Plane.combined(share, slope * light) { $0 - $1 }]
  }

  private static func color(_ matte: Plane, _ colors: [Plane]) -> [Plane] {
    let means = colors.map(mean)
    let share = mean(matte)
    let pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    let spread = pairs.map { one, other in
      Plane.combined(mean(colors[one] * colors[other]), means[one] * means[other]) { $0 - $1 }
    }
    let common = (0..<3).map { index in
      Plane.combined(mean(colors[index] * matte), means[index] * share) { $0 - $1 }
    }
    var result = [Plane](repeating: Plane(width: matte.width, height: matte.height), count: 4)
    let regularization = regularization(.color)
    for index in matte.numbers.indices {
      let s = spread.map { $0.numbers[index] }
      let slope = solve(
        (s[0] + regularization, s[1], s[2], s[3] + regularization, s[4], s[5] + regularization),
        SIMD3(common[0].numbers[index], common[1].numbers[index], common[2].numbers[index]))
      let light = SIMD3(means[0].numbers[index], means[1].numbers[index], means[2].numbers[index])
      for channel in 0..<3 { result[channel].numbers[index] = slope[channel] }
      result[3].numbers[index] = share.numbers[index] - (slope * light).sum()
    }
    return result
  }

  /// The solution of a symmetric system of three equations, by Cramer's rule.
  ///
  /// In double precision: of a gray picture the three equations are nearly one.
  ///
  /// - Parameter matrix: The upper triangle, row by row; positive definite.
  static func solve(
    _ matrix: (Float, Float, Float, Float, Float, Float), _ right: SIMD3<Float>
  ) -> SIMD3<Float> {
    let (a, b, c) = (Double(matrix.0), Double(matrix.1), Double(matrix.2))
    let (d, e, f) = (Double(matrix.3), Double(matrix.4), Double(matrix.5))
    let cofactors = SIMD3<Double>(d * f - e * e, c * e - b * f, b * e - c * d)
    let determinant = a * cofactors.x + b * cofactors.y + c * cofactors.z
    guard determinant > .leastNormalMagnitude else { return SIMD3() }
    let rows = (
      cofactors, SIMD3<Double>(cofactors.y, a * f - c * c, b * c - a * e),
      SIMD3<Double>(cofactors.z, b * c - a * e, a * d - b * b)
    )
    let right = SIMD3<Double>(Double(right.x), Double(right.y), Double(right.z))
    return SIMD3<Float>(
      Float((rows.0 * right).sum() / determinant), Float((rows.1 * right).sum() / determinant),
      Float((rows.2 * right).sum() / determinant))
  }

  // MARK: Applied to the large picture

  /// The matte of the picture, of the picture's size.
  func matte(of picture: LentPixels) -> FrameBlock {
    let (width, height) = (picture.size.width, picture.size.height)
    let count = coefficients.count
    return FrameBlock(count: width * height) { target in
      let across = Interpolation(from: coefficients[0].width, to: width)
      let down = Interpolation(from: coefficients[0].height, to: height)
      // Rows of coefficients at the width of the picture: of two neighbors among the small rows.
      var wide = [[Float]](repeating: [Float](repeating: 0, count: width * count), count: 2)
      var held = [-1, -1]
      func hold(_ row: Int) -> Int {
        let slot = row & 1
        if held[slot] != row {
          held[slot] = row
          for index in 0..<count { widen(coefficients[index], row, across, &wide[slot], at: index * width) }
        }
        return slot
      }
      for y in 0..<height {
        let (row, share) = down[y]
        let (upper, lower) = (hold(row), hold(min(row + 1, coefficients[0].height - 1)))
        let pixels = picture.bytes.baseAddress! + y * picture.stride
        let line = target.baseAddress!.assumingMemoryBound(to: UInt8.self) + y * width
        wide[upper].withUnsafeBufferPointer { upper in
          wide[lower].withUnsafeBufferPointer { lower in
            write(pixels, upper.baseAddress!, lower.baseAddress!, share, to: line, width: width)
          }
        }
      }
    }
  }

  private func write(
    _ pixels: UnsafeRawPointer, _ upper: UnsafePointer<Float>, _ lower: UnsafePointer<Float>, _ share: Float,
    to line: UnsafeMutablePointer<UInt8>, width: Int
  ) {
    let scale = 255 / (Self.levels.upperBound - Self.levels.lowerBound)
    let offset = Self.levels.lowerBound * scale - 0.5
    @inline(__always) func coefficient(_ index: Int, _ x: Int) -> Float {
      let place = index * width + x
      return upper[place] + (lower[place] - upper[place]) * share
    }
    for x in 0..<width {
      let pixel = pixels.loadUnaligned(fromByteOffset: 4 * x, as: SIMD4<UInt8>.self)
      let color = SIMD3<Float>(Float(pixel.z), Float(pixel.y), Float(pixel.x)) * (1 / 255)
      let value: Float
      switch guide {
      case .gray: value = coefficient(0, x) * (color * Self.weights).sum() + coefficient(1, x)
      case .color:
        value =
          coefficient(0, x) * color.x + coefficient(1, x) * color.y + coefficient(2, x) * color.z + coefficient(3, x)
      }
      line[x] = UInt8(max(0, min(255, value * scale - offset)))
    }
  }

  private func widen(_ plane: Plane, _ row: Int, _ across: Interpolation, _ target: inout [Float], at start: Int) {
    plane.numbers.withUnsafeBufferPointer { numbers in
      target.withUnsafeMutableBufferPointer { target in
        let line = numbers.baseAddress! + row * plane.width
        for x in 0..<across.count {
          let (left, share) = across[x]
          let right = min(left + 1, plane.width - 1)
          target[start + x] = line[left] + (line[right] - line[left]) * share
        }
      }
    }
  }
}

/// Places between pixels of a smaller picture: linear, by the centers of pixels.
private struct Interpolation {
  private let places: [(Int, Float)]

  init(from small: Int, to large: Int) {
    places = (0..<large).map { index in
      let place = (Float(index) + 0.5) * Float(small) / Float(large) - 0.5
      let inside = max(0, min(Float(small - 1), place))
      let whole = min(Int(inside), small - 1)
      return (whole, inside - Float(whole))
    }
  }

  var count: Int { places.count }
  subscript(index: Int) -> (Int, Float) { places[index] }
}
