// A thread that waits for changes of one camera's controls.

import CameraCore
import Foundation
import LinuxShim

/// Subscribes to the events of all controls of a node and reports their values after each change.
///
/// Drivers that know no such events report nothing: what PhotoMe sets is known without.
final class ControlWatch: Sendable {
  /// A byte in the pipe ends the thread. Both ends are open as long as the watch lives, so that the byte is never too late.
  private let wake: (read: Int32, write: Int32)

  /// Starts the thread. The device is held open until `stop`, or until it is gone.
  ///
  /// - Parameters:
  ///   - onChange: Called on the thread.
  ///   - onEnd: Called on the thread when nothing comes any more.
  /// - Returns: `nil` when there are no descriptors left.
  init?(
    path: String, onChange: @escaping @Sendable ([CameraControl]) -> Void, onEnd: @escaping @Sendable () -> Void
  ) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    wake = (ends[0], ends[1])
    let thread = Thread {
      Self.run(path, wake: self.wake.read, onChange)
      onEnd()
    }
    thread.name = "camera controls"
    thread.start()
  }

  deinit {
    close(wake.read)
    close(wake.write)
  }

  /// Ends the watch; returns at once.
  func stop() {
    var byte: UInt8 = 0
    _ = write(wake.write, &byte, 1)
  }

  private static func run(_ path: String, wake: Int32, _ onChange: ([CameraControl]) -> Void) {
    let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let controls = V4L2Controls(descriptor)
    var hasEvents = false
    for entry in controls.entries() where linux_v4l2_follow_control(descriptor, entry.number) == 0 { hasEvents = true }
    guard hasEvents else { return }
    while true {
      var waits = [
        pollfd(fd: descriptor, events: Int16(POLLPRI), revents: 0), pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&waits, 2, -1)
      if count < 0, errno == EINTR { continue }
      guard count > 0, waits[1].revents == 0, waits[0].revents & Int16(POLLPRI) != 0 else { return }
      // Many may have come at once: a reset changes all.
      var isGone = false
      while true {
        let failure = linux_v4l2_take_event(descriptor)
        if failure == ENODEV { isGone = true }
        if failure != 0 { break }
      }
      if isGone { return }
      onChange(controls.entries().map(\.control))
    }
  }
}
