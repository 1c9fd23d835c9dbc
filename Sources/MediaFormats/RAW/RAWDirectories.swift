// Raw files that consist of TIFF directories.

import CameraCore
import Foundation

/// The directories of a raw file: DNG, CR2, NEF, NRW, ARW, SR2, PEF, SRW, ORF, RW2 and others. Untrusted input.
struct RAWDirectories {
  /// The tags that TIFF doesn't have.
  private enum Tag {
    /// Panasonic: the borders of the picture on the sensor, the start of the samples, the camera's JPEG, and ISO.
    static let sensorTop: UInt16 = 0x04
    static let sensorLeft: UInt16 = 0x05
    static let sensorBottom: UInt16 = 0x06
    static let sensorRight: UInt16 = 0x07
    static let panasonicStart: UInt16 = 0x118
    static let panasonicJPEG: UInt16 = 0x2e
    /// Of the finished picture, in EXIF's directory.
    static let exifWidth: UInt16 = 40_962
    static let exifHeight: UInt16 = 40_963
    static let defaultCropSize: UInt16 = 50_720
  }

  private static let mostDirectories = 32
  private static let mostSubdirectories = 16
  private static let mostStrips = 1 << 16
  private static let longestPacket = 8 << 20
  /// The forms of a raw picture's samples (DNG 1.7, “PhotometricInterpretation”): a mosaic, and linear light.
  private static let rawPhotometrics: Set<UInt64> = [32_803, 34_892]
  private static let jpegCompressions: Set<UInt64> = [6, 7]
  /// A finished picture is not much smaller than the sensor. EXIF tells the size of a smaller JPEG beside it in some files.
  private static let smallestPart = 0.8

  private var reader: TIFFReader
  private let directories: [TIFFReader.Directory]
  /// The index of the one that holds the raw picture.
  private let raw: Int
  private let isDNG: Bool

  /// - Returns: `nil` when it isn't a raw file.
  /// - Throws: `FormatError.read`.
  init?(_ source: any ByteSource) throws(FormatError) {
    guard var reader = try TIFFReader(source, takesRaw: true) else { return nil }
    let head = try source.prefix(at: 2, count: 8)
    // The version, 43 for files beyond 4 GB, and Canon's mark behind the header.
    let isOfMaker = !head.prefix(2).contains { $0 == 42 || $0 == 43 }
    let isCanon = head.count == 8 && head[6...].elementsEqual("CR".utf8)
    var (directories, seen): ([TIFFReader.Directory], Set<UInt64>) = ([], [])
    var offset = reader.firstDirectory
    while offset != 0, directories.count < Self.mostDirectories, seen.insert(offset).inserted {
      let directory = try reader.directory(at: offset)
      guard !directory.entries.isEmpty else { break }
      directories.append(directory)
      for inner in try reader.values(directory[TIFFTag.subdirectories], most: Self.mostSubdirectories) ?? []
      where directories.count < Self.mostDirectories && seen.insert(inner).inserted {
        directories.append(try reader.directory(at: inner))
      }
      offset = directory.next
    }
    guard let first = directories.first else { return nil }
    var best: (index: Int, width: UInt64)?
    for (index, directory) in directories.enumerated() {
      guard let kind = try reader.value(directory[TIFFTag.photometric]), Self.rawPhotometrics.contains(kind) else {
        continue
      }
      let width = try reader.value(directory[TIFFTag.width]) ?? 0
      if width > best?.width ?? 0 || best == nil { best = (index, width) }
    }
    isDNG = first[TIFFTag.dngVersion] != nil
    if let best {
      raw = best.index
    } else if isCanon {
      // The last of four.
      raw = directories.count - 1
    } else if isOfMaker || isDNG {
      raw = 0
    } else {
      return nil
    }
    (self.reader, self.directories) = (reader, directories)
  }

  /// - Throws: `FormatError.read`.
  mutating func parts() throws(FormatError) -> RAWHead.Parts {
    var parts = RAWHead.Parts()
    let first = directories[0]
    var left = RAWHead.longestBlock
    let fields = try reader.exif(of: first, &left)
    if !fields.isEmpty, left >= 0 { parts.exif = TIFFHead.block(fields, isBigEndian: reader.isBigEndian) }
    if let entry = first[TIFFTag.xmp], TIFFTag.blockTypes.contains(entry.type), let range = reader.range(of: entry),
      range.count <= Self.longestPacket, let packet = try reader.bytes(range)
    {
      parts.xmp = Data(packet)
    }
    parts.pixels = try pixels()
    parts.size = try size()
    for (index, directory) in directories.enumerated() where index != raw || directories.count == 1 {
      parts.previews += try previews(in: directory)
    }
    return parts
  }

  /// In the order in which they are trusted: what DNG tells of the picture, EXIF, the borders on Panasonic's sensors, and the
  /// directory of the samples.
  private mutating func size() throws(FormatError) -> PixelSize? {
    let directory = directories[raw]
    var sensor = try size(TIFFTag.width, TIFFTag.height, in: directory)
    if sensor == nil { sensor = try panasonicSize(directories[0]) }
    if isDNG, let size = try cropSize(directory) { return size }
    if !isDNG, let offset = try reader.value(directories[0][TIFFTag.exif]) {
      let exif = try reader.directory(at: offset)
      if let size = try size(Tag.exifWidth, Tag.exifHeight, in: exif),
        Double(size.width) >= Double(sensor?.width ?? 0) * Self.smallestPart,
        Double(size.height) >= Double(sensor?.height ?? 0) * Self.smallestPart
      {
        return size
      }
    }
    if let sensor { return sensor }
    return try size(TIFFTag.width, TIFFTag.height, in: directories[0])
  }

  private mutating func size(
    _ width: UInt16, _ height: UInt16, in directory: TIFFReader.Directory
  ) throws(FormatError) -> PixelSize? {
    guard let width = try reader.value(directory[width]), let height = try reader.value(directory[height]),
      (1..<1 << 16).contains(width), (1..<1 << 16).contains(height)
    else { return nil }
    return PixelSize(width: Int(width), height: Int(height))
  }

  private mutating func panasonicSize(_ directory: TIFFReader.Directory) throws(FormatError) -> PixelSize? {
    guard let top = try reader.value(directory[Tag.sensorTop]), let left = try reader.value(directory[Tag.sensorLeft]),
      let bottom = try reader.value(directory[Tag.sensorBottom]),
      let right = try reader.value(directory[Tag.sensorRight]),
      top < bottom, left < right, bottom < 1 << 16, right < 1 << 16
    else { return nil }
    return PixelSize(width: Int(right - left), height: Int(bottom - top))
  }

  /// DNG's size of the picture without the borders that developers need: whole or rational numbers.
  private mutating func cropSize(_ directory: TIFFReader.Directory) throws(FormatError) -> PixelSize? {
    guard let entry = directory[Tag.defaultCropSize], entry.count == 2 else { return nil }
    var sides = try reader.numbers(entry, most: 2)
    if entry.type == 5, let range = reader.range(of: entry), let bytes = try reader.bytes(range), bytes.count == 16 {
      sides = [0, 8].map { at in
        let whole = TIFFReader.number(bytes[at..<at + 4], reader.isBigEndian)
        let part = TIFFReader.number(bytes[(at + 4)..<at + 8], reader.isBigEndian)
        return part == 0 ? 0 : Int(whole / part)
      }
    }
    guard sides.count == 2, sides.allSatisfy({ (1..<1 << 16).contains($0) }) else { return nil }
    return PixelSize(width: sides[0], height: sides[1])
  }

  private mutating func pixels() throws(FormatError) -> [Range<UInt64>] {
    let directory = directories[raw]
    if let start = try reader.value(directory[Tag.panasonicStart]), start < reader.length {
      return [start..<reader.length]
    }
    for (offsets, counts) in TIFFFile.places {
      guard let offsets = try reader.values(directory[offsets], most: Self.mostStrips),
        let counts = try reader.values(directory[counts], most: Self.mostStrips),
        offsets.count == counts.count, !offsets.isEmpty
      else { continue }
      var ranges: [Range<UInt64>] = []
      for (offset, count) in zip(offsets, counts) where count > 0 {
        // Beyond the end, however far.
        let (start, length) = (min(offset, 1 << 62), min(count, 1 << 62))
        if let last = ranges.last, last.upperBound == start {
          ranges[ranges.count - 1] = last.lowerBound..<start + length
        } else {
          ranges.append(start..<start + length)
        }
      }
      return ranges
    }
    return []
  }

  private mutating func previews(in directory: TIFFReader.Directory) throws(FormatError) -> [Range<UInt64>] {
    var found: [Range<UInt64>] = []
    if let entry = directory[Tag.panasonicJPEG], let range = reader.range(of: entry) { found.append(range) }
    var pairs = [(TIFFTag.jpegOffset, TIFFTag.jpegByteCount)]
    if let compression = try reader.value(directory[TIFFTag.compression]),
      Self.jpegCompressions.contains(compression)
    {
      pairs.append((TIFFTag.stripOffsets, TIFFTag.stripByteCounts))
    }
    for (offset, count) in pairs {
      guard let offset = try reader.value(directory[offset]), let count = try reader.value(directory[count]),
        offset < reader.length, count <= reader.length - offset
      else { continue }
      found.append(offset..<offset + count)
    }
    return found
  }
}
