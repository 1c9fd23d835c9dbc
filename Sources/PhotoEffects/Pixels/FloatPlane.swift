// Planes of numbers in borrowed memory, the kernels' workspace.

/// A rectangle of borrowed numbers, valid for the duration of a call, without gaps between rows.
struct FloatPlane: @unchecked Sendable {
  // Sendable: several threads may share it, each writing rows of its own; the lender waits for them.

  let values: UnsafeMutablePointer<Float>
  let width: Int
  let height: Int

  /// The first number of a row.
  @inline(__always)
  func row(_ y: Int) -> UnsafeMutablePointer<Float> { values + y * width }

  /// The first number of the row nearest to `y`: border rows are repeated beyond the border.
  @inline(__always)
  func nearestRow(_ y: Int) -> UnsafeMutablePointer<Float> { row(min(max(y, 0), height - 1)) }
}

/// An allocator that hands out consecutive parts of one block of memory.
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
