// Ring buffer of the last moments, from which live photos are cut.

import DequeModule

/// Keeps the newest part of a stream (frames or sound), and what captures in flight still need of it.
///
/// Entries are appended with their time, and dropped when they are older than `preRoll` and some slack, unless a capture
/// holds them. A capture at an instant *t* holds the window from `t - preRoll` up to, but not including, `t + postRoll`;
/// overlapping captures share entries, since payloads are handed out by reference.
///
///     var ring = LivePhotoRing<FrameBlock>(preRoll: .seconds(1.5), postRoll: .seconds(1.5), byteLimit: 64 << 20)
///     ring.append(frame, at: time, byteCount: frame.count)
///     let hold = ring.beginCapture(at: pressed)
///     …                                      // until ring.isComplete(hold)
///     let window = ring.endCapture(hold)     // 90 frames at 30 frames a second
///
/// Appending is O(1) on average; a window is O(log n) to find and O(its length) to hand out. Not safe for use from
/// several threads at once: whoever owns a ring also owns its lock.
public struct LivePhotoRing<Payload> {
  /// One payload with the time that it covers.
  public struct Entry {
    /// When the payload begins.
    public var time: MonotonicTime
    /// Its duration; zero for a frame, which is an instant.
    public var duration: TimeSpan
    /// Its share of the ring's size.
    public var byteCount: Int
    public var payload: Payload

    /// When the payload ends.
    public var end: MonotonicTime { time + duration }
  }

  /// One capture's hold on its window.
  public struct Hold: Hashable, Sendable {
    fileprivate var id: UInt64
    /// The window's first instant.
    public let start: MonotonicTime
    /// The first instant after the window.
    public let end: MonotonicTime
  }

  /// The entries of a capture.
  public struct Window {
    /// The entries that lie in the window or reach into it, in order.
    public var entries: [Entry]
    /// The window that was asked for. The first entry may be later (the camera had just been opened) and the last one
    /// earlier (the camera went away).
    public var start: MonotonicTime
    public var end: MonotonicTime

    /// By how much the first entry is later than the window's start; zero when nothing is missing, the window's whole
    /// length when there are no entries.
    public var lateness: TimeSpan {
      guard let first = entries.first else { return end - start }
      return max(.zero, first.time - start)
    }
  }

  /// The age up to which entries are kept when no capture needs them.
  public var preRoll: TimeSpan { didSet { forget() } }
  /// The time that entries are kept beyond the pre-roll: a press means the frame that was on screen, which is a little
  /// older than the newest one by the time the press is heard.
  public var slack: TimeSpan { didSet { forget() } }
  /// The reach of a capture beyond its instant.
  public var postRoll: TimeSpan
  /// The most bytes that are kept when no capture needs them; the oldest go first.
  public var byteLimit: Int { didSet { forget() } }

  private var entries: Deque<Entry> = []
  private var holds: Set<Hold> = []
  private var nextHold: UInt64 = 0

  /// Whether it holds less than the pre-roll because of its limit of bytes.
  public private(set) var isTrimmed = false

  /// The bytes of all entries, in the callers' own count.
  public private(set) var byteCount = 0

  public init(preRoll: TimeSpan, postRoll: TimeSpan, slack: TimeSpan = .zero, byteLimit: Int) {
    self.preRoll = preRoll
    self.slack = slack
    self.postRoll = postRoll
    self.byteLimit = byteLimit
  }

  /// The number of entries.
  public var count: Int { entries.count }

  /// The newest entry.
  public var newest: Entry? { entries.last }

  /// The number of captures that hold a window.
  public var holdCount: Int { holds.count }

  /// Adds an entry that is newer than all others.
  ///
  /// - Returns: Whether it was taken. An entry that is not newer than the newest (a camera that repeats itself) is left
  ///   out.
  @discardableResult
  public mutating func append(
    _ payload: Payload, at time: MonotonicTime, duration: TimeSpan = .zero, byteCount: Int
  ) -> Bool {
    if let newest = entries.last, time <= newest.time { return false }
    entries.append(Entry(time: time, duration: duration, byteCount: byteCount, payload: payload))
    self.byteCount += byteCount
    forget()
    return true
  }

  /// The last entry that began at `time` or before; the oldest one when all are later.
  public func entry(at time: MonotonicTime) -> Entry? {
    let next = firstIndex { $0.time > time }
    return next > 0 ? entries[next - 1] : entries.first
  }

  /// The entries nearest to an instant, without the one that begins then; the nearest first.
  public func entries(nearest time: MonotonicTime, count: Int) -> [Entry] {
    var next = firstIndex { $0.time > time }
    var previous = firstIndex { $0.time >= time } - 1
    var result: [Entry] = []
    while result.count < count, previous >= 0 || next < entries.count {
      let isEarlier =
        previous >= 0 && (next >= entries.count || time - entries[previous].time <= entries[next].time - time)
      result.append(entries[isEarlier ? previous : next])
      if isEarlier { previous -= 1 } else { next += 1 }
    }
    return result
  }

  /// Holds the window around `time` until `endCapture`.
  public mutating func beginCapture(at time: MonotonicTime) -> Hold {
    let hold = Hold(id: nextHold, start: time - preRoll, end: time + postRoll)
    nextHold += 1
    holds.insert(hold)
    return hold
  }

  /// Whether everything up to the window's end has arrived.
  public func isComplete(_ hold: Hold) -> Bool {
    guard let newest = entries.last else { return false }
    return newest.time >= hold.end || newest.end >= hold.end
  }

  /// Ends the hold, and hands out what there is of the window.
  public mutating func endCapture(_ hold: Hold) -> Window {
    let window = window(of: hold)
    if holds.remove(hold) != nil { forget() }
    return window
  }

  /// The entries of a window so far.
  public func window(of hold: Hold) -> Window {
    let first = firstIndex { $0.time >= hold.start || $0.end > hold.start }
    let last = firstIndex { $0.time >= hold.end }
    return Window(entries: first < last ? Array(entries[first..<last]) : [], start: hold.start, end: hold.end)
  }

  /// The times of the entries of a window so far.
  public func times(of hold: Hold) -> [MonotonicTime] { window(of: hold).entries.map(\.time) }

  /// Forgets everything that no capture holds.
  public mutating func removeAll() {
    guard let needed = holds.map(\.start).min() else {
      entries.removeAll(keepingCapacity: true)
      byteCount = 0
      return
    }
    while let oldest = entries.first, !isNeeded(oldest, since: needed) { dropFirst() }
  }

  /// Leaves out the entries of these times, from the windows of captures as well.
  public mutating func leaveOut(_ times: Set<MonotonicTime>) {
    entries.removeAll { entry in
      guard times.contains(entry.time) else { return false }
      byteCount -= entry.byteCount
      return true
    }
  }

  /// Forgets the oldest entry, unless it is the only one.
  ///
  /// - Returns: The entry that was forgotten; `nil` when there was no other.
  public mutating func forgetOldest() -> Entry? {
    guard entries.count > 1 else { return nil }
    let oldest = entries.first
    dropFirst()
    return oldest
  }

  private mutating func forget() {
    guard let newest = entries.last else { return }
    let held = holds.map(\.start).min()
    let cut = newest.time - preRoll - slack
    while entries.count > 1, let oldest = entries.first {
      if let held, isNeeded(oldest, since: held) { break }
      let isYoung = isNeeded(oldest, since: cut)
      guard byteCount > byteLimit || !isYoung else { break }
      isTrimmed = isYoung
      dropFirst()
    }
  }

  private func isNeeded(_ entry: Entry, since start: MonotonicTime) -> Bool {
    entry.time >= start || entry.end > start
  }

  private mutating func dropFirst() {
    byteCount -= entries.removeFirst().byteCount
  }

  /// The first entry for which `isPast` holds, by bisection; `count` when there is none. Entries are in order of time,
  /// so the condition must be false up to some entry and true from there on.
  private func firstIndex(where isPast: (Entry) -> Bool) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if isPast(entries[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension LivePhotoRing: Sendable where Payload: Sendable {}
extension LivePhotoRing.Entry: Sendable where Payload: Sendable {}
extension LivePhotoRing.Window: Sendable where Payload: Sendable {}
