// Planes of numbers at a network's size.

import CameraCore

/// One number for each pixel, row by row without gaps.
struct Plane: Sendable, Equatable {
  let width: Int
  let height: Int
  var numbers: [Float]

  init(width: Int, height: Int, numbers: [Float]) {
    precondition(numbers.count == width * height, "A plane has one number a pixel.")
    (self.width, self.height, self.numbers) = (width, height, numbers)
  }

  init(width: Int, height: Int, repeating number: Float = 0) {
    self.init(width: width, height: height, numbers: [Float](repeating: number, count: width * height))
  }

  /// A number of each pixel, from those of one plane.
  func map(_ change: (Float) -> Float) -> Plane { Plane(width: width, height: height, numbers: numbers.map(change)) }

  /// A number of each pixel, from those of two planes of the same size.
  static func combined(_ one: Plane, _ other: Plane, _ combine: (Float, Float) -> Float) -> Plane {
    precondition(one.numbers.count == other.numbers.count, "The planes have one size.")
    var result = one
    for index in result.numbers.indices { result.numbers[index] = combine(one.numbers[index], other.numbers[index]) }
    return result
  }

  static func * (one: Plane, other: Plane) -> Plane { combined(one, other) { $0 * $1 } }

  /// The mean of the pixels around each, as far as they are in the picture.
  ///
  /// - Parameter radius: In pixels; 1 is the mean of 3×3.
  func blurred(radius: Int) -> Plane {
    transposedSums(radius).transposedSums(radius)
  }

  /// The means along rows, with rows and columns exchanged.
  private func transposedSums(_ radius: Int) -> Plane {
    var result = [Float](repeating: 0, count: numbers.count)
    numbers.withUnsafeBufferPointer { numbers in
      result.withUnsafeMutableBufferPointer { result in
        for y in 0..<height {
          let row = numbers.baseAddress! + y * width
          // Sums are made anew for each row, so that rounding doesn't add up over the picture.
          var sum = Float(0)
          for x in 0..<min(radius, width) { sum += row[x] }
          for x in 0..<width {
            if x + radius < width { sum += row[x + radius] }
            if x - radius > 0 { sum -= row[x - radius - 1] }
            let count = min(width - 1, x + radius) - max(0, x - radius) + 1
            result[x * height + y] = sum / Float(count)
          }
        }
      }
    }
    return Plane(width: height, height: width, numbers: result)
  }
}
