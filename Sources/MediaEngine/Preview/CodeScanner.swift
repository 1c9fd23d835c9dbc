// The QR code in view: looked for a few times a second, on a thread that nothing waits for.

import CameraCore
import Dispatch
import EngineInterface
import Synchronization

/// Looks at frames that were decoded for the preview. The preview's thread only copies the luma of three frames a second at
/// most, in a small size; a frame that comes while the last one is still being looked at is left out.
final class CodeScanner: CodeScanning {
  /// The longer side of what is looked at, in pixels, at least half of it: enough for a code that fills a tenth of the view.
  static let longestSide = 1280

  private struct State {
    var listeners: [Int: AsyncStream<String?>.Continuation] = [:]
    var nextListener = 0
    var isBusy = false
    var sight = CodeSight()
  }

  /// Runs work after a time, on any thread.
  typealias Timer = @Sendable (TimeSpan, _ work: @escaping @Sendable () -> Void) -> Void

  private let state = Mutex(State())
  private let queue: DispatchQueue
  private let pump: PreviewPump
  private let clock: @Sendable () -> MonotonicTime
  private let later: Timer
  // Unsafe: touched by the queue's work only, one after another.
  nonisolated(unsafe) private var reader: CodeReader?

  /// - Parameters:
  ///   - pump: Decodes the frames.
  ///   - clock: Tells the present.
  ///   - later: `nil` for the system's timers.
  init(pump: PreviewPump, clock: @escaping @Sendable () -> MonotonicTime = { .now }, later: Timer? = nil) {
    let queue = DispatchQueue(label: "photome.codes", qos: .utility)
    (self.queue, self.pump, self.clock) = (queue, pump, clock)
    self.later =
      later ?? { queue.asyncAfter(deadline: .now() + .nanoseconds(Int($0.nanoseconds)), execute: $1) }
  }

  deinit { pump.setInspector(nil) }

  func codes() -> AsyncStream<String?> {
    let (stream, sink) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = sink
      if let shown = state.sight.code { sink.yield(shown) }
      // Within the lock: the last listener may be leaving on another thread.
      pump.setInspector { [weak self] pixels, size in self?.inspect(pixels, size) }
      return state.nextListener
    }
    sink.onTermination = { [weak self] _ in self?.remove(id) }
    return stream
  }

  private func remove(_ id: Int) {
    state.withLock { state in
      state.listeners[id] = nil
      guard state.listeners.isEmpty else { return }
      state.sight = CodeSight()
      pump.setInspector(nil)
    }
  }

  /// Called on the preview's thread with a decoded frame: `BGRx`, upright, not mirrored, without effects.
  private func inspect(_ pixels: UnsafeRawBufferPointer, _ size: PixelSize) {
    let isDue = state.withLock { state in
      guard !state.isBusy, !state.listeners.isEmpty, state.sight.isDue(at: clock()) else { return false }
      state.isBusy = true
      return true
    }
    guard isDue else { return }
    let (luma, small) = Self.luma(of: pixels, size)
    queue.async { [weak self] in self?.look(luma, small) }
  }

  /// The luma of every pixel, or of some of them in equal distances where the picture is large. ITU-R BT.601, in 256ths.
  static func luma(of pixels: UnsafeRawBufferPointer, _ size: PixelSize) -> (luma: [UInt8], size: PixelSize) {
    let pixels = pixels.bindMemory(to: UInt32.self)
    let distance = max(1, (max(size.width, size.height) + longestSide - 1) / longestSide)
    let small = PixelSize(width: size.width / distance, height: size.height / distance)
    let luma = [UInt8](unsafeUninitializedCapacity: small.area) { luma, filled in
      for row in 0..<small.height {
        let (from, to) = (row * distance * size.width, row * small.width)
        for column in 0..<small.width {
          let pixel = pixels[from + column * distance]
          luma[to + column] = UInt8(
            truncatingIfNeeded: (77 &* (pixel >> 16 & 255) &+ 150 &* (pixel >> 8 & 255) &+ 29 &* (pixel & 255)) >> 8)
        }
      }
      filled = small.area
    }
    return (luma, small)
  }

  private func look(_ luma: [UInt8], _ size: PixelSize) {
    let reader = self.reader ?? CodeReader()
    self.reader = reader
    let text = luma.withUnsafeBytes { reader?.read($0, size: size) }
    tell { state in
      state.isBusy = false
      return state.sight.looked(at: text, time: clock())
    }
    // Perhaps it was the last look.
    guard state.withLock({ $0.sight.code != nil }) else { return }
    later(CodeSight.memory) { [weak self, clock] in
      self?.tell { $0.sight.waited(until: clock()) }
    }
  }

  /// Changes the state, and tells the listeners which code is in view if that has changed.
  ///
  /// - Parameter change: Returns whether it has.
  private func tell(_ change: (inout State) -> Bool) {
    let (listeners, code) = state.withLock { state in
      (change(&state) ? Array(state.listeners.values) : [], state.sight.code)
    }
    for listener in listeners { listener.yield(code) }
  }
}
