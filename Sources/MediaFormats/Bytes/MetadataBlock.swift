// Changes of the metadata blocks of a picture.

import Foundation

/// The change of one metadata block: EXIF's TIFF structure, or an XMP packet.
public enum MetadataBlock: Sendable, Hashable {
  /// Stays as it is, also when there is none.
  case kept
  case removed
  case replaced(Data)

  /// The block for the new content of a picture: `nil` removes it.
  public init(_ data: Data?) { self = data.map { .replaced($0) } ?? .removed }
}

/// The metadata of a copy of a picture.
public struct PictureMetadata: Sendable, Hashable {
  public var exif: MetadataBlock
  public var xmp: MetadataBlock
  /// Whether everything else that isn't needed to show the picture is left out as well: texts, further metadata, boxes
  /// and chunks of other programs.
  public var dropsOthers: Bool
  /// The ICC profile. HEIF files have theirs among the properties of their pictures, where it stays.
  public var profile = MetadataBlock.kept
  /// The change of records beside EXIF and XMP; `nil` for none.
  public var records: RecordChanges?

  public init(
    exif: MetadataBlock = .kept, xmp: MetadataBlock = .kept, dropsOthers: Bool = false, records: RecordChanges? = nil
  ) {
    (self.exif, self.xmp, self.dropsOthers, self.records) = (exif, xmp, dropsOthers, records)
  }

  /// Whether the XMP packet has to be known: one that can't be read may tell the place.
  var needsXMP: Bool { xmp != .kept || records?.removesPlace == true }
  /// Whether EXIF, XMP, the profile and everything else stay.
  var keepsBlocks: Bool { exif == .kept && xmp == .kept && profile == .kept && !dropsOthers }
}
