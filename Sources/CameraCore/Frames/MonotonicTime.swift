// The time scale of frames, sound, presses and paintings: instants on the monotonic clock.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An instant on `CLOCK_MONOTONIC`, in nanoseconds since an arbitrary start (on Linux, boot).
///
/// Camera frames (V4L2 and PipeWire stamp with this clock), sound, shutter presses (X and Wayland events carry it in
/// milliseconds) and paintings are all placed on it, so that "the frame that was on screen at the press" is a
/// comparison of numbers.
public struct MonotonicTime: Hashable, Comparable, Sendable, Codable {
  /// Nanoseconds since the clock's start.
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The present instant.
  public static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

  public static func + (time: Self, span: TimeSpan) -> Self {
    Self(nanoseconds: time.nanoseconds + span.nanoseconds)
  }

  public static func - (time: Self, span: TimeSpan) -> Self {
    Self(nanoseconds: time.nanoseconds - span.nanoseconds)
  }

  public static func - (end: Self, start: Self) -> TimeSpan {
    TimeSpan(nanoseconds: end.nanoseconds - start.nanoseconds)
  }
}

/// A length of time in nanoseconds; negative when it points back.
public struct TimeSpan: Hashable, Comparable, Sendable, Codable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static let zero = TimeSpan(nanoseconds: 0)

  /// A length in seconds, to the nanosecond. The longest that there is are 292 years; what isn't a number is zero.
  public static func seconds(_ seconds: Double) -> Self {
    let nanoseconds = (seconds * 1e9).rounded()
    if nanoseconds.isNaN { return zero }
    return Self(nanoseconds: Int64(exactly: nanoseconds) ?? (nanoseconds < 0 ? .min : .max))
  }

  public static func milliseconds(_ milliseconds: Int64) -> Self { Self(nanoseconds: milliseconds * 1_000_000) }

  /// The same length in seconds.
  public var seconds: Double { Double(nanoseconds) / 1e9 }

  public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

  public static func + (left: Self, right: Self) -> Self { Self(nanoseconds: left.nanoseconds + right.nanoseconds) }

  public static func - (left: Self, right: Self) -> Self { Self(nanoseconds: left.nanoseconds - right.nanoseconds) }
}
