// The check that a picture or movie file is complete.

import CameraCore
import Foundation
import MediaFormats

/// Walks a JPEG to EOI and a movie to its last box. Nothing is decoded; memory is one buffer.
struct IntegrityCheck {
  /// The first fault of a file.
  enum Damage: Sendable, Hashable {
    /// It ends before its picture or its last box does.
    case cutShort
    /// The bytes at this offset are not allowed there.
    case damaged(at: UInt64)
    /// It describes a movie that is not where it should be.
    case movieMissing
    /// The movie of a live photo is cut short or damaged.
    case movieDamaged
  }

  /// In bytes.
  private static let pieceLength = 1 << 18
  /// Boxes at the top level of a movie. A file made of empty ones would keep us busy for hours.
  private static let mostBoxes = 1 << 22

  private let file: ReadableFile
  private var window: ByteWindow

  private init(_ file: ReadableFile) {
    self.file = file
    window = ByteWindow(file)
  }

  /// Checks a file.
  ///
  /// - Parameter facts: Of this file.
  /// - Returns: `nil` for a complete one.
  /// - Throws: When the file can't be read.
  static func damage(of file: ReadableFile, facts: FileFacts) throws(PhotoLibraryError) -> Damage? {
    try file.parse { file throws(FormatError) in
      var check = Self(file)
      return try check.damage(facts)
    }
  }

  private mutating func damage(_ facts: FileFacts) throws(FormatError) -> Damage? {
    guard facts.mediaType == .photo else { return try movie(0..<file.size) }
    let end = facts.movieRange?.lowerBound ?? file.size
    if let damage = try jpeg(upTo: end) { return damage }
    if let range = facts.movieRange { return try movie(range) == nil ? nil : .movieDamaged }
    let claim = try JPEGHead(file as any ByteSource)?.xmp.flatMap { MotionPhotoDescription(xmp: $0) }
    return claim == nil ? nil : .movieMissing
  }

  // MARK: JPEG

  private mutating func jpeg(upTo end: UInt64) throws(FormatError) -> Damage? {
    var offset: UInt64 = 2
    var hasScan = false
    while true {
      guard offset + 2 <= end, let first = try window.byte(at: offset) else { return .cutShort }
      if first != 0xff {
        // Decoders skip garbage between a scan and the next marker.
        guard hasScan, let next = try scanEnd(from: offset, upTo: end) else {
          return hasScan ? .cutShort : .damaged(at: offset)
        }
        offset = next
        continue
      }
      guard let code = try window.byte(at: offset + 1) else { return .cutShort }
      switch code {
      case 0xff:
        offset += 1
      case JPEGMarker.endOfImage:
        return hasScan ? nil : .damaged(at: offset)
      case JPEGMarker.startOfImage:
        return .cutShort
      case 0x01, 0xd0...0xd7:
        offset += 2
      case ..<0xc0:
        return .damaged(at: offset)
      default:
        guard let length = try window.number(at: offset + 2, bytes: 2) else { return .cutShort }
        guard length >= 2 else { return .damaged(at: offset + 2) }
        offset += 2 + length
        guard offset <= end else { return .cutShort }
        if code == JPEGMarker.startOfScan {
          hasScan = true
          guard let next = try scanEnd(from: offset, upTo: end) else { return .cutShort }
          offset = next
        }
      }
    }
  }

  /// Skips entropy-coded data with stuffed zeros and restart markers.
  ///
  /// - Returns: The offset of the next marker; `nil` when there is none.
  private func scanEnd(from start: UInt64, upTo end: UInt64) throws(FormatError) -> UInt64? {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 16)
    defer { piece.deallocate() }
    var offset = start
    while offset + 1 < end {
      let wanted = Int(min(UInt64(piece.count), end - offset))
      let count: Int
      do throws(ReadFailure) {
        count = try file.fill(UnsafeMutableRawBufferPointer(rebasing: piece[..<wanted]), from: offset)
      } catch {
        throw .read(error)
      }
      guard count >= 2, let base = piece.baseAddress else { return nil }
      var at = 0
      while at + 1 < count, let found = memchr(base + at, 0xff, count - 1 - at) {
        at = UnsafeRawPointer(found) - UnsafeRawPointer(base)
        if piece[at + 1] >= 0xc0, !(0xd0...0xd7).contains(piece[at + 1]), piece[at + 1] != 0xff {
          return offset + UInt64(at)
        }
        at += 1
      }
      // The last byte may be the first of a marker.
      offset += UInt64(count - 1)
    }
    return nil
  }

  // MARK: MP4

  /// The boxes at the top level must fill the range, and include media data and their description.
  private func movie(_ range: Range<UInt64>) throws(FormatError) -> Damage? {
    var walker = MP4BoxWalker(window, in: range, limit: Self.mostBoxes)
    var types: Set<MP4Type> = []
    while let box = try walker.next(), !box.isPadding {
      if ["moov", "mdat"].contains(box.type) { types.insert(box.type) }
    }
    switch walker.damage {
    case nil: return types.count == 2 ? nil : .cutShort
    case .cutShort: return .cutShort
    case .impossible(let offset), .tooMany(let offset): return .damaged(at: offset)
    }
  }
}
