// Changes of an EXIF block for copies of a picture: without location, with another size, or as half of a pair.

import CExiv2
import CameraCore
import Foundation
import Localization
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
  static let plainGroups = ["Exif.Image.", "Exif.Photo.", "Exif.Thumbnail.", "Exif.Iop."]
  /// Of these: the pointer to locations, metadata in other forms, and the maker note.
  private static let unwantedTags: Set<String> = [
    "Exif.Image.GPSTag", "Exif.Image.XMLPacket", "Exif.Image.IPTCNAA", "Exif.Image.ImageResources",
    "Exif.Photo.MakerNote",
  ]
  /// The tags of bytes that are no block of a maker, a printer or another format, which nobody can read.
  private static let plainBytes: Set<String> = [
    "Exif.Image.XPTitle", "Exif.Image.XPComment", "Exif.Image.XPAuthor", "Exif.Image.XPKeywords",
    "Exif.Image.XPSubject", "Exif.Photo.ExifVersion", "Exif.Photo.FlashpixVersion", "Exif.Photo.UserComment",
    "Exif.Photo.ComponentsConfiguration", "Exif.Photo.FileSource", "Exif.Photo.SceneType", "Exif.Photo.CFAPattern",
    "Exif.Iop.InteroperabilityVersion",
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
      try editor.removeTags { tag in unwantedTags.contains(tag) || !groups.contains { tag.hasPrefix($0) } }
      if changes.dropsLocation {
        try editor.keepKeywords { !changes.places.isKeyword($0) }
        // What Exiv2 has no name for can hold anything, and so can bytes.
        try editor.removeTags {
          $0.split(separator: ".").last?.hasPrefix("0x") == true || editor.tells(changes.places, $0)
            || !plainBytes.contains($0) && editor.isBytes($0)
        }
        try editor.cleanThumbnail()
      }
    }
    if let (size, thumbnail) = changes.picture { try describe(size, thumbnail, in: editor) }
    if let identifier = changes.contentIdentifier {
      let note = AppleContentIdentifier.makerNote(identifier).map(String.init).joined(separator: " ")
      try editor.set("Exif.Photo.MakerNote", note)
    }
    let block = try editor.exifData()
    guard block.count <= largestExif else {
      throw .unusableFile(path: "EXIF", reason: localized("its metadata is too long for a JPEG segment"))
    }
    if changes.dropsLocation {
      // 0x8825 points to the GPS directory.
      guard let tiff = TIFFStructure([UInt8](block)),
        !tiff.entries(at: tiff.firstDirectory).contains(where: { $0.tag == 0x8825 })
      else { throw .unusableFile(path: "EXIF", reason: localized("its location can’t be removed")) }
    }
    if let identifier = changes.contentIdentifier {
      guard AppleContentIdentifier.photo(exif: block) == identifier else {
        throw .unusableFile(path: "EXIF", reason: localized("it has no room for the identifier of a live photo"))
      }
    }
    return block
  }
}

// MARK: Texts

extension MetadataToolkit {
  /// Texts that people write: description, name, comment, title, subject, authors and rights.
  private static let captionTags = [
    "Exif.Image.ImageDescription", "Exif.Image.DocumentName", "Exif.Photo.UserComment", "Exif.Image.XPTitle",
    "Exif.Image.XPComment", "Exif.Image.XPSubject", "Exif.Image.XPAuthor", "Exif.Image.Artist", "Exif.Image.Copyright",
  ]

  /// The texts of people in an EXIF block, without white space around them; none when it can't be parsed.
  static func captions(exif: Data) -> Set<String> {
    let texts = try? locked { () throws(PhotoLibraryError) in
      let editor = try MetadataEditor(exif: exif)
      return captionTags.compactMap { editor.text($0)?.trimmingCharacters(in: .whitespacesAndNewlines) }
    }
    return Set(texts ?? []).subtracting([""])
  }

  /// The keywords of Windows in an EXIF block; none when it can't be parsed.
  static func keywords(exif: Data) -> [String] {
    let keywords = try? locked { () throws(PhotoLibraryError) in try MetadataEditor(exif: exif).keywords }
    return keywords ?? []
  }
}
