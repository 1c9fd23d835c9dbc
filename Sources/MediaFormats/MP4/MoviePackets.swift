// The XMP packets of a movie.

import Foundation

/// The XMP packets of an MP4 or QuickTime movie: a `uuid` box at the top level, and `XMP_` in the user data.
///
/// Source: XMP specification, part 3, 1.2.7, “MPEG-4”, and 1.2.6, “QuickTime”.
public struct MoviePackets: Sendable {
  /// The user type of a `uuid` box with XMP.
  public static let userType: [UInt8] = [
    0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac,
  ]
  /// Boxes that are looked at. A file with more is an attack, or a film of many fragments.
  private static let mostBoxes = 100_000
  /// In bytes; a longer packet holds more than texts.
  public static let longest: UInt64 = 1 << 20

  /// The packets at the top level.
  public private(set) var top: [Range<UInt64>] = []
  /// The packets in the user data.
  public private(set) var inUserData: [Range<UInt64>] = []

  /// - Parameter range: Of the movie in the source.
  /// - Throws: `FormatError.read`.
  public init(_ source: any ByteSource, range: Range<UInt64>) throws(FormatError) {
    var walker = MP4BoxWalker(ByteWindow(source), in: range, limit: Self.mostBoxes)
    while let box = try walker.next() {
      switch box.type {
      case "moov" where walker.depth == 0: walker.enter(box)
      case "udta" where walker.depth == 1: walker.enter(box)
      case "XMP_" where walker.depth == 2: inUserData.append(box.content)
      case "uuid" where walker.depth == 0 && box.content.count > 16:
        let type = try walker.bytes.bytes(at: box.content.lowerBound, count: 16)
        if type.elementsEqual(Self.userType) {
          top.append(box.content.lowerBound + 16..<box.content.upperBound)
        }
      default: break
      }
    }
  }

  /// All of them, those at the top level first.
  public var all: [Range<UInt64>] { top + inUserData }

  /// A box for the end of a file.
  public static func box(_ packet: [UInt8]) -> Data {
    var bytes: [UInt8] = []
    MP4Box("uuid", userType + packet).write(to: &bytes)
    return Data(bytes)
  }

  /// The parsed packets; without those that are longer than 1 MiB or can't be parsed.
  ///
  /// - Throws: `FormatError.read`.
  public func parsed(_ source: any ByteSource) throws(FormatError) -> [XMPPacket] {
    var packets: [XMPPacket] = []
    for range in all.prefix(8) where range.upperBound - range.lowerBound <= Self.longest {
      let bytes = try source.prefix(at: range.lowerBound, count: range.count)
      if let packet = try? XMPPacket(anyEncoding: [UInt8](bytes)) { packets.append(packet) }
    }
    return packets
  }
}

extension XMPPacket {
  /// Removes what describes the picture and the tracks of a movie that was rendered anew: sizes, regions, durations, frame
  /// rates, markers and the like.
  ///
  /// - Throws: `FormatError.refused` when they can't be removed safely.
  public mutating func removeTrackProperties() throws(FormatError) {
    let ofTracks: Set<String> = [
      "duration", "startTimecode", "startTimeScale", "startTimeSampleSize", "altTimecode", "timeScaleParams", "Tracks",
      "markers", "outCue", "relativeTimestamp", "beatSpliceParams", "resampleParams", "numberOfBeats", "fileDataRate",
      "introTime", "loop", "contributedMedia", "projectRef",
    ]
    try removeProperties { name in
      name.namespace == "http://ns.adobe.com/xmp/1.0/DynamicMedia/"
        && (ofTracks.contains(name.local) || name.local.hasPrefix("video") || name.local.hasPrefix("audio"))
    }
    try removeOldPixels()
    try removePixelProperties()
    try removeRegions()
  }
}
