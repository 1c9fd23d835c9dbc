// The directories of a TIFF file and the places of its pixels.

import CameraCore

/// A TIFF file as the chain of its directories, with the first one that is a full picture. Untrusted input.
///
/// Source: TIFF 6.0, sections 2, 3, 15 and 22; TIFF Technical Note 1 (subdirectories).
struct TIFFFile: Sendable {
  /// The pixels of a directory.
  struct Pixels: Sendable, Hashable {
    /// Strips or tiles in their order, also empty ones and those beyond the file's end.
    var ranges: [Range<UInt64>] = []
    /// The reason why they aren't all in the file.
    var fault: PictureWalk?
  }

  /// The first full picture.
  struct Picture: Sendable {
    var page: TIFFReader.Directory
    /// As stored.
    var size: PixelSize
    var pixels: Pixels
  }

  /// Pages that are read. Scanned books have hundreds.
  private static let mostPages = 1 << 12
  /// Directories below another one: reduced pictures, or a raw picture.
  private static let mostSubdirectories = 64
  /// Of one picture. With tiles of 256 pixels these are 130,000 pixels on either side.
  private static let mostStrips = 1 << 18
  /// In pixels, on either side.
  private static let mostPixels: UInt64 = 1 << 24

  var reader: TIFFReader
  /// The directories in the order of the file, further pages and reduced pictures among them.
  let chain: [TIFFReader.Directory]
  /// The reason why there are no more.
  let fault: PictureWalk?
  /// Whether there are more than are read.
  private(set) var hasMore = false
  /// `nil` when no directory has pixels in the file.
  let picture: Picture?
  /// Of all pictures: they may name the same strips over and over.
  private var stripsLeft = 1 << 21

  /// Whether a file begins as a TIFF. Canon's raw files have a signature of their own behind the header.
  ///
  /// - Throws: `FormatError.read`.
  static func begins(in source: any ByteSource) throws(FormatError) -> Bool {
    guard try TIFFReader.begins(in: source) else { return false }
    return try source.prefix(at: 8, count: 2) != Array("CR".utf8)
  }

  /// - Returns: `nil` when it isn't a TIFF.
  /// - Throws: `FormatError.read`.
  init?(_ source: any ByteSource) throws(FormatError) {
    guard try Self.begins(in: source), var reader = try TIFFReader(source) else { return nil }
    var (chain, fault, seen): ([TIFFReader.Directory], PictureWalk?, Set<UInt64>) = ([], nil, [])
    var offset = reader.firstDirectory
    while offset != 0 {
      guard chain.count < Self.mostPages, reader.entriesLeft > 0 else {
        hasMore = true
        break
      }
      guard offset < reader.length else {
        fault = .cutShort
        break
      }
      let directory = try reader.directory(at: offset)
      guard seen.insert(offset).inserted, !directory.isComplete || !directory.entries.isEmpty else {
        fault = .damaged(at: offset)
        break
      }
      chain.append(directory)
      guard directory.isComplete else {
        if reader.entriesLeft > 0 { fault = .cutShort } else { hasMore = true }
        break
      }
      offset = directory.next
    }
    (self.reader, self.chain, self.fault) = (reader, chain, fault)
    picture = try Self.picture(chain, &self.reader, &stripsLeft)
  }

  /// The first full picture: of raw files it is below the first directory, which is a preview.
  private static func picture(
    _ chain: [TIFFReader.Directory], _ reader: inout TIFFReader, _ stripsLeft: inout Int
  ) throws(FormatError) -> Picture? {
    guard let first = chain.first else { return nil }
    var candidates: [TIFFReader.Directory] = []
    var others: [TIFFReader.Directory] = []
    for directory in chain {
      if try isPage(directory, &reader) { candidates.append(directory) } else { others.append(directory) }
    }
    if candidates.first != first {
      for directory in try subdirectories(of: first, &reader) where try isPage(directory, &reader) {
        candidates.append(directory)
      }
    }
    for directory in candidates + others {
      guard let width = try reader.value(directory[TIFFTag.width]), (1...mostPixels).contains(width),
        let height = try reader.value(directory[TIFFTag.height]), (1...mostPixels).contains(height)
      else { continue }
      let pixels = try pixels(of: directory, &reader, &stripsLeft)
      guard pixels.ranges.contains(where: { !$0.isEmpty && $0.lowerBound < reader.length }) else { continue }
      return Picture(page: directory, size: PixelSize(width: Int(width), height: Int(height)), pixels: pixels)
    }
    return nil
  }

  /// Whether it is a full picture: no reduced one, no mask and no map of depths.
  private static func isPage(
    _ directory: TIFFReader.Directory, _ reader: inout TIFFReader
  ) throws(FormatError) -> Bool {
    if let kind = try reader.value(directory[TIFFTag.subfileType]) { return kind & 0b1101 == 0 }
    return try reader.value(directory[TIFFTag.oldSubfileType]) != 2
  }

  mutating func isPage(_ directory: TIFFReader.Directory) throws(FormatError) -> Bool {
    try Self.isPage(directory, &reader)
  }

  private static func subdirectories(
    of directory: TIFFReader.Directory, _ reader: inout TIFFReader
  ) throws(FormatError) -> [TIFFReader.Directory] {
    var found: [TIFFReader.Directory] = []
    for offset in try reader.values(directory[TIFFTag.subdirectories], most: mostSubdirectories) ?? [] {
      found.append(try reader.directory(at: offset))
    }
    return found
  }

  /// The directories below another one.
  ///
  /// - Throws: `FormatError.read`.
  mutating func subdirectories(of directory: TIFFReader.Directory) throws(FormatError) -> [TIFFReader.Directory] {
    try Self.subdirectories(of: directory, &reader)
  }

  /// The pixels of a directory; none where it has no picture.
  ///
  /// - Throws: `FormatError.read`.
  mutating func pixels(of directory: TIFFReader.Directory) throws(FormatError) -> Pixels {
    if let picture, directory.range == picture.page.range { return picture.pixels }
    return try Self.pixels(of: directory, &reader, &stripsLeft)
  }

  /// The tags of the offsets and lengths of the pixels, those of the oldest form of JPEG compression at last.
  static let places = [
    (TIFFTag.tileOffsets, TIFFTag.tileByteCounts), (TIFFTag.stripOffsets, TIFFTag.stripByteCounts),
    (TIFFTag.stripOffsets, TIFFTag.tileByteCounts), (TIFFTag.jpegOffset, TIFFTag.jpegByteCount),
  ]

  private static func pixels(
    of directory: TIFFReader.Directory, _ reader: inout TIFFReader, _ stripsLeft: inout Int
  ) throws(FormatError) -> Pixels {
    var pixels = Pixels()
    let damage = PictureWalk.damaged(at: directory.range.lowerBound)
    guard let (offsetTag, countTag) = places.first(where: { directory[$0.0] != nil && directory[$0.1] != nil }) else {
      return try lonePixels(of: directory, &reader)
    }
    guard let offsetEntry = directory[offsetTag], let countEntry = directory[countTag],
      offsetEntry.count <= UInt64(mostStrips)
    else {
      pixels.fault = damage
      return pixels
    }
    // Below zero nothing more is read.
    stripsLeft -= Int(offsetEntry.count)
    guard stripsLeft >= 0 else { return pixels }
    guard let offsets = try reader.values(offsetEntry, most: mostStrips),
      let counts = try reader.values(countEntry, most: mostStrips)
    else {
      pixels.fault = reader.range(of: offsetEntry) == nil || reader.range(of: countEntry) == nil ? .cutShort : damage
      return pixels
    }
    guard offsets.count == counts.count, !offsets.isEmpty else {
      pixels.fault = damage
      return pixels
    }
    pixels.ranges.reserveCapacity(offsets.count)
    for (offset, count) in zip(offsets, counts) {
      guard count <= 1 << 62, offset <= 1 << 62 else {
        pixels.fault = .cutShort
        return pixels
      }
      if count > 0, offset + count > reader.length { pixels.fault = .cutShort }
      pixels.ranges.append(offset..<offset + count)
    }
    return pixels
  }

  /// The uncompressed strip of a picture that doesn't state its length, as some old programs wrote it.
  private static func lonePixels(
    of directory: TIFFReader.Directory, _ reader: inout TIFFReader
  ) throws(FormatError) -> Pixels {
    guard let entry = directory[TIFFTag.stripOffsets], entry.count == 1, let offset = try reader.value(entry),
      let width = try reader.value(directory[TIFFTag.width]), width <= mostPixels,
      let height = try reader.value(directory[TIFFTag.height]), height <= mostPixels,
      try reader.value(directory[TIFFTag.compression]) ?? 1 == 1
    else {
      return Pixels(fault: directory[TIFFTag.stripOffsets] == nil ? nil : .damaged(at: directory.range.lowerBound))
    }
    let bits = try reader.value(directory[TIFFTag.bitsPerSample]) ?? 1
    let samples = try reader.value(directory[TIFFTag.samplesPerPixel]) ?? 1
    guard bits <= 64, samples <= 64, offset <= reader.length else { return Pixels(fault: .cutShort) }
    let range = offset..<offset + (width * samples * bits + 7) / 8 * height
    return Pixels(ranges: [range], fault: range.upperBound > reader.length ? .cutShort : nil)
  }

  /// Looks for pixels that aren't in the file, in all pictures.
  ///
  /// - Returns: The first fault, and the offset behind the last byte of all pictures without the first directory. Of
  ///   more pictures than can be read the rest isn't looked at.
  /// - Throws: `FormatError.read`.
  mutating func survey() throws(FormatError) -> (walk: PictureWalk, end: UInt64) {
    var end: UInt64 = 0
    guard let first = chain.first else { return (fault ?? .damaged(at: reader.isBig ? 8 : 4), end) }
    for (index, directory) in chain.enumerated() {
      var directories = [directory]
      directories += try subdirectories(of: directory)
      for (level, directory) in directories.enumerated() {
        if index + level > 0 { end = max(end, directory.range.upperBound) }
        guard directory.isComplete else {
          hasMore = hasMore || reader.entriesLeft == 0
          return (hasMore ? .complete : .cutShort, end)
        }
        let pixels = try pixels(of: directory)
        guard stripsLeft >= 0 else {
          hasMore = true
          return (.complete, end)
        }
        if let fault = pixels.fault { return (fault, end) }
        for range in pixels.ranges where !range.isEmpty { end = max(end, range.upperBound) }
        for entry in directory.entries where TIFFTag.structural.contains(entry.tag) && entry.byteCount != nil {
          guard let range = reader.range(of: entry) else { return (.cutShort, end) }
          if index + level > 0 { end = max(end, range.upperBound) }
        }
      }
    }
    return (fault ?? (picture == nil ? .damaged(at: first.range.lowerBound) : .complete), end)
  }
}
