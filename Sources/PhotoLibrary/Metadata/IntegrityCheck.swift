// The check that a picture or movie file is complete.

import CameraCore
import Foundation
import Localization
import MediaFormats

/// Walks a picture to its end (EOI, `IEND`, the last box and the last item) and a movie to its last box. Nothing is decoded; memory is one buffer.
struct IntegrityCheck {
  /// The first fault of a file.
  enum Damage: Sendable, Hashable {
    /// It ends before its picture or its last box does.
    case cutShort
    /// The bytes at this offset are not allowed there.
    case damaged(at: UInt64)
    /// It describes a movie that is not where it should be.
    case movieMissing
    /// The same, in a file of another program with nothing behind its picture: services and editors that remove the movie
    /// leave its description. The picture is complete.
    case movieRemoved
    /// The movie of a live photo is cut short or damaged.
    case movieDamaged

    /// A sentence about the file.
    ///
    /// - Parameter name: Its name or path.
    func sentence(about name: String) -> String {
      switch self {
      case .cutShort: localized("“\(name)” is cut short.")
      case .damaged(let offset): localized("“\(name)” is damaged at byte \(offset).")
      case .movieMissing: localized("“\(name)” is marked as a live photo, but its video isn’t where it should be.")
      case .movieRemoved: localized("“\(name)” is marked as a live photo, but another app has removed its video.")
      case .movieDamaged: localized("The video of the live photo “\(name)” is cut short or damaged.")
      }
    }
  }

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
    guard facts.mediaType == .photo else {
      switch try MovieHead.walk(file) {
      case nil: return try movie(0..<file.size)
      case .complete: return nil
      case .cutShort: return .cutShort
      case .damaged(let offset): return .damaged(at: offset)
      }
    }
    guard let head = try PictureHead(file as any ByteSource) else { return .damaged(at: 0) }
    if head.format != .jpeg { return try damage(of: head, facts) }
    let end = facts.movieRange?.lowerBound ?? file.size
    var pictureEnd = end
    switch try JPEGExtent.walk(file, from: 0, upTo: end) {
    case .complete(let end): pictureEnd = end
    case .cutShort: return .cutShort
    case .damaged(let offset): return .damaged(at: offset)
    }
    if let range = facts.movieRange { return try movie(range) == nil ? nil : .movieDamaged }
    guard head.xmp.flatMap({ MotionPhotoDescription(xmp: $0) }) != nil else { return nil }
    // Some bytes of a movie, or none at all: then another program has taken it away and left the claim.
    let extent = try JPEGExtent(file, upTo: end)
    return (extent?.endOfPictures ?? pictureEnd) < end || facts.isOwn ? .movieMissing : .movieRemoved
  }

  private func damage(of head: PictureHead, _ facts: FileFacts) throws(FormatError) -> Damage? {
    if let container = PictureHead.container(of: head.format) {
      switch try container.walk(file) {
      case .complete: return nil
      case .cutShort: return .cutShort
      case .damaged(let offset): return .damaged(at: offset)
      }
    }
    switch try HEIFHead.damage(of: file) {
    case nil: break
    case .cutShort: return .cutShort
    case .impossible(let offset), .tooMany(let offset): return .damaged(at: offset)
    }
    if let range = facts.movieRange { return try movie(range) == nil ? nil : .movieDamaged }
    guard head.xmp.flatMap({ MotionPhotoDescription(xmp: $0) }) != nil else { return nil }
    return head.end.map { $0 < file.size } == true || facts.isOwn ? .movieMissing : .movieRemoved
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
