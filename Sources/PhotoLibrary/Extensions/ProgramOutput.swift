// The text that a program prints into a file, while it grows and in the end.

import CameraCore
import Foundation

/// A file for the output of a program that can do anything with its name: replace it by a pipe, which would never end,
/// or by a link to something else.
final class ProgramOutput {
  let file: URL
  private let descriptor: Int32

  /// Creates the file.
  ///
  /// - Returns: `nil` when it can't be created; `errno` says why.
  init?(_ file: URL) {
    self.file = file
    descriptor = open(file.path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// In bytes.
  var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// - Returns: Fewer bytes at the end.
  func bytes(from offset: Int, atMost count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, pread(descriptor, buffer.baseAddress, count, offset))
    }
  }

  /// The last line with something in it, for display: without what changes the writing around it, and not too long.
  var lastLine: String {
    let text = String(decoding: bytes(from: max(0, size - Self.lastPart), atMost: Self.lastPart), as: UTF8.self)
    let line = text.split(whereSeparator: \.isNewline).last { !$0.allSatisfy(\.isWhitespace) } ?? ""
    return String(line.prefix(300)).displayed.asClause
  }

  /// In bytes.
  private static let lastPart = 4096
}

/// The lines of a program's growing output.
struct OutputLines {
  private let output: ProgramOutput
  private var rest: [UInt8] = []
  private var offset = 0
  /// In bytes: endless output is not read endlessly.
  private static let budget = 1 << 20
  private static let part = 64 << 10

  init(_ output: ProgramOutput) { self.output = output }

  /// The last progress reported since the last call, 0…1.
  mutating func latestProgress() -> Double? {
    guard offset < Self.budget else { return nil }
    let new = output.bytes(from: offset, atMost: Self.part)
    offset += new.count
    rest += new
    guard !new.isEmpty, let end = rest.lastIndex(of: 0x0A) else { return nil }
    let text = String(decoding: rest[..<end], as: UTF8.self)
    rest.removeSubrange(...end)
    var latest: Double?
    for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("progress ") {
      if let value = Double(line.dropFirst(9).trimmingCharacters(in: .whitespaces)), value.isFinite {
        latest = min(1, max(0, value))
      }
    }
    return latest
  }
}
