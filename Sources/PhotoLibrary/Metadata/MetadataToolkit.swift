// EXIF and XMP of pictures, through gexiv2.

import CExiv2
import CameraCore
import Foundation
import Localization
import MediaFormats

/// The metadata of an EXIF block that the library needs.
struct ExifFacts: Sendable, Hashable {
  /// Local time with its UTC offset; `nil` when the picture has no date.
  var time: LocalTime?
  /// Make and model.
  var cameraName: String?
  /// 32 lower-case hexadecimal digits; `nil` when there are none.
  var uniqueID: String?
  /// 1 to 8, as in EXIF; 1 is upright.
  var orientation = 1
  /// Whether the values are those of Adobe RGB, as cameras say it that write no color profile (DCF 2.0, the option file).
  var isAdobeRGB = false
  /// The embedded picture, a JPEG.
  var thumbnail: Data?
  /// The GPS position.
  var location: GeoLocation?
  /// The program that wrote the file.
  var software: String?
}

/// gexiv2 behind one lock: Exiv2's XMP toolkit has global state, and EXIF takes a tenth of a millisecond. gexiv2 starts that
/// toolkit without the lock that Exiv2 offers for it, and an EXIF block may hold XMP as well (tag 700). No other code may
/// call gexiv2.
enum MetadataToolkit {
  private static let lock = NSLock()
  /// Runs once, before the first use.
  private static let setUp: Void = {
    gexiv2_initialize()
    // Oddities in the files of others are not for the console.
    gexiv2_log_set_level(GEXIV2_LOG_LEVEL_MUTE)
    gexiv2_metadata_try_register_xmp_namespace(XMPNamespace.camera, "GCamera", nil)
    gexiv2_metadata_try_register_xmp_namespace(XMPNamespace.container, "Container", nil)
    gexiv2_metadata_try_register_xmp_namespace(XMPNamespace.item, "Item", nil)
  }()

  /// The longest EXIF block that fits into a JPEG segment with its identifier.
  static let largestExif = 65_533 - 6
  /// The format allows 64 KiB for thumbnail and tags together; this leaves room for the tags.
  private static let largestThumbnail = 48 << 10

  private static let colorSpace = "Exif.Photo.ColorSpace"
  private static let makerNote = "Exif.Photo.MakerNote"

  /// Runs a block that uses gexiv2.
  ///
  /// - Throws: What the block throws.
  static func locked<R>(_ body: () throws(PhotoLibraryError) -> R) throws(PhotoLibraryError) -> R {
    lock.lock()
    defer { lock.unlock() }
    setUp
    return try body()
  }

  // MARK: Writing

  /// The TIFF structure of a new picture, to follow `Exif\0\0`.
  ///
  /// - Throws: `unusableFile` when a value can't be written, or the block is too long.
  static func exif(for metadata: PhotoMetadata, id: Asset.ID) throws(PhotoLibraryError) -> Data {
    try locked { () throws(PhotoLibraryError) in
      let editor = try MetadataEditor()
      let time = LocalTime(milliseconds: metadata.date.millisecondsSince1970, utcOffset: metadata.utcOffset)
      if let make = cleaned(metadata.cameraMake) { try editor.set("Exif.Image.Make", make) }
      if let model = cleaned(metadata.cameraName) { try editor.set("Exif.Image.Model", model) }
      try editor.set("Exif.Image.Orientation", "1")
      try editor.set("Exif.Image.XResolution", "72/1")
      try editor.set("Exif.Image.YResolution", "72/1")
      try editor.set("Exif.Image.ResolutionUnit", "2")
      if let software = cleaned(metadata.software) { try editor.set("Exif.Image.Software", software) }
      try editor.set("Exif.Image.DateTime", time.exifDate)
      try editor.set("Exif.Image.YCbCrPositioning", "1")
      // 2.32; UTC offsets came with 2.31.
      try editor.set("Exif.Photo.ExifVersion", "48 50 51 50")
      try editor.set("Exif.Photo.DateTimeOriginal", time.exifDate)
      try editor.set("Exif.Photo.DateTimeDigitized", time.exifDate)
      for tag in ["OffsetTime", "OffsetTimeOriginal", "OffsetTimeDigitized"] {
        try editor.set("Exif.Photo.\(tag)", time.exifOffset)
      }
      for tag in ["SubSecTime", "SubSecTimeOriginal", "SubSecTimeDigitized"] {
        try editor.set("Exif.Photo.\(tag)", time.exifSubseconds)
      }
      try editor.set("Exif.Photo.ComponentsConfiguration", "1 2 3 0")
      try editor.set("Exif.Photo.FlashpixVersion", "48 49 48 48")
      try editor.set(colorSpace, "1")
      try editor.set("Exif.Photo.PixelXDimension", String(metadata.size.width))
      try editor.set("Exif.Photo.PixelYDimension", String(metadata.size.height))
      try editor.set("Exif.Photo.ImageUniqueID", id)
      if let location = metadata.location { try set(location, in: editor) }
      if let thumbnail = metadata.thumbnail, !thumbnail.isEmpty, thumbnail.count <= largestThumbnail {
        try editor.setThumbnail(thumbnail)
        // gexiv2 leaves these out, which the standard requires.
        try editor.set("Exif.Thumbnail.XResolution", "72/1")
        try editor.set("Exif.Thumbnail.YResolution", "72/1")
        try editor.set("Exif.Thumbnail.ResolutionUnit", "2")
      }
      let block = try editor.exifData()
      guard block.count <= largestExif else {
        throw .unusableFile(path: "EXIF", reason: localized("its metadata is too long for a JPEG segment"))
      }
      return block
    }
  }

  /// Writes EXIF's GPS tags (CIPA DC-008, 4.6.6).
  private static func set(_ location: GeoLocation, in editor: borrowing MetadataEditor) throws(PhotoLibraryError) {
    /// Degrees, minutes, and thousandths of a second: three centimeters.
    func text(_ degrees: Double) -> String {
      let thousandths = Int((abs(degrees) * 3_600_000).rounded())
      return "\(thousandths / 3_600_000)/1 \(thousandths / 60_000 % 60)/1 \(thousandths % 60_000)/1000"
    }
    try editor.set("Exif.GPSInfo.GPSVersionID", "2 3 0 0")
    try editor.set("Exif.GPSInfo.GPSLatitudeRef", location.latitude < 0 ? "S" : "N")
    try editor.set("Exif.GPSInfo.GPSLatitude", text(location.latitude))
    try editor.set("Exif.GPSInfo.GPSLongitudeRef", location.longitude < 0 ? "W" : "E")
    try editor.set("Exif.GPSInfo.GPSLongitude", text(location.longitude))
    try editor.set("Exif.GPSInfo.GPSMapDatum", "WGS-84")
  }

  /// The differences between an edited picture and its predecessor.
  struct EditChanges: Sendable {
    /// Of the new picture as stored, in pixels.
    var size: PixelSize
    /// As in EXIF, 1 to 8.
    var orientation = 1
    /// A JPEG of the new picture; `nil` for none.
    var thumbnail: Data?
    /// The EXIF block of the picture in whose colors it is; `nil` for sRGB.
    var colors: Data?
  }

  /// The TIFF structure of an edited picture: that of its predecessor, maker notes included, with what is true of the
  /// new one. When it is too long for a segment it loses first its thumbnail, and then the maker note.
  ///
  /// - Parameter exif: Of the predecessor; ignored when it can't be parsed.
  /// - Throws: `unusableFile` when a value can't be written.
  static func exif(edited exif: Data?, id: Asset.ID, _ changes: EditChanges) throws(PhotoLibraryError) -> Data {
    try locked { () throws(PhotoLibraryError) in
      var smaller = changes
      smaller.thumbnail = nil
      for (changes, keepsNote) in [(changes, true), (smaller, true), (smaller, false)] {
        guard let exif, let editor = try? MetadataEditor(exif: exif) else { break }
        let hasNote = keepsNote && editor.has(makerNote)
        guard let block = try? edited(editor, id: id, changes, keepsNote: keepsNote), block.count <= largestExif else {
          continue
        }
        // From a block that is too long, Exiv2 removes what is longer than 20 kB.
        if hasNote, try !MetadataEditor(exif: block).has(makerNote) { continue }
        return block
      }
      return try edited(MetadataEditor(), id: id, changes, keepsNote: false)
    }
  }

  private static func edited(
    _ editor: borrowing MetadataEditor, id: Asset.ID, _ changes: EditChanges, keepsNote: Bool
  ) throws(PhotoLibraryError) -> Data {
    if !keepsNote { try editor.removeMakerNotes() }
    try editor.set("Exif.Photo.ImageUniqueID", id)
    if let colors = changes.colors {
      // Of its predecessor, it may be another one.
      if let editorOfColors = try? MetadataEditor(exif: colors), let space = editorOfColors.string(colorSpace) {
        try editor.set(colorSpace, space)
      }
    } else {
      try editor.set(colorSpace, "1")
    }
    editor.removeThumbnail()
    try describe(changes.size, changes.thumbnail ?? Data(), orientation: changes.orientation, in: editor)
    return try editor.exifData()
  }

  /// Sets size, orientation and thumbnail of a picture.
  ///
  /// - Parameter thumbnail: A JPEG; empty, or too long for a block, for none.
  /// - Throws: `unusableFile` when a value can't be written.
  static func describe(
    _ size: PixelSize, _ thumbnail: Data, orientation: Int = 1, in editor: borrowing MetadataEditor
  ) throws(PhotoLibraryError) {
    try editor.set("Exif.Image.Orientation", String(orientation))
    try editor.set("Exif.Photo.PixelXDimension", String(size.width))
    try editor.set("Exif.Photo.PixelYDimension", String(size.height))
    if !thumbnail.isEmpty, thumbnail.count <= largestThumbnail {
      try editor.setThumbnail(thumbnail)
      try editor.set("Exif.Thumbnail.XResolution", "72/1")
      try editor.set("Exif.Thumbnail.YResolution", "72/1")
      try editor.set("Exif.Thumbnail.ResolutionUnit", "2")
    }
  }

  /// The XMP packet that makes a picture a Motion Photo 1.0, in the literal form that Android's parser expects: one
  /// `rdf:Description`, attributes, the prefixes `GCamera`, `Container` and `Item`.
  ///
  /// - Parameters:
  ///   - movieLength: Bytes of the MP4 that follows the picture.
  ///   - format: Of the picture.
  ///   - presentationTime: Of the still's frame, in microseconds from the movie's start; `nil` is written as -1, unset.
  /// - Throws: `unusableFile` when a value can't be written.
  static func motionPhotoXMP(
    movieLength: UInt64, presentationTime: Int64?, behind format: PhotoFormat = .jpeg
  ) throws(PhotoLibraryError) -> Data {
    try locked { () throws(PhotoLibraryError) in
      let editor = try MetadataEditor()
      try editor.set("Xmp.GCamera.MotionPhoto", "1")
      try editor.set("Xmp.GCamera.MotionPhotoVersion", "1")
      try editor.set("Xmp.GCamera.MotionPhotoPresentationTimestampUs", String(presentationTime ?? -1))
      try editor.setSequence("Xmp.Container.Directory")
      let items = [
        (format.mimeType, "Primary", UInt64(0)),
        ("video/mp4", "MotionPhoto", movieLength),
      ]
      for (index, item) in items.enumerated() {
        let path = "Xmp.Container.Directory[\(index + 1)]/Container:Item/Item:"
        try editor.set(path + "Mime", item.0)
        try editor.set(path + "Semantic", item.1)
        try editor.set(path + "Length", String(item.2))
        // The head of the movie's box.
        if format.isHEIF, index == 0 { try editor.set(path + "Padding", String(HEIFHead.moviePadding)) }
      }
      return try editor.xmpPacket()
    }
  }

  /// The XMP packet of a picture of a burst.
  ///
  /// - Throws: `unusableFile` when the id can't be written.
  static func burstXMP(_ id: String, isSheet: Bool) throws(PhotoLibraryError) -> Data {
    try locked { () throws(PhotoLibraryError) in
      let editor = try MetadataEditor()
      try editor.set("Xmp.GCamera.BurstID", id)
      if isSheet { try editor.set("Xmp.iptcExt.DigitalSourceType", XMPPacket.compositeCapture) }
      return try editor.xmpPacket()
    }
  }

  // MARK: Reading

  /// Parses the TIFF structure behind `Exif\0\0`; `nil` when it can't be parsed. Untrusted input: values are checked.
  static func facts(exif: Data, wantsThumbnail: Bool = false) -> ExifFacts? {
    try? locked { () throws(PhotoLibraryError) in
      let editor = try MetadataEditor(exif: exif)
      var facts = ExifFacts()
      facts.uniqueID = uniqueID(editor.string("Exif.Photo.ImageUniqueID"))
      facts.time = time(editor)
      facts.cameraName = cameraName(
        make: editor.string("Exif.Image.Make"), model: editor.string("Exif.Image.Model"))
      if let orientation = editor.string("Exif.Image.Orientation").flatMap({ Int($0) }), (1...8).contains(orientation) {
        facts.orientation = orientation
      }
      facts.isAdobeRGB = editor.string("Exif.Iop.InteroperabilityIndex") == "R03"
      if wantsThumbnail { facts.thumbnail = editor.thumbnail() }
      facts.location = location(editor)
      facts.software = cleaned(editor.string("Exif.Image.Software"))
      return facts
    }
  }

  private static func time(_ editor: borrowing MetadataEditor) -> LocalTime? {
    // A camera's digitized date is the same; the plain one may be that of an edit, and comes last.
    for (date, suffix) in [
      ("Exif.Photo.DateTimeOriginal", "Original"), ("Exif.Photo.DateTimeDigitized", "Digitized"),
      ("Exif.Image.DateTime", ""),
    ] {
      guard let text = editor.string(date) else { continue }
      if let time = LocalTime(
        exif: text, subseconds: editor.string("Exif.Photo.SubSecTime\(suffix)"),
        offset: editor.string("Exif.Photo.OffsetTime\(suffix)"))
      {
        return time
      }
    }
    return nil
  }

  private static func location(_ editor: borrowing MetadataEditor) -> GeoLocation? {
    guard
      let latitude = degrees(
        editor.string("Exif.GPSInfo.GPSLatitude"), editor.string("Exif.GPSInfo.GPSLatitudeRef"), negative: "S"),
      let longitude = degrees(
        editor.string("Exif.GPSInfo.GPSLongitude"), editor.string("Exif.GPSInfo.GPSLongitudeRef"), negative: "W")
    else { return nil }
    // Some programs write zeros for an unknown position, which is in the sea.
    return latitude == 0 && longitude == 0 ? nil : GeoLocation(latitude: latitude, longitude: longitude)
  }

  /// Three fractions: degrees, minutes and seconds (EXIF 2.32, 4.6.6).
  private static func degrees(_ text: String?, _ reference: String?, negative: Character) -> Double? {
    guard let text, let reference else { return nil }
    let parts = text.split(separator: " ").map { part -> Double? in
      let numbers = part.split(separator: "/").map { Double($0) }
      guard numbers.count == 2, let above = numbers[0], let below = numbers[1], below != 0 else { return nil }
      return above / below
    }
    guard parts.count == 3, let whole = parts[0], let minutes = parts[1], let seconds = parts[2] else { return nil }
    let value = whole + minutes / 60 + seconds / 3600
    return reference.uppercased().first == negative ? -value : value
  }

  private static func uniqueID(_ text: String?) -> String? {
    guard let text = text?.lowercased(), text.utf8.count == 32,
      text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }),
      text.utf8.contains(where: { $0 != 48 })
    else { return nil }
    return text
  }

  /// The longest name of a camera or program, in Unicode scalars. A file may hold a longer one.
  private static let longestName = 100

  /// Kept, because Foundation takes longer to make it than Exiv2 to parse a whole block.
  private static let isForbidden = CharacterSet.newlines.union(.controlCharacters)

  /// One line without white space around it and without control characters, which a terminal would interpret; `nil` when
  /// nothing is left.
  private static func cleaned(_ text: String?) -> String? {
    guard let text else { return nil }
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(longestName) {
      line.append(isForbidden.contains(scalar) ? " " : scalar)
    }
    let cleaned = String(line).trimmingCharacters(in: .whitespaces)
    return cleaned.isEmpty ? nil : cleaned
  }

  static func cameraName(make: String?, model: String?) -> String? {
    guard let model = cleaned(model) else { return cleaned(make) }
    guard let make = cleaned(make), !model.lowercased().hasPrefix(make.lowercased()) else { return model }
    return "\(make) \(model)"
  }
}
