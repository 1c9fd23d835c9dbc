// The file that holds the bytes while a parser reads them.

import Foundation

@testable import PhotoLibrary

/// A folder for one file a name, in `$TMPDIR`: data/dev/fuzz has that in memory and removes it.
enum Workplace {
  private static let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("photome-fuzz-\(getpid())", isDirectory: true)

  /// The bytes as an open file of this name.
  static func file(_ bytes: Data, _ name: String) throws -> ReadableFile {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent(name, isDirectory: false).path
    try bytes.write(to: URL(fileURLWithPath: path, isDirectory: false))
    return try ReadableFile(path, disk: Disk())
  }
}
