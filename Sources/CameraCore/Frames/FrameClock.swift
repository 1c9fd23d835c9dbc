// Times of a device's frames or sound, from timestamps that can't be relied on.

/// Gives each buffer of one device its time on `CLOCK_MONOTONIC`.
///
/// Timestamps come from drivers: from the future, backwards, from a clock that counts from zero, all the same, or none
/// at all. The times given here increase strictly, and lie between `oldest` before the buffer's arrival and the arrival,
/// whatever the stamps are:
///
/// - A stamp in that range, later than the time before, is the time.
/// - Any other buffer counts as taken as long before its arrival as the last one with a good stamp was, so that one wrong
///   stamp doesn't move the frame against its neighbors.
/// - What would not be later than the time before comes `step` after it: buffers of a burst that waited together, whose times
///   may lie after the arrival by a step each, and those after one whose stamp was a little too late.
///
/// For sound see `time(ofSound:lasting:arrival:)`: the time is that of a chunk's first sample.
public struct FrameClock: Sendable {
  /// The greatest age of a buffer at its arrival. A stamp that says more is from another clock.
  public static let oldest = TimeSpan.seconds(1)
  /// The least distance of two times: one unit of an MP4 of 90,000 a second is 11 µs.
  public static let step = TimeSpan(nanoseconds: 100_000)
  /// The most by which a time may have been too late for the next stamp to count. A stamp further back is a clock that
  /// jumps.
  static let correction = TimeSpan.milliseconds(250)

  /// The time that was given last.
  public private(set) var last: MonotonicTime?
  /// The age at arrival of the last buffer with a good stamp.
  private var age = TimeSpan.zero
  private var lastStamp: MonotonicTime?

  public init() {}

  /// The time of a buffer.
  ///
  /// - Parameters:
  ///   - stamp: The device's timestamp; `nil` where it has none.
  ///   - arrival: Never earlier than that of the buffer before.
  public mutating func time(stamp: MonotonicTime?, arrival: MonotonicTime) -> MonotonicTime {
    let time: MonotonicTime
    let isPlausible = stamp.map { $0 <= arrival && $0 >= arrival - Self.oldest } ?? false
    if let stamp, isPlausible, last.map({ stamp > $0 }) ?? true {
      age = arrival - stamp
      time = stamp
    } else if let stamp, let last, isPlausible, last - stamp < Self.correction,
      lastStamp.map({ stamp > $0 }) ?? true
    {
      // The times before were too late: they stand until the stamps have caught up.
      age = arrival - stamp
      time = last + Self.step
    } else {
      time = max(arrival - age, last.map { $0 + Self.step } ?? arrival - age)
    }
    lastStamp = stamp
    last = time
    return time
  }

  /// The time of a chunk of sound: of its first sample. A chunk arrives when its last sample has been heard, so one
  /// without a good stamp began as long before as it lasts.
  ///
  /// - Parameters:
  ///   - stamp: The source's timestamp of the first sample; `nil` where it has none.
  ///   - arrival: Never earlier than that of the chunk before.
  public mutating func time(ofSound stamp: MonotonicTime?, lasting span: TimeSpan, arrival: MonotonicTime)
    -> MonotonicTime
  {
    let isGood = stamp.map { $0 <= arrival && $0 >= arrival - Self.oldest } ?? false
    return time(stamp: isGood ? stamp : arrival - min(span, Self.oldest), arrival: arrival)
  }
}
