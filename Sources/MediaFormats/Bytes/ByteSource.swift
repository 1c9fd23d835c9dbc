// Random access to the bytes of a file, for parsers that read it in pieces.

import Foundation
import Localization

/// Bytes that parsers read at any offset: a file, or a stretch of one.
///
/// Parsers hold a source by reference and read small windows of it, so a file of any size takes a few kilobytes of
/// memory. Both sides of the program have one: the library's open files, and the engine's stretches of movies.
public protocol ByteSource: AnyObject, Sendable {
  /// The file's name, for messages.
  var name: String { get }
  /// The number of bytes. Offsets count from 0.
  var count: UInt64 { get }

  /// Fills a buffer with the bytes from an offset on, as far as they go.
  ///
  /// - Returns: The number of bytes that were read; fewer than the buffer takes only at the end.
  /// - Throws: `ReadFailure` with the system's error number.
  func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: UInt64) throws(ReadFailure) -> Int
}

extension ByteSource {
  /// The bytes from an offset on; fewer at the end.
  ///
  /// - Throws: `FormatError.read`.
  public func data(at offset: UInt64, count wanted: Int) throws(FormatError) -> Data {
    guard offset < count, wanted > 0 else { return Data() }
    var data = Data(count: Int(min(UInt64(wanted), count - offset)))
    // A closure can't throw typed errors through `Data`, hence the `Result`.
    let result = data.withUnsafeMutableBytes { buffer in
      Result { () throws(ReadFailure) in try self.fill(buffer, from: offset) }
    }
    switch result {
    case .success(let length):
      if length < data.count { data.removeSubrange(length...) }
      return data
    case .failure(let failure): throw .read(failure)
    }
  }

  /// Exactly these bytes.
  ///
  /// - Throws: `FormatError.read`, or `refused` when the source ends before.
  public func bytes(at offset: UInt64, count wanted: Int) throws(FormatError) -> [UInt8] {
    let bytes = try prefix(at: offset, count: wanted)
    guard bytes.count == wanted else { throw .refused(reason: localized("the file is incomplete")) }
    return bytes
  }

  /// The bytes from an offset on, at most `wanted`.
  func prefix(at offset: UInt64, count wanted: Int) throws(FormatError) -> [UInt8] {
    guard offset < count, wanted > 0 else { return [] }
    let length = Int(min(UInt64(wanted), count - offset))
    var failure: ReadFailure?
    let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, filled in
      do throws(ReadFailure) {
        filled = try fill(
          UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<length]), from: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw .read(failure) }
    return bytes
  }
}
