// The boxes of a track.

extension MP4Box {
  /// The tracks of a `moov` box.
  var tracks: [MP4Box] { children?.filter { $0.type == "trak" } ?? [] }

  /// The media type of a track: `vide`, `soun`, `meta`, …; `nil` for another box.
  var handler: MP4Type? {
    guard type == "trak", let box = child("mdia", "hdlr"), let code = try? box.number(at: 8, 4) else { return nil }
    return MP4Type(code: UInt32(code))
  }

  /// The table of a track's samples.
  var sampleTable: MP4Box? { child("mdia", "minf", "stbl") }

  /// The id of a track.
  ///
  /// - Throws: `FormatError.refused` without a track header.
  public func trackID() throws(FormatError) -> UInt64 {
    guard let head = self["tkhd"] else { throw .damagedMovie }
    return try head.number(at: head.isLong ? 20 : 12, 4)
  }

  /// Changes the sample table of a track.
  mutating func changeSampleTable(_ change: (inout MP4Box) -> Void) {
    changeAll("mdia") { media in
      media.changeAll("minf") { information in information.changeAll("stbl", change) }
    }
  }

  /// The duration in a track's header, in the movie's units; 0 when there is none.
  var shownDuration: UInt64 {
    guard let head = self["tkhd"] else { return 0 }
    return (try? head.number(at: head.isLong ? 28 : 20, head.isLong ? 8 : 4)) ?? 0
  }
}
