// The SHA-256 of a whole file, read in pieces.

import CExiv2
import Foundation
import Localization

/// Hashes whole files.
enum FileDigest {
  /// In bytes: large enough for the disk to read ahead, small enough for any memory.
  private static let pieceLength = 1 << 20

  /// 64 lowercase hexadecimal digits.
  ///
  /// - Parameter goesOn: Called after each piece with its length; returning `false` stops.
  /// - Returns: `nil` when `goesOn` stopped it.
  /// - Throws: `inputOutput` when the file can't be read, `unusableFile` when its length has changed since it was
  ///   opened.
  static func sha256(
    of file: ReadableFile, goesOn: (Int) -> Bool = { _ in true }
  ) throws(PhotoLibraryError) -> String? {
    guard let checksum = g_checksum_new(G_CHECKSUM_SHA256) else { preconditionFailure("GLib knows SHA-256.") }
    defer { g_checksum_free(checksum) }
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceLength, alignment: 16)
    defer { piece.deallocate() }
    var offset: UInt64 = 0
    while true {
      let count = try file.read(at: offset, into: piece)
      if count == 0 { break }
      g_checksum_update(checksum, piece.baseAddress?.assumingMemoryBound(to: UInt8.self), gssize(count))
      offset += UInt64(count)
      guard goesOn(count) else { return nil }
    }
    guard offset == file.size else {
      throw .unusableFile(
        path: file.path, reason: localized("another app is changing it; try again when it’s done"))
    }
    return String(cString: g_checksum_get_string(checksum))
  }
}
