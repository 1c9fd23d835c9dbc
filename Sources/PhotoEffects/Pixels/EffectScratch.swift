// Memory that effects reuse for every frame.

/// Named planes of numbers, allocated at the first frame and reused for the following ones. For one thread at a time.
public final class EffectScratch {
  private var bytes: [String: [UInt8]] = [:]
  private var floats: [String: [Float]] = [:]
  private var words: [String: [UInt32]] = [:]

  /// The number of threads that an effect may use for one picture: 1 where frames are rendered in parallel.
  public let threadCount: Int

  public init(threadCount: Int = 1) { self.threadCount = max(1, threadCount) }

  /// Lends a plane for a call, with the previous call's content in it.
  ///
  /// - Throws: The errors of `body`.
  public func withBytes<R>(_ name: String, count: Int, _ body: (UnsafeMutablePointer<UInt8>) throws -> R) rethrows -> R
  {
    try lend(\.bytes, name, count, 0, body)
  }

  /// Lends a plane for a call, with the previous call's content in it.
  ///
  /// - Throws: The errors of `body`.
  public func withFloats<R>(_ name: String, count: Int, _ body: (UnsafeMutablePointer<Float>) throws -> R) rethrows -> R
  {
    try lend(\.floats, name, count, 0, body)
  }

  /// Lends a plane for a call, with the previous call's content in it.
  ///
  /// - Throws: The errors of `body`.
  public func withPixels<R>(
    _ name: String, count: Int, _ body: (UnsafeMutablePointer<UInt32>) throws -> R
  ) rethrows -> R {
    try lend(\.words, name, count, 0, body)
  }

  /// Lends colors, four numbers each, for a call, with the previous call's content in them.
  ///
  /// - Throws: The errors of `body`.
  func withColors<R>(
    _ name: String, count: Int, _ body: (UnsafeMutablePointer<SIMD4<Float>>) throws -> R
  ) rethrows -> R {
    // Arrays begin at multiples of 16 bytes.
    try withFloats(name, count: 4 * count) { try body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: SIMD4.self)) }
  }

  private func lend<Element, R>(
    _ planes: ReferenceWritableKeyPath<EffectScratch, [String: [Element]]>, _ name: String, _ count: Int,
    _ zero: Element, _ body: (UnsafeMutablePointer<Element>) throws -> R
  ) rethrows -> R {
    // Removed for the duration of the call, in which another plane may be lent.
    var plane = self[keyPath: planes].removeValue(forKey: name) ?? []
    if plane.count < count { plane = [Element](repeating: zero, count: count) }
    defer { self[keyPath: planes][name] = plane }
    return try plane.withUnsafeMutableBufferPointer { try body($0.baseAddress!) }
  }
}
