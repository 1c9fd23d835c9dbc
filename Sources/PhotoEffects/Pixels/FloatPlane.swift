// Planes of numbers in lent memory, on which the kernels of the effects work.

/// A rectangle of numbers that somebody else owns, for as long as a call lasts. Rows follow each other without gaps.
struct FloatPlane: @unchecked Sendable {
  // Sendable: it may be lent to several threads at once, each of which writes rows of its own; who lends it waits for them.

  let values: UnsafeMutablePointer<Float>
  let width: Int
  let height: Int

  /// The first number of a row.
  @inline(__always)
  func row(_ y: Int) -> UnsafeMutablePointer<Float> { values + y * width }

  /// The first number of the row that is nearest to `y`: the picture goes on beyond its border as its border is.
  @inline(__always)
  func nearestRow(_ y: Int) -> UnsafeMutablePointer<Float> { row(min(max(y, 0), height - 1)) }
}

/// Hands out parts of one block of memory, one after the other.
struct PlaneArena {
  private var next: UnsafeMutablePointer<Float>
  private let end: UnsafeMutablePointer<Float>

  init(_ block: UnsafeMutablePointer<Float>, count: Int) {
    next = block
    end = block + count
  }

  mutating func numbers(_ count: Int) -> UnsafeMutablePointer<Float> {
    defer { next += count }
    precondition(next + count <= end, "the block is smaller than its parts")
    return next
  }

  mutating func plane(width: Int, height: Int) -> FloatPlane {
    FloatPlane(values: numbers(width * height), width: width, height: height)
  }
}
