// Copies of HEIC and AVIF files with other metadata, and the same coded pictures.

import Foundation
import Localization

/// Changes the EXIF and XMP items of a HEIF file.
///
/// An item's bytes are replaced where they are, and all offsets behind them move; a new item gets an `mdat` box of its own
/// behind the directory. So the same change made twice gives the same bytes, and undoing a change gives the old bytes.
/// Coded pictures stay byte for byte.
public enum HEIFCopy {
  private static let exifPrefix: [UInt8] = [0, 0, 0, 0]

  /// The pieces of the copy up to the end of the picture, without a movie behind it.
  ///
  /// - Parameter places: The names that are taken out of color profiles where everything else is left out.
  /// - Throws: `FormatError.refused` when the file has a form in which the changes can't be made.
  public static func pieces<Source: ByteSource>(
    of source: Source, _ change: PictureMetadata, naming places: PlaceNames = PlaceNames()
  ) throws(FormatError) -> [BytePiece<Source>] {
    guard let file = try HEIFFile(source) else { throw .refused(reason: localized("the file isn’t a HEIF picture")) }
    let end = try end(of: file, source)
    guard !change.needsXMP || change.dropsOthers || !file.directory.hasSeveralPackets else {
      throw .refused(reason: localized("the metadata (XMP) is stored more than once"))
    }
    if change.needsXMP, !change.dropsOthers, let item = file.directory.metadata(HEIFDirectory.isXMP),
      try file.bytes(of: item.id, in: source, atMost: HEIFHead.longestBlock) == nil
    {
      // One that wasn't read isn't replaced by what was made without it.
      throw .refused(reason: localized("the metadata (XMP) can’t be read"))
    }
    if change.keepsBlocks { return [.file(source, 0..<end)] }
    var editor = try HEIFEditor(file: file, end: end)
    if case .replaced(let data) = change.exif {
      try editor.set(
        HEIFDirectory.isExif, type: "Exif", nil, to: try exif(data, in: file, source), source)
    } else if change.exif == .removed {
      try editor.remove(HEIFDirectory.isExif, source)
    }
    if case .replaced(let data) = change.xmp {
      try editor.set(HEIFDirectory.isXMP, type: "mime", "application/rdf+xml", to: [UInt8](data), source)
    } else if change.xmp == .removed {
      try editor.remove(HEIFDirectory.isXMP, source)
    }
    if change.dropsOthers { try editor.dropOthers(change, naming: places) }
    return try editor.finished(source)
  }

  /// The end of the picture, up to which a file is copied.
  ///
  /// - Throws: `FormatError.refused` when an item's bytes are behind it, in a movie: the copy would lack them.
  static func end(of file: HEIFFile, _ source: any ByteSource) throws(FormatError) -> UInt64 {
    let end = file.end(of: source)
    let locations = file.directory.locations
    let isWhole = locations.entries.allSatisfy { entry in
      !entry.isInFile || (try? locations.ranges(of: entry, upTo: end)) != nil
        // What isn't there at all is damage that the copy has as well.
        || (try? locations.ranges(of: entry, upTo: source.count)) == nil
    }
    guard isWhole else { throw HEIFDirectory.damaged }
    return end
  }

  /// The content of an EXIF item: what is before the TIFF structure stays.
  private static func exif(_ tiff: Data, in file: HEIFFile, _ source: any ByteSource) throws(FormatError) -> [UInt8] {
    var prefix = exifPrefix
    if let item = file.directory.metadata(HEIFDirectory.isExif),
      let old = try file.bytes(of: item.id, in: source, atMost: HEIFHead.longestBlock),
      let block = HEIFHead.tiff(in: old)
    {
      prefix = Array(old[..<(old.count - block.count)])
    }
    return prefix + tiff
  }
}
