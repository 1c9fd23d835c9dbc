// The XMP packets of edited pictures and movies.

import CameraCore
import Foundation
import Localization
import MediaFormats

/// The XMP packet of a picture's edit: that of the predecessor, with what is true of the new pixels.
///
/// A packet that can't be parsed stays as it is, unless it says something that the edit makes untrue: then it is left out,
/// and `lost` has the reason for the person.
struct EditedPacket {
  /// `nil` when nothing is left.
  var bytes: Data?
  /// The reason why everything was left out; it ends a sentence.
  var lost: String?

  /// Of a packet that can't be parsed: what describes the pixels, or what follows them in the file.
  private static let ofPixels = [
    "Orientation", "ImageWidth", "ImageLength", "PixelXDimension", "Region", "MotionPhoto", "MicroVideo", "Container",
    "Thumbnails", "GDepth", "GImage", "depthmap", "hdrgm", "HDRGainMap", "HasExtendedXMP", "GPano",
  ]

  /// - Parameters:
  ///   - current: The picture that is replaced.
  ///   - original: `nil` for a first edit.
  ///   - before: The placement of the current edit; `nil` when it isn't known, or for a first edit.
  ///   - placement: That of the new one.
  ///   - size: Of the new picture, as stored.
  ///   - getsMovie: Whether the description of a movie is to be added.
  init(
    of current: PictureHead?, original: PictureHead?, before: PicturePlacement?, placement: PicturePlacement?,
    size: PixelSize, getsMovie: Bool
  ) {
    guard let current, let xmp = current.xmp else { return }
    do throws(FormatError) {
      var packet = try XMPPacket(anyEncoding: [UInt8](xmp))
      try packet.removeMovie()
      try packet.removeOldPixels()
      try packet.removePixelProperties()
      do throws(FormatError) {
        try Self.moveRegions(of: &packet, current, original: original, before, placement, size)
      } catch {
        // Of an original that can't be parsed, or one with other parts.
        try packet.removeRegions()
      }
      if packet.bytes.count > MetadataRewriter.largestPacket { try packet.removePadding() }
      guard packet.bytes.count <= MetadataRewriter.largestPacket else {
        throw .refused(reason: localized("its XMP metadata has no room left"))
      }
      if getsMovie { try Self.checkRoom(in: packet) }
      bytes = packet.hasProperties ? Data(packet.bytes) : nil
    } catch {
      let isUntrue = Self.ofPixels.contains { xmp.range(of: Data($0.utf8)) != nil }
      if getsMovie || isUntrue || xmp.contains(0) { lost = error.reason } else { bytes = xmp }
    }
  }

  private static func moveRegions(
    of packet: inout XMPPacket, _ current: PictureHead, original: PictureHead?, _ before: PicturePlacement?,
    _ placement: PicturePlacement?, _ size: PixelSize
  ) throws(FormatError) {
    guard let original else { return try packet.moveRegions(placement, to: size) }
    let base = try PictureCopy.packet(original.xmp)
    var expected = base
    try expected.moveRegions(before, to: current.size)
    if expected.regions == packet.regions {
      // Nobody has changed them: from the original, whose regions nothing was cut off from.
      try packet.takeRegions(from: base)
      try packet.moveRegions(placement, to: size)
    } else {
      // Back to the original's pixels and forward to the new ones.
      let back = before?.inverse
      try packet.moveRegions(back.flatMap { back in placement.map { back.then($0) } }, to: size)
    }
  }

  /// - Throws: `FormatError.refused` when the description of a movie, of any length, can't be added to a packet.
  private static func checkRoom(in packet: XMPPacket) throws(FormatError) {
    var full = packet
    try full.setMovie(length: UInt64(UInt32.max), presentationTime: Int64.max)
    if full.bytes.count > MetadataRewriter.largestPacket { try full.removePadding() }
    guard full.bytes.count <= MetadataRewriter.largestPacket else {
      throw .refused(reason: localized("its XMP metadata has no room for the description of the video"))
    }
  }
}

/// The XMP packet of a movie's edit.
///
/// A rendering has the user data of its source, in which QuickTime's form of the packet is, but not the box at the top
/// level. The packet of the file that is replaced, with what is true of the new pixels, follows the rendering in such a
/// box; the other form is taken out.
struct EditedMoviePacket {
  /// The rendering's pieces, its packet included.
  var parts: [FilePart]

  /// - Parameters:
  ///   - rendering: The new movie, from its first byte to its last.
  ///   - current: The file that is replaced.
  /// - Throws: When a file can't be read.
  init(_ rendering: ReadableFile, current: ReadableFile) throws(PhotoLibraryError) {
    parts = []
    var position: UInt64 = 0
    for range in try MoviePackets(rendering, range: 0..<rendering.size).inUserData where range.lowerBound >= 8 {
      // The box keeps its length, as offsets count from the file's start, and becomes free space.
      parts.append(.file(rendering, position..<range.lowerBound - 4))
      parts.append(.bytes(Data("free".utf8) + Data(count: range.count)))
      position = range.upperBound
    }
    parts.append(.file(rendering, position..<rendering.size))
    let found = try MoviePackets(current, range: 0..<current.size)
    guard let range = found.all.first(where: { $0.count <= Self.longest }) else { return }
    let bytes = [UInt8](try current.data(at: range.lowerBound, count: range.count))
    parts.append(.bytes(MoviePackets.box(Self.adapted(bytes))))
  }

  /// In bytes; a longer one is no packet.
  private static let longest = 16 << 20

  /// A packet that can't be parsed stays as it is: players don't read it.
  private static func adapted(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count <= MoviePackets.longest, var packet = try? XMPPacket(anyEncoding: bytes),
      (try? packet.removeTrackProperties()) != nil
    else { return bytes }
    return packet.bytes
  }
}
