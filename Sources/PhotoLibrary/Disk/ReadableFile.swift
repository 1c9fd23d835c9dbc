// An open file that is read in pieces, for parsers of untrusted input.

import Foundation
import Localization
import MediaFormats

/// A file open for reading. Reads past the end are short, not errors.
final class ReadableFile: Sendable {
  let path: String
  let status: Disk.Status
  let descriptor: Int32
  fileprivate let system: any FileSystem
  /// Whoever wants to know how far it is.
  let monitor: ReadMonitor?

  /// In bytes, when it was opened.
  var size: UInt64 { status.size }

  /// - Throws: `fileMissing`, `inputOutput`, or `unusableFile` when it isn't a regular file.
  init(_ path: String, disk: Disk, monitor: ReadMonitor? = nil) throws(PhotoLibraryError) {
    try disk.check(.read, path)
    func open() -> Int {
      // Nonblocking: a FIFO with the name of a picture must not block everything.
      Int(disk.system.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0))
    }
    var descriptor: Int32 = -1
    do throws(ReadFailure) {
      // Its number isn't one of bytes, of which none are expected yet.
      descriptor = Int32(clamping: try monitor?.follow(open) ?? open())
    } catch {
      throw .system(.read, path, code: error.code)
    }
    guard descriptor >= 0 else {
      let code = errno
      throw code == EACCES
        ? .inputOutput(operation: .read, path: path, reason: String(cString: strerror(code)))
        : .system(.read, path, code: code)
    }
    var status = stat()
    guard disk.system.fstat(descriptor, &status) == 0, Disk.Status(status).kind == .file else {
      close(descriptor)
      throw .unusableFile(path: path, reason: localized("it isn’t a regular file"))
    }
    self.path = path
    self.status = Disk.Status(status)
    self.descriptor = descriptor
    self.monitor = monitor
    system = disk.system
  }

  deinit { close(descriptor) }

  /// Fills the buffer from an offset, as far as the file goes.
  ///
  /// - Returns: The number of bytes read.
  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(PhotoLibraryError) -> Int {
    do throws(ReadFailure) { return try fill(buffer, from: offset) } catch {
      throw .system(.read, path, code: error.code)
    }
  }

  func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: UInt64) throws(ReadFailure) -> Int {
    guard let base = buffer.baseAddress, offset <= UInt64(Int64.max) else { return 0 }
    var done = 0
    while done < buffer.count {
      let left = buffer.count - done
      let count =
        if let monitor {
          try monitor.follow {
            system.pread(descriptor, base + done, min(left, ReadMonitor.piece), off_t(offset) + off_t(done))
          }
        } else {
          system.pread(descriptor, base + done, left, off_t(offset) + off_t(done))
        }
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw ReadFailure(code: errno)
      }
      done += count
    }
    return done
  }

  /// Bytes from an offset; fewer at the end of the file.
  func data(at offset: UInt64, count: Int) throws(PhotoLibraryError) -> Data {
    try parse { file throws(FormatError) in try (file as any ByteSource).data(at: offset, count: count) }
  }
}

extension ReadableFile {
  /// Copies bytes to another open file at its position, inside the kernel, and without new blocks where the file system
  /// can share them.
  ///
  /// - Returns: As `sendfile` does: the number of bytes, 0 at the end, or -1 with `errno`.
  func send(from offset: UInt64, count: Int, to target: Int32) -> Int {
    var position = off_t(offset)
    let copied = system.copyRange(target, descriptor, &position, count)
    // Some file systems return 0 for what they can't copy.
    if copied > 0 || [ENOSPC, EDQUOT, EIO, EINTR].contains(copied < 0 ? errno : 0) { return copied }
    position = off_t(offset)
    return system.sendfile(target, descriptor, &position, count)
  }

  /// Makes an empty file share all of this file's blocks.
  ///
  /// - Returns: Whether the file system can do that, and the file is still as long as when it was opened. Otherwise the
  ///   other one is empty as before.
  func clone(to target: Int32) -> Bool {
    guard size > 0, system.clone(target, descriptor) == 0 else { return false }
    var status = stat()
    guard system.fstat(target, &status) == 0, UInt64(max(0, status.st_size)) == size, lseek(target, 0, SEEK_END) >= 0
    else {
      _ = system.ftruncate(target, 0)
      return false
    }
    return true
  }
}

extension Disk {
  /// Reads a whole file.
  ///
  /// - Parameter range: Only these bytes, clamped to the file's end.
  func read(_ path: String, range: Range<UInt64>? = nil) throws(PhotoLibraryError) -> Data {
    let file = try ReadableFile(path, disk: self)
    let range = range ?? 0..<file.size
    return try file.data(at: range.lowerBound, count: Int(clamping: range.upperBound - range.lowerBound))
  }
}
