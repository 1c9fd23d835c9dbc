// How a program that opens a library keeps its memory.

import LinuxShim

/// The heap of this process.
public enum ProcessMemory {
  /// Makes all threads of this process share one heap. To be called first of all by a program, while it has one thread.
  ///
  /// By itself the C library gives each thread a heap, and the system gets back only whole pages of it. A look through a
  /// large library runs on whichever threads are free, and leaves in the heap of each a few blocks that last, a page held
  /// by each: up to 40 bytes for each asset of 100,000, where the list of them needs 8. In one heap they lie together.
  /// Threads seldom wait for each other there: small blocks come from a cache that each thread has, and pixels are kept
  /// in buffers that are used again.
  public static func useOneHeap() {
    // Without it all works, in more memory.
    _ = linux_use_one_heap()
  }
}
