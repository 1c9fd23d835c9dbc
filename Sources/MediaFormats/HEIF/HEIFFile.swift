// A HEIF file as boxes, with its directory.

import CameraCore
import Foundation

/// The boxes of a HEIC or AVIF file, and its directory. Untrusted input.
///
/// Source: ISO/IEC 23008-12, and AVIF 1.1.
struct HEIFFile: Sendable {
  /// At the top level, in order, as far as they can be read.
  let boxes: [MP4BoxHead]
  /// The reason why there are no more.
  let damage: MP4Damage?
  let meta: MP4BoxHead
  var directory: HEIFDirectory
  let format: PhotoFormat

  private static let mostBoxes = 4096
  /// Brands of pictures; a movie's brands are others.
  private static let brands: Set<MP4Type> = [
    "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "mif2", "msf1", "avif", "avis", "avio", "MA1A", "MA1B",
    "miaf",
  ]
  private static let avifBrands: Set<MP4Type> = ["avif", "avis", "avio", "MA1A", "MA1B"]

  /// The format of a file that begins as a HEIF file; `nil` for others, movies among them.
  ///
  /// - Throws: `FormatError.read`.
  static func format(of source: any ByteSource) throws(FormatError) -> PhotoFormat? {
    var window = ByteWindow(source)
    guard let length = try window.number(at: 0, bytes: 4), (16...1024).contains(length), length % 4 == 0,
      try window.begins(with: "ftyp", at: 4)
    else { return nil }
    var found: [MP4Type] = []
    for offset in stride(from: UInt64(8), to: length, by: 4) where offset != 12 {
      guard let code = try window.number(at: offset, bytes: 4) else { return nil }
      found.append(MP4Type(code: UInt32(code)))
    }
    // The first is the main one: many movies are compatible with much.
    guard let first = found.first, brands.contains(first) else { return nil }
    if avifBrands.contains(first) { return .avif }
    if ["mif1", "mif2", "msf1", "miaf"].contains(first) {
      return found.contains { avifBrands.contains($0) } ? .avif : .heic
    }
    return .heic
  }

  /// - Returns: `nil` when it isn't a HEIF file with a directory that can be read.
  /// - Throws: `FormatError.read`.
  init?(_ source: any ByteSource) throws(FormatError) {
    guard let format = try Self.format(of: source) else { return nil }
    self.format = format
    var walker = MP4BoxWalker(ByteWindow(source), in: 0..<source.count, limit: Self.mostBoxes)
    var boxes: [MP4BoxHead] = []
    while let box = try walker.next() { boxes.append(box) }
    (self.boxes, damage) = (boxes, walker.damage)
    guard let meta = boxes.first(where: { $0.type == "meta" }),
      meta.content.upperBound - meta.content.lowerBound <= HEIFDirectory.longest
    else { return nil }
    self.meta = meta
    let content = try source.bytes(at: meta.content.lowerBound, count: meta.content.count)
    do throws(FormatError) { directory = try HEIFDirectory(content) } catch {
      if case .read = error { throw error }
      return nil
    }
  }

  /// The box of the movie of a live photo, behind everything that belongs to the picture.
  var movieBox: MP4BoxHead? { boxes.last { $0.type == "mpvd" && !$0.isOpenEnded && !$0.content.isEmpty } }

  /// Where the picture ends: at the movie's box, or with the file.
  func end(of source: any ByteSource) -> UInt64 { movieBox?.range.lowerBound ?? source.count }

  /// The bytes of an item; `nil` when they are too many, or not where they should be.
  ///
  /// - Throws: `FormatError.read`.
  func bytes(of id: UInt32, in source: any ByteSource, atMost longest: UInt64) throws(FormatError) -> [UInt8]? {
    guard let entry = directory.locations.entries.first(where: { $0.id == id }) else { return nil }
    let own = directory.ownData
    let limit = entry.isInFile ? source.count : UInt64(own?.count ?? 0)
    guard entry.isInFile || entry.isInBox, let ranges = try? directory.locations.ranges(of: entry, upTo: limit) else {
      return nil
    }
    var total: UInt64 = 0
    for range in ranges {
      let (sum, overflows) = total.addingReportingOverflow(range.upperBound - range.lowerBound)
      guard !overflows, sum <= longest else { return nil }
      total = sum
    }
    var bytes: [UInt8] = []
    for range in ranges {
      if entry.isInFile {
        bytes += try source.prefix(at: range.lowerBound, count: range.count)
      } else if let own {
        bytes += own[Int(range.lowerBound)..<Int(range.upperBound)]
      }
    }
    return bytes
  }
}
