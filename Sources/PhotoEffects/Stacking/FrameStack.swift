// The average of several frames of one scene, without the noise and without ghosts.

import CameraCore

/// Averages frames into a reference frame, where they show the same.
///
///     var stack = FrameStack(reference: planes)
///     for frame in others { stack.add(frame) }
///     if stack.noise > 1.5 { write(stack.averaged) }
///
/// Each frame is aligned by a shift of the whole picture, and compared with the reference block by block. The noise is what
/// most blocks differ by. A block that differs by more shows something that has moved, and weighs nothing; its neighbors weigh
/// less. Within the others, a single sample that differs by far more than the noise is left out as well. So what moves keeps
/// the reference's noise, and what stands still loses it: with n frames, up to 10 · log₁₀ n decibels.
///
/// The idea is that of burst photography (Hasinoff et al., “Burst photography for high dynamic range and low-light imaging on
/// mobile cameras”, SIGGRAPH Asia 2016), without its frequency domain: webcams stand still, and their noise is large.
public struct FrameStack {
  /// The side of a block of the reference's luma, in samples.
  static let blockSide = 16
  /// The largest shift that is looked for, as a share of the width.
  static let reach = 1.0 / 32
  /// The weight of the reference, and the most that any frame weighs.
  static let fullWeight: UInt16 = 16
  /// The most frames that are added: sums of 16 bits hold no more.
  public static let frameLimit = 14
  /// The share of blocks that is assumed to stand still.
  static let stillShare = 0.35
  /// The mean absolute difference, as a multiple of the noise's, up to which a block weighs all, and from which it weighs
  /// nothing. Chance alone makes 5 percent of difference.
  static let (fullMatch, noMatch) = (1.3, 1.7)
  /// The same for the difference of the means, which chance alone makes 1.
  static let (fullMeanMatch, noMeanMatch) = (3.5, 5.5)
  /// The difference of a single sample from which it is left out, as a multiple of the differences' standard deviation.
  static let sampleMatch = 3.5
  /// A frame whose differences deviate by more than this times the least of another frame is unlike it as a whole: that is no
  /// noise.
  static let likeness = 1.3
  /// The most that differences deviate by noise, in 8-bit steps.
  static let mostDeviation = 45.0
  /// The mean of the absolute values of a normal distribution, as a share of its standard deviation: √(2/π).
  static let absoluteShare = 0.797_884_560_8

  /// What has been summed of one plane.
  private struct Plane {
    var width: Int
    var height: Int
    /// The plane's samples for one of luma, across and down: 1 or 2 (or 4).
    var reductionX: Int
    var reductionY: Int
    var reference: [UInt8]
    var sums: [UInt16]
    var weights: [UInt8]
  }

  /// How a block of one plane differs.
  private struct BlockDifference {
    var absolute: Float
    var mean: Float
    var count: Float
  }

  private var planes: [Plane]
  private let pyramid: LumaPyramid
  private let columns: Int
  private let rows: Int
  /// The frames that were added.
  public private(set) var count = 0
  private var noises: [Double] = []
  /// The smallest deviation of each plane so far.
  private var leastDeviations: [Double] = []

  /// - Parameter reference: Luma, and both planes of chroma or none.
  public init(reference: [BytePlane]) {
    precondition(!reference.isEmpty)
    let luma = reference[0]
    planes = reference.map { plane in
      var samples: [UInt8] = []
      samples.reserveCapacity(plane.width * plane.height)
      for y in 0..<plane.height {
        samples.append(contentsOf: UnsafeBufferPointer(start: plane.row(y), count: plane.width))
      }
      return Plane(
        width: plane.width, height: plane.height,
        reductionX: max(1, (luma.width + plane.width / 2) / plane.width),
        reductionY: max(1, (luma.height + plane.height / 2) / plane.height), reference: samples,
        sums: samples.map { UInt16($0) * Self.fullWeight },
        weights: [UInt8](repeating: UInt8(Self.fullWeight), count: samples.count))
    }
    pyramid = LumaPyramid(luma)
    columns = (luma.width + Self.blockSide - 1) / Self.blockSide
    rows = (luma.height + Self.blockSide - 1) / Self.blockSide
  }

  /// The standard deviation of the luma's noise, in 8-bit steps, by the frames so far; 0 before the first.
  public var noise: Double { noises.isEmpty ? 0 : noises.sorted()[noises.count / 2] }

  /// Adds a frame.
  ///
  /// - Parameter frame: Planes of the same sizes as the reference's; others are not added.
  /// - Returns: The shift that was found, and the share of blocks that have weight; `nil` when it was not added.
  @discardableResult
  public mutating func add(_ frame: [BytePlane]) -> (shift: PixelShift, share: Double)? {
    guard count < Self.frameLimit, frame.count == planes.count,
      zip(frame, planes).allSatisfy({ $0.width == $1.width && $0.height == $1.height })
    else { return nil }
    let reach = Int((Double(planes[0].width) * Self.reach).rounded(.up))
    let shift = LumaPyramid(frame[0]).shift(against: pyramid, reach: reach)
    let differences = zip(planes, frame).map { compared($0, with: $1, shift) }
    let found = differences.map(Self.deviation)
    leastDeviations = leastDeviations.isEmpty ? found : zip(leastDeviations, found).map { min($0, $1) }
    let deviations = zip(found, leastDeviations).map { min($0, max(0.5, $1) * Self.likeness, Self.mostDeviation) }
    noises.append(deviations[0] / 2.0.squareRoot())
    let weights = softened(matches(differences, deviations))
    for index in planes.indices { sum(frame[index], shift, weights, deviations[index], into: &planes[index]) }
    count += 1
    return (shift, Double(weights.count { $0 > 0 }) / Double(max(1, weights.count)))
  }

  /// The planes of the average, each without gaps between its rows.
  public var averaged: [[UInt8]] {
    planes.map { plane in
      [UInt8](unsafeUninitializedCapacity: plane.sums.count) { result, count in
        for index in plane.sums.indices {
          let weight = UInt16(plane.weights[index])
          result[index] = UInt8(truncatingIfNeeded: (plane.sums[index] + weight / 2) / weight)
        }
        count = plane.sums.count
      }
    }
  }

  // MARK: Comparison

  /// The samples of a plane that a block covers and whose counterparts are in the shifted frame.
  private func range(
    _ block: Int, _ length: Int, _ reduction: Int, _ shift: Int
  ) -> Range<Int> {
    let side = max(1, Self.blockSide / reduction)
    let lower = max(block * side, -shift)
    let upper = min((block + 1) * side, length, length - shift)
    return lower..<max(lower, upper)
  }

  /// The shift in samples of a plane.
  private static func reduced(_ shift: PixelShift, _ plane: Plane) -> PixelShift {
    PixelShift(
      x: Int((Double(shift.x) / Double(plane.reductionX)).rounded()),
      y: Int((Double(shift.y) / Double(plane.reductionY)).rounded()))
  }

  private func compared(_ plane: Plane, with frame: BytePlane, _ shift: PixelShift) -> [BlockDifference] {
    let shift = Self.reduced(shift, plane)
    var result: [BlockDifference] = []
    result.reserveCapacity(columns * rows)
    plane.reference.withUnsafeBufferPointer { reference in
      for blockY in 0..<rows {
        let ys = range(blockY, plane.height, plane.reductionY, shift.y)
        for blockX in 0..<columns {
          let xs = range(blockX, plane.width, plane.reductionX, shift.x)
          var (absolute, signed): (Int32, Int32) = (0, 0)
          for y in ys {
            let own = reference.baseAddress! + y * plane.width + xs.lowerBound
            let other = frame.row(y + shift.y) + xs.lowerBound + shift.x
            for x in 0..<xs.count {
              let difference = Int32(other[x]) - Int32(own[x])
              absolute &+= abs(difference)
              signed &+= difference
            }
          }
          let count = Float(xs.count * ys.count)
          result.append(
            BlockDifference(
              absolute: count > 0 ? Float(absolute) / count : .infinity, mean: count > 0 ? Float(signed) / count : 0,
              count: count))
        }
      }
    }
    return result
  }

  /// The standard deviation of the differences where the picture stands still.
  private static func deviation(_ differences: [BlockDifference]) -> Double {
    let sorted = differences.map(\.absolute).filter(\.isFinite).sorted()
    guard !sorted.isEmpty else { return 0 }
    return Double(sorted[Int(Double(sorted.count - 1) * stillShare)]) / absoluteShare
  }

  /// The weight of each block: the least that one of its planes allows.
  private func matches(_ differences: [[BlockDifference]], _ deviations: [Double]) -> [Double] {
    (0..<columns * rows).map { block in
      var weight = 1.0
      for (plane, deviation) in zip(differences, deviations) {
        // A camera that sends the same picture twice has no noise; half a step is what rounding makes.
        let deviation = max(0.5, deviation)
        let difference = plane[block]
        guard difference.count > 0 else { return 0 }
        let ratio = Double(difference.absolute) / (deviation * Self.absoluteShare)
        let meanRatio = abs(Double(difference.mean)) * Double(difference.count).squareRoot() / deviation
        weight = min(
          weight, Self.ramp(ratio, Self.fullMatch, Self.noMatch),
          // A light that flickers changes the mean of a large block by a little: up to a step counts as chance.
          abs(difference.mean) <= 1 ? 1 : Self.ramp(meanRatio, Self.fullMeanMatch, Self.noMeanMatch))
      }
      return weight
    }
  }

  /// 1 up to the first limit, 0 from the second.
  private static func ramp(_ value: Double, _ full: Double, _ none: Double) -> Double {
    min(1, max(0, (none - value) / (none - full)))
  }

  /// Weights with those next to something that moves lowered, so that no edge of blocks is seen.
  private func softened(_ weights: [Double]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(weights.count)
    for y in 0..<rows {
      for x in 0..<columns {
        var (sum, count) = (0.0, 0.0)
        for ny in max(0, y - 1)...min(rows - 1, y + 1) {
          for nx in max(0, x - 1)...min(columns - 1, x + 1) {
            sum += weights[ny * columns + nx]
            count += 1
          }
        }
        let own = weights[y * columns + x]
        // One neighbor of eight that moves is enough to halve it.
        let around = max(0, 1 - (1 - sum / count) * 4)
        result.append(UInt8((Double(Self.fullWeight) * min(own, around)).rounded()))
      }
    }
    return result
  }

  // MARK: Sums

  private func sum(
    _ frame: BytePlane, _ shift: PixelShift, _ weights: [UInt8], _ deviation: Double, into plane: inout Plane
  ) {
    let shift = Self.reduced(shift, plane)
    let limit = Int16(max(2, min(255, (Self.sampleMatch * deviation).rounded(.up))))
    let (width, height, reductionX, reductionY) = (plane.width, plane.height, plane.reductionX, plane.reductionY)
    plane.reference.withUnsafeBufferPointer { reference in
      plane.sums.withUnsafeMutableBufferPointer { sums in
        plane.weights.withUnsafeMutableBufferPointer { totals in
          for blockY in 0..<rows {
            let ys = range(blockY, height, reductionY, shift.y)
            for blockX in 0..<columns {
              let weight = weights[blockY * columns + blockX]
              guard weight > 0 else { continue }
              let xs = range(blockX, width, reductionX, shift.x)
              for y in ys {
                let start = y * width + xs.lowerBound
                let own = reference.baseAddress! + start
                let other = frame.row(y + shift.y) + xs.lowerBound + shift.x
                let (sum, total) = (sums.baseAddress! + start, totals.baseAddress! + start)
                for x in 0..<xs.count {
                  let isNear = abs(Int16(other[x]) - Int16(own[x])) <= limit
                  let effective = isNear ? weight : 0
                  sum[x] &+= UInt16(other[x]) &* UInt16(effective)
                  total[x] &+= effective
                }
              }
            }
          }
        }
      }
    }
  }
}
