// The tilt of a picture: the direction of its horizon and its verticals.

import Foundation

/// The clockwise tilt of the lines that are nearly level or upright.
///
/// Pixels with a strong gradient in about the right direction are projected along each candidate direction. Along a line's
/// own direction all of its pixels fall into one bin, so the sum of the squared bins has a sharp peak there, which is a Hough
/// transform of few angles; texture has none. Opposite edges count with opposite signs, so that grass and waves cancel out.
/// It is only believed when the peak is narrow and alone (converging lines have many), a single line is long, and level and
/// upright lines, where there are both, agree.
struct TiltMeasurement {
  /// In degrees, clockwise; 0 where none was found.
  private(set) var tilt = 0.0

  /// The largest tilt that is corrected, in degrees: more is a choice of whoever took the picture.
  private static let mostTilt = 8.0
  /// A smaller one can't be seen, in degrees.
  private static let leastTilt = 0.3
  /// The candidates: degrees from one to the next, first over the whole range, then around the best one.
  private static let (coarse, fine) = (0.5, 0.05)
  /// In pixels.
  private static let leastSide = 64
  /// The least gradient of an edge, of a scale of 0…1 a pixel; weaker ones are noise.
  private static let leastGradient: Float = 0.03
  /// The strongest part of the gradients takes part.
  private static let strongPart = 0.1
  /// The peak's height in medians; that of the next one in peaks; the least length of the line in sides of the picture.
  private static let (leastPeak, mostOther, leastLength) = (3.0, 0.6, 0.35)
  /// The most that level and upright lines differ, in degrees.
  private static let mostDifference = 1.0

  /// An edge's pixel: its position from the middle, along the line's direction and across it.
  private struct Edge {
    var along: Float
    var across: Float
    var sign: Float
  }

  init(_ sample: PictureSample) {
    guard min(sample.size.width, sample.size.height) >= Self.leastSide else { return }
    let (level, upright) = Self.edges(sample)
    let horizon = Self.angle(of: level, length: sample.size.width, span: sample.size.height)
    let verticals = Self.angle(of: upright, length: sample.size.height, span: sample.size.width)
    if let horizon, let verticals, abs(horizon - verticals) > Self.mostDifference { return }
    guard let found = horizon ?? verticals else { return }
    let rounded = (found * 10).rounded() / 10
    if abs(rounded) >= Self.leastTilt { tilt = rounded }
  }

  /// The edges that may belong to level and to upright lines, by Scharr's gradient, whose direction is exact to a fraction of
  /// a degree.
  private static func edges(_ sample: PictureSample) -> (level: [Edge], upright: [Edge]) {
    let (width, height, values) = (sample.size.width, sample.size.height, sample.brightness)
    var gradients: [(x: Int, y: Int, right: Float, down: Float)] = []
    for y in 1..<(height - 1) {
      for x in 1..<(width - 1) {
        let at = y * width + x
        let (above, below) = (at - width, at + width)
        let right =
          3 * (values[above + 1] - values[above - 1] + values[below + 1] - values[below - 1])
          + 10 * (values[at + 1] - values[at - 1])
        let down =
          3 * (values[below - 1] - values[above - 1] + values[below + 1] - values[above + 1])
          + 10 * (values[below] - values[above])
        if max(abs(right), abs(down)) >= 32 * leastGradient { gradients.append((x, y, right, down)) }
      }
    }
    let most = Int(strongPart * Double(width * height))
    if gradients.count > most {
      let strengths = gradients.map { max(abs($0.right), abs($0.down)) }.sorted(by: >)
      let least = strengths[most]
      gradients.removeAll { max(abs($0.right), abs($0.down)) < least }
    }
    let spread = Float(tan((mostTilt + 7) * .pi / 180))
    let middle = SIMD2(Float(width - 1), Float(height - 1)) / 2
    var (level, upright): ([Edge], [Edge]) = ([], [])
    for one in gradients {
      let (x, y) = (Float(one.x) - middle.x, Float(one.y) - middle.y)
      if abs(one.right) <= spread * abs(one.down) {
        level.append(Edge(along: x, across: y, sign: one.down < 0 ? -1 : 1))
      } else if abs(one.down) <= spread * abs(one.right) {
        // Turned by a quarter, so that the same angle is the same tilt.
        upright.append(Edge(along: y, across: -x, sign: one.right < 0 ? 1 : -1))
      }
    }
    return (level, upright)
  }

  /// The direction of the lines in degrees; `nil` when there is none to be sure of.
  ///
  /// - Parameters:
  ///   - length: The picture's side along the lines, in pixels.
  ///   - span: Its other side.
  private static func angle(of edges: [Edge], length: Int, span: Int) -> Double? {
    guard Double(edges.count) >= leastLength * Double(length) else { return nil }
    var bins = [Float](repeating: 0, count: length + span + 4)
    func project(_ degrees: Double) -> (energy: Double, longest: Double) {
      for index in bins.indices { bins[index] = 0 }
      let (cosine, sine) = (Float(cos(degrees * .pi / 180)), Float(sin(degrees * .pi / 180)))
      let offset = Float(bins.count) / 2
      for edge in edges {
        // Shared by two bins, so that the energy is a smooth function of the angle.
        let position = edge.across * cosine - edge.along * sine + offset
        let bin = Int(position)
        let part = position - Float(bin)
        bins[bin] += edge.sign * (1 - part)
        bins[bin + 1] += edge.sign * part
      }
      var (energy, longest): (Double, Float) = (0, 0)
      for index in 1..<(bins.count - 1) {
        longest = max(longest, abs(bins[index]))
        // Smoothed: whether a row of pixels falls into one bin or between two makes no difference then.
        let value = (bins[index - 1] + 2 * bins[index] + bins[index + 1]) / 4
        energy += Double(value * value)
      }
      return (energy, Double(longest))
    }
    // One step more than is accepted, so that a peak at the end is seen to be one.
    let count = Int((mostTilt + 1) / coarse)
    let candidates = (-count...count).map { Double($0) * coarse }
    let energies = candidates.map { project($0).energy }
    guard let best = energies.indices.max(by: { energies[$0] < energies[$1] }) else { return nil }
    let around = Int(1.5 / coarse)
    let others = energies.indices.filter { abs($0 - best) > around }.map { energies[$0] }
    let median = energies.sorted()[energies.count / 2]
    guard energies[best] >= leastPeak * median, (others.max() ?? 0) <= mostOther * energies[best] else { return nil }
    let steps = Int(coarse / fine)
    let refined = (-steps...steps).map { candidates[best] + Double($0) * fine }
    let results = refined.map { project($0) }
    guard let peak = results.indices.max(by: { results[$0].energy < results[$1].energy }) else { return nil }
    guard results[peak].longest >= leastLength * Double(length), abs(refined[peak]) <= mostTilt else { return nil }
    return refined[peak]
  }
}
