// QR codes in a picture, through ZBar.

import CZBar
import CameraCore

/// Finds QR codes in luma planes. Not for several threads at once.
final class CodeReader {
  /// The most bytes of a code's text: no QR code holds more (ISO/IEC 18004, version 40-L).
  static let longestText = 2953
  /// The four characters `Y800`: a plane of luma.
  private static let luma: UInt = 0x3030_3859

  private let scanner: OpaquePointer

  /// - Returns: `nil` when there is no memory.
  init?() {
    guard let scanner = zbar_image_scanner_create() else { return nil }
    self.scanner = scanner
    // Only QR codes: other kinds are found in any striped shirt.
    zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
    zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1)
  }

  deinit { zbar_image_scanner_destroy(scanner) }

  /// The text of the first code in a picture that has any.
  ///
  /// - Parameter luma: Rows without space between them, at least `size.area` bytes.
  func read(_ luma: UnsafeRawBufferPointer, size: PixelSize) -> String? {
    guard luma.count >= size.area, let image = zbar_image_create() else { return nil }
    defer { zbar_image_destroy(image) }
    zbar_image_set_format(image, Self.luma)
    zbar_image_set_size(image, UInt32(size.width), UInt32(size.height))
    // Without a function that frees the bytes, they stay the caller's.
    zbar_image_set_data(image, luma.baseAddress, UInt(size.area), nil)
    guard zbar_scan_image(scanner, image) > 0 else { return nil }
    var symbol = zbar_image_first_symbol(image)
    while let found = symbol {
      if zbar_symbol_get_type(found) == ZBAR_QRCODE, let text = zbar_symbol_get_data(found) {
        let count = min(Self.longestText, Int(zbar_symbol_get_data_length(found)))
        let bytes = UnsafeRawBufferPointer(start: text, count: count)
        if count > 0 { return String(decoding: bytes, as: UTF8.self) }
      }
      symbol = zbar_symbol_next(found)
    }
    return nil
  }
}
