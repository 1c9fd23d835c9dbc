// Copies of TIFF files with the pages, the wanted metadata, and nothing else.

import Foundation
import Localization

/// A TIFF file that is put together anew: its header, the pixels of its pages in the order of the file, and the
/// directories.
struct TIFFBareCopy {
  /// Pixels of the old file, and their offset in the new one.
  private struct Stretch {
    var range: Range<UInt64>
    var start: UInt64
  }

  private static let headLength: UInt64 = 8
  /// The most bytes of directories that are held in memory: tables for colors, and the lengths of strips.
  private static let mostBytes = 64 << 20
  /// Strips and tiles that are JPEG streams.
  private static let mostStreams = 1 << 16
  /// None, faxes', LZW, JPEG in its newer form, Deflate, and those of libtiff without containers of their own in which
  /// metadata could be.
  private static let plainCompressions: Set<UInt64> = [
    1, 2, 3, 4, 5, 7, 8, 32_766, 32_771, 32_773, 32_809, 32_908, 32_909, 32_946, 34_676, 34_677, 34_887, 34_925, 50_000,
  ]
  /// Orientation, resolutions and their unit: they belong to EXIF, which further pages don't have.
  private static let placement: Set<UInt16> = [274, 282, 283, 296]

  private var file: TIFFFile
  private var left = Self.mostBytes
  private var streamsLeft = Self.mostStreams

  /// - Parameter file: A complete one.
  init(_ file: TIFFFile) { self.file = file }

  mutating func pieces<Source: ByteSource>(
    of source: Source, _ change: PictureMetadata
  ) throws(FormatError) -> [BytePiece<Source>] {
    guard !file.hasMore else { throw .refused(reason: localized("the file has too many parts")) }
    guard let picture = file.picture, let first = file.chain.first, try !TIFFHead.isRaw(&file) else {
      throw Self.unknownForm
    }
    var pages: [(directory: TIFFReader.Directory, pixels: TIFFFile.Pixels)] = []
    for directory in file.chain where try file.isPage(directory) {
      let pixels = try file.pixels(of: directory)
      if pixels.ranges.contains(where: { !$0.isEmpty }) { pages.append((directory, pixels)) }
    }
    // Where the picture is below another one, or all are reduced ones.
    if pages.first?.directory.range != picture.page.range { pages = [(picture.page, picture.pixels)] }
    for (directory, pixels) in pages { try check(directory, pixels, in: source) }
    let stretches = Self.stretches(pages.flatMap(\.pixels.ranges))
    let end = stretches.last.map { $0.start + ($0.range.upperBound - $0.range.lowerBound) } ?? Self.headLength
    var writer = TIFFWriter(isBigEndian: file.reader.isBigEndian, base: end)
    let oldProfile = try file.block(picture.page[TIFFTag.profile])
    var (head, link): ([UInt8], Int?) = ([], nil)
    for (index, page) in pages.enumerated() {
      var fields = try structure(of: page.directory, page.pixels, stretches, isFirst: index == 0)
      if change.profile != .kept, let entry = page.directory[TIFFTag.profile] {
        fields.removeAll { $0.tag == TIFFTag.profile }
        // That of another page can't be told to be free of what this one was replaced for.
        if case .replaced(let data) = change.profile, try file.block(entry) == oldProfile {
          fields.append(TIFFField(TIFFTag.profile, bytes: [UInt8](data), type: 7))
        }
      }
      if index == 0 { fields += try metadata(first, change) }
      guard fields.count <= TIFFWriter.mostFields else { throw TIFFHead.tooLong }
      let (offset, next) = writer.append(fields.sorted { $0.tag < $1.tag })
      if let link {
        writer.set(word: offset, at: link)
      } else {
        head = TIFFWriter.head(firstDirectory: offset, isBigEndian: file.reader.isBigEndian)
      }
      link = next
    }
    guard writer.end <= UInt64(UInt32.max) else { throw TIFFHead.tooLong }
    var pieces: [BytePiece<Source>] = [.bytes(Data(head))]
    var position = Self.headLength
    for stretch in stretches {
      if stretch.start > position { pieces.append(.bytes(Data(BigEndian.zeros(Int(stretch.start - position))))) }
      pieces.append(.file(source, stretch.range))
      position = stretch.start + (stretch.range.upperBound - stretch.range.lowerBound)
    }
    return pieces + [.bytes(Data(writer.bytes))]
  }

  private static var unknownForm: FormatError {
    .refused(reason: localized("the picture is stored in a form that can’t be changed"))
  }

  /// The stretches that pixels take, whatever shares them, each at an even offset.
  private static func stretches(_ ranges: [Range<UInt64>]) -> [Stretch] {
    var stretches: [Stretch] = []
    for range in ranges.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      guard let last = stretches.last else {
        stretches.append(Stretch(range: range, start: headLength))
        continue
      }
      if range.lowerBound <= last.range.upperBound {
        let end = max(last.range.upperBound, range.upperBound)
        stretches[stretches.count - 1].range = last.range.lowerBound..<end
      } else {
        let end = last.start + (last.range.upperBound - last.range.lowerBound)
        stretches.append(Stretch(range: range, start: end + end % 2))
      }
    }
    return stretches
  }

  /// The new offset of pixels.
  private static func offset(of range: Range<UInt64>, in stretches: [Stretch]) -> UInt64 {
    guard !range.isEmpty else { return 0 }
    // The last one that doesn't begin behind it.
    var (low, high) = (0, stretches.count)
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].range.lowerBound <= range.lowerBound { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return 0 }
    return stretches[low - 1].start + (range.lowerBound - stretches[low - 1].range.lowerBound)
  }

  /// What is needed to decode a page.
  private mutating func structure(
    of directory: TIFFReader.Directory, _ pixels: TIFFFile.Pixels, _ stretches: [Stretch], isFirst: Bool
  ) throws(FormatError) -> [TIFFField] {
    guard let place = TIFFFile.places.map(\.0).first(where: { directory[$0] != nil }) else { throw Self.unknownForm }
    var fields: [TIFFField] = []
    for entry in directory.entries {
      if entry.tag == place {
        let offsets = pixels.ranges.map { UInt32(truncatingIfNeeded: Self.offset(of: $0, in: stretches)) }
        fields.append(TIFFField(place, longs: offsets, isBigEndian: file.reader.isBigEndian))
      } else if TIFFTag.structural.contains(entry.tag) || !isFirst && Self.placement.contains(entry.tag) {
        guard TIFFReader.classicTypes.contains(entry.type) else { continue }
        guard let field = try file.reader.field(entry, &left) else { throw TIFFHead.tooLong }
        fields.append(field)
      }
    }
    return fields
  }

  /// EXIF and XMP of the copy. What is too long to be read is left out.
  private mutating func metadata(
    _ first: TIFFReader.Directory, _ change: PictureMetadata
  ) throws(FormatError) -> [TIFFField] {
    var fields: [TIFFField] = []
    switch change.exif {
    case .removed: break
    case .replaced(let data): fields = try TIFFReader.exif(in: data, isBigEndian: file.reader.isBigEndian)
    case .kept:
      var left = TIFFHead.longestBlock
      fields = try file.reader.exif(of: first, &left)
      if left < 0 { fields = [] }
    }
    switch change.xmp {
    case .removed: break
    case .replaced(let data): fields.append(TIFFField(TIFFTag.xmp, bytes: [UInt8](data)))
    case .kept:
      if let packet = try file.block(first[TIFFTag.xmp]) { fields.append(TIFFField(TIFFTag.xmp, bytes: packet)) }
    }
    return fields
  }

  // MARK: JPEG streams

  /// Refuses pages whose pixels may have metadata among them.
  private mutating func check(
    _ directory: TIFFReader.Directory, _ pixels: TIFFFile.Pixels, in source: any ByteSource
  ) throws(FormatError) {
    let compression = try file.reader.value(directory[TIFFTag.compression]) ?? 1
    guard Self.plainCompressions.contains(compression), directory[TIFFTag.jpegOffset] == nil else {
      throw Self.unknownForm
    }
    guard compression == 7 else { return }
    var streams = pixels.ranges
    if let tables = directory[TIFFTag.jpegTables].flatMap(file.reader.range) { streams.append(tables) }
    streamsLeft -= streams.count
    guard streamsLeft >= 0 else { throw .refused(reason: localized("the file has too many parts")) }
    var window = ByteWindow(source)
    for stream in streams where try Self.hasMetadata(stream, &window) {
      throw .refused(reason: localized("the file has data that belongs to no picture"))
    }
  }

  /// Whether the head of a JPEG stream has segments that decoders don't need, except for those of JFIF and Adobe.
  private static func hasMetadata(_ stream: Range<UInt64>, _ window: inout ByteWindow) throws(FormatError) -> Bool {
    var offset = stream.lowerBound
    guard Array(try window.bytes(at: offset, count: 2)) == [0xff, 0xd8] else { return false }
    offset += 2
    // Streams have a handful.
    for _ in 0..<256 {
      guard offset < stream.upperBound, let marker = try window.number(at: offset, bytes: 2),
        marker >= 0xff00, marker != 0xffda, marker != 0xffd9
      else { return false }
      if marker == 0xffff {
        offset += 1
        continue
      }
      guard let length = try window.number(at: offset + 2, bytes: 2), length >= 2 else { return false }
      switch marker {
      // JFIF without a thumbnail, and Adobe's color transform.
      case 0xffe0 where length <= 16, 0xffee where length <= 14: break
      case 0xffe0...0xffef, 0xfffe: return true
      default: break
      }
      offset += 2 + length
    }
    return true
  }
}
