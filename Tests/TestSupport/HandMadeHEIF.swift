// HEIC and AVIF files with made-up coded pictures, for tests of formats.

import Foundation
import MediaFormats

/// A HEIF file with one picture, or a grid of tiles, and with EXIF and XMP where wanted.
public struct HandMadeHEIF: Sendable {
  public var brand = "heic"
  public var size = (width: 64, height: 48)
  /// Quarter turns of `irot`.
  public var turns = 0
  /// The tiles of a grid; 0 for one picture.
  public var tiles = 0
  public var exif: [UInt8]?
  public var xmp: [UInt8]?
  /// Of the box `iloc`.
  public var version: UInt8 = 0
  /// Whether offsets count from a base of each item.
  public var hasBases = false
  /// Further properties, which no picture has.
  public var properties: [MP4Box] = []
  /// Further properties of the picture.
  public var ownProperties: [MP4Box] = []
  /// The name of all items.
  public var itemName = ""
  /// Bytes behind the items' in the media data, which belong to none.
  public var unused: [UInt8] = []
  /// Further boxes behind the media data.
  public var more: [MP4Box] = []
  /// The MP4 behind the picture.
  public var movie: Data?

  public init() {}

  /// The coded bytes of a tile.
  public static func coded(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(100 + number), count: 30 + number) }

  public var data: Data {
    var front: [UInt8] = []
    MP4Box("ftyp", Array(brand.utf8) + [0, 0, 0, 0] + Array("mif1".utf8) + Array(brand.utf8)).write(to: &front)
    var contents: [[UInt8]] = (0..<max(1, tiles)).map(Self.coded)
    if let exif { contents.append([0, 0, 0, 0] + exif) }
    if let xmp { contents.append(xmp) }
    func head(_ start: Int) -> [UInt8] {
      var result: [UInt8] = []
      directory(contents, start).write(to: &result)
      return result
    }
    let start = front.count + head(0).count + 8
    front += head(start)
    MP4Box("mdat", contents.flatMap { $0 } + unused).write(to: &front)
    for box in more { box.write(to: &front) }
    if let movie { MP4Box("mpvd", [UInt8](movie)).write(to: &front) }
    return Data(front)
  }

  private func directory(_ contents: [[UInt8]], _ start: Int) -> MP4Box {
    func number(_ value: Int, _ count: Int) -> [UInt8] { HandMadeMovie.bytes(UInt64(value), count) }
    let isGrid = tiles > 0
    let coded = brand == "avif" ? "av01" : "hvc1"
    // The picture is item 1; the tiles of a grid, and then the metadata, follow.
    var items: [(id: Int, type: String, content: String?)] = [(1, isGrid ? "grid" : coded, nil)]
    if isGrid { items += (0..<tiles).map { ($0 + 2, coded, nil) } }
    let first = isGrid ? 2 : 1
    if exif != nil { items.append((items.count + 1, "Exif", nil)) }
    if xmp != nil { items.append((items.count + 1, "mime", "application/rdf+xml")) }
    var list = [UInt8](repeating: 0, count: 4) + number(items.count, 2)
    for item in items {
      var entry: [UInt8] = [2, 0, 0, 0] + number(item.id, 2) + [0, 0] + Array(item.type.utf8)
      entry += Array(itemName.utf8) + [0]
      if let content = item.content { entry += Array(content.utf8) + [0] }
      MP4Box("infe", entry).write(to: &list)
    }
    var places: [UInt8] = [version, 0, 0, 0, 0x44, hasBases ? 0x40 : 0]
    places += number(contents.count + (isGrid && version > 0 ? 1 : 0), version == 2 ? 4 : 2)
    if isGrid, version > 0 {
      places += number(1, version == 2 ? 4 : 2) + [0, 1, 0, 0] + (hasBases ? number(0, 4) : []) + number(1, 2)
      places += number(0, 4) + number(8, 4)
    }
    var offset = start
    for (index, content) in contents.enumerated() {
      places += number(first + index, version == 2 ? 4 : 2) + (version > 0 ? [0, 0] : []) + [0, 0]
      if hasBases { places += number(offset, 4) }
      places += number(1, 2) + number(hasBases ? 0 : offset, 4) + number(content.count, 4)
      offset += content.count
    }
    var links: [UInt8] = [0, 0, 0, 0]
    if isGrid {
      MP4Box("dimg", number(1, 2) + number(tiles, 2) + (0..<tiles).flatMap { number($0 + 2, 2) }).write(to: &links)
    }
    for item in items where ["Exif", "mime"].contains(item.type) {
      MP4Box("cdsc", number(item.id, 2) + number(1, 2) + number(1, 2)).write(to: &links)
    }
    var properties: [UInt8] = []
    MP4Box("ispe", [0, 0, 0, 0] + number(size.width, 4) + number(size.height, 4)).write(to: &properties)
    MP4Box("irot", [UInt8(turns)]).write(to: &properties)
    for property in self.properties + ownProperties { property.write(to: &properties) }
    var groups: [UInt8] = []
    MP4Box("ipco", properties).write(to: &groups)
    let own = ownProperties.indices.map { UInt8($0 + self.properties.count + 3) }
    let numbers = (turns == 0 ? [1] : [1, 0x82]) + own
    let associations = number(1, 2) + [UInt8(numbers.count)] + numbers
    MP4Box("ipma", [0, 0, 0, 0] + number(1, 4) + associations).write(to: &groups)
    var result: [UInt8] = [0, 0, 0, 0]
    MP4Box("hdlr", [UInt8](repeating: 0, count: 8) + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
      .write(to: &result)
    MP4Box("pitm", [0, 0, 0, 0, 0, 1]).write(to: &result)
    MP4Box("iloc", places).write(to: &result)
    MP4Box("iinf", list).write(to: &result)
    if links.count > 4 { MP4Box("iref", links).write(to: &result) }
    MP4Box("iprp", groups).write(to: &result)
    if isGrid, version > 0 {
      MP4Box("idat", [0, 0, 0, UInt8(tiles - 1)] + number(size.width, 2) + number(size.height, 2)).write(to: &result)
    }
    return MP4Box("meta", result)
  }
}
