// The metadata of the movie of an Apple Live Photo: the identifier of the pair, and the still's time.

import Foundation

/// Writes the key `com.apple.quicktime.content.identifier` and the track `com.apple.quicktime.still-image-time`.
///
/// Source: Apple, “Capturing still and Live Photos” and QuickTime File Format, “Timed metadata media”; the bytes are as
/// iPhones write them.
public enum AppleLivePhotoTrack {
  /// The metadata that make a movie half of an Apple Live Photo.
  public struct Pair: Sendable, Hashable {
    /// The same as in the still: a UUID in capital letters.
    public var contentIdentifier: String
    /// When the still's frame is shown, in seconds from the movie's start; `nil` for its middle.
    public var stillTime: Double?
    /// When it was taken, as iPhones write it: `2026-11-21T07:31:06+0100`.
    public var creationDate: String
    /// Where it was taken, in the form of ISO 6709, `+46.948000+007.447400/`; `nil` when that isn't known. A place that
    /// the movie has already goes before it.
    public var location: String?

    public init(contentIdentifier: String, stillTime: Double?, creationDate: String, location: String? = nil) {
      (self.contentIdentifier, self.stillTime) = (contentIdentifier, stillTime)
      (self.creationDate, self.location) = (creationDate, location)
    }
  }

  /// The only sample: its length, the index of its key, and -1 as a signed byte.
  public static let sample: [UInt8] = BigEndian.words(9, 1) + [0xff]

  /// Adds both to a `moov` box. The new track is the last one; the offset of its sample is still to be set.
  ///
  /// - Throws: `FormatError.refused` when the movie has no picture, or headers are damaged.
  static func add(to movie: inout MP4Box, _ pair: Pair) throws(FormatError) {
    guard var head = movie["mvhd"], let others = movie.children else { throw .damagedMovie }
    var ids: [UInt64] = []
    for track in others where track.type == "trak" { ids.append(try track.trackID()) }
    let nextID = head.isLong ? 108 : 96
    let id = max(try head.number(at: nextID, 4), (ids.max() ?? 0) + 1)
    let picture = others.first { $0.handler == "vide" }
    guard id < UInt64(UInt32.max), let picture else { throw .damagedMovie }
    head.setNumber(id + 1, at: nextID, 4)
    let timescale = try head.number(at: head.isLong ? 20 : 12, 4)
    let duration = try head.number(at: head.isLong ? 24 : 16, head.isLong ? 8 : 4)
    guard timescale > 0, duration < UInt64(UInt32.max) else { throw .damagedMovie }
    let wanted = pair.stillTime.map { ($0 * Double(timescale)).rounded() } ?? Double(duration / 2)
    // The track must not be longer than the movie.
    let time = UInt64(min(max(0, wanted.isFinite ? wanted : 0), Double(max(1, duration) - 1)))

    removeIdentifiers(besides: &movie)
    var metadata = movie["meta"].flatMap { QuickTimeMetadata($0) } ?? QuickTimeMetadata()
    metadata.hasVersion = false
    metadata.set(contentIdentifier, pair.contentIdentifier)
    metadata.set("com.apple.quicktime.creationdate", pair.creationDate)
    let place = "com.apple.quicktime.location.ISO6709"
    if let location = pair.location, !metadata.items.contains(where: { $0.name == place }) {
      metadata.set(place, location)
    }

    var tracks = others.filter { $0.type == "trak" }
    tracks.append(track(id: id, time: time, timescale: timescale, describes: try picture.trackID()))
    let rest = (movie.children ?? []).filter { !["mvhd", "trak", "meta"].contains($0.type) }
    movie.children = [head] + tracks + [metadata.box] + rest
  }

  /// Removes the identifiers of the pair that the movie was a half of from where other programs have put them: FFmpeg writes
  /// keys into the user data.
  private static func removeIdentifiers(besides movie: inout MP4Box) {
    guard var user = movie["udta"], let children = user.children else { return }
    user.children = children.map { box in
      guard box.type == "meta", var metadata = QuickTimeMetadata(box),
        metadata.items.contains(where: { $0.name == contentIdentifier })
      else { return box }
      metadata.items.removeAll { $0.name == contentIdentifier }
      return metadata.box
    }
    movie.children = movie.children?.map { $0.type == "udta" ? user : $0 }
  }

  private static let contentIdentifier = "com.apple.quicktime.content.identifier"

  /// Whether a box is a track of a still's time.
  public static func isStillTime(_ box: MP4Box) -> Bool {
    guard box.handler == "meta", let entries = box.sampleTable?["stsd"]?.bytes
    else { return false }
    return String(decoding: entries, as: UTF8.self).contains("com.apple.quicktime.still-image-time")
  }

  /// - Parameters:
  ///   - time: The still's, in units of the movie.
  ///   - picture: The id of the video track.
  private static func track(id: UInt64, time: UInt64, timescale: UInt64, describes picture: UInt64) -> MP4Box {
    let identity: [UInt64] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000]
    var head = BigEndian.words(0xf, 0, 0, id, 0, time + 1, 0, 0, 0, 0)
    for number in identity { BigEndian.append(number, 4, to: &head) }
    head += BigEndian.words(0, 0)
    // An empty edit up to the still's time, and then the sample for one unit.
    let wait = time > 0 ? BigEndian.words(time, 0xffff_ffff, 0x1_0000) : []
    let edits = BigEndian.words(0, time > 0 ? 2 : 1) + wait + BigEndian.words(1, 0, 0x1_0000)

    // 0x55c4 is “und”, no language.
    let mediaHead = BigEndian.words(0, 0, 0, timescale, 1) + BigEndian.halves(0x55c4, 0)
    let general = BigEndian.words(0) + BigEndian.halves(0x40, 0x8000, 0x8000, 0x8000, 0, 0)
    var references = BigEndian.words(0, 1)
    MP4Box("url ", BigEndian.words(1)).write(to: &references)
    var placement: [UInt8] = []
    MP4Box("dref", references).write(to: &placement)
    var gmin: [UInt8] = []
    MP4Box("gmin", general).write(to: &gmin)

    // The key: its name, and its data type, a signed byte (65).
    var key: [UInt8] = []
    MP4Box("keyd", Array("mdtacom.apple.quicktime.still-image-time".utf8)).write(to: &key)
    MP4Box("dtyp", BigEndian.words(0, 65)).write(to: &key)
    var keys: [UInt8] = []
    MP4Box(MP4Type(code: 1), key).write(to: &keys)
    var entry = BigEndian.zeros(6) + BigEndian.halves(1)
    MP4Box("keys", keys).write(to: &entry)
    var descriptions = BigEndian.words(0, 1)
    MP4Box("mebx", entry).write(to: &descriptions)

    let table = MP4Box(
      "stbl",
      children: [
        MP4Box("stsd", descriptions), MP4Box("stts", BigEndian.words(0, 1, 1, 1)),
        MP4Box("stsc", BigEndian.words(0, 1, 1, 1, 1)), MP4Box("stsz", BigEndian.words(0, UInt64(sample.count), 1)),
        MP4Box("stco", BigEndian.words(0, 1, 0)),
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
        MP4Box("tref", children: [MP4Box("cdsc", BigEndian.words(picture))]),
        MP4Box(
          "mdia",
          children: [MP4Box("mdhd", mediaHead), QuickTimeMovie.handler("mhlr", "meta"), information]),
      ])
  }
}
