// What a copy of a picture says otherwise in its EXIF block: no place, another size, or the other half of a pair.

import CExiv2
import CameraCore
import Foundation

extension MetadataToolkit {
  /// What is different in a copy.
  struct CopyChanges: Sendable {
    /// Nothing that is not known to be free of it is kept: makers write places into their notes as well.
    var dropsLocation = false
    /// Makes the picture half of an Apple Live Photo: a UUID in capital letters.
    var contentIdentifier: String?
    /// How the copy's picture looks, when it isn't the old one; its pixels are upright.
    var picture: (size: PixelSize, thumbnail: Data)?
  }

  /// Directories without a maker's own forms and without places.
  private static let plainGroups = ["Exif.Image.", "Exif.Photo.", "Exif.Thumbnail.", "Exif.Iop."]
  /// Of these: where places stand, further metadata in other forms, and the maker's note.
  private static let unwantedTags: Set<String> = [
    "Exif.Image.GPSTag", "Exif.Image.XMLPacket", "Exif.Image.IPTCNAA", "Exif.Image.ImageResources",
    "Exif.Photo.MakerNote",
  ]

  /// The TIFF structure of a copy, to be put behind `Exif\0\0`.
  ///
  /// - Parameter exif: Of the picture; one that can't be read counts as none.
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
      // The pointer to the places is written again where there are some.
      try editor.removeTags { tag in unwantedTags.contains(tag) || !groups.contains { tag.hasPrefix($0) } }
    }
    if let (size, thumbnail) = changes.picture { try describe(size, thumbnail, in: editor) }
    if let identifier = changes.contentIdentifier {
      let note = AppleContentIdentifier.makerNote(identifier).map(String.init).joined(separator: " ")
      try editor.set("Exif.Photo.MakerNote", note)
    }
    let block = try editor.exifData()
    guard block.count <= largestExif else {
      throw .unusableFile(path: "EXIF", reason: "its facts are too long for one JPEG segment")
    }
    if changes.dropsLocation {
      // 0x8825 points to the directory of places.
      guard let tiff = TIFFStructure([UInt8](block)),
        !tiff.entries(at: tiff.firstDirectory).contains(where: { $0.tag == 0x8825 })
      else { throw .unusableFile(path: "EXIF", reason: "the place can't be taken out of it") }
    }
    if let identifier = changes.contentIdentifier {
      guard AppleContentIdentifier.photo(exif: block) == identifier else {
        throw .unusableFile(path: "EXIF", reason: "it has no room for the mark of a Live Photo")
      }
    }
    return block
  }
}

extension MetadataEditor {
  /// Removes every EXIF tag for which it is true.
  func removeTags(where isUnwanted: (String) -> Bool) throws(PhotoLibraryError) {
    // A tag may be there several times; a round removes one of each.
    for _ in 0..<16 {
      let unwanted = exifTags.filter(isUnwanted)
      if unwanted.isEmpty { return }
      for tag in unwanted { gexiv2_metadata_try_clear_tag(metadata, tag, nil) }
    }
    throw .unusableFile(path: "EXIF", reason: "some of its facts can't be taken out")
  }

  private var exifTags: [String] {
    guard let tags = gexiv2_metadata_get_exif_tags(metadata) else { return [] }
    defer { g_strfreev(tags) }
    var names: [String] = []
    while let name = tags[names.count] { names.append(String(cString: name)) }
    return names
  }
}
