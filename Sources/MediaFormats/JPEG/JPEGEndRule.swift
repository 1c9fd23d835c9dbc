// The trust in frames without EOI, which many cheap webcams send.

/// Decides which frames without EOI have to be decoded to find out whether they are whole.
///
/// A camera that always leaves EOI out is recognized by a few frames that were decoded for it; its further frames are
/// trusted, since decoding each would cost as much as showing it. A frame that is much shorter than the others is
/// decoded again. From a camera that sends EOI, a frame without it was probably cut on the cable: each is decoded.
///
///     var rule = JPEGEndRule()
///     if repairs.contains(.endOfImage), !rule.trusts(byteCount: count) { … rule.decoded(byteCount: count, isWhole: whole) }
public struct JPEGEndRule: Sendable {
  /// The number of whole frames in a row after which a camera is trusted.
  public static let confirmations = 3

  private var wholeCount = 0
  /// The bytes of a usual frame without EOI.
  private var usualCount = 0

  public init() {}

  /// Whether a frame without EOI counts as whole without being decoded.
  public mutating func trusts(byteCount: Int) -> Bool {
    guard wholeCount >= Self.confirmations, byteCount * 2 >= usualCount else { return false }
    usualCount = (usualCount * 7 + byteCount) / 8
    return true
  }

  /// A frame without EOI was decoded.
  public mutating func decoded(byteCount: Int, isWhole: Bool) {
    guard isWhole else {
      wholeCount = 0
      return
    }
    wholeCount += 1
    usualCount = byteCount
  }

  /// A frame with EOI came.
  public mutating func sawEnd() { wholeCount = 0 }
}
