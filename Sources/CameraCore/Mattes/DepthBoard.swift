// The place where a depth camera's frames meet those who want them.

import Synchronization

/// Keeps the latest frames of the depth camera beside the camera that runs, if it has one. The depth camera works while
/// somebody follows it. Any thread.
public final class DepthBoard: Sendable {
  /// Frames that are kept: a picture may be older than the latest distances.
  private static let mostFrames = 4
  /// The longest time between a picture and distances that are taken for it: two frames at 15 a second.
  public static let tolerance = TimeSpan.milliseconds(130)

  private struct State {
    var frames: [DepthFrame] = []
    var followers = 0
    var reader: (@Sendable (Bool) -> Void)?
    /// Of the readers until now.
    var number = 0
  }
  private let state = Mutex(State())

  public init() {}

  /// Whether somebody wants distances.
  public var isFollowed: Bool { state.withLock { $0.followers > 0 } }

  /// Somebody wants distances, until as many calls of `unfollow`.
  public func follow() { changeFollowers(by: 1) }
  /// Ends what `follow` began.
  public func unfollow() { changeFollowers(by: -1) }

  private func changeFollowers(by step: Int) {
    let told = state.withLock { state -> (reader: @Sendable (Bool) -> Void, isFollowed: Bool)? in
      let before = state.followers > 0
      state.followers += step
      precondition(state.followers >= 0, "unfollow() without follow().")
      guard before != (state.followers > 0), let reader = state.reader else { return nil }
      return (reader, !before)
    }
    told?.reader(told?.isFollowed == true)
  }

  /// Sets who reads the depth camera, and forgets the frames of another one.
  ///
  /// - Parameter reader: Told at once, and with each change, whether somebody wants distances.
  /// - Returns: For `removeReader`.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  public func setReader(_ reader: @escaping @Sendable (Bool) -> Void) -> Int {
    let (number, isFollowed) = state.withLock { state in
      (state.reader, state.frames) = (reader, [])
      state.number += 1
      return (state.number, state.followers > 0)
    }
    reader(isFollowed)
    return number
  }

  /// Tells the reader again whether somebody wants distances: the device has become free.
  public func remind() {
    let (reader, isFollowed) = state.withLock { ($0.reader, $0.followers > 0) }
    reader?(isFollowed)
  }

  /// Nobody reads the depth camera anymore, unless there is another reader already.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  public func removeReader(_ number: Int) {
    state.withLock { state in
      if state.number == number { (state.reader, state.frames) = (nil, []) }
    }
  }

  /// Takes in the next frame, unless it is of a reader that was removed.
  ///
  /// - Parameter reader: The number of the reader.
  public func put(_ frame: DepthFrame, from reader: Int) {
    state.withLock { state in
      guard state.number == reader, state.reader != nil else { return }
      state.frames.append(frame)
      if state.frames.count > Self.mostFrames { state.frames.removeFirst() }
    }
  }

  /// Forgets all frames: the depth camera rests.
  ///
  /// - Parameter reader: The number of the reader.
  public func empty(by reader: Int) { state.withLock { if $0.number == reader { $0.frames = [] } } }

  /// The distances at the time of a picture; `nil` when none are of about that time.
  public func frame(near time: MonotonicTime) -> DepthFrame? {
    func distance(_ frame: DepthFrame) -> UInt64 { (frame.time.nanoseconds &- time.nanoseconds).magnitude }
    let frames = state.withLock { $0.frames }
    guard let nearest = frames.min(by: { distance($0) < distance($1) }),
      distance(nearest) <= UInt64(Self.tolerance.nanoseconds)
    else { return nil }
    return nearest
  }
}
