// The few bytes from which a changed file becomes the former one.

import Foundation
import MediaFormats

/// What a change of a file's metadata has overwritten, so that the file of before can be made of the one of now, byte for
/// byte.
struct FileReversal: Sendable, Hashable, Codable {
  /// Former bytes.
  struct Edit: Sendable, Hashable, Codable {
    /// In the changed file.
    var at: UInt64
    /// The number of bytes there that they replace.
    var count: UInt64
    var bytes: Data
  }

  /// Of the changed file, in bytes.
  private var size: UInt64
  /// Not overlapping, in order.
  private(set) var edits: [Edit] = []
  /// The digest of the changed bytes and those around them.
  private var digest: String

  /// In bytes: a change with more former ones isn't kept.
  private static let longest = 64 << 10
  /// In bytes: shorter stretches without a difference are part of it.
  private static let shortestMatch = 16
  /// In bytes, before and behind each edit.
  private static let context: UInt64 = 32
  /// In bytes: the longest change in a file that is looked at.
  private static let largestGap: UInt64 = 4 << 20

  /// The number of former bytes.
  var byteCount: Int { edits.reduce(0) { $0 + $1.bytes.count } }

  /// Compares a file with the one that is made of it.
  ///
  /// - Parameter parts: Of the new file: new bytes, and stretches of the old one in their order.
  /// - Returns: `nil` when too much has changed.
  /// - Throws: When the file can't be read.
  init?(of file: ReadableFile, _ parts: [FilePart]) throws(PhotoLibraryError) {
    var fresh = Data()
    var (old, new) = (UInt64(0), UInt64(0))
    var (edits, total): ([Edit], Int) = ([], 0)
    var check = Data()
    /// Notes the difference up to an offset of the old file.
    func note(upTo end: UInt64) throws(PhotoLibraryError) -> Bool {
      guard end >= old, end - old <= Self.largestGap, UInt64(fresh.count) <= Self.largestGap else { return false }
      let former = end > old ? try file.data(at: old, count: Int(end - old)) : Data()
      for edit in Self.differences(from: [UInt8](fresh), to: [UInt8](former)) {
        edits.append(Edit(at: new + edit.at, count: edit.count, bytes: edit.bytes))
        total += edit.bytes.count
      }
      new += UInt64(fresh.count)
      fresh = Data()
      return total <= Self.longest
    }
    for part in parts {
      switch part {
      case .bytes(let data): fresh += data
      case .file(_, let range):
        guard try note(upTo: range.lowerBound) else { return nil }
        old = range.upperBound
        new += range.upperBound - range.lowerBound
      }
    }
    guard try note(upTo: file.size) else { return nil }
    size = new
    self.edits = edits
    digest = ""
    for edit in edits {
      check += try Self.bytes(around: edit, in: parts, size: new)
    }
    digest = AssetIdentity.digest(check)
  }

  /// The bytes that an edit replaces, and those around them, of a file in parts.
  private static func bytes(
    around edit: Edit, in parts: [FilePart], size: UInt64
  ) throws(PhotoLibraryError) -> Data {
    let wanted = range(around: edit, size: size)
    var data = Data()
    var at: UInt64 = 0
    for part in parts {
      let overlap = wanted.clamped(to: at..<at + part.count)
      if !overlap.isEmpty {
        switch part {
        case .bytes(let bytes):
          data +=
            bytes[bytes.startIndex + Int(overlap.lowerBound - at)..<bytes.startIndex + Int(overlap.upperBound - at)]
        case .file(let file, let range):
          data += try file.data(at: range.lowerBound + (overlap.lowerBound - at), count: overlap.count)
        }
      }
      at += part.count
    }
    return data
  }

  private static func range(around edit: Edit, size: UInt64) -> Range<UInt64> {
    let start = edit.at > context ? edit.at - context : 0
    return start..<min(size, edit.at + edit.count + context)
  }

  /// The pieces of the former file.
  ///
  /// - Returns: `nil` when the file isn't as the change has left it.
  /// - Throws: When it can't be read.
  func parts(of file: ReadableFile) throws(PhotoLibraryError) -> [FilePart]? {
    guard file.size == size else { return nil }
    var check = Data()
    for edit in edits {
      guard edit.count <= Self.largestGap, edit.at <= size, edit.count <= size - edit.at else { return nil }
      let range = Self.range(around: edit, size: size)
      check += try file.data(at: range.lowerBound, count: range.count)
    }
    guard AssetIdentity.digest(check) == digest else { return nil }
    var parts: [FilePart] = []
    var at: UInt64 = 0
    for edit in edits {
      guard edit.at >= at else { return nil }
      if edit.at > at { parts.append(.file(file, at..<edit.at)) }
      if !edit.bytes.isEmpty { parts.append(.bytes(edit.bytes)) }
      at = edit.at + edit.count
    }
    if at < size { parts.append(.file(file, at..<size)) }
    return parts
  }

  /// The replacements that make one stretch of bytes another: what both begin and end with stays, and between that all
  /// that is at the same place.
  private static func differences(from new: [UInt8], to old: [UInt8]) -> [Edit] {
    let shorter = min(new.count, old.count)
    var tail = 0
    var head = 0
    while head < shorter, new[head] == old[head] { head += 1 }
    while tail < shorter - head, new[new.count - 1 - tail] == old[old.count - 1 - tail] { tail += 1 }
    let (newEnd, oldEnd) = (new.count - tail, old.count - tail)
    var edits: [Edit] = []
    var (at, start) = (head, head)
    var matched = 0
    // Both are compared as far as the shorter one goes.
    let end = min(newEnd, oldEnd)
    while at < end {
      matched = new[at] == old[at] ? matched + 1 : 0
      at += 1
      guard matched >= Self.shortestMatch, matched < at - start else { continue }
      while at < end, new[at] == old[at] { (at, matched) = (at + 1, matched + 1) }
      let last = at - matched
      edits.append(Edit(at: UInt64(start), count: UInt64(last - start), bytes: Data(old[start..<last])))
      (start, matched) = (at, 0)
    }
    if start < newEnd || start < oldEnd {
      edits.append(Edit(at: UInt64(start), count: UInt64(newEnd - start), bytes: Data(old[start..<oldEnd])))
    }
    return edits
  }
}
