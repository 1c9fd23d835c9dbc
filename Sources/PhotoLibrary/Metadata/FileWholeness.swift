// Whether a picture or movie is there from its first byte to its last, as far as its structure tells.

import CameraCore
import Foundation

/// Walks through a JPEG to EOI and through a movie's boxes to the last. Nothing is decoded; memory is one buffer.
struct FileWholeness {
  enum Damage: Sendable, Hashable {
    /// It ends before its picture or its last box does.
    case cutShort
    /// What stands at this offset can't stand there.
    case damaged(at: UInt64)
    /// It says that it has a movie, and has none where it says.
    case movieMissing
    /// The movie of a live photo is cut short or damaged.
    case movieDamaged
  }

  /// In bytes.
  private static let pieceLength = 1 << 18
  /// No movie has more boxes at its top; a file made of empty ones would keep us busy for hours.
  private static let mostBoxes = 1 << 22

  private let file: ReadableFile
  private var window: FileWindow

  private init(_ file: ReadableFile) {
    self.file = file
    window = FileWindow(file)
  }

  /// - Parameter facts: Of this file.
  /// - Returns: `nil` for a whole one.
  static func damage(of file: ReadableFile, facts: FileFacts) throws(PhotoLibraryError) -> Damage? {
    var walk = Self(file)
    guard facts.mediaType == .photo else { return try walk.movie(0..<file.size) }
    let end = facts.movieRange?.lowerBound ?? file.size
    if let damage = try walk.jpeg(upTo: end) { return damage }
    if let range = facts.movieRange { return try walk.movie(range) == nil ? nil : .movieDamaged }
    let claim = try JPEGHead(file)?.xmp.flatMap { MotionPhotoDescription(xmp: $0) }
    guard let claim, claim.isMotionPhoto || claim.isMicroVideo else { return nil }
    return .movieMissing
  }

  // MARK: JPEG

  private mutating func jpeg(upTo end: UInt64) throws(PhotoLibraryError) -> Damage? {
    var offset: UInt64 = 2
    var hasScan = false
    while true {
      guard offset + 2 <= end, let first = try window.byte(at: offset) else { return .cutShort }
      if first != 0xff {
        // Decoders skip what stands between a scan and the next marker.
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

  /// Crosses entropy-coded data with stuffed zeros and restart markers.
  ///
  /// - Returns: Where the next marker stands; `nil` when there is none.
  private func scanEnd(from start: UInt64, upTo end: UInt64) throws(PhotoLibraryError) -> UInt64? {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 16)
    defer { piece.deallocate() }
    var offset = start
    while offset + 1 < end {
      let wanted = Int(min(UInt64(piece.count), end - offset))
      let count = try file.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: piece[..<wanted]))
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

  /// The boxes at the top must fill the range, and media and their description be among them.
  private mutating func movie(_ range: Range<UInt64>) throws(PhotoLibraryError) -> Damage? {
    var offset = range.lowerBound
    var types: Set<String> = []
    var boxes = 0
    // Some recorders leave a few zeros at the end.
    while range.upperBound - offset >= 8 {
      boxes += 1
      guard boxes <= Self.mostBoxes else { return .damaged(at: offset) }
      guard var length = try window.number(at: offset, bytes: 4) else { return .cutShort }
      let type = String(decoding: try window.bytes(at: offset + 4, count: 4), as: UTF8.self)
      if length == 1 {
        guard let long = try window.number(at: offset + 8, bytes: 8) else { return .cutShort }
        length = long
        guard length >= 16 else { return .damaged(at: offset) }
      } else if length == 0 {
        length = range.upperBound - offset
        if type == "\0\0\0\0" { break }
      }
      guard length >= 8 else { return .damaged(at: offset) }
      guard length <= range.upperBound - offset else { return .cutShort }
      if ["moov", "mdat"].contains(type) { types.insert(type) }
      offset += length
    }
    guard types.contains("moov"), types.contains("mdat") else { return .cutShort }
    return nil
  }
}
