// Changes of an EXIF block for copies of a picture: without location, with another size, or as half of a pair.

import CExiv2
import CameraCore
import Foundation
import MediaFormats

extension MetadataToolkit {
  /// The differences between a picture and its copy.
  struct CopyChanges: Sendable {
    /// Keeps only tags that are known to hold no location; makers write locations into their notes as well.
    var dropsLocation = false
    /// The names of the place: texts with one of them go with the location.
    var places = PlaceNames()
    /// Makes the picture half of an Apple Live Photo: a UUID in capital letters.
    var contentIdentifier: String?
    /// The copy's picture, when it isn't the old one, with upright pixels.
    var picture: (size: PixelSize, thumbnail: Data)?
  }

  /// Directories without maker-specific forms and without locations.
  fileprivate static let plainGroups = ["Exif.Image.", "Exif.Photo.", "Exif.Thumbnail.", "Exif.Iop."]
  /// Of these: the pointer to locations, metadata in other forms, and the maker note.
  private static let unwantedTags: Set<String> = [
    "Exif.Image.GPSTag", "Exif.Image.XMLPacket", "Exif.Image.IPTCNAA", "Exif.Image.ImageResources",
    "Exif.Photo.MakerNote",
  ]

  /// The TIFF structure of a copy, to follow `Exif\0\0`.
  ///
  /// - Parameter exif: Of the picture; ignored when it can't be read.
  /// - Throws: `unusableFile` when the changes can't be made.
  static func exif(copying exif: Data?, _ changes: CopyChanges) throws(PhotoLibraryError) -> Data {
    try locked { () throws(PhotoLibraryError) in
      if let exif, let editor = try? MetadataEditor(exif: exif), let block = try? copy(editor, changes) {
        return block
      }
      let editor = try MetadataEditor()
      try editor.set("Exif.Photo.ExifVersion", "48 50 51 50")
      return try copy(editor, changes)
    }
  }

  private static func copy(
    _ editor: borrowing MetadataEditor, _ changes: CopyChanges
  ) throws(PhotoLibraryError) -> Data {
    if changes.dropsLocation || changes.contentIdentifier != nil {
      let groups = plainGroups + (changes.dropsLocation ? [] : ["Exif.GPSInfo."])
      // Exiv2 writes the pointer to locations again where there are some.
      try editor.removeTags { tag, _ in unwantedTags.contains(tag) || !groups.contains { tag.hasPrefix($0) } }
      if changes.dropsLocation, !changes.places.isEmpty {
        try editor.removeTags { _, text in text.map(changes.places.isNamed) ?? false }
      }
    }
    if let (size, thumbnail) = changes.picture { try describe(size, thumbnail, in: editor) }
    if let identifier = changes.contentIdentifier {
      let note = AppleContentIdentifier.makerNote(identifier).map(String.init).joined(separator: " ")
      try editor.set("Exif.Photo.MakerNote", note)
    }
    let block = try editor.exifData()
    guard block.count <= largestExif else {
      throw .unusableFile(path: "EXIF", reason: "its metadata are too long for one JPEG segment")
    }
    if changes.dropsLocation {
      // 0x8825 points to the GPS directory.
      guard let tiff = TIFFStructure([UInt8](block)),
        !tiff.entries(at: tiff.firstDirectory).contains(where: { $0.tag == 0x8825 })
      else { throw .unusableFile(path: "EXIF", reason: "the location can't be removed from it") }
    }
    if let identifier = changes.contentIdentifier {
      guard AppleContentIdentifier.photo(exif: block) == identifier else {
        throw .unusableFile(path: "EXIF", reason: "it has no room for the identifier of a Live Photo")
      }
    }
    return block
  }
}

extension MetadataEditor {
  /// Removes the maker note, as it is and as Exiv2 has taken it apart.
  ///
  /// - Throws: `unusableFile` when Exiv2 keeps some.
  func removeMakerNotes() throws(PhotoLibraryError) {
    let groups = MetadataToolkit.plainGroups + ["Exif.GPSInfo."]
    try removeTags { tag, _ in tag == "Exif.Photo.MakerNote" || !groups.contains { tag.hasPrefix($0) } }
  }

  /// Removes every EXIF tag for which the closure returns true.
  ///
  /// - Parameter isUnwanted: Gets the tag, and its value as text.
  /// - Throws: `unusableFile` when Exiv2 keeps some.
  func removeTags(where isUnwanted: (String, String?) -> Bool) throws(PhotoLibraryError) {
    // A tag may occur several times; a round removes one of each.
    for _ in 0..<16 {
      let unwanted = exifTags.filter { isUnwanted($0, text($0)) }
      if unwanted.isEmpty { return }
      for tag in unwanted { gexiv2_metadata_try_clear_tag(metadata, tag, nil) }
    }
    throw .unusableFile(path: "EXIF", reason: "some of its tags can't be removed")
  }

  /// The value of a tag in words, with its encoding resolved; `nil` when it is missing.
  private func text(_ tag: String) -> String? {
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
}
