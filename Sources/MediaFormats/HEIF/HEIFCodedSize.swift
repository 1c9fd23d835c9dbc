// The sizes of the coded pictures in a HEIF file, against those that it states.

import CameraCore

/// Compares what the pictures of a HEIC or AVIF file state with what their streams code: decoders allocate memory for the
/// latter, and a stream of some kilobytes can code a gigabyte.
///
/// Untrusted input. Nothing is decoded but the parameter sets.
///
/// Sources: ISO/IEC 14496-15, 8.3.3 (`hvcC`); ITU-T H.265, 7.3.2.2 (sequence parameter set); AV1 Bitstream & Decoding
/// Process, 5.3 and 5.5 (OBUs, sequence header); AV1 in ISO base media files, 2.3 (`av1C`).
public enum HEIFCodedSize: Sendable, Hashable {
  /// All are as large as stated, but for the padding to whole blocks.
  case asStated
  /// One codes more than it states; the size is in pixels.
  case larger(PixelSize)
  /// A stream or its form can't be read.
  case unknown

  /// In pixels, on either side: coding blocks are at most 64 long, superblocks 128.
  private static let padding = 128
  /// Phones cut pictures into some fifty tiles.
  private static let mostItems = 4096
  private static let mostUnits = 4096
  /// In bytes: parameter sets are some hundred.
  private static let longestUnit = 1024

  /// Looks at all coded pictures of a file: tiles, thumbnails and opacity as well.
  ///
  /// - Throws: `FormatError.read`.
  public init(_ source: any ByteSource) throws(FormatError) {
    guard let file = try HEIFFile(source) else {
      self = .unknown
      return
    }
    let coded = file.directory.items.filter { ["hvc1", "av01"].contains($0.type) }
    let canvases = file.directory.items.filter { ["grid", "iovl"].contains($0.type) }
    guard !coded.isEmpty, coded.count + canvases.count <= Self.mostItems else {
      self = .unknown
      return
    }
    let places = file.directory.locations.entries(of: Set((coded + canvases).map(\.id)))
    var isKnown = true
    for item in canvases {
      guard let stated = file.directory.properties.statedSize(of: item.id), let place = places[item.id],
        let size = try Self.canvas(of: item, at: place, file, source)
      else {
        isKnown = false
        continue
      }
      // libheif before 1.17 states the size of a turned grid as it is shown.
      if max(stated.width, stated.height) >= max(size.width, size.height),
        min(stated.width, stated.height) >= min(size.width, size.height)
      {
        continue
      }
      // Another one than the picture itself may never be decoded.
      guard item.id == file.directory.primary else {
        isKnown = false
        continue
      }
      self = .larger(size)
      return
    }
    for item in coded {
      guard let stated = file.directory.properties.statedSize(of: item.id), let place = places[item.id], place.isInFile,
        let ranges = try? file.directory.locations.ranges(of: place, upTo: source.count)
      else {
        isKnown = false
        continue
      }
      let isHEVC = item.type == "hvc1"
      let configuration = file.directory.properties.property(isHEVC ? "hvcC" : "av1C", of: item.id) ?? []
      let sizes =
        try isHEVC
        ? Self.hevc(configuration, ranges, source) : Self.av1(configuration, ranges, source)
      guard let sizes, !sizes.isEmpty else {
        isKnown = false
        continue
      }
      for size in sizes
      where size.width > stated.width + Self.padding || size.height > stated.height + Self.padding {
        self = .larger(size)
        return
      }
    }
    self = isKnown ? .asStated : .unknown
  }

  // MARK: Canvases

  /// The size of the canvas on which a grid or an overlay puts other pictures.
  ///
  /// Sources: ISO/IEC 23008-12, 6.6.2.2 (`ImageOverlay`) and 6.6.2.3 (`ImageGrid`).
  ///
  /// - Returns: `nil` when it can't be read.
  private static func canvas(
    of item: HEIFDirectory.Item, at place: HEIFLocations.Entry, _ file: HEIFFile, _ source: any ByteSource
  ) throws(FormatError) -> PixelSize? {
    let locations = file.directory.locations
    let own = file.directory.ownData ?? []
    let limit = place.isInBox ? UInt64(own.count) : source.count
    guard place.isInBox || place.isInFile, let range = (try? locations.ranges(of: place, upTo: limit))?.first else {
      return nil
    }
    let length = Int(min(range.upperBound - range.lowerBound, 18))
    let data =
      place.isInBox
      ? Array(own[Int(range.lowerBound)..<Int(range.lowerBound) + length])
      : try source.prefix(at: range.lowerBound, count: length)
    // Version and flags; rows and columns of a grid, the color of an overlay's canvas.
    let start = item.type == "grid" ? 4 : 10
    guard data.count > start else { return nil }
    let width = data[1] & 1 == 1 ? 4 : 2
    guard data.count >= start + 2 * width else { return nil }
    let sides = [0, width].map { Int(BigEndian.number(data, at: start + $0, count: width)) }
    return PixelSize(width: sides[0], height: sides[1])
  }

  // MARK: HEVC

  /// The sizes in all sequence parameter sets: those of the configuration, and those in the stream.
  ///
  /// - Returns: `nil` when something can't be read.
  private static func hevc(
    _ configuration: [UInt8], _ ranges: [Range<UInt64>], _ source: any ByteSource
  ) throws(FormatError) -> [PixelSize]? {
    guard configuration.count >= 23, ranges.count == 1, let range = ranges.first else { return nil }
    var sizes: [PixelSize] = []
    var reader = HEIFReader(configuration[23...])
    let lengthWidth = Int(configuration[21] & 3) + 1
    for _ in 0..<configuration[22] {
      guard let type = try? reader.number(1), let count = try? reader.number(2) else { return nil }
      for _ in 0..<count {
        guard let length = try? reader.number(2), reader.remaining.count >= Int(length) else { return nil }
        let unit = reader.remaining.prefix(Int(length))
        for _ in 0..<length { _ = try? reader.number(1) }
        guard type & 63 == 33 else { continue }
        guard let size = sequenceSize(ofHEVC: unit) else { return nil }
        sizes.append(size)
      }
    }
    var offset = range.lowerBound
    var units = 0
    while offset < range.upperBound {
      let head = try source.prefix(at: offset, count: lengthWidth + 1)
      guard head.count == lengthWidth + 1, range.upperBound - offset > UInt64(lengthWidth), units < mostUnits else {
        return nil
      }
      let length = BigEndian.number(head, at: 0, count: lengthWidth)
      offset += UInt64(lengthWidth)
      guard length >= 2, length <= range.upperBound - offset else { return nil }
      if head[lengthWidth] >> 1 & 63 == 33 {
        let unit = try source.prefix(at: offset, count: Int(min(length, UInt64(longestUnit))))
        guard let size = sequenceSize(ofHEVC: unit[...]) else { return nil }
        sizes.append(size)
      }
      offset += length
      units += 1
    }
    return sizes
  }

  private static func sequenceSize(ofHEVC unit: ArraySlice<UInt8>) -> PixelSize? {
    guard unit.count > 2 else { return nil }
    // A 3 behind two zeros is there only so that no start code appears.
    var bytes: [UInt8] = []
    var zeros = 0
    for byte in unit.dropFirst(2).prefix(longestUnit) {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      bytes.append(byte)
    }
    var bits = HEIFBitReader(bytes)
    bits.skip(4)
    let layers = Int(bits.number(3))
    bits.skip(1 + 96)
    let present = (0..<layers).map { _ in (profile: bits.number(1) == 1, level: bits.number(1) == 1) }
    if layers > 0 { bits.skip(2 * (8 - layers)) }
    for layer in present { bits.skip((layer.profile ? 88 : 0) + (layer.level ? 8 : 0)) }
    _ = bits.exponential()
    if bits.exponential() == 3 { bits.skip(1) }
    let (width, height) = (bits.exponential(), bits.exponential())
    return bits.isPastEnd || width > UInt32.max || height > UInt32.max
      ? nil : PixelSize(width: Int(width), height: Int(height))
  }

  // MARK: AV1

  /// The sizes in all sequence headers: those of the configuration, and those in the stream.
  private static func av1(
    _ configuration: [UInt8], _ ranges: [Range<UInt64>], _ source: any ByteSource
  ) throws(FormatError) -> [PixelSize]? {
    guard ranges.count == 1, let range = ranges.first else { return nil }
    var sizes: [PixelSize] = []
    if configuration.count > 4 {
      let units = Array(configuration[4...])
      guard let found = try av1(0..<UInt64(units.count), { Array(units[Int($0)...].prefix($1)) }) else { return nil }
      sizes = found
    }
    let stream = try av1(range) { offset, count throws(FormatError) in try source.prefix(at: offset, count: count) }
    return stream.map { sizes + $0 }
  }

  private static func av1(
    _ range: Range<UInt64>, _ bytes: (UInt64, Int) throws(FormatError) -> [UInt8]
  ) throws(FormatError) -> [PixelSize]? {
    var sizes: [PixelSize] = []
    var offset = range.lowerBound
    var units = 0
    while offset < range.upperBound {
      let head = try bytes(offset, Int(min(16, range.upperBound - offset)))
      guard let first = head.first, first & 0x80 == 0, units < mostUnits else { return nil }
      var at = first & 4 != 0 ? 2 : 1
      var length = range.upperBound - offset - min(UInt64(at), range.upperBound - offset)
      if first & 2 != 0 {
        length = 0
        for index in 0..<8 {
          guard at < head.count else { return nil }
          length |= UInt64(head[at] & 0x7f) << UInt64(7 * index)
          at += 1
          if head[at - 1] & 0x80 == 0 { break }
          if index == 7 { return nil }
        }
      }
      let start = offset + UInt64(at)
      guard start <= range.upperBound, length <= range.upperBound - start else { return nil }
      if first >> 3 & 15 == 1 {
        let unit = try bytes(start, Int(min(length, UInt64(longestUnit))))
        guard let size = sequenceSize(ofAV1: unit) else { return nil }
        sizes.append(size)
      }
      offset = start + length
      units += 1
    }
    return sizes
  }

  private static func sequenceSize(ofAV1 bytes: [UInt8]) -> PixelSize? {
    var bits = HEIFBitReader(bytes)
    bits.skip(4)
    if bits.number(1) == 1 {
      bits.skip(5)
    } else {
      var delay: Int?
      if bits.number(1) == 1 {
        bits.skip(64)
        if bits.number(1) == 1 { _ = bits.exponential() }
        if bits.number(1) == 1 {
          delay = Int(bits.number(5)) + 1
          bits.skip(32 + 5 + 5)
        }
      }
      let hasDisplayDelay = bits.number(1) == 1
      for _ in 0...bits.number(5) {
        bits.skip(12)
        if bits.number(5) > 7 { bits.skip(1) }
        if let delay, bits.number(1) == 1 { bits.skip(2 * delay + 1) }
        if hasDisplayDelay, bits.number(1) == 1 { bits.skip(4) }
      }
    }
    let (widthBits, heightBits) = (Int(bits.number(4)) + 1, Int(bits.number(4)) + 1)
    let size = PixelSize(width: Int(bits.number(widthBits)) + 1, height: Int(bits.number(heightBits)) + 1)
    return bits.isPastEnd ? nil : size
  }
}

/// Reads bits, the highest of a byte first. Past the end they are 0.
struct HEIFBitReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether more was read than there is.
  var isPastEnd: Bool { position > bytes.count * 8 }

  mutating func skip(_ count: Int) { position += count }

  /// - Parameter count: In bits, at most 32.
  mutating func number(_ count: Int) -> UInt64 {
    var result: UInt64 = 0
    for _ in 0..<count {
      let byte = position >> 3
      let bit = byte < bytes.count ? bytes[byte] >> UInt8(7 - position & 7) & 1 : 0
      result = result << 1 | UInt64(bit)
      position += 1
    }
    return result
  }

  /// An Exp-Golomb code, `ue(v)` of H.265, 9.2, and `uvlc()` of AV1, 4.10.3.
  mutating func exponential() -> UInt64 {
    var zeros = 0
    while !isPastEnd, number(1) == 0 { zeros += 1 }
    guard zeros <= 32 else {
      position = bytes.count * 8 + 1
      return 0
    }
    return (1 << UInt64(zeros)) - 1 + number(zeros)
  }
}
