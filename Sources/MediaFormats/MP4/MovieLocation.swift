// Removal of locations from a movie's description.

import Foundation

/// Keeps the boxes that play the movie and those that are known to hold no location.
///
/// Recorders write locations in many ways: `©xyz` (QuickTime), `loci` (3GPP TS 26.244), the key
/// `com.apple.quicktime.location.ISO6709`, XMP, boxes of makers, and tracks beside the picture (GoPro's `gpmd`, Android's
/// `camm`, subtitles of drones). So unknown boxes are removed.
///
/// Titles, names and descriptions go as well: a movie has its place in numbers, so nothing tells whether they name it.
enum MovieLocation {
  /// In `udta`: make, model, software, date, authors and rights, of QuickTime, iTunes and 3GPP.
  private static let harmless: Set<MP4Type> = [
    "©mak", "©mod", "©swr", "©too", "©day", "©cpy", "©ART", "©aut", "©gen", "auth", "cprt", "yrrc", "hdlr",
  ]
  private static let ofMovie: Set<MP4Type> = ["mvhd", "trak", "mvex", "iods", "udta", "meta"]
  private static let ofTrack: Set<MP4Type> = ["tkhd", "tref", "edts", "mdia", "tapt"]
  /// Parts of the names of keys that hold locations, or texts that may name one.
  private static let words = [
    "location", "gps", "geo", "latitude", "longitude", "direction", "place", "title", "displayname", "description",
    "comment", "information", "keyword", "album",
  ]

  static func remove(from movie: inout MP4Box) {
    movie.keep { box in
      guard box.type == "trak" else { return ofMovie.contains(box.type) }
      return switch box.handler {
      case "vide", "soun": true
      case "meta": isHarmless(metadataTrack: box)
      default: false
      }
    }
    movie.changeAll("trak") { $0.keep { ofTrack.contains($0.type) } }
    movie.changeAll("meta") { clean(&$0) }
    movie.changeAll("udta") { data in
      data.changeAll("meta") { clean(&$0) }
      data.keep { harmless.contains($0.type) || $0.type == "meta" }
      data.keep { !$0.bytes.isEmpty }
    }
    movie.keep { $0.type != "meta" || !$0.bytes.isEmpty }
    movie.keep { $0.type != "udta" || $0.children?.isEmpty == false }
  }

  private static func namesALocation(_ name: String) -> Bool {
    let name = name.lowercased()
    return words.contains { name.contains($0) }
  }

  /// Whether a track of timed metadata holds no location, which only those in Apple's form declare.
  private static func isHarmless(metadataTrack track: MP4Box) -> Bool {
    guard let entries = track.sampleTable?["stsd"]?.bytes, entries.count > 16 else { return false }
    let isKeyed = entries[12..<16].elementsEqual("mebx".utf8)
    return isKeyed && !namesALocation(String(decoding: entries, as: UTF8.self))
  }

  /// Removes all items of a `meta` box but the harmless ones; all, when its form is unknown.
  private static func clean(_ box: inout MP4Box) {
    if var list = QuickTimeMetadata(box) {
      list.items.removeAll { namesALocation($0.name) }
      box.bytes = list.items.isEmpty ? [] : list.box.bytes
      return
    }
    // iTunes' form: version, handler and a list.
    guard box.bytes.count > 4, let parts = try? MP4Box.boxes(in: box.bytes[4...]),
      let handler = parts.first(where: { $0.type == "hdlr" }),
      (try? handler.number(at: 8, 4)) == UInt64(("mdir" as MP4Type).code),
      let list = parts.first(where: { $0.type == "ilst" }), let items = try? MP4Box.boxes(in: list.bytes[...])
    else {
      box.bytes = []
      return
    }
    var kept: [UInt8] = []
    for item in items where harmless.contains(item.type) { item.write(to: &kept) }
    var bytes = Array(box.bytes[..<4])
    handler.write(to: &bytes)
    MP4Box("ilst", kept).write(to: &bytes)
    box.bytes = kept.isEmpty ? [] : bytes
  }
}
