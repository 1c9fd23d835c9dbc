// The memory that a camera's frames take, wherever they are kept.

import Synchronization

/// Counts the bytes of all living frames of a camera: in the ring, on the screen, and in live photos that wait for their
/// movies. Frames are shared among these, and each is counted once.
///
///     let budget = FrameBudget(limit: 160 << 20)
///     block.charge(to: budget)                        // gives its bytes back when it is freed
///     if budget.isExceeded(adding: count) { … }       // compress, or keep fewer frames
public final class FrameBudget: Sendable {
  /// The most bytes that may be kept. Nothing is refused here: whoever keeps frames asks.
  public let limit: Int
  private let used = Atomic(0)

  public init(limit: Int) { self.limit = limit }

  /// The bytes of all frames that live now.
  public var byteCount: Int { used.load(ordering: .relaxed) }

  /// Whether another frame of this size would go past the limit.
  public func isExceeded(adding byteCount: Int = 0) -> Bool { self.byteCount > limit - byteCount }

  func change(by byteCount: Int) { used.add(byteCount, ordering: .relaxed) }
}
