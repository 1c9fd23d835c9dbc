// Replacing stretches of a file.

import Foundation
import Localization

/// Stretches of a file that are replaced, which gives the pieces of the new file and the new offsets of what stays.
struct ByteSplice: Sendable {
  /// Not overlapping; empty ranges are insertions.
  private(set) var edits: [(range: Range<UInt64>, bytes: [UInt8])] = []

  /// Adds a replacement.
  mutating func replace(_ range: Range<UInt64>, with bytes: [UInt8]) { edits.append((range, bytes)) }

  /// Gives a stretch that is replaced already other new bytes, as many as before.
  mutating func update(_ range: Range<UInt64>, with bytes: [UInt8]) {
    guard let index = edits.firstIndex(where: { $0.range == range }) else { return }
    edits[index].bytes = bytes
  }

  /// Sorts the replacements.
  ///
  /// - Throws: `FormatError.refused` when two of them overlap.
  mutating func sort() throws(FormatError) {
    edits.sort { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
    for (one, next) in zip(edits, edits.dropFirst()) where one.range.upperBound > next.range.lowerBound {
      throw .refused(reason: localized("parts of the file overlap"))
    }
  }

  /// The offset in the new file of a byte of the old one, which isn't replaced. For sorted replacements.
  func offset(of old: UInt64) -> UInt64 {
    var new = old
    for edit in edits {
      guard edit.range.upperBound <= old else { break }
      new = new &+ UInt64(edit.bytes.count) &- (edit.range.upperBound - edit.range.lowerBound)
    }
    return new
  }

  /// The pieces of the new file, in order. For sorted replacements.
  func pieces<Source: ByteSource>(of source: Source, upTo end: UInt64) -> [BytePiece<Source>] {
    var pieces: [BytePiece<Source>] = []
    var position: UInt64 = 0
    for edit in edits {
      if edit.range.lowerBound > position { pieces.append(.file(source, position..<edit.range.lowerBound)) }
      if !edit.bytes.isEmpty { pieces.append(.bytes(Data(edit.bytes))) }
      position = edit.range.upperBound
    }
    if end > position { pieces.append(.file(source, position..<end)) }
    return pieces
  }
}
