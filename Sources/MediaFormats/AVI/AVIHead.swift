// The facts of an AVI movie.

import CameraCore
import Foundation

/// The facts of an AVI file that an index needs, also of one of several RIFFs (OpenDML, beyond 1 GB).
///
/// Source: Microsoft, “AVI RIFF File Reference”; Matrox, “OpenDML AVI File Format Extensions”. Untrusted input: every size
/// is checked, and the numbers of chunks and streams are limited. Frames are not looked at.
public struct AVIHead: Sendable, Hashable {
  /// In seconds; `nil` when it isn't told, as by a recording that was broken off.
  public var duration: Double?
  /// Of the first video stream, upright: the format knows no other; `nil` without one.
  public var size: PixelSize?
  /// The local time at which it was recorded, in EXIF's form `2003:06:15 10:20:30`; `nil` when it doesn't tell.
  public var created: String?
  /// The first frames, for a digest; `nil` without frames.
  public var mediaRange: Range<UInt64>?
  public var hasSound = false
  public var hasPicture = false
  public var walk = PictureWalk.complete
  /// Lists and chunks that may tell the place or hold someone's texts.
  var privateChunks: [RIFFChunk] = []

  /// `rate` frames take `scale` seconds.
  private var scale: UInt64 = 0
  private var rate: UInt64 = 0
  private var frameCount: UInt64 = 0
  /// In microseconds.
  private var frameDuration: UInt64 = 0

  /// RIFFs, and chunks beside them: a disk full of the smallest ones of OpenDML.
  private static let mostParts = 4096
  private static let mostChunks = 4096
  private static let mostStreams = 64

  /// Whether a file begins as AVI.
  ///
  /// - Throws: `FormatError.read`.
  public static func begins(in source: any ByteSource) throws(FormatError) -> Bool {
    var window = ByteWindow(source)
    guard try window.begins(with: "RIFF", at: 0) else { return false }
    return try window.begins(with: "AVI ", at: 8)
  }

  /// - Returns: `nil` when the file isn't AVI.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource) throws(FormatError) {
    guard try Self.begins(in: source) else { return nil }
    var top = RIFFWalker(ByteWindow(source), in: 0..<source.count, limit: Self.mostParts)
    while let part = try top.next(), Self.isRIFF(part) { try read(part, top.bytes) }
    switch top.damage {
    case nil: break
    case .cutShort(let part):
      // What some programs leave behind the last RIFF is no part of it.
      guard Self.isRIFF(part) else { break }
      try read(part, top.bytes)
      walk = .cutShort
    case .tooMany(let offset): walk = .damaged(at: offset)
    }
    if walk == .complete, mediaRange == nil || !hasPicture { walk = .cutShort }
    setDuration()
  }

  private static func isRIFF(_ part: RIFFChunk) -> Bool {
    part.isList && (part.code == "AVI " || part.code == "AVIX")
  }

  private mutating func setDuration() {
    let seconds =
      scale > 0 && rate > 0
      ? Double(frameCount) * Double(scale) / Double(rate) : Double(frameCount) * Double(frameDuration) / 1e6
    if seconds > 0, seconds <= MP4Head.longestDuration { duration = seconds }
  }

  private mutating func read(_ part: RIFFChunk, _ bytes: ByteWindow) throws(FormatError) {
    var walker = RIFFWalker(bytes, in: part.content, limit: Self.mostChunks)
    while let chunk = try walker.next() { try note(chunk, walker.bytes) }
    switch walker.damage {
    case nil: break
    case .cutShort(let chunk):
      try note(chunk, walker.bytes)
      walk = .cutShort
    case .tooMany(let offset): walk = .damaged(at: offset)
    }
  }

  private mutating func note(_ chunk: RIFFChunk, _ bytes: ByteWindow) throws(FormatError) {
    switch (chunk.isList, chunk.code) {
    case (true, "hdrl"): try readHeader(chunk, bytes)
    case (true, "movi"): if mediaRange == nil, !chunk.content.isEmpty { mediaRange = chunk.content }
    case (true, "INFO"):
      privateChunks.append(chunk)
      try readTexts(chunk, bytes)
    case (false, "JUNK"), (false, "idx1"): break
    // XMP, EXIF, and what makers add.
    default: privateChunks.append(chunk)
    }
  }

  private mutating func readTexts(_ list: RIFFChunk, _ bytes: ByteWindow) throws(FormatError) {
    var walker = RIFFWalker(bytes, in: list.content, limit: Self.mostChunks)
    while let chunk = try walker.next() {
      guard created == nil, chunk.code == "ICRD" || chunk.code == "IDIT" else { continue }
      created = Self.date(try walker.text(chunk))
    }
  }

  // MARK: Header

  private mutating func readHeader(_ list: RIFFChunk, _ bytes: ByteWindow) throws(FormatError) {
    var walker = RIFFWalker(bytes, in: list.content, limit: Self.mostChunks)
    var streams = 0
    var (count, total) = (UInt64(0), UInt64(0))
    while let chunk = try walker.next() {
      switch (chunk.isList, chunk.code) {
      case (false, "avih") where chunk.content.count >= 40:
        frameDuration = try walker.bytes.littleEndian(at: chunk.content.lowerBound) ?? 0
        count = try walker.bytes.littleEndian(at: chunk.content.lowerBound + 16) ?? 0
      case (true, "strl") where streams < Self.mostStreams:
        streams += 1
        try readStream(chunk, walker.bytes)
      case (true, "odml"):
        var parts = RIFFWalker(walker.bytes, in: chunk.content, limit: Self.mostStreams)
        while let part = try parts.next() {
          if part.code == "dmlh" { total = try parts.bytes.littleEndian(at: part.content.lowerBound) ?? 0 }
        }
      case (false, "IDIT"): created = Self.date(try walker.text(chunk)) ?? created
      default: break
      }
    }
    // The first count is that of the first RIFF alone.
    frameCount = max(frameCount == 0 ? count : frameCount, total)
  }

  private mutating func readStream(_ list: RIFFChunk, _ bytes: ByteWindow) throws(FormatError) {
    var walker = RIFFWalker(bytes, in: list.content, limit: Self.mostStreams)
    var isPicture = false
    while let chunk = try walker.next() {
      let start = chunk.content.lowerBound
      switch chunk.code {
      case "strh" where chunk.content.count >= 36:
        if try walker.bytes.begins(with: "auds", at: start) { hasSound = true }
        let isVideo = try walker.bytes.begins(with: "vids", at: start)
        isPicture = isVideo && size == nil
        guard isPicture else { break }
        hasPicture = true
        scale = try walker.bytes.littleEndian(at: start + 20) ?? 0
        rate = try walker.bytes.littleEndian(at: start + 24) ?? 0
        frameCount = try walker.bytes.littleEndian(at: start + 32) ?? 0
      case "strf" where isPicture && chunk.content.count >= 16:
        let width = try walker.bytes.littleEndian(at: start + 4) ?? 0
        // A bitmap that begins with its upper row has a negative height.
        let height = try walker.bytes.littleEndian(at: start + 8).map { Int(Int32(truncatingIfNeeded: $0).magnitude) }
        guard let height, (1...65_535).contains(width), (1...65_535).contains(height) else { break }
        size = PixelSize(width: Int(width), height: height)
      // What makers write, and names of streams.
      case "strd", "strn": privateChunks.append(chunk)
      default: break
      }
    }
  }

  // MARK: Dates

  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  /// A date in one of the forms of cameras: `SUN JUN 15 10:20:30 2003`, as C's `asctime` has it, or numbers from the year
  /// to the second, whatever stands between them.
  ///
  /// - Returns: In EXIF's form; `nil` for a day without a time, and for other texts.
  static func date(_ text: String) -> String? {
    let words = text.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.map { $0.lowercased() }
    func padded(_ numbers: [String]) -> String? {
      guard numbers.allSatisfy({ !$0.isEmpty && $0.count <= 4 && $0.allSatisfy(\.isNumber) }) else { return nil }
      let two = numbers.dropFirst().map { $0.count < 2 ? "0" + $0 : $0 }
      guard numbers[0].count == 4, two.allSatisfy({ $0.count == 2 }) else { return nil }
      return "\(numbers[0]):\(two[0]):\(two[1]) \(two[2]):\(two[3]):\(two[4])"
    }
    if words.count == 7, let month = months.firstIndex(of: words[1]) {
      return padded([words[6], String(month + 1), words[2], words[3], words[4], words[5]])
    }
    return words.count >= 6 ? padded(Array(words.prefix(6))) : nil
  }
}
