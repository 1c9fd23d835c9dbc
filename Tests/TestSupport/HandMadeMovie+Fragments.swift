// Hand-made MP4s in fragments, with the same samples as ordinary ones.

import MediaFormats

extension HandMadeMovie {
  /// The two ways in which programs write fragments.
  public enum FragmentForm: Sendable, CaseIterable {
    /// As our recorder: the beginning and its index, and then fragments whose media precedes their description.
    case recorded
    /// As streams: an index without samples, and then fragments whose description precedes their media.
    case streamed
  }

  /// The movie of `HandMadeMovie(frames: frames, sounds: 2 * frames)`, two frames in a fragment.
  public static func inFragments(_ form: FragmentForm, frames: Int = 12) -> [UInt8] {
    var file: [UInt8]
    let first: Int
    switch form {
    case .recorded:
      first = min(4, frames)
      file = [UInt8](
        HandMadeMovie(
          frames: first, sounds: 2 * first, isDescribedFirst: false, top: [MP4Box("free", [])], isFragmented: true
        ).data)
    case .streamed:
      first = 0
      var empty = HandMadeMovie(frames: 0, isFragmented: true)
      // A track needs one to be there.
      empty.sounds = 1
      file = [UInt8](empty.data)
      file = withoutSamples(file)
    }
    for number in stride(from: first, to: frames, by: 2) {
      file += fragment(form, number..<min(number + 2, frames), at: UInt64(file.count))
    }
    return file
  }

  /// One fragment.
  ///
  /// - Parameter start: Its offset in the file.
  public static func fragment(_ form: FragmentForm, _ frames: Range<Int>, at start: UInt64) -> [UInt8] {
    let sounds = 2 * frames.lowerBound..<2 * frames.upperBound
    var media: [UInt8] = []
    for number in frames { media += frame(number) }
    for number in sounds { media += sound(number) }
    var bytes: [UInt8] = []
    switch form {
    case .recorded:
      MP4Box("free", []).write(to: &bytes)
      MP4Box("mdat", media).write(to: &bytes)
      moof(form, frames, sounds, base: start + 16, offset: 0).write(to: &bytes)
    case .streamed:
      let length = moof(form, frames, sounds, base: 0, offset: 0).count
      moof(form, frames, sounds, base: 0, offset: UInt64(length + 8)).write(to: &bytes)
      MP4Box("mdat", media).write(to: &bytes)
    }
    return bytes
  }

  /// - Parameters:
  ///   - base: Of the media, for recordings.
  ///   - offset: Of the media from the fragment's beginning, for streams.
  private static func moof(
    _ form: FragmentForm, _ frames: Range<Int>, _ sounds: Range<Int>, base: UInt64, offset: UInt64
  ) -> MP4Box {
    func box(_ type: MP4Type, _ children: [MP4Box]) -> MP4Box {
      var content: [UInt8] = []
      for child in children { child.write(to: &content) }
      return MP4Box(type, content)
    }
    let soundTime = MP4Box("tfdt", words(0, UInt64(sounds.lowerBound) * 1500))
    let pictureTime = MP4Box("tfdt", words(0x0100_0000) + bytes(UInt64(frames.lowerBound) * 3000, 8))
    var tracks: [MP4Box]
    switch form {
    case .recorded:
      // A run for each frame; sound with durations and sizes of its own.
      var place: UInt64 = 0
      var runs: [MP4Box] = []
      for number in frames {
        runs.append(MP4Box("trun", words(0x201, 1, place, UInt64(frame(number).count))))
        place += UInt64(frame(number).count)
      }
      let head = words(0x29, 1) + bytes(base, 8) + words(3000, 0x1_0000)
      tracks = [box("traf", [MP4Box("tfhd", head), pictureTime] + runs)]
      // As GStreamer 1.22 writes it: the last one alone, without a duration, and without a size if that is the first's.
      let rows = sounds.dropLast().flatMap { words(1500, UInt64(sound($0).count)) }
      let last = place + UInt64(sounds.dropLast().reduce(0) { $0 + sound($1).count })
      tracks.append(
        box(
          "traf",
          [
            MP4Box("tfhd", words(0x1, 2) + bytes(base, 8)), soundTime,
            MP4Box("trun", words(0x301, UInt64(sounds.count - 1), place) + rows),
            MP4Box("trun", words(0x1, 1, last)),
          ]))
    case .streamed:
      // The first frame can be decoded alone; frames are shown a frame after they are decoded. Sound is all alike.
      let rows = frames.flatMap { words(UInt64(frame($0).count), 3000) }
      tracks = [
        box(
          "traf",
          [
            MP4Box("tfhd", words(0x2_0028, 1, 3000, 0x1_0000)), pictureTime,
            MP4Box("trun", words(0xa05, UInt64(frames.count), offset, 0) + rows),
          ])
      ]
      tracks.append(
        box(
          "traf",
          [
            MP4Box("tfhd", words(0x18, 2, 1500, 7)), soundTime, MP4Box("trun", words(0, UInt64(sounds.count))),
          ]))
    }
    return box("moof", [MP4Box("mfhd", words(0, 1))] + tracks)
  }

  /// Empties the tables of a movie without fragments, and removes its media.
  private static func withoutSamples(_ file: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    for var box in (try? MP4Box.boxes(in: file[...])) ?? [] where box.type != "mdat" {
      box.changeAll("trak") { track in
        track.changeAll("mdia") { media in
          media.changeAll("minf") { information in
            information.changeAll("stbl") { table in
              let descriptions = table.children?.filter { $0.type == "stsd" } ?? []
              table.children =
                descriptions + [
                  MP4Box("stts", words(0, 0)), MP4Box("stsc", words(0, 0)), MP4Box("stsz", words(0, 0, 0)),
                  MP4Box("stco", words(0, 0)),
                ]
            }
          }
        }
      }
      box.write(to: &result)
    }
    return result
  }
}
