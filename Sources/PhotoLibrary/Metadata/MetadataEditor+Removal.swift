// Removal of tags from an EXIF block.

import CExiv2
import Foundation
import Localization
import MediaFormats

extension MetadataEditor {
  private static let keywordTag = "Exif.Image.XPKeywords"

  /// Removes the maker note, as it is and as Exiv2 has taken it apart.
  ///
  /// - Throws: `unusableFile` when Exiv2 keeps some.
  func removeMakerNotes() throws(PhotoLibraryError) {
    let groups = MetadataToolkit.plainGroups + ["Exif.GPSInfo."]
    try removeTags { tag in tag == "Exif.Photo.MakerNote" || !groups.contains { tag.hasPrefix($0) } }
  }

  /// Removes every EXIF tag for which the closure returns true.
  ///
  /// - Throws: `unusableFile` when Exiv2 keeps some.
  func removeTags(where isUnwanted: (String) -> Bool) throws(PhotoLibraryError) {
    // A tag may occur several times; a round removes one of each.
    for _ in 0..<16 {
      let unwanted = exifTags.filter(isUnwanted)
      if unwanted.isEmpty { return }
      for tag in unwanted { gexiv2_metadata_try_clear_tag(metadata, tag, nil) }
    }
    throw .unusableFile(path: "EXIF", reason: localized("some of its tags can’t be removed"))
  }

  /// The value of a tag in words, with its encoding resolved; `nil` when it is missing.
  func text(_ tag: String) -> String? {
    guard let text = gexiv2_metadata_try_get_tag_interpreted_string(metadata, tag, nil) else { return nil }
    defer { g_free(text) }
    return String(cString: text)
  }

  private var exifTags: [String] {
    guard let tags = gexiv2_metadata_get_exif_tags(metadata) else { return [] }
    defer { g_strfreev(tags) }
    var names: [String] = []
    while let name = tags[names.count] { names.append(String(cString: name)) }
    return names
  }

  // MARK: The place

  /// Whether the value of a tag tells the place: in words, or in bytes that are a text though the tag isn't one.
  func tells(_ places: PlaceNames, _ tag: String) -> Bool {
    if let text = text(tag), places.isTold(in: text) { return true }
    return !places.isEmpty && bytes(tag).map(places.isKnown(inBytes:)) == true
  }

  /// Whether the values of a tag are bytes without a meaning of their own.
  func isBytes(_ tag: String) -> Bool {
    guard let type = gexiv2_metadata_try_get_tag_type(tag, nil) else { return false }
    return ["Byte", "SByte", "Undefined"].contains(String(cString: type))
  }

  private func bytes(_ tag: String) -> [UInt8]? {
    guard let value = gexiv2_metadata_try_get_tag_raw(metadata, tag, nil) else { return nil }
    defer { g_bytes_unref(value) }
    var count: gsize = 0
    guard let start = g_bytes_get_data(value, &count), count > 0 else { return nil }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(count)))
  }

  /// The keywords of Windows, which are one text with semicolons.
  var keywords: [String] {
    let words = text(Self.keywordTag)?.split(separator: ";").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    return (words ?? []).filter { !$0.isEmpty }
  }

  /// Keeps the keywords of Windows for which the closure returns true.
  ///
  /// - Throws: `unusableFile` when gexiv2 refuses the others.
  func keepKeywords(where isKept: (String) -> Bool) throws(PhotoLibraryError) {
    let kept = keywords.filter(isKept)
    guard kept.count < keywords.count else { return }
    try removeTags { $0 == Self.keywordTag }
    guard !kept.isEmpty else { return }
    // UTF-16, little-endian, with a zero at the end, as bytes in decimal.
    let units = Array(kept.joined(separator: ";").utf16) + [0]
    try set(Self.keywordTag, units.flatMap { [String($0 & 0xff), String($0 >> 8)] }.joined(separator: " "))
  }

  /// Removes the metadata in the embedded picture, which is a whole JPEG, or else the picture itself.
  ///
  /// - Throws: `unusableFile` when gexiv2 refuses the new one.
  func cleanThumbnail() throws(PhotoLibraryError) {
    guard let old = thumbnail(), let picture = try? JPEGSegments(parsing: old),
      let front = try? PictureCopy.decoderSettings(picture)
    else { return removeThumbnail() }
    let new = picture.removing { $0.kind != .tables }.removingLateMetadata().assemble(front: front)
    if new != old { try setThumbnail(new) }
  }
}
