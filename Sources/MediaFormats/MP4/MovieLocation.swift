// Removal of locations from a movie's description.

import Foundation

/// Keeps the boxes that play the movie and those that are known to hold no location.
///
/// Recorders write locations in many ways: `©xyz` (QuickTime), `loci` (3GPP TS 26.244), the key
/// `com.apple.quicktime.location.ISO6709`, XMP, boxes of makers, and tracks beside the picture (GoPro's `gpmd`, Android's
/// `camm`, subtitles of drones). So unknown boxes and keys are removed.
///
/// Titles, genres and descriptions go as well: most movies have their place in numbers, so nothing tells whether they name
/// it. Credits stay, unless one of the known names of the place is in them. The names of handlers, which players don't
/// show, are emptied.
enum MovieLocation {
  /// In `udta`: make, model, software, date, authors and rights, of QuickTime, iTunes and 3GPP.
  static let harmless: Set<MP4Type> = [
    "©mak", "©mod", "©swr", "©too", "©day", "©cpy", "©ART", "©aut", "auth", "cprt", "yrrc", "hdlr",
  ]
  /// What a person may have written of it, in `udta` and in iTunes' list: names, titles, descriptions, comments, lyrics.
  static let texts: Set<MP4Type> = [
    "©nam", "©cmt", "©des", "©inf", "©lyr", "©alb", "©grp", "©dir", "©prd", "©prf", "©src", "©wrt", "name", "titl",
    "dscp", "desc", "ldes", "perf", "albm", "©gen", "gnre",
  ]
  static let ofMovie: Set<MP4Type> = ["mvhd", "trak", "mvex", "iods", "udta", "meta"]
  static let ofTrack: Set<MP4Type> = ["tkhd", "tref", "edts", "mdia", "tapt"]
  static let ofMedia: Set<MP4Type> = ["mdhd", "hdlr", "elng", "minf"]
  static let ofInformation: Set<MP4Type> = [
    "vmhd", "smhd", "gmhd", "hmhd", "nmhd", "sthd", "hdlr", "dinf", "stbl",
  ]
  /// Tables of samples, QuickTime's included.
  static let ofSamples: Set<MP4Type> = [
    "stsd", "stts", "ctts", "cslg", "stsc", "stsz", "stz2", "stco", "co64", "stss", "stps", "stsh", "padb", "stdp",
    "sdtp", "sbgp", "sgpd", "subs", "saiz", "saio",
  ]
  static let ofExtension: Set<MP4Type> = ["mehd", "trex", "leva"]
  /// Boxes behind the fields of a sample's description that no decoder needs.
  private static let besideCodecs: Set<MP4Type> = ["uuid", "udta", "meta", "name", "free", "skip", "wide", "XMP_"]
  /// The same that decoders need, whatever their bytes look like: settings of codecs, shapes, colors, channels and keys.
  /// Others go when they tell the place.
  private static let ofCodecs: Set<MP4Type> = [
    "avcC", "hvcC", "lhvC", "vvcC", "evcC", "av1C", "vpcC", "mvcC", "svcC", "avcE", "hvcE", "vvcN", "dvcC", "dvvC",
    "dvwC", "d263", "glbl", "jp2h", "esds", "dOps", "dfLa", "dac3", "dec3", "dac4", "dmlp", "ddts", "mhaC", "alac",
    "damr", "pcmC", "chnl", "chan", "srat", "enda", "frma", "SA3D", "colr", "pasp", "clap", "btrt", "fiel", "gama",
    "clli", "mdcv", "CoLL", "SmDm", "cclv", "amve", "st3d", "sv3d", "vexu", "hfov", "sinf",
  ]
  /// The boxes that may be in those of a fragment (ISO/IEC 14496-12, 8.8), by the box around them.
  static let ofFragments: [MP4Type: Set<MP4Type>] = [
    "moof": ["mfhd", "traf"], "mfra": ["tfra", "mfro"],
    "traf": ["tfhd", "tfdt", "trun", "sdtp", "sbgp", "sgpd", "subs", "saiz", "saio", "senc"],
  ]
  /// Parts of the names of keys that hold locations.
  static let ofLocations = ["location", "gps", "geo", "latitude", "longitude", "direction", "place"]
  /// Parts of the names of keys that hold texts, which may name one.
  static let ofTexts = [
    "title", "displayname", "description", "comment", "information", "keyword", "album", "genre", "collection",
  ]
  /// Parts of the names of keys with facts about the recording, and credits.
  private static let ofFacts = [
    "make", "manufacturer", "model", "software", "version", "creationdate", "content.identifier", "live-photo",
    "still-image-time", "camera", "capture", "fps", "frame", "playback", "year", "author", "artist", "copyright",
    "producer", "publisher", "director", "performer", "encoder", "signature",
  ]
  /// The offset of the name in a handler's box (ISO/IEC 14496-12, 8.4.3).
  private static let handlerName = 24

  /// - Parameter places: The names of the place that are known from elsewhere.
  /// - Returns: Whether a text was removed that someone may have written.
  @discardableResult
  static func remove(from movie: inout MP4Box, _ places: PlaceNames = PlaceNames()) -> Bool {
    var places = places
    places.formUnion(names(in: movie))
    var hadTexts = false
    movie.keep { box in
      guard box.type == "trak" else {
        return ofMovie.contains(box.type) && (box.type != "iods" || !places.isTold(inBytes: box.bytes))
      }
      return switch box.handler {
      case "vide", "soun": true
      case "meta":
        isHarmless(metadataTrack: box) && !places.isTold(inBytes: box.sampleTable?["stsd"]?.bytes ?? [])
      default: false
      }
    }
    movie.changeAll("trak") { track in
      hadTexts = hadTexts || track["udta"]?.children?.contains { texts.contains($0.type) } == true
      let kind = track.handler
      track.keep { ofTrack.contains($0.type) && ($0.type != "tapt" || !places.isTold(inBytes: $0.bytes)) }
      track.changeAll("edts") { edits in edits.keep { $0.type == "elst" } }
      track.changeAll("mdia") { media in
        media.keep { ofMedia.contains($0.type) && ($0.type != "elng" || !isTold($0.bytes, places)) }
        media.changeAll("hdlr") { emptyName(of: &$0) }
        media.changeAll("minf") { information in
          information.keep {
            ofInformation.contains($0.type) && ($0.type != "gmhd" || !places.isTold(inBytes: $0.bytes))
          }
          information.changeAll("hdlr") { emptyName(of: &$0) }
          information.changeAll("dinf") { emptyAddresses(in: &$0) }
          information.changeAll("stbl") { table in
            table.keep { ofSamples.contains($0.type) && ($0.type != "sgpd" || !places.isTold(inBytes: $0.bytes)) }
            table.changeAll("stsd") { cleanDescriptions(&$0, kind, places) }
          }
        }
      }
    }
    movie.changeAll("mvex") { more in more.keep { ofExtension.contains($0.type) } }
    movie.changeAll("meta") { hadTexts = clean(&$0, places) || hadTexts }
    movie.changeAll("udta") { data in
      data.changeAll("meta") { hadTexts = clean(&$0, places) || hadTexts }
      data.keep { box in
        if box.type == "meta" { return true }
        let isKept = harmless.contains(box.type) && !isTold(box.bytes, places)
        if !isKept, harmless.contains(box.type) || texts.contains(box.type) { hadTexts = true }
        return isKept
      }
      data.keep { !$0.bytes.isEmpty }
    }
    movie.keep { $0.type != "meta" || !$0.bytes.isEmpty }
    movie.keep { $0.type != "udta" || $0.children?.isEmpty == false }
    return hadTexts
  }

  /// Sets the name to zeros, which is none in both its forms, with its length or with a zero at its end.
  private static func emptyName(of handler: inout MP4Box) {
    guard handler.bytes.count > handlerName else { return }
    let count = handler.bytes.count - handlerName
    handler.bytes.replaceSubrange(handlerName..., with: BigEndian.zeros(count))
  }

  /// Empties the addresses of the files that samples are in, which is this one, without a change of their lengths.
  ///
  /// Source: ISO/IEC 14496-12, 8.7.2; QuickTime File Format, “Data Reference Atoms”.
  private static func emptyAddresses(in information: inout MP4Box) {
    var bytes: [UInt8] = []
    for var list in (try? MP4Box.boxes(in: information.bytes[...])) ?? [] where list.type == "dref" {
      guard let count = try? list.number(at: 4, 4), let boxes = try? MP4Box.boxes(in: list.bytes[8...]) else {
        continue
      }
      list.bytes.removeSubrange(8...)
      for var entry in boxes.filter({ ["url ", "urn ", "alis"].contains($0.type) }).prefix(Int(count)) {
        // Behind the version and the flags.
        if entry.bytes.count > 4 { entry.bytes.replaceSubrange(4..., with: BigEndian.zeros(entry.bytes.count - 4)) }
        entry.write(to: &list.bytes)
      }
      list.write(to: &bytes)
    }
    information.bytes = bytes
  }

  /// Empties the names of the programs that encoded the picture, and removes what no decoder needs.
  ///
  /// Source: ISO/IEC 14496-12, 12.1.3 and 12.2.3; QuickTime File Format, “Sound Sample Description”; Encapsulation of FLAC
  /// in ISO Base Media File Format, 3.3.2.
  private static func cleanDescriptions(_ description: inout MP4Box, _ kind: MP4Type?, _ places: PlaceNames) {
    guard let count = try? description.number(at: 4, 4) else { return }
    // Of another version, sound has the fields of version 0 (12.2.3.1).
    let isQuickTime = !description.isLong
    let (entries, rest) = MP4Box.readable(in: description.bytes[8...])
    description.bytes.removeSubrange(8...)
    for var entry in entries.prefix(Int(count)) {
      var fields: Int?
      if kind == "vide" {
        // A length and 31 characters.
        if entry.bytes.count >= 74 { entry.bytes.replaceSubrange(42..<74, with: BigEndian.zeros(32)) }
        fields = 78
      } else if kind == "soun" {
        // The version of QuickTime's description, which is 0 elsewhere.
        fields = isQuickTime ? [0: 28, 1: 44, 2: 64][(try? entry.number(at: 8, 2)) ?? 0] : 28
      }
      if let fields { entry.bytes = Array(entry.bytes.prefix(fields)) + cleaned(entry.bytes.dropFirst(fields), places) }
      entry.write(to: &description.bytes)
    }
    if entries.count < count, !places.isTold(inBytes: Array(rest)) { description.bytes += rest }
  }

  /// The boxes in a sample's description that decoders need, or that don't tell the place; and what is behind them.
  private static func cleaned(_ bytes: ArraySlice<UInt8>, _ places: PlaceNames, isInner: Bool = false) -> [UInt8] {
    let (boxes, rest) = MP4Box.readable(in: bytes)
    var kept: [UInt8] = []
    for var box in boxes where !besideCodecs.contains(box.type) {
      if box.type == "wave", !isInner {
        // QuickTime's, around the boxes of a codec for sound.
        box.bytes = cleaned(box.bytes[...], places, isInner: true)
      } else if box.type == "colr", ["prof", "rICC"].contains(where: { box.bytes.starts(with: $0.utf8) }) {
        guard let profile = places.cleaned(colorProfile: Array(box.bytes.dropFirst(4))) else { continue }
        box.bytes.replaceSubrange(4..., with: profile)
      } else if box.type == "dfLa", box.bytes.count > 42, places.isTold(inBytes: box.bytes) {
        // Version, flags and the first block, which is the only one that decoders need; comments follow.
        box.bytes = Array(box.bytes[..<42])
        box.bytes[4] |= 0x80
      } else if !ofCodecs.contains(box.type), places.isTold(inBytes: box.bytes) {
        continue
      }
      box.write(to: &kept)
    }
    return places.isTold(inBytes: Array(rest)) ? kept : kept + rest
  }

  // MARK: Names

  /// The names in the fields that are made for them: 3GPP's box of a location, and QuickTime's keys; and coordinates.
  static func names(in movie: MP4Box) -> PlaceNames {
    var names = PlaceNames()
    let data = ([movie] + movie.tracks).flatMap { box in box.children?.filter { $0.type == "udta" } ?? [] }
    for box in data.flatMap({ $0.children ?? [] }) {
      switch box.type {
      // Version, flags and language, and the name; behind it are the role, the position and other texts.
      case "loci": names.insert(text(box.bytes.dropFirst(6)))
      // Length and language, and the position.
      case "©xyz": names.insert(position: String(decoding: box.bytes.dropFirst(4), as: UTF8.self))
      default: continue
      }
    }
    for box in ([movie] + data).flatMap({ $0.children ?? [] }) where box.type == "meta" {
      for item in QuickTimeMetadata(box)?.items ?? [] where isPart(of: item.name, ofLocations) {
        for value in values(item.value) {
          let isPosition = CoordinateText.isFound(in: value) || CoordinateText.exactNumbers(in: value).count > 1
          if isPosition { names.insert(position: value) } else { names.insert(value) }
        }
      }
    }
    return names
  }

  /// The texts of `data` boxes, behind a type and a language.
  private static func values(_ bytes: [UInt8]) -> [String] {
    let boxes = (try? MP4Box.boxes(in: bytes[...])) ?? []
    return boxes.filter { $0.type == "data" }.map { text($0.bytes.dropFirst(8)) }
  }

  /// In UTF-16 with a mark of byte order, or UTF-8, up to a zero.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    if bytes.starts(with: [0xfe, 0xff]) || bytes.starts(with: [0xff, 0xfe]) {
      let text = String(bytes: bytes.prefix(bytes.count / 2 * 2), encoding: .utf16) ?? ""
      return String(text.prefix { $0 != "\0" })
    }
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Whether a box of a text tells the place, whatever stands before the text.
  private static func isTold(_ bytes: [UInt8], _ places: PlaceNames) -> Bool {
    places.isTold(in: String(decoding: bytes, as: UTF8.self)) || places.isTold(inBytes: bytes)
  }

  static func isPart(of name: String, _ words: [String]) -> Bool {
    let name = name.lowercased()
    return words.contains { name.contains($0) }
  }

  // MARK: Metadata

  /// Whether a track of timed metadata holds no location, which only those in Apple's form declare.
  ///
  /// - Parameter words: Parts of the names of keys that must not occur.
  static func isHarmless(metadataTrack track: MP4Box, without words: [String] = ofLocations + ofTexts) -> Bool {
    guard let entries = track.sampleTable?["stsd"]?.bytes, entries.count > 16 else { return false }
    let isKeyed = entries[12..<16].elementsEqual("mebx".utf8)
    return isKeyed && !isPart(of: String(decoding: entries, as: UTF8.self), words)
  }

  /// Removes all items of a `meta` box but the harmless ones; all, when its form is unknown.
  ///
  /// - Returns: Whether one was a text that someone may have written.
  private static func clean(_ box: inout MP4Box, _ places: PlaceNames) -> Bool {
    if var list = QuickTimeMetadata(box) {
      let isKept = { (item: QuickTimeMetadata.Item) in
        isPart(of: item.name, ofFacts) && !isPart(of: item.name, ofLocations + ofTexts) && !isTold(item.value, places)
      }
      let hadTexts = list.items.contains { item in
        !isKept(item) && !isPart(of: item.name, ofLocations) && isPart(of: item.name, ofTexts + ofFacts)
      }
      list.items.removeAll { !isKept($0) }
      // Nobody knows what they tell.
      (list.otherItems, list.otherBoxes) = ([], [])
      box.bytes = list.items.isEmpty ? [] : list.box.bytes
      return hadTexts
    }
    // iTunes' form: version, handler and a list.
    guard box.bytes.count > 4, let parts = try? MP4Box.boxes(in: box.bytes[4...]),
      var handler = parts.first(where: { $0.type == "hdlr" }),
      (try? handler.number(at: 8, 4)) == UInt64(("mdir" as MP4Type).code),
      let list = parts.first(where: { $0.type == "ilst" }), let items = try? MP4Box.boxes(in: list.bytes[...])
    else {
      box.bytes = []
      return false
    }
    emptyName(of: &handler)
    var kept: [UInt8] = []
    var hadTexts = false
    for item in items {
      if harmless.contains(item.type), !isTold(item.bytes, places) {
        item.write(to: &kept)
      } else if harmless.contains(item.type) || texts.contains(item.type) {
        hadTexts = true
      }
    }
    var bytes = Array(box.bytes[..<4])
    handler.write(to: &bytes)
    MP4Box("ilst", kept).write(to: &bytes)
    box.bytes = kept.isEmpty ? [] : bytes
    return hadTexts
  }
}
