// A pool of buffers for preview frames.

import CameraCore
import EngineInterface
import Synchronization

/// Memory for preview frames of one size. A frame's memory comes back when its last reference is dropped, on any thread.
final class PreviewPool: Sendable {
  /// On screen, waiting for the painter, being converted, and two to spare for a painter that holds on.
  static let capacity = 5

  let size: PixelSize
  let stride: Int
  private let capacity: Int
  private let state = Mutex(State())

  private struct State {
    var free: [PixelMemory] = []
    var made = 0
  }

  /// - Parameter capacity: The most frames at a time.
  init(size: PixelSize, capacity: Int = PreviewPool.capacity) {
    self.size = size
    self.capacity = capacity
    stride = size.width * 4
  }

  /// Memory for one frame; `nil` while all of it is in use.
  func take() -> PixelMemory? {
    state.withLock { state in
      if let memory = state.free.popLast() { return memory }
      guard state.made < capacity else { return nil }
      state.made += 1
      return PixelMemory(byteCount: stride * size.height)
    }
  }

  func giveBack(_ memory: PixelMemory) { state.withLock { $0.free.append(memory) } }
}

/// Memory for pixels.
final class PixelMemory: @unchecked Sendable {
  // Sendable: at any time one frame, or the pool, owns it; only the preview thread writes, before the frame leaves.
  let bytes: UnsafeMutableRawBufferPointer

  init(byteCount: Int) { bytes = .allocate(byteCount: byteCount, alignment: 16) }

  deinit { bytes.deallocate() }
}

/// A converted frame whose memory belongs to a pool.
final class PooledPreviewFrame: PreviewFrame {
  let time: MonotonicTime
  var size: PixelSize { pool.size }
  var stride: Int { pool.stride }
  var pixels: UnsafeRawPointer { UnsafeRawPointer(memory.bytes.baseAddress!) }  // never empty: sizes are above zero
  private let pool: PreviewPool
  private let memory: PixelMemory

  /// - Parameter memory: Filled; taken from `pool`.
  init(time: MonotonicTime, memory: PixelMemory, pool: PreviewPool) {
    self.time = time
    self.memory = memory
    self.pool = pool
  }

  deinit { pool.giveBack(memory) }
}
