// Pictures as other programs leave them: without metadata, with other pixels, tagged anew.

import Foundation

/// The bytes that other programs write in the place of a picture.
enum ForeignEditors {
  /// A JPEG without any metadata, as `exiftool -all=` leaves it: the same scan data, no application segments.
  static func stripped(_ jpeg: Data) -> Data {
    var (result, at) = (Data(jpeg.prefix(2)), jpeg.startIndex + 2)
    while at + 4 <= jpeg.endIndex, jpeg[at] == 0xff {
      let marker = jpeg[at + 1]
      if marker == 0xda { return result + jpeg[at...] }
      let end = at + 2 + Int(jpeg[at + 2]) << 8 + Int(jpeg[at + 3])
      if !(0xe0...0xef).contains(marker), marker != 0xfe { result += jpeg[at..<end] }
      at = end
    }
    return result
  }

  /// A JPEG with one more comment segment: other metadata, the same scan data and EXIF.
  static func tagged(_ jpeg: Data, _ comment: String) -> Data {
    let length = comment.utf8.count + 2
    return jpeg.prefix(2) + Data([0xff, 0xfe, UInt8(length >> 8), UInt8(length & 0xff)]) + Data(comment.utf8)
      + jpeg.dropFirst(2)
  }
}
