// The matte of a person in a HEIC file.

import CameraCore

/// The matte of a HEIC file's picture: an auxiliary picture in the form of Apple's portrait effects matte, bright where a
/// person is. Nothing is decoded, and the input is untrusted.
///
/// Source: ISO/IEC 23008-12, 6.5.8; for the type see `XMPPacket.portraitMatteType`.
public struct HEIFPortraitMatte: Sendable, Hashable {
  /// As coded, before any rotation.
  public var size: PixelSize
  /// Its coded bytes, in the file.
  public var ranges: [Range<UInt64>]

  /// - Returns: `nil` when the file has none, or one whose bytes aren't in it.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource) throws(FormatError) {
    guard let file = try HEIFFile(source), let item = file.directory.auxiliary(XMPPacket.portraitMatteType) else {
      return nil
    }
    let coded = file.directory.codedItems(of: item.id)
    let places = file.directory.locations.entries(of: Set(coded))
    var ranges: [Range<UInt64>] = []
    for id in coded {
      guard let place = places[id], place.isInFile,
        let found = try? file.directory.locations.ranges(of: place, upTo: source.count)
      else { return nil }
      ranges += found
    }
    guard let size = file.directory.properties.statedSize(of: item.id), ranges.contains(where: { !$0.isEmpty }) else {
      return nil
    }
    (self.size, self.ranges) = (size, ranges)
  }
}
