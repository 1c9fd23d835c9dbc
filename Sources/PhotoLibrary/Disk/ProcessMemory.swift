// The heap of a program that opens a library.

import LinuxShim

/// The heap of this process.
public enum ProcessMemory {
  /// Makes all threads of this process share one heap. Call it first of all, while the program has one thread.
  ///
  /// By default the C library gives each thread its own heap and returns only whole pages of it to the system. A scan
  /// of a large library runs on whichever threads are free and leaves a few long-lived blocks in each heap, each
  /// pinning a page: up to 40 bytes per asset for 100,000 assets, whose list needs 8. In one heap they lie together.
  /// Threads seldom contend for it: small blocks come from a per-thread cache, and pixels are kept in buffers that are
  /// reused.
  public static func useOneHeap() {
    // Without it everything works, with more memory.
    _ = linux_use_one_heap()
  }
}
