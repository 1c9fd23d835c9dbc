// What a movie needs to be the moving half of an Apple Live Photo: a name that its still has too, and the still's time.

import Foundation

/// Writes the key `com.apple.quicktime.content.identifier` and the track `com.apple.quicktime.still-image-time`.
///
/// Source: Apple, “Capturing still and Live Photos” and QuickTime File Format, “Timed metadata media”; the bytes are those
/// that iPhones write.
enum AppleLivePhotoTrack {
  /// The one sample: its length, the number of its key, and -1 as a signed byte.
  static let sample: [UInt8] = MP4Bytes.words(9, 1) + [0xff]

  /// Adds both. The new track is the last, and the place of its sample is still to be set.
  static func add(to movie: inout MP4Box, _ pair: MovieCopy.ApplePair) throws(MP4Refusal) {
    guard var head = movie["mvhd"], let others = movie.children else { throw .damaged }
    var ids: [UInt64] = []
    for track in others where track.type == "trak" { ids.append(try MovieCopy.id(of: track)) }
    let nextPlace = head.isLong ? 108 : 96
    let id = max(try head.number(at: nextPlace, 4), (ids.max() ?? 0) + 1)
    let picture = others.first { MovieCopy.handler(of: $0) == "vide" }
    guard id < UInt64(UInt32.max), let picture else { throw .damaged }
    head.setNumber(id + 1, at: nextPlace, 4)
    let timescale = try head.number(at: head.isLong ? 20 : 12, 4)
    let duration = try head.number(at: head.isLong ? 24 : 16, head.isLong ? 8 : 4)
    guard timescale > 0, duration < UInt64(UInt32.max) else { throw .damaged }
    let wanted = pair.stillTime.map { ($0 * Double(timescale)).rounded() } ?? Double(duration / 2)
    // The track must not be longer than the movie.
    let time = UInt64(min(max(0, wanted.isFinite ? wanted : 0), Double(max(1, duration) - 1)))

    var metadata = movie["meta"].flatMap { QuickTimeMetadata($0) } ?? QuickTimeMetadata()
    metadata.hasVersion = false
    metadata.set("com.apple.quicktime.content.identifier", pair.contentIdentifier)
    metadata.set("com.apple.quicktime.creationdate", creationDate(pair.created))

    var tracks = others.filter { $0.type == "trak" }
    tracks.append(track(id: id, time: time, timescale: timescale, describes: try MovieCopy.id(of: picture)))
    let rest = others.filter { !["mvhd", "trak", "meta"].contains($0.type) }
    movie.children = [head] + tracks + [metadata.box] + rest
  }

  static func isStillTime(_ box: MP4Box) -> Bool {
    guard MovieCopy.handler(of: box) == "meta", let entries = box.child("mdia", "minf", "stbl", "stsd")?.bytes
    else { return false }
    return String(decoding: entries, as: UTF8.self).contains("com.apple.quicktime.still-image-time")
  }

  /// `2026-11-21T07:31:06+0100`, as iPhones write it.
  private static func creationDate(_ time: LocalTime) -> String {
    let date = time.exifDate.split(separator: " ")
    guard date.count == 2 else { return time.exifDate }
    return date[0].replacing(":", with: "-") + "T" + date[1] + time.exifOffset.replacing(":", with: "")
  }

  /// - Parameter time: In units of the movie.
  private static func track(id: UInt64, time: UInt64, timescale: UInt64, describes picture: UInt64) -> MP4Box {
    let identity: [UInt64] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000]
    var head = MP4Bytes.words(0xf, 0, 0, id, 0, time + 1, 0, 0, 0, 0)
    for number in identity { MP4Bytes.append(number, 4, to: &head) }
    head += MP4Bytes.words(0, 0)
    // Nothing until the still's time, and then the sample for one unit.
    let wait = time > 0 ? MP4Bytes.words(time, 0xffff_ffff, 0x1_0000) : []
    let edits = MP4Bytes.words(0, time > 0 ? 2 : 1) + wait + MP4Bytes.words(1, 0, 0x1_0000)

    // 0x55c4 is “und”, no language.
    let mediaHead = MP4Bytes.words(0, 0, 0, timescale, 1) + MP4Bytes.halves(0x55c4, 0)
    let general = MP4Bytes.words(0) + MP4Bytes.halves(0x40, 0x8000, 0x8000, 0x8000, 0, 0)
    var references = MP4Bytes.words(0, 1)
    MP4Box("url ", MP4Bytes.words(1)).write(to: &references)
    var placement: [UInt8] = []
    MP4Box("dref", references).write(to: &placement)
    var gmin: [UInt8] = []
    MP4Box("gmin", general).write(to: &gmin)

    // The key: its name, and its type, a signed byte (65).
    var key: [UInt8] = []
    MP4Box("keyd", Array("mdtacom.apple.quicktime.still-image-time".utf8)).write(to: &key)
    MP4Box("dtyp", MP4Bytes.words(0, 65)).write(to: &key)
    var keys: [UInt8] = []
    MP4Box(MP4Type(code: 1), key).write(to: &keys)
    var entry = MP4Bytes.zeros(6) + MP4Bytes.halves(1)
    MP4Box("keys", keys).write(to: &entry)
    var descriptions = MP4Bytes.words(0, 1)
    MP4Box("mebx", entry).write(to: &descriptions)

    let table = MP4Box(
      "stbl",
      children: [
        MP4Box("stsd", descriptions), MP4Box("stts", MP4Bytes.words(0, 1, 1, 1)),
        MP4Box("stsc", MP4Bytes.words(0, 1, 1, 1, 1)), MP4Box("stsz", MP4Bytes.words(0, UInt64(sample.count), 1)),
        MP4Box("stco", MP4Bytes.words(0, 1, 0)),
      ])
    let information = MP4Box(
      "minf",
      children: [
        MP4Box("gmhd", gmin), QuickTimeMovie.handler("dhlr", "url "), MP4Box("dinf", placement), table,
      ])
    return MP4Box(
      "trak",
      children: [
        MP4Box("tkhd", head), MP4Box("edts", children: [MP4Box("elst", edits)]),
        MP4Box("tref", children: [MP4Box("cdsc", MP4Bytes.words(picture))]),
        MP4Box(
          "mdia",
          children: [MP4Box("mdhd", mediaHead), QuickTimeMovie.handler("mhlr", "meta"), information]),
      ])
  }
}
