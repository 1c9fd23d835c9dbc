// A matte, corrected by distances.

/// Corrects the matte of a network: what is much farther away than the person is background, and what is at the distance of
/// the person's own points beside it belongs to the person, as far as it is near the matte. A desk that touches the person
/// doesn't come with all its length.
struct DepthSegmentation {
  let matte: Plane

  /// In parts of a distance: neighbors that differ by less belong together.
  private static let step: Float = 0.04
  /// In parts of the person's distance: farther away than the person's own points by more than this is background, where
  /// points of the matte that are farther behind the others than `slack` count as no points of the person.
  private static let (depth, slack): (Float, Float) = (0.2, 0.15)
  /// In parts of the picture's longer side: as far from the matte things come.
  private static let reach = 0.09
  /// The part of the picture that the person covers at least, and the part of that with a distance.
  private static let (leastCore, leastMeasured) = (0.01, 0.3)
  /// The part of what is around the person that is farther away at least: before a wall to lean on, distances say nothing.
  private static let leastContrast = 0.3

  /// - Parameter distances: Of the matte's size, in any unit; 0 where nothing is known.
  /// - Returns: `nil` where the distances say nothing about the person.
  init?(_ found: Plane, _ distances: Plane) {
    let core = found.numbers.indices.filter { found.numbers[$0] > 0.9 }
    let measured = core.map { distances.numbers[$0] }.filter { $0 > 0 }.sorted()
    guard Double(core.count) >= Self.leastCore * Double(found.numbers.count),
      Double(measured.count) >= Self.leastMeasured * Double(core.count), !measured.isEmpty
    else { return nil }
    let middle = measured[measured.count / 2]
    // Arms that reach back are still the person's.
    let farthest = min(measured[measured.count * 9 / 10], middle * (1 + Self.slack)) * (1 + Self.depth)
    let nearby = Self.reached(found)
    let around = found.numbers.indices.filter {
      nearby[$0] && found.numbers[$0] < 0.05 && distances.numbers[$0] > 0
    }
    let behind = around.count { distances.numbers[$0] > farthest }
    guard behind > 0, Double(behind) >= Self.leastContrast * Double(around.count) else { return nil }
    var result = found
    // From the sure points on, over neighbors of about the same distance.
    var belongs = [Bool](repeating: false, count: found.numbers.count)
    var queue = core.filter { distances.numbers[$0] > 0 && distances.numbers[$0] <= farthest }
    for index in queue { belongs[index] = true }
    let (width, height) = (found.width, found.height)
    while let index = queue.popLast() {
      let (x, y, distance) = (index % width, index / width, distances.numbers[index])
      for (column, row) in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)] {
        guard (0..<width).contains(column), (0..<height).contains(row) else { continue }
        let next = row * width + column
        guard !belongs[next], nearby[next], distances.numbers[next] > 0,
          abs(distances.numbers[next] - distance) <= Self.step * distance
        else { continue }
        belongs[next] = true
        queue.append(next)
      }
    }
    for index in result.numbers.indices where distances.numbers[index] > 0 {
      if belongs[index] {
        result.numbers[index] = 1
      } else if distances.numbers[index] > farthest {
        result.numbers[index] = 0
      }
    }
    matte = result
  }

  /// Whether a point is near the matte.
  private static func reached(_ matte: Plane) -> [Bool] {
    let radius = max(1, Int((reach * Double(max(matte.width, matte.height))).rounded()))
    let isThere = matte.map { $0 > 0.5 ? 1 : 0 }
    return isThere.blurred(radius: radius).numbers.map { $0 > 0 }
  }
}
