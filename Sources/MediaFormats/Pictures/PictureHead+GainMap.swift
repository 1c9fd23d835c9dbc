// The gain map of a picture: how much brighter its parts are on screens that can show more than white.

import Foundation

extension PictureHead {
  /// In bytes: the metadata of a HEIF file that are looked at.
  private static let longestHead: UInt64 = 1 << 20

  /// Whether the file has a gain map, by what it says of itself: Ultra HDR and Apple's in JPEG and HEIC, and ISO's.
  ///
  /// Source: Ultra HDR Image Format v1.1 (developer.android.com); ISO/TS 21496-1:2025, annex C; Apple, “Applying Apple HDR
  /// effect to your photos”.
  ///
  /// - Parameter source: The same file.
  /// - Throws: `FormatError.read`.
  public func hasGainMap(in source: any ByteSource) throws(FormatError) -> Bool {
    let spaces = [JPEGGainMap.namespace, "http://ns.apple.com/HDRGainMap/1.0/"]
    if let xmp, spaces.contains(where: { xmp.range(of: Data($0.utf8)) != nil }) { return true }
    guard format == .jpeg || format.isHEIF else { return false }
    let head = try source.data(at: 0, count: Int(min(imageOffset, Self.longestHead)))
    let marks =
      format == .jpeg
      ? ["urn:iso:std:iso:ts:21496:-1"] : ["urn:com:apple:photo:2020:aux:hdrgainmap", "tmap", "hdrgainmap"]
    return marks.contains { head.range(of: Data($0.utf8)) != nil }
  }
}
