// MP4s with real sample tables and made-up samples, for tests of formats.

import Foundation
import MediaFormats

/// A movie of a picture and a sound track, interleaved; the bytes of each sample identify it.
public struct HandMadeMovie {
  /// Frames, 30 a second.
  public var frames = 12
  /// Samples of sound, two a frame; 0 for no sound track.
  public var sounds = 24
  /// Whether the description precedes the samples.
  public var isDescribedFirst = true
  /// Whether the offsets of chunks have 64 bits.
  public var isLong = false
  /// Further boxes in the description.
  public var more: [MP4Box] = []
  /// Further boxes in the user data.
  public var facts: [MP4Box] = []
  /// Further boxes at the top level, in front of the samples.
  public var top: [MP4Box] = []
  /// Whether it declares that fragments follow.
  public var isFragmented = false
  /// The data reference (`dinf`); `nil` for none.
  public var placement: [UInt8]?

  /// A movie with the given differences from an ordinary one.
  public init(
    frames: Int = 12, sounds: Int = 24, isDescribedFirst: Bool = true, isLong: Bool = false, more: [MP4Box] = [],
    facts: [MP4Box] = [], top: [MP4Box] = [], isFragmented: Bool = false, placement: [UInt8]? = nil
  ) {
    (self.frames, self.sounds, self.isDescribedFirst, self.isLong) = (frames, sounds, isDescribedFirst, isLong)
    (self.more, self.facts, self.top) = (more, facts, top)
    (self.isFragmented, self.placement) = (isFragmented, placement)
  }

  public static let timescale: UInt64 = 90_000

  /// Of frame `number`: of its own length.
  public static func frame(_ number: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 40 + number)
  }
  /// The same of sound.
  public static func sound(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(200 + number % 50), count: 7) }

  public static func words(_ numbers: UInt64...) -> [UInt8] { numbers.flatMap { bytes($0, 4) } }
  public static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  public var data: Data {
    let kind = MP4Box("ftyp", Array("mp42".utf8) + Self.words(0) + Array("mp42isom".utf8))
    // Two frames to a chunk, and then four samples of sound.
    var media: [UInt8] = []
    var (pictures, sounds): ([UInt64], [UInt64]) = ([], [])
    for chunk in 0..<(frames + 1) / 2 {
      pictures.append(UInt64(media.count))
      for frame in 2 * chunk..<min(frames, 2 * chunk + 2) { media += Self.frame(frame) }
      guard self.sounds > 0 else { continue }
      sounds.append(UInt64(media.count))
      for sound in 4 * chunk..<min(self.sounds, 4 * chunk + 4) { media += Self.sound(sound) }
    }
    func whole(_ start: UInt64) -> [UInt8] {
      var front: [UInt8] = []
      kind.write(to: &front)
      let movie = description(pictures.map { $0 + start }, sounds.map { $0 + start })
      if isDescribedFirst { movie.write(to: &front) }
      for box in top { box.write(to: &front) }
      MP4Box("mdat", media).write(to: &front)
      if !isDescribedFirst { movie.write(to: &front) }
      return front
    }
    // The offset of the samples depends on the length of the boxes before them, which doesn't depend on the numbers in them.
    let first = whole(0)
    let start =
      isDescribedFirst ? first.count - media.count : first.count - media.count - description(pictures, sounds).count
    return Data(whole(UInt64(start)))
  }

  private func description(_ pictures: [UInt64], _ sounds: [UInt64]) -> MP4Box {
    let duration = UInt64(frames) * 3000
    let matrix = Self.words(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000)
    let head = MP4Box(
      "mvhd",
      Self.words(0, 0, 0, Self.timescale, duration + 500, 0x10000, 0x0100_0000, 0, 0) + matrix
        + [UInt8](repeating: 0, count: 24) + Self.words(3))
    var tracks = [
      track(
        1, "vide", duration, entry: MP4Box("avc1", [UInt8](repeating: 0, count: 78)),
        sizes: (0..<frames).map { Self.frame($0).count },
        perChunk: 2, offsets: pictures, delta: 3000, references: self.sounds > 0 ? [2] : [])
    ]
    if self.sounds > 0 {
      var entry = Self.bytes(0, 6) + Self.bytes(1, 2) + Self.words(0, 0) + Self.bytes(1, 2) + Self.bytes(16, 2)
      entry += Self.words(0) + Self.words(48_000 << 16)
      MP4Box("esds", [0, 0, 0, 0, 3, 1, 0]).write(to: &entry)
      tracks.append(
        track(
          2, "soun", duration + 500, entry: MP4Box("mp4a", entry),
          sizes: (0..<self.sounds).map { Self.sound($0).count },
          perChunk: 4, offsets: sounds, delta: 1500, references: []))
    }
    var children = [head] + tracks + more
    if isFragmented { children.append(MP4Box("mvex", children: [MP4Box("trex", Self.words(0, 1, 1, 0, 0, 0))])) }
    if !facts.isEmpty { children.append(MP4Box("udta", children: facts)) }
    return MP4Box("moov", children: children)
  }

  private func track(
    _ id: UInt64, _ kind: MP4Type, _ duration: UInt64, entry: MP4Box, sizes: [Int], perChunk: UInt64, offsets: [UInt64],
    delta: UInt64, references: [UInt64]
  ) -> MP4Box {
    let matrix = Self.words(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000)
    let head = MP4Box(
      "tkhd", Self.words(3, 0, 0, id, 0, duration, 0, 0, 0, 0) + matrix + Self.words(320 << 16, 180 << 16))
    var entries = Self.words(0, 1)
    entry.write(to: &entries)
    var table = [
      MP4Box("stsd", entries), MP4Box("stts", Self.words(0, 1, UInt64(sizes.count), delta)),
      MP4Box("stsc", Self.words(0, 1, 1, perChunk, 1)),
      MP4Box("stsz", Self.words(0, 0, UInt64(sizes.count)) + sizes.flatMap { Self.words(UInt64($0)) }),
    ]
    table.append(
      isLong
        ? MP4Box("co64", Self.words(0, UInt64(offsets.count)) + offsets.flatMap { Self.bytes($0, 8) })
        : MP4Box("stco", Self.words(0, UInt64(offsets.count)) + offsets.flatMap { Self.words($0) }))
    var parts = [head]
    if !references.isEmpty {
      parts.append(MP4Box("tref", children: [MP4Box("sync", references.flatMap { Self.words($0) })]))
    }
    let name = Array("A long name".utf8) + [0]
    parts.append(
      MP4Box(
        "mdia",
        children: [
          MP4Box("mdhd", Self.words(0, 0, 0, Self.timescale, duration, 0x55c4_0000)),
          MP4Box("hdlr", Self.words(0, 0, UInt64(kind.code), 0, 0, 0) + name),
          MP4Box(
            "minf",
            children: [MP4Box("vmhd", Self.words(1, 0, 0))] + (placement.map { [MP4Box("dinf", $0)] } ?? [])
              + [MP4Box("stbl", children: table)]),
        ]))
    return MP4Box("trak", children: parts)
  }

  /// A movie with its location in all the ways in which recorders write it.
  public static func placed() -> HandMadeMovie {
    var keys = QuickTimeMetadata()
    keys.set("com.apple.quicktime.location.ISO6709", "+48.8583+002.2945/")
    keys.set("com.apple.quicktime.model", "A camera")
    var list: [UInt8] = []
    MP4Box("©too", Array("\0\0\0\u{18}data\0\0\0\u{1}\0\0\0\0a program".utf8)).write(to: &list)
    MP4Box("©xyz", Array("+48.8583+002.2945/".utf8)).write(to: &list)
    var tunes: [UInt8] = [0, 0, 0, 0]
    MP4Box("hdlr", words(0, 0, UInt64(("mdir" as MP4Type).code), 0, 0, 0) + [0]).write(to: &tunes)
    MP4Box("ilst", list).write(to: &tunes)
    let place = Array("+48.8583+002.2945/".utf8)
    return HandMadeMovie(
      more: [keys.box, MP4Box("gps ", place), MP4Box("uuid", place)],
      facts: [
        MP4Box("©xyz", [0, 18, 0x15, 0xc7] + place), MP4Box("loci", [0, 0, 0, 0] + place), MP4Box("meta", tunes),
        MP4Box("XMP_", place), MP4Box("©mod", Array("A camera".utf8)),
      ],
      top: [MP4Box("uuid", place), MP4Box("free", place)])
  }

  /// A movie that says of its samples that they are in the same file, which some programs want to read.
  public static func selfContained() -> HandMadeMovie {
    var list = words(0, 1)
    MP4Box("url ", words(1)).write(to: &list)
    var placement: [UInt8] = []
    MP4Box("dref", list).write(to: &placement)
    return HandMadeMovie(placement: placement)
  }

  // MARK: Reading back

  /// The samples of a track of a movie, by the track's number, counted from 0.
  public static func samples(of track: Int, in data: Data) throws -> [[UInt8]] {
    let bytes = [UInt8](data)
    let movie = try description(in: data)
    let tracks = (movie.children ?? []).filter { $0.type == "trak" }
    let box = tracks[track]
    let ranges = try MP4SampleTable(of: box, end: UInt64(bytes.count)).chunks.map(\.range)
    guard let table = box.child("mdia", "minf", "stbl"), let sizes = table["stsz"], let runs = table["stsc"] else {
      return []
    }
    let perChunk = Int(try runs.number(at: 12, 4))
    let fixed = Int(try sizes.number(at: 4, 4))
    var samples: [[UInt8]] = []
    for range in ranges {
      var at = Int(range.lowerBound)
      for _ in 0..<perChunk where at < Int(range.upperBound) {
        let count = fixed > 0 ? fixed : Int(try sizes.number(at: 12 + 4 * samples.count, 4))
        samples.append(Array(bytes[at..<at + count]))
        at += count
      }
    }
    return samples
  }

  public static func description(in data: Data) throws -> MP4Box {
    let boxes = try MP4Box.boxes(in: [UInt8](data)[...])
    return boxes.first { $0.type == "moov" } ?? MP4Box("moov", children: [])
  }
}
