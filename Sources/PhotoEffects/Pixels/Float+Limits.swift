// Clamping in a form that vectorizes well.

extension Float {
  /// The number between 0 and `high`.
  ///
  /// The lower limit is one of bits: two comparisons with constants one after the other are merged by LLVM into masks of
  /// several instructions, which made whole effects a fifth slower.
  @inline(__always)
  func limited(to high: Float) -> Float {
    let bits = Int32(bitPattern: bitPattern)
    let raised = Float(bitPattern: UInt32(bitPattern: bits & ~(bits &>> 31)))
    return raised < high ? raised : high
  }

  /// `3x² − 2x³` of the number limited to 0…1: a step with a soft beginning and end.
  @inline(__always)
  var softStep: Float {
    let x = limited(to: 1)
    return x * x * (3 - 2 * x)
  }
}
