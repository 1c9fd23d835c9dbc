// A picture's luma at halved sizes, and the shift between two pictures.

import CameraCore

/// A shift in whole samples.
public struct PixelShift: Hashable, Sendable {
  public var x: Int
  public var y: Int

  public static let zero = PixelShift(x: 0, y: 0)

  public init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }
}

/// Luma at its own size and at halves of it, each sample the mean of four.
///
///     let shift = LumaPyramid(later).shift(against: LumaPyramid(first), reach: 32)
///     // later[x + shift.x, y + shift.y] shows what first[x, y] does
public struct LumaPyramid: Sendable {
  /// The longer side of the coarsest level, in samples.
  static let coarsestSide = 96
  /// Differences beyond this count no more: what moves in the picture, in 8-bit steps.
  static let limit = 48
  /// Of the finest level this many rows are compared, evenly spread.
  static let comparedRows = 360

  private struct Level: Sendable {
    var width: Int
    var height: Int
    var samples: [UInt8]
  }

  /// The finest first.
  private let levels: [Level]

  /// - Parameter finestSide: The longer side of the finest level is no longer than this, in samples. The shift then has
  ///   steps of several samples of the plane.
  public init(_ plane: BytePlane, finestSide: Int = .max) {
    var level = Level(width: plane.width, height: plane.height, samples: [])
    level.samples.reserveCapacity(plane.width * plane.height)
    for y in 0..<plane.height {
      level.samples.append(contentsOf: UnsafeBufferPointer(start: plane.row(y), count: plane.width))
    }
    var levels: [Level] = []
    var scale = 1
    while true {
      if max(level.width, level.height) <= finestSide { levels.append(level) }
      guard max(level.width, level.height) > Self.coarsestSide, min(level.width, level.height) >= 16 else { break }
      level = Self.half(level)
      if levels.isEmpty { scale *= 2 }
    }
    self.levels = levels.isEmpty ? [level] : levels
    self.scale = scale
  }

  /// The samples of the plane for one sample of the finest level.
  private let scale: Int

  private static func half(_ level: Level) -> Level {
    let (width, height) = (level.width / 2, level.height / 2)
    let samples = [UInt8](unsafeUninitializedCapacity: width * height) { result, count in
      level.samples.withUnsafeBufferPointer { source in
        for y in 0..<height {
          let (upper, lower) = (
            source.baseAddress! + 2 * y * level.width, source.baseAddress! + (2 * y + 1) * level.width
          )
          let row = result.baseAddress! + y * width
          for x in 0..<width {
            let sum = UInt16(upper[2 * x]) + UInt16(upper[2 * x + 1]) + UInt16(lower[2 * x]) + UInt16(lower[2 * x + 1])
            row[x] = UInt8(truncatingIfNeeded: (sum + 2) >> 2)
          }
        }
      }
      count = width * height
    }
    return Level(width: width, height: height, samples: samples)
  }

  /// The shift of the whole picture against another of the same size: coarse to fine, by the smallest sum of absolute
  /// differences, each up to a limit, so that what moves by itself has little say.
  ///
  /// - Parameter reach: The largest shift that is looked for, in samples of the plane.
  public func shift(against reference: LumaPyramid, reach: Int) -> PixelShift {
    var shift = PixelShift.zero
    for index in levels.indices.reversed() {
      let (own, other) = (levels[index], reference.levels[index])
      let isCoarsest = index == levels.count - 1
      if !isCoarsest { shift = PixelShift(x: shift.x * 2, y: shift.y * 2) }
      let levelScale = scale << index
      // Where the picture has little detail no shift is better than another by more than chance: none wins.
      let radius = isCoarsest ? max(1, (reach + levelScale - 1) / levelScale) : 1
      let center = shift
      var best = Self.difference(own, other, center)
      for y in -radius...radius {
        for x in -radius...radius where x != 0 || y != 0 {
          let candidate = PixelShift(x: center.x + x, y: center.y + y)
          let difference = Self.difference(own, other, candidate)
          if difference < best { (best, shift) = (difference, candidate) }
        }
      }
    }
    return PixelShift(x: shift.x * scale, y: shift.y * scale)
  }

  /// The mean difference from another picture of the same size at that shift, by the coarsest level, in 8-bit steps.
  public func difference(from reference: LumaPyramid, at shift: PixelShift) -> Double {
    let index = levels.count - 1
    let levelScale = scale << index
    let coarse = PixelShift(
      x: Int((Double(shift.x) / Double(levelScale)).rounded()), y: Int((Double(shift.y) / Double(levelScale)).rounded())
    )
    let difference = Self.difference(levels[index], reference.levels[index], coarse)
    return difference == .max ? .infinity : Double(difference) / 256
  }

  /// The mean difference of two levels where they overlap, in 256ths of a step.
  private static func difference(_ own: Level, _ other: Level, _ shift: PixelShift) -> Int {
    let columns = max(0, -shift.x)..<min(own.width, own.width - shift.x)
    let rows = max(0, -shift.y)..<min(own.height, own.height - shift.y)
    guard columns.count >= 8, rows.count >= 8 else { return .max }
    var (sum, count) = (0, 0)
    own.samples.withUnsafeBufferPointer { own_ in
      other.samples.withUnsafeBufferPointer { other_ in
        for y in Swift.stride(from: rows.lowerBound, to: rows.upperBound, by: max(1, rows.count / comparedRows)) {
          let first = other_.baseAddress! + y * other.width + columns.lowerBound
          let second = own_.baseAddress! + (y + shift.y) * own.width + columns.lowerBound + shift.x
          var rowSum: UInt32 = 0
          for x in 0..<columns.count {
            let difference = abs(Int16(first[x]) - Int16(second[x]))
            rowSum &+= UInt32(truncatingIfNeeded: min(difference, Int16(limit)))
          }
          sum += Int(rowSum)
          count += columns.count
        }
      }
    }
    return sum * 256 / count
  }
}
