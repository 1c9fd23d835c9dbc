// The place of a camera's picture in the picture of the depth camera beside it.

import CameraCore

/// Where distances of a picture's points are. Two cameras see different angles from different places, and V4L2 doesn't say
/// which; so it is learned from the pictures: with the right place, what surely belongs to the person is at one distance, and
/// what is around the person is farther away.
struct DepthRegistration {
  /// A point of the picture, -½…½ from its middle along both axes, is at `scale` times that plus the shift in the depth
  /// camera's picture.
  struct Place: Equatable {
    var scale = 1.0
    var x = 0.0
    var y = 0.0
  }

  private(set) var place = Place()
  private var waiting = 0

  /// Mattes from one look to the next.
  private static let period = 90
  /// A new place is taken when it explains so much more of the points.
  private static let advantage = 0.02
  private static let scales = stride(from: 0.6, through: 1.15, by: 0.05)
  private static let shifts = stride(from: -0.09, through: 0.09, by: 0.03)
  /// What is at one distance with another point differs by less, in parts of the distance.
  static let nearness = 0.12
  /// Points that are compared, at most.
  private static let mostPoints = 200

  /// Looks at the place again now and then.
  ///
  /// - Parameter matte: Of the picture, without distances.
  mutating func update(_ matte: Plane, _ frame: DepthFrame) {
    defer { waiting = waiting > 0 ? waiting - 1 : Self.period }
    guard waiting == 0 else { return }
    let wide = matte.blurred(radius: max(2, matte.width / 12))
    var (core, ring): ([(x: Double, y: Double)], [(x: Double, y: Double)]) = ([], [])
    for y in 0..<matte.height {
      for x in 0..<matte.width {
        let at = y * matte.width + x
        let point = (
          x: (Double(x) + 0.5) / Double(matte.width) - 0.5, y: (Double(y) + 0.5) / Double(matte.height) - 0.5
        )
        if matte.numbers[at] > 0.9 { core.append(point) }
        if matte.numbers[at] < 0.05, wide.numbers[at] > 0.05 { ring.append(point) }
      }
    }
    core = Self.thinned(core)
    ring = Self.thinned(ring)
    guard core.count >= 20, ring.count >= 20 else { return }
    var best = (place: place, score: score(place, core, ring, frame) + Self.advantage)
    for scale in Self.scales {
      for x in Self.shifts {
        for y in Self.shifts {
          let candidate = Place(scale: scale, x: x, y: y)
          let score = score(candidate, core, ring, frame)
          if score > best.score { best = (candidate, score) }
        }
      }
    }
    place = best.place
  }

  private static func thinned<Point>(_ points: [Point]) -> [Point] {
    let step = max(1, points.count / mostPoints)
    return stride(from: 0, to: points.count, by: step).map { points[$0] }
  }

  /// The part of the core that is at its median distance, and that of the ring which is farther away.
  private func score(
    _ place: Place, _ core: [(x: Double, y: Double)], _ ring: [(x: Double, y: Double)], _ frame: DepthFrame
  ) -> Double {
    frame.block.withUnsafeBytes { bytes in
      func distance(_ point: (x: Double, y: Double)) -> Double {
        Double(Self.distance(of: bytes, frame.size, at: point, place) ?? 0)
      }
      let distances = core.map(distance)
      let measured = distances.filter { $0 > 0 }.sorted()
      guard measured.count >= core.count / 4, !measured.isEmpty else { return 0 }
      let middle = measured[measured.count / 2]
      let inside = distances.count { abs($0 - middle) <= Self.nearness * middle }
      let outside = ring.count { distance($0) > (1 + Self.nearness) * middle }
      return Double(inside) / Double(core.count) + Double(outside) / Double(ring.count)
    }
  }

  /// - Returns: `nil` outside of the picture; 0 where nothing was measured.
  private static func distance(
    of bytes: UnsafeRawBufferPointer, _ size: PixelSize, at point: (x: Double, y: Double), _ place: Place
  ) -> UInt16? {
    let x = Int(((point.x * place.scale + place.x + 0.5) * Double(size.width)).rounded(.down))
    let y = Int(((point.y * place.scale + place.y + 0.5) * Double(size.height)).rounded(.down))
    guard (0..<size.width).contains(x), (0..<size.height).contains(y) else { return nil }
    return UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * (y * size.width + x), as: UInt16.self))
  }

  /// The distances of a picture's points; 0 where nothing is known.
  func distances(in frame: DepthFrame, _ size: PixelSize) -> Plane {
    var result = Plane(width: size.width, height: size.height)
    frame.block.withUnsafeBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let point = (
            x: (Double(x) + 0.5) / Double(size.width) - 0.5, y: (Double(y) + 0.5) / Double(size.height) - 0.5
          )
          result.numbers[y * size.width + x] = Float(Self.distance(of: bytes, frame.size, at: point, place) ?? 0)
        }
      }
    }
    return result
  }
}
