// The PNG files of the desktop's thumbnail cache.

import CSPNG
import CameraCore
import Foundation
import StillCodecs

/// Reading and writing PNGs with text chunks. The files may come from other programs and are untrusted.
enum ThumbnailPNG {
  /// In pixels, on either side: the largest size of the thumbnail standard.
  static let largestSide = 1024
  /// In bytes: more than an uncompressed picture of that size.
  static let largestFile = 8 << 20
  /// In bytes, for one text chunk; four times that for all of them.
  private static let largestText = 64 << 10

  /// An open PNG of which only the chunks before the pixels have been read.
  final class Reader {
    private let context: OpaquePointer
    /// Kept until the context is freed, which points into it.
    private let bytes: NSData
    let size: PixelSize

    /// - Returns: `nil` when it isn't a PNG, or is larger than a thumbnail may be.
    init?(_ data: Data) {
      guard data.count <= ThumbnailPNG.largestFile, let context = spng_ctx_new(0) else { return nil }
      self.context = context
      bytes = data as NSData
      var header = spng_ihdr()
      let side = UInt32(ThumbnailPNG.largestSide)
      guard spng_set_image_limits(context, side, side) == 0,
        spng_set_chunk_limits(context, ThumbnailPNG.largestText, 4 * ThumbnailPNG.largestText) == 0,
        spng_set_png_buffer(context, bytes.bytes, bytes.length) == 0, spng_get_ihdr(context, &header) == 0
      else {
        // `deinit` frees the context: every property must have its value by then.
        size = PixelSize(width: 0, height: 0)
        return nil
      }
      size = PixelSize(width: Int(header.width), height: Int(header.height))
    }

    deinit { spng_ctx_free(context) }

    /// The texts by keyword: those before the pixels, and after `decode` those after them too.
    func texts() -> [String: String] {
      var count: UInt32 = 0
      guard spng_get_text(context, nil, &count) == 0, count > 0, count < 1024 else { return [:] }
      var entries = [spng_text](repeating: spng_text(), count: Int(count))
      guard spng_get_text(context, &entries, &count) == 0 else { return [:] }
      var texts: [String: String] = [:]
      for entry in entries.prefix(Int(count)) {
        let keyword = withUnsafeBytes(of: entry.keyword) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        guard let text = entry.text else { continue }
        let bytes = UnsafeRawBufferPointer(start: text, count: entry.length)
        texts[keyword] = String(decoding: bytes, as: UTF8.self)
      }
      return texts
    }

    /// The pixels, without their alpha channel; `nil` when the file is damaged.
    func decode() -> DecodedImage? {
      var count = 0
      guard spng_decoded_image_size(context, Int32(SPNG_FMT_RGBA8.rawValue), &count) == 0, count == size.area * 4
      else { return nil }
      var isDecoded = false
      let block = FrameBlock(count: count) { target in
        isDecoded =
          spng_decode_image(context, target.baseAddress, target.count, Int32(SPNG_FMT_RGBA8.rawValue), 0) == 0
        guard isDecoded else { return }
        for at in stride(from: 0, to: target.count, by: 4) {
          (target[at], target[at + 2], target[at + 3]) = (target[at + 2], target[at], 0)
        }
      }
      return isDecoded ? DecodedImage(size: size, stride: size.width * 4, block: block) : nil
    }
  }

  /// Encodes a PNG with the texts before the pixels.
  ///
  /// - Parameter texts: Keywords of up to 79 bytes, and texts in ASCII or Latin-1, as PNG requires.
  /// - Returns: `nil` without memory.
  static func encode(_ image: DecodedImage, texts: KeyValuePairs<String, String>) -> Data? {
    var entries = entries(texts)
    defer { for entry in entries { free(entry.text) } }
    guard let encoder = PNGEncoder(image), spng_set_text(encoder.context, &entries, UInt32(entries.count)) == 0,
      // Of a photo it is a tenth larger than with the default, and takes a fraction of the time.
      spng_set_option(encoder.context, SPNG_IMG_COMPRESSION_LEVEL, 1) == 0
    else { return nil }
    return encoder.finish()
  }

  /// Each text is a copy of its own, which the caller frees when the PNG is encoded.
  private static func entries(_ texts: KeyValuePairs<String, String>) -> [spng_text] {
    texts.compactMap { keyword, text in
      guard let copy = strdup(text) else { return nil }
      var entry = spng_text()
      entry.type = Int32(SPNG_TEXT.rawValue)
      entry.text = copy
      entry.length = strlen(copy)
      withUnsafeMutableBytes(of: &entry.keyword) { $0.copyBytes(from: keyword.utf8.prefix($0.count - 1)) }
      return entry
    }
  }
}
