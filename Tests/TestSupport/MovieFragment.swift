// The description of a movie's fragment, read as the format says and without guesses.

/// A `moof` box (ISO/IEC 14496-12, 8.8.4).
public struct MovieFragment {
  public struct Run {
    public var flags: UInt64
    /// Of its samples; 0 where it doesn't say so.
    public var offset: Int32
  }

  public struct Track {
    /// Of its header.
    public var flags: UInt64
    public var runs: [Run]

    /// Whether the size and the duration of each sample are stated, by its run or by the header.
    public var isComplete: Bool {
      runs.allSatisfy { run in
        (flags & 0x10 != 0 || run.flags & 0x200 != 0) && (flags & 0x8 != 0 || run.flags & 0x100 != 0)
      }
    }
  }

  public private(set) var tracks: [Track] = []

  public var isComplete: Bool { tracks.allSatisfy(\.isComplete) }

  /// - Parameter bytes: The whole box; of other bytes there are no tracks.
  public init(_ bytes: ArraySlice<UInt8>) {
    let bytes = Array(bytes)
    for (type, content) in Self.boxes(in: bytes[...]) where type == "moof" {
      for (type, content) in Self.boxes(in: content) where type == "traf" {
        var track = Track(flags: 0, runs: [])
        for (type, content) in Self.boxes(in: content) where content.count >= 8 {
          let flags = Self.number(content.dropFirst(1).prefix(3))
          if type == "tfhd" { track.flags = flags }
          guard type == "trun" else { continue }
          let offset = flags & 0x1 != 0 ? UInt32(Self.number(content.dropFirst(8).prefix(4))) : 0
          track.runs.append(Run(flags: flags, offset: Int32(bitPattern: offset)))
        }
        tracks.append(track)
      }
    }
  }

  private static func boxes(in bytes: ArraySlice<UInt8>) -> [(type: String, content: ArraySlice<UInt8>)] {
    var found: [(String, ArraySlice<UInt8>)] = []
    var rest = bytes
    while rest.count >= 8 {
      let length = Int(number(rest.prefix(4)))
      guard length >= 8, length <= rest.count else { break }
      let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
      found.append((type, rest.prefix(length).dropFirst(8)))
      rest = rest.dropFirst(length)
    }
    return found
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
