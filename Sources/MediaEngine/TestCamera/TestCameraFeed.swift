// The thread of the built-in camera.

import CGStreamer
import CameraCore
import Foundation
import Synchronization

/// A fault of the test camera, for tests.
enum TestFault: Sendable, Equatable {
  /// It works.
  case none
  /// It opens and never sends a frame.
  case silent
  /// It sends nothing after so many frames.
  case stalls(after: Int)
  /// It reports an error after so many frames, as a driver does.
  case fails(after: Int)
  /// It reports an error with this code before its first frame, and then a second one, as GStreamer's sources do.
  case refuses(GstResourceError)
  /// It refuses modes that are wider than this, as a camera on a cable that is too slow for them.
  case refusesAbove(width: Int)
  /// The camera works; the test tone reports two errors before any sound.
  case refusedTone
  /// It is gone after so many frames, as if unplugged.
  case ends(after: Int)
  /// The camera works; the test tone opens and sends no sound, as a sound server that hangs.
  case silentTone
  /// The same, and after so many frames the camera is gone.
  case silentToneThenEnds(after: Int)
  /// The camera works; the test tone sends so many stretches of 10 ms each time it is opened, and then nothing.
  case toneFallsSilent(after: Int)
  /// The camera works; opening the test tone hangs until somebody writes to the named pipe of this path, as with a sound
  /// server that was stopped.
  case hangingTone(pipe: String)
  /// From so many frames on, every so manieth frame has this flaw.
  case flawed(FrameFlaw, after: Int = 0, every: Int = 1)
  /// After so many frames, it sends none for so many seconds.
  case pauses(after: Int, seconds: Double)

  /// Whether the test tone sends nothing.
  var silencesTone: Bool {
    switch self {
    case .silentTone, .silentToneThenEnds, .hangingTone: true
    case .none, .silent, .stalls, .fails, .refuses, .refusesAbove, .refusedTone, .ends, .toneFallsSilent, .flawed,
      .pauses:
      false
    }
  }
}

/// Feeds the test camera's frames to an appsrc at exact multiples of the frame's time on `CLOCK_MONOTONIC`, which is also
/// what each buffer says (base time 0).
final class TestCameraFeed: Sendable {
  private let source: Element
  private let format: CameraFormat
  private let rate: FrameRate
  private let fault: TestFault
  private let controls: TestCameraControls
  private let isStopped = Atomic(false)

  init(source: Element, format: CameraFormat, rate: FrameRate, fault: TestFault, controls: TestCameraControls) {
    self.source = source
    self.controls = controls
    self.format = format
    self.rate = rate
    self.fault = fault
  }

  func start() {
    let thread = Thread { self.run() }
    thread.name = "test camera"
    thread.start()
  }

  /// No buffer is made after this; the thread ends within the time of a frame.
  func stop() { isStopped.store(true, ordering: .releasing) }

  private func run() {
    do {
      let renderer = try TestFrameRenderer(format: format, rate: rate)
      let looks = try TestLook()
      var number = TestCamera.frameNumber(at: .now, rate: rate)
      var sent = 0
      while !isStopped.load(ordering: .acquiring) {
        if fault == .silent { return }
        if case .refuses(let code) = fault {
          source.report("the test camera was told to refuse", code)
          return source.report("the stream has an internal error", GST_RESOURCE_ERROR_READ)
        }
        if case .refusesAbove(let width) = fault, format.size.width > width {
          return source.report("the test camera was told to refuse this mode", GST_RESOURCE_ERROR_NO_SPACE_LEFT)
        }
        let time = TestCamera.time(ofFrame: number, rate: rate)
        let (block, stamp) = flawed(try frame(number, by: renderer, looks), time: time.nanoseconds, after: sent)
        MonotonicTime.sleep(until: time)
        guard !isStopped.load(ordering: .acquiring), AppSource.push(block, to: source, time: stamp) == GST_FLOW_OK
        else { return }
        sent += 1
        if misbehave(after: sent) { return }
        // A machine that can't keep up loses frames, as a camera does.
        number = max(number + 1, TestCamera.frameNumber(at: .now, rate: rate))
      }
    } catch {
      source.report("the test picture can’t be made: \(error)", GST_RESOURCE_ERROR_READ)
    }
  }

  /// The next frame as the controls make it.
  private func frame(_ number: Int64, by renderer: TestFrameRenderer, _ looks: TestLook) throws -> FrameBlock {
    let (frame, look) = (try renderer.makeFrame(number: number), controls.look)
    return look.isPlain ? frame : try looks.apply(look, to: frame, layout: renderer.layout)
  }

  /// The next frame with its flaw, where the fault says so.
  private func flawed(_ block: FrameBlock, time: Int64, after sent: Int) -> (FrameBlock, Int64) {
    guard case .flawed(let flaw, let after, let every) = fault, sent >= after, (sent - after + 1) % every == 0 else {
      return (block, time)
    }
    return flaw.applied(to: block, time: time)
  }

  private func misbehave(after sent: Int) -> Bool {
    switch fault {
    case .none, .silent, .silentTone, .refuses, .refusesAbove, .refusedTone, .toneFallsSilent, .hangingTone, .flawed:
      return false
    case .pauses(let after, let seconds):
      if sent == after { MonotonicTime.sleep(until: .now + .seconds(seconds)) }
      return false
    case .stalls(let after):
      return sent == after
    case .fails(let after):
      if sent == after { source.report("the test camera was told to fail", GST_RESOURCE_ERROR_READ) }
      return sent == after
    case .ends(let after), .silentToneThenEnds(let after):
      if sent == after { AppSource.end(source) }
      return sent == after
    }
  }
}
