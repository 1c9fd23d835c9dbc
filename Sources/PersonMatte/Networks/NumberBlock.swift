// Memory for the numbers of a network.

import CXNNPACK

/// Numbers that XNNPACK reads and writes; never moved.
final class NumberBlock {
  let numbers: UnsafeMutablePointer<Float>
  let count: Int

  /// XNNPACK may read that far beyond the end.
  private static let margin = Int(XNN_EXTRA_BYTES) / MemoryLayout<Float>.stride

  /// Zeros.
  init(count: Int) {
    self.count = count
    numbers = .allocate(capacity: count + Self.margin)
    numbers.initialize(repeating: 0, count: count + Self.margin)
  }

  convenience init(_ values: [Float]) {
    self.init(count: values.count)
    for (index, value) in values.enumerated() { numbers[index] = value }
  }

  deinit { numbers.deallocate() }
}

extension NumberBlock: Sequence {
  func makeIterator() -> UnsafeBufferPointer<Float>.Iterator {
    UnsafeBufferPointer(start: numbers, count: count).makeIterator()
  }
}
