// TIFF files with made-up pixels, for tests of formats.

import Foundation

/// A TIFF file directory by directory, in either byte order, and as BigTIFF.
///
///     var file = HandMadeTIFF()
///     file.pages[0].fields.append(.text(271, "Maker"))
///     file.pages.append(HandMadeTIFF.Page())
///     file.data
///
/// The values of a directory are in front of it, and so are the directories below it.
public struct HandMadeTIFF: Sendable {
  /// An entry of a directory.
  public struct Field: Sendable {
    enum Content: Sendable {
      /// Of so many bytes each.
      case numbers([UInt64], size: Int)
      case bytes([UInt8])
      case directory([Field])
    }

    public var tag: UInt16
    var type: UInt16
    var content: Content

    public static func text(_ tag: UInt16, _ text: String) -> Field {
      Field(tag: tag, type: 2, content: .bytes(Array(text.utf8) + [0]))
    }

    public static func bytes(_ tag: UInt16, _ bytes: [UInt8], type: UInt16 = 1) -> Field {
      Field(tag: tag, type: type, content: .bytes(bytes))
    }

    public static func short(_ tag: UInt16, _ numbers: UInt64...) -> Field {
      Field(tag: tag, type: 3, content: .numbers(numbers, size: 2))
    }

    public static func long(_ tag: UInt16, _ numbers: UInt64...) -> Field {
      Field(tag: tag, type: 4, content: .numbers(numbers, size: 4))
    }

    /// Pairs of numerators and denominators.
    public static func rational(_ tag: UInt16, _ numbers: UInt64...) -> Field {
      Field(tag: tag, type: 5, content: .numbers(numbers, size: 4))
    }

    public static func directory(_ tag: UInt16, _ fields: [Field]) -> Field {
      Field(tag: tag, type: 4, content: .directory(fields))
    }
  }

  /// A picture with its directory.
  public struct Page: Sendable {
    /// Without the places of strips.
    public var fields: [Field]
    public var strips: [[UInt8]]
    /// Whether strips are called tiles.
    public var isTiled = false
    /// Pictures below this one.
    public var subpages: [Page] = []

    /// - Parameter first: The first byte of the pixels.
    public init(width: UInt64 = 8, height: UInt64 = 6, kind: UInt64 = 0, first: UInt8 = 1) {
      fields = [
        .long(254, kind), .short(256, width), .short(257, height), .short(258, 8), .short(259, 1), .short(262, 1),
        .short(277, 1), .short(278, 3),
      ]
      strips = [[UInt8](repeating: first, count: 24), [UInt8](repeating: first + 1, count: 24)]
    }
  }

  public var isBigEndian = false
  public var isBigTIFF = false
  public var pages = [Page()]
  /// Whether the pixels are behind all directories.
  public var hasPixelsBehind = false
  /// Bytes between the pixels and the directories, which belong to none.
  public var unused: [UInt8] = []

  public init() {}

  private var headLength: Int { isBigTIFF ? 16 : 8 }
  private var wordLength: Int { isBigTIFF ? 8 : 4 }

  public var data: Data {
    let pixels = pages.flatMap(Self.pixels)
    if !hasPixelsBehind {
      let start = headLength + pixels.count + unused.count
      let (directories, first) = directories(at: start + start % 2, pixelsAt: headLength)
      return Data(head(first) + pixels + unused + [UInt8](repeating: 0, count: start % 2) + directories)
    }
    let length = directories(at: headLength, pixelsAt: 0).bytes.count
    let (directories, first) = directories(at: headLength, pixelsAt: headLength + length + unused.count)
    return Data(head(first) + directories + unused + pixels)
  }

  private static func pixels(_ page: Page) -> [UInt8] { page.strips.flatMap { $0 } + page.subpages.flatMap(pixels) }

  public func number(_ number: UInt64, _ count: Int) -> [UInt8] {
    let bytes = HandMadeMovie.bytes(number, count)
    return isBigEndian ? bytes : bytes.reversed()
  }

  private func head(_ first: Int) -> [UInt8] {
    let order = [UInt8](repeating: UInt8(ascii: isBigEndian ? "M" : "I"), count: 2)
    return isBigTIFF
      ? order + number(43, 2) + number(8, 2) + number(0, 2) + number(UInt64(first), 8)
      : order + number(42, 2) + number(UInt64(first), 4)
  }

  /// All directories, and the offset of the first one.
  private func directories(at start: Int, pixelsAt: Int) -> (bytes: [UInt8], first: Int) {
    var (bytes, pixelsAt, links): ([UInt8], Int, [(table: Int, link: Int)]) = ([], pixelsAt, [])
    for page in pages {
      let (table, link) = append(page, to: &bytes, start, &pixelsAt)
      links.append((table, link))
    }
    for (one, next) in zip(links, links.dropFirst()) {
      bytes.replaceSubrange(one.link..<one.link + wordLength, with: number(UInt64(next.table), wordLength))
    }
    return (bytes, links.first?.table ?? 0)
  }

  /// - Returns: The offset of the directory in the file, and the index of the offset of the next one.
  private func append(
    _ page: Page, to bytes: inout [UInt8], _ start: Int, _ pixelsAt: inout Int
  ) -> (table: Int, link: Int) {
    var offsets: [UInt64] = []
    for strip in page.strips {
      offsets.append(UInt64(pixelsAt))
      pixelsAt += strip.count
    }
    var fields = page.fields
    if !offsets.isEmpty {
      let counts = page.strips.map { UInt64($0.count) }
      fields.append(Field(tag: page.isTiled ? 324 : 273, type: 4, content: .numbers(offsets, size: 4)))
      fields.append(Field(tag: page.isTiled ? 325 : 279, type: 4, content: .numbers(counts, size: 4)))
    }
    var subpages: [UInt64] = []
    for subpage in page.subpages { subpages.append(UInt64(append(subpage, to: &bytes, start, &pixelsAt).table)) }
    if !subpages.isEmpty { fields.append(Field(tag: 330, type: 4, content: .numbers(subpages, size: 4))) }
    return append(fields, to: &bytes, start)
  }

  private func append(_ fields: [Field], to bytes: inout [UInt8], _ start: Int) -> (table: Int, link: Int) {
    var entries: [UInt8] = []
    for field in fields.sorted(by: { $0.tag < $1.tag }) {
      var (values, count): ([UInt8], Int)
      switch field.content {
      case .bytes(let content): (values, count) = (content, content.count)
      case .numbers(let numbers, let size):
        (values, count) = (numbers.flatMap { number($0, size) }, field.type == 5 ? numbers.count / 2 : numbers.count)
      case .directory(let inner): (values, count) = (number(UInt64(append(inner, to: &bytes, start).table), 4), 1)
      }
      entries += number(UInt64(field.tag), 2) + number(UInt64(field.type), 2) + number(UInt64(count), wordLength)
      if values.count <= wordLength {
        entries += values + [UInt8](repeating: 0, count: wordLength - values.count)
      } else {
        if bytes.count % 2 == 1 { bytes.append(0) }
        entries += number(UInt64(start + bytes.count), wordLength)
        bytes += values
      }
    }
    if bytes.count % 2 == 1 { bytes.append(0) }
    let table = start + bytes.count
    bytes += number(UInt64(fields.count), isBigTIFF ? 8 : 2) + entries
    let link = bytes.count
    bytes += [UInt8](repeating: 0, count: wordLength)
    return (table, link)
  }
}
