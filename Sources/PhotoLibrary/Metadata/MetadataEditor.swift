// One metadata block in gexiv2.

import CExiv2
import Foundation
import Localization

/// One gexiv2 object. Use it inside `MetadataToolkit.locked` only.
struct MetadataEditor: ~Copyable {
  let metadata: UnsafeMutablePointer<GExiv2Metadata>
  /// The byte order is kept, as unknown maker notes may have it as well.
  private let byteOrder: GExiv2ByteOrder

  /// A little-endian TIFF structure with an empty directory: gexiv2 accepts no tags before it has loaded something.
  private static let emptyTIFF: [UInt8] = [0x49, 0x49, 0x2a, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]

  /// In the tag of the thumbnail's compression.
  private static let jpegCompression = "6"

  /// An empty block.
  ///
  /// - Throws: `unusableFile` without memory.
  init() throws(PhotoLibraryError) { try self.init(exif: Data(Self.emptyTIFF)) }

  /// Parses a TIFF structure.
  ///
  /// - Throws: `unusableFile` when it can't be parsed.
  init(exif: Data) throws(PhotoLibraryError) {
    // gexiv2 would log an empty block on the console.
    guard !exif.isEmpty else { throw Self.failure(localized("it’s empty")) }
    guard let metadata = gexiv2_metadata_new() else { throw Self.failure(localized("there isn’t enough memory")) }
    var error: UnsafeMutablePointer<GError>?
    let isLoaded = exif.withUnsafeBytes { bytes in
      gexiv2_metadata_from_app1_segment(
        metadata, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &error)
    }
    guard isLoaded != 0 else {
      g_object_unref(metadata)
      throw Self.failure(error)
    }
    self.metadata = metadata
    byteOrder = exif.first == UInt8(ascii: "M") ? GEXIV2_BYTE_ORDER_BIG : GEXIV2_BYTE_ORDER_LITTLE
  }

  deinit { g_object_unref(metadata) }

  /// - Throws: `unusableFile` when gexiv2 refuses the value.
  func set(_ tag: String, _ value: String) throws(PhotoLibraryError) {
    var error: UnsafeMutablePointer<GError>?
    let isSet = gexiv2_metadata_try_set_tag_string(metadata, tag, value, &error)
    guard error == nil, isSet != 0 else { throw Self.failure(error, tag: tag) }
  }

  /// Makes an empty sequence of structures.
  ///
  /// - Throws: `unusableFile` when gexiv2 refuses it.
  func setSequence(_ tag: String) throws(PhotoLibraryError) {
    var error: UnsafeMutablePointer<GError>?
    let isSet = gexiv2_metadata_try_set_xmp_tag_struct(metadata, tag, GEXIV2_STRUCTURE_XA_SEQ, &error)
    guard error == nil, isSet != 0 else { throw Self.failure(error, tag: tag) }
  }

  /// - Throws: `unusableFile` when gexiv2 refuses it.
  func setThumbnail(_ jpeg: Data) throws(PhotoLibraryError) {
    var error: UnsafeMutablePointer<GError>?
    jpeg.withUnsafeBytes { bytes in
      gexiv2_metadata_try_set_exif_thumbnail_from_buffer(
        metadata, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), gint(bytes.count), &error)
    }
    guard error == nil else { throw Self.failure(error, tag: "thumbnail") }
  }

  func has(_ tag: String) -> Bool { gexiv2_metadata_try_has_tag(metadata, tag, nil) != 0 }

  /// Does nothing without a thumbnail.
  func removeThumbnail() { gexiv2_metadata_try_erase_exif_thumbnail(metadata, nil) }

  /// The TIFF structure.
  ///
  /// - Throws: `unusableFile` when it can't be serialized.
  func exifData() throws(PhotoLibraryError) -> Data {
    var error: UnsafeMutablePointer<GError>?
    guard let bytes = gexiv2_metadata_get_exif_data(metadata, byteOrder, &error) else {
      throw Self.failure(error)
    }
    defer { g_bytes_unref(bytes) }
    var count: gsize = 0
    guard let start = g_bytes_get_data(bytes, &count) else { return Data() }
    return Data(bytes: start, count: Int(count))
  }

  /// The XMP packet, in compact form.
  ///
  /// - Throws: `unusableFile` when it can't be serialized.
  func xmpPacket() throws(PhotoLibraryError) -> Data {
    var error: UnsafeMutablePointer<GError>?
    guard let text = gexiv2_metadata_try_generate_xmp_packet(metadata, GEXIV2_USE_COMPACT_FORMAT, 0, &error) else {
      throw Self.failure(error)
    }
    defer { g_free(text) }
    return Data(bytes: text, count: strlen(text))
  }

  /// The value of a tag; `nil` when it is missing.
  func string(_ tag: String) -> String? {
    guard let text = gexiv2_metadata_try_get_tag_string(metadata, tag, nil) else { return nil }
    defer { g_free(text) }
    return String(cString: text)
  }

  /// The embedded JPEG. A TIFF thumbnail is ignored: Exiv2 would assemble one that can be larger than the whole picture.
  func thumbnail() -> Data? {
    guard string("Exif.Thumbnail.Compression") ?? Self.jpegCompression == Self.jpegCompression else { return nil }
    var bytes: UnsafeMutablePointer<guint8>?
    var count: gint = 0
    guard gexiv2_metadata_get_exif_thumbnail(metadata, &bytes, &count) != 0, let bytes else { return nil }
    defer { g_free(bytes) }
    return count > 0 ? Data(bytes: bytes, count: Int(count)) : nil
  }

  private static func failure(_ reason: String) -> PhotoLibraryError {
    .unusableFile(path: "EXIF", reason: reason)
  }

  private static func failure(
    _ error: UnsafeMutablePointer<GError>?, tag: String? = nil
  ) -> PhotoLibraryError {
    let message = error.map { String(cString: $0.pointee.message) } ?? localized("gexiv2 refused it")
    if let error { g_error_free(error) }
    return failure(tag.map { "\($0): \(message)" } ?? message)
  }
}
