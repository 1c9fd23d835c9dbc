// The metadata of QuickTime movies, as Apple's devices write them.

import Foundation

/// The `meta` box with the handler `mdta`: a list of keys, and a list of values that refer to keys by index.
///
/// Source: QuickTime File Format, “Metadata atoms and types”.
public struct QuickTimeMetadata: Sendable, Hashable {
  /// A key with its value.
  public struct Item: Sendable, Hashable {
    public var name: String
    /// The `data` boxes, unparsed.
    public var value: [UInt8]
  }

  /// An item whose key is of another namespace, kept as it is.
  struct OtherItem: Sendable, Hashable {
    var key: MP4Box
    var value: [UInt8]
  }

  public var items: [Item] = []
  var otherItems: [OtherItem] = []
  /// Boxes besides the handler and both lists, such as those of countries and languages that values refer to.
  var otherBoxes: [MP4Box] = []
  /// Whether the box begins with a version, as in ISO/IEC 14496-12; QuickTime's own form doesn't.
  public var hasVersion = false

  public init() {}

  /// Parses a `meta` box.
  ///
  /// - Returns: `nil` for one with another handler, and for a damaged one.
  public init?(_ box: MP4Box) {
    let isQuickTime = box.bytes.count >= 8 && box.bytes[4..<8].elementsEqual("hdlr".utf8)
    guard isQuickTime || box.bytes.count > 4,
      let parts = try? MP4Box.boxes(in: box.bytes[(isQuickTime ? 0 : 4)...]),
      let handler = parts.first(where: { $0.type == "hdlr" }),
      (try? handler.number(at: 8, 4)) == UInt64(("mdta" as MP4Type).code),
      let keys = parts.first(where: { $0.type == "keys" }), keys.bytes.count >= 8,
      // A key has the form of a box, whose type is its namespace.
      let names = try? MP4Box.boxes(in: keys.bytes[8...]),
      let list = parts.first(where: { $0.type == "ilst" }), let values = try? MP4Box.boxes(in: list.bytes[...])
    else { return nil }
    hasVersion = !isQuickTime
    otherBoxes = parts.filter { !["hdlr", "keys", "ilst"].contains($0.type) }
    for value in values {
      // The type of a value is the index of its key, counted from 1.
      let index = Int(value.type.code) - 1
      guard names.indices.contains(index) else { continue }
      guard names[index].type == "mdta" else {
        otherItems.append(OtherItem(key: names[index], value: value.bytes))
        continue
      }
      items.append(Item(name: String(decoding: names[index].bytes, as: UTF8.self), value: value.bytes))
    }
  }

  /// Sets a text, and replaces all items of that name.
  public mutating func set(_ name: String, _ text: String) {
    items.removeAll { $0.name == name }
    var value: [UInt8] = []
    // 1 is UTF-8, 0 is no language.
    MP4Box("data", BigEndian.words(1, 0) + Array(text.utf8)).write(to: &value)
    items.append(Item(name: name, value: value))
  }

  /// Gives the first item of that name another text, at its place.
  mutating func replace(_ name: String, _ text: String) {
    guard let index = items.firstIndex(where: { $0.name == name }) else { return }
    var value: [UInt8] = []
    // 1 is UTF-8; the language stays.
    let old = try? MP4Box.boxes(in: items[index].value[...]).first { $0.type == "data" }
    let language = old.flatMap { try? $0.number(at: 4, 4) } ?? 0
    MP4Box("data", BigEndian.words(1, language) + Array(text.utf8)).write(to: &value)
    items[index].value = value
  }

  /// The key of the date, with the time and the offset from UTC: `2026-11-21T07:31:06+0100`.
  public static let creationDate = "com.apple.quicktime.creationdate"

  /// The key of the position at which a movie was recorded, in the form of ISO 6709.
  public static let position = "com.apple.quicktime.location.ISO6709"

  /// Whether a key is one of a place.
  static func isPosition(_ name: String) -> Bool {
    // The other one is `©xyz` of the user data, as UTF-8.
    name.lowercased().contains("location") || name == "\u{fffd}xyz"
  }

  /// The text of the first item of that name; `nil` when there is none.
  public func text(_ name: String) -> String? {
    guard let item = items.first(where: { $0.name == name }),
      let data = try? MP4Box.boxes(in: item.value[...]).first(where: { $0.type == "data" }), data.bytes.count > 8,
      // 1 is UTF-8.
      data.bytes.starts(with: BigEndian.words(1))
    else { return nil }
    return String(decoding: data.bytes.dropFirst(8), as: UTF8.self)
  }

  /// The `meta` box.
  public var box: MP4Box {
    var keys = BigEndian.words(0, UInt64(items.count + otherItems.count))
    var list: [UInt8] = []
    for (index, item) in items.enumerated() {
      MP4Box("mdta", Array(item.name.utf8)).write(to: &keys)
      MP4Box(MP4Type(code: UInt32(index + 1)), item.value).write(to: &list)
    }
    for (index, item) in otherItems.enumerated() {
      item.key.write(to: &keys)
      MP4Box(MP4Type(code: UInt32(items.count + index + 1)), item.value).write(to: &list)
    }
    var bytes = hasVersion ? BigEndian.words(0) : []
    let handler = BigEndian.words(0, 0) + Array("mdta".utf8) + BigEndian.zeros(13)
    let parts = [MP4Box("hdlr", handler), MP4Box("keys", keys), MP4Box("ilst", list)] + otherBoxes
    for part in parts { part.write(to: &bytes) }
    return MP4Box("meta", bytes)
  }
}
