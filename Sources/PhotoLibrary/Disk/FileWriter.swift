// Durable writing of new files under hidden names.

import Foundation
import Localization

/// The first half of every write of the library: temporary file in the same folder → write → flush. The caller then
/// renames it and flushes the folder, so that a kill at any instant leaves the old state or the new one.
struct FileWriter: Sendable {
  let disk: Disk
  /// In bytes: a copy can be canceled after each piece.
  private static let pieceLength: UInt64 = 16 << 20

  /// Writes a hidden file and flushes it to the disk. Creates the folder if necessary.
  ///
  /// - Parameters:
  ///   - path: Of the temporary file.
  ///   - tail: A file of which exactly `tailLength` bytes from `tailFrom` on follow the data.
  ///   - suffix: The bytes after the tail.
  ///   - modified: The modification time to set, in nanoseconds since 1970.
  ///   - attributes: Of the file that the new one replaces: its owner, mode, extended attributes and times.
  ///   - isCancelled: Checked after each piece of the tail.
  ///   - group: Flushes the file together with others, later.
  /// - Throws: `cancelled`, or the error of the disk; the partly written file is removed first.
  func write(
    _ data: Data, tail: ReadableFile? = nil, tailFrom: UInt64 = 0, tailLength: UInt64 = 0, suffix: Data = Data(),
    modified: Int64? = nil, attributes: FileAttributes? = nil, isCancelled: () -> Bool = { false }, to path: String,
    flushedWith group: FlushGroup? = nil
  ) throws(PhotoLibraryError) {
    var parts = [FilePart.bytes(data)]
    if let tail { parts.append(.file(tail, tailFrom..<tailFrom + tailLength)) }
    if !suffix.isEmpty { parts.append(.bytes(suffix)) }
    try write(
      parts, modified: modified, attributes: attributes, isCancelled: isCancelled, to: path, flushedWith: group)
  }

  /// The same, from any parts.
  ///
  /// - Parameters:
  ///   - mode: Of the new file, without attributes; the process's mask takes from it.
  ///   - makesFolder: Whether a folder that doesn't exist is created.
  ///   - copied: Called with the number of bytes written since the last call.
  func write(
    _ parts: [FilePart], modified: Int64? = nil, attributes: FileAttributes? = nil, mode: mode_t = 0o666,
    isCancelled: () -> Bool = { false }, to path: String, flushedWith group: FlushGroup? = nil,
    makesFolder: Bool = true, copied: (UInt64) -> Void = { _ in }
  ) throws(PhotoLibraryError) {
    let descriptor = try create(path, mode: attributes?.firstMode ?? mode, makesFolder: makesFolder)
    var isHandedOver = false
    do throws(PhotoLibraryError) {
      defer { if !isHandedOver { close(descriptor) } }
      attributes?.limit(descriptor, disk: disk)
      var isEmpty = true
      for part in parts where part.count > 0 {
        if isCancelled() { throw .cancelled }
        switch part {
        case .bytes(let data):
          try write(data, to: descriptor, path: path)
          copied(part.count)
        case .file(let file, let range):
          if isEmpty, range == 0..<file.size, try clone(file, to: descriptor, path: path) {
            copied(part.count)
          } else {
            try copy(
              file, from: range.lowerBound, length: range.upperBound - range.lowerBound, to: descriptor, path: path,
              isCancelled, copied)
          }
        }
        isEmpty = false
      }
      if let attributes { try attributes.apply(to: descriptor, path: path, disk: disk) }
      if let modified {
        let time = Self.time(modified)
        // A date that can't be set is no reason to lose a picture.
        _ = withUnsafePointer(to: (time, time)) {
          $0.withMemoryRebound(to: timespec.self, capacity: 2) { disk.system.futimens(descriptor, $0) }
        }
      }
      if let group {
        isHandedOver = true
        return try group.add(descriptor, path: path)
      }
      try disk.check(.synchronize, path)
      guard disk.system.fsync(descriptor) == 0 else { throw .system(.synchronize, path, code: errno) }
    } catch {
      disk.discard(path)
      throw error
    }
  }

  private func create(_ path: String, mode: mode_t, makesFolder: Bool) throws(PhotoLibraryError) -> Int32 {
    var isFirst = makesFolder
    while true {
      try disk.check(.create, path)
      let descriptor = disk.system.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      if descriptor >= 0 { return descriptor }
      guard errno == ENOENT, isFirst else { throw .system(.create, path, code: errno) }
      // The folder doesn't exist yet, or no longer does.
      isFirst = false
      try disk.makeFolder(Disk.parent(of: path))
    }
  }

  private func write(_ data: Data, to descriptor: Int32, path: String) throws(PhotoLibraryError) {
    try disk.check(.write, path)
    let code = data.withUnsafeBytes { bytes -> Int32 in
      var done = 0
      while let base = bytes.baseAddress, done < bytes.count {
        let count = disk.system.write(descriptor, base + done, bytes.count - done)
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

  /// Shares the blocks of a whole file, where the file system can, which takes no room.
  private func clone(
    _ source: ReadableFile, to descriptor: Int32, path: String
  ) throws(PhotoLibraryError) -> Bool {
    try disk.check(.write, path)
    return source.clone(to: descriptor)
  }

  /// Copies inside the kernel, from page cache to page cache.
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
        let code = errno
        if code == EINTR { continue }
        // The kernel doesn't tell which of the two files has failed.
        _ = try source.data(at: start + done, count: 1)
        throw .system(.write, path, code: code)
      }
      guard count > 0 else {
        throw .unusableFile(path: source.path, reason: localized("it became shorter while it was being copied"))
      }
      done += UInt64(count)
      copied(UInt64(count))
    }
  }

  /// - Parameter nanoseconds: Since 1970; below 0 for the dates of old scans.
  private static func time(_ nanoseconds: Int64) -> timespec {
    let (quotient, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return rest < 0
      ? timespec(tv_sec: Int(quotient) - 1, tv_nsec: Int(rest) + 1_000_000_000)
      : timespec(tv_sec: Int(quotient), tv_nsec: Int(rest))
  }
}
