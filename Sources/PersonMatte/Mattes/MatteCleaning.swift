// Mattes without doubtful spots.

import CameraCore

/// Takes spots out of a matte of which the network is nowhere sure: a lamp or a toy that looks a little like a person. Whoever
/// is really there has a part in which it is. It comes before the smoothing, so that what comes and goes doesn't flicker.
enum MatteCleaning {
  /// The least that a spot consists of.
  static let floor: Float = 0.05
  /// The least peak of a spot that is kept.
  static let sure: Float = 0.85

  /// The matte without spots that are nowhere sure.
  static func clean(_ matte: Plane) -> Plane {
    var result = matte
    let (width, height) = (matte.width, matte.height)
    var isSeen = [Bool](repeating: false, count: matte.numbers.count)
    var spot: [Int] = []
    matte.numbers.withUnsafeBufferPointer { numbers in
      for start in numbers.indices where numbers[start] > floor && !isSeen[start] {
        spot.removeAll(keepingCapacity: true)
        spot.append(start)
        isSeen[start] = true
        var (next, peak) = (0, Float(0))
        while next < spot.count {
          let place = spot[next]
          next += 1
          peak = max(peak, numbers[place])
          let (x, y) = (place % width, place / width)
          func visit(_ neighbor: Int) {
            guard numbers[neighbor] > floor, !isSeen[neighbor] else { return }
            isSeen[neighbor] = true
            spot.append(neighbor)
          }
          if x > 0 { visit(place - 1) }
          if x < width - 1 { visit(place + 1) }
          if y > 0 { visit(place - width) }
          if y < height - 1 { visit(place + width) }
        }
        if peak < sure { for place in spot { result.numbers[place] = 0 } }
      }
    }
    return result
  }
}
