// The bytes of an input as a source or a file.

import Foundation
import MediaFormats

@testable import PhotoLibrary

/// The input in memory.
final class FuzzedBytes: ByteSource {
  let name = "input"
  var count: UInt64 { UInt64(bytes.count) }
  private let bytes: [UInt8]

  init(_ data: Data) { bytes = [UInt8](data) }

  func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: UInt64) throws(ReadFailure) -> Int {
    guard offset < count else { return 0 }
    let part = bytes[Int(offset)...].prefix(buffer.count)
    buffer.copyBytes(from: part)
    return part.count
  }
}

/// A folder for one file per name, in `$TMPDIR`: data/dev/fuzz has that in memory and removes it.
enum Workplace {
  private static let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("photome-fuzz-\(getpid())", isDirectory: true)

  /// The bytes as an open file of this name, for the parsers of PhotoLibrary.
  static func file(_ bytes: Data, _ name: String) throws -> ReadableFile {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent(name, isDirectory: false).path
    try bytes.write(to: URL(fileURLWithPath: path, isDirectory: false))
    return try ReadableFile(path, disk: Disk())
  }
}
