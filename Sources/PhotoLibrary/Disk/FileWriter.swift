// Writes pictures so that a kill at any instant leaves the old state or the new one.

import Foundation

/// Temporary file in the same folder → write → flush → final name → flush the folder.
struct FileWriter: Sendable {
  let disk: Disk
  /// In bytes: a disk needs a moment for them, after which a copy may be given up.
  private static let pieceLength: UInt64 = 16 << 20

  /// Writes a file that nobody sees yet, down to the disk. Makes the folder when it is missing.
  ///
  /// - Parameters:
  ///   - path: Of the temporary file.
  ///   - tail: A file whose bytes follow the data, of which exactly `tailLength` from `tailFrom` on are taken.
  ///   - suffix: What follows the tail.
  ///   - modified: When the file was last written, in nanoseconds since 1970, if that is to be kept.
  ///   - isCancelled: Asked now and then while the tail is copied; then it throws `cancelled`.
  /// - Throws: After removing what was written.
  func write(
    _ data: Data, tail: ReadableFile? = nil, tailFrom: UInt64 = 0, tailLength: UInt64 = 0, suffix: Data = Data(),
    modified: Int64? = nil, isCancelled: () -> Bool = { false }, to path: String
  ) throws(PhotoLibraryError) {
    var parts = [FilePart.bytes(data)]
    if let tail { parts.append(.file(tail, tailFrom..<tailFrom + tailLength)) }
    if !suffix.isEmpty { parts.append(.bytes(suffix)) }
    try write(parts, modified: modified, isCancelled: isCancelled, to: path)
  }

  /// The same, of any pieces.
  ///
  /// - Parameter copied: Called with the number of bytes that were written since the last time.
  func write(
    _ parts: [FilePart], modified: Int64? = nil, isCancelled: () -> Bool = { false }, to path: String,
    copied: (UInt64) -> Void = { _ in }
  ) throws(PhotoLibraryError) {
    let descriptor = try create(path)
    do throws(PhotoLibraryError) {
      defer { close(descriptor) }
      for part in parts {
        if isCancelled() { throw .cancelled }
        switch part {
        case .bytes(let data):
          try write(data, to: descriptor, path: path)
          copied(part.count)
        case .file(let file, let range):
          try copy(
            file, from: range.lowerBound, length: range.upperBound - range.lowerBound, to: descriptor, path: path,
            isCancelled, copied)
        }
      }
      if let modified {
        let time = timespec(tv_sec: Int(modified / 1_000_000_000), tv_nsec: Int(modified % 1_000_000_000))
        // A date that can't be kept is no reason to lose a picture.
        _ = withUnsafePointer(to: (time, time)) {
          $0.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(descriptor, $0) }
        }
      }
      try disk.check(.synchronize, path)
      guard fsync(descriptor) == 0 else { throw .system(.synchronize, path, code: errno) }
    } catch {
      disk.discard(path)
      throw error
    }
  }

  private func create(_ path: String) throws(PhotoLibraryError) -> Int32 {
    var isFirst = true
    while true {
      try disk.check(.create, path)
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor >= 0 { return descriptor }
      guard errno == ENOENT, isFirst else { throw .system(.create, path, code: errno) }
      // The folder isn't there yet, or not any more.
      isFirst = false
      try disk.makeFolder(Disk.parent(of: path))
    }
  }

  private func write(_ data: Data, to descriptor: Int32, path: String) throws(PhotoLibraryError) {
    try disk.check(.write, path)
    let code = data.withUnsafeBytes { bytes -> Int32 in
      var done = 0
      while let base = bytes.baseAddress, done < bytes.count {
        let count = Glibc.write(descriptor, base + done, bytes.count - done)
        if count < 0 {
          if errno == EINTR { continue }
          return errno
        }
        done += count
      }
      return 0
    }
    guard code == 0 else { throw .system(.write, path, code: code) }
  }

  /// In the kernel, from page cache to page cache.
  private func copy(
    _ source: ReadableFile, from start: UInt64, length: UInt64, to descriptor: Int32, path: String,
    _ isCancelled: () -> Bool, _ copied: (UInt64) -> Void
  ) throws(PhotoLibraryError) {
    try disk.check(.write, path)
    var done: UInt64 = 0
    while done < length {
      if isCancelled() { throw .cancelled }
      let count = source.send(
        from: start + done, count: Int(min(length - done, Self.pieceLength)), to: descriptor)
      if count < 0 {
        if errno == EINTR { continue }
        throw .system(.write, path, code: errno)
      }
      guard count > 0 else {
        throw .unusableFile(path: source.path, reason: "it became shorter while it was being copied")
      }
      done += UInt64(count)
      copied(UInt64(count))
    }
  }
}
