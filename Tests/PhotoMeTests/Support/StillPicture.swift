// The pixels of a picture's file.

import CGtk
import Foundation

/// A picture as GTK reads it.
struct StillPicture {
  let width: Int
  let height: Int
  private let pixels: [UInt8]

  /// - Throws: `CocoaError` for what isn't a picture.
  init(_ file: URL) throws {
    guard let texture = gdk_texture_new_from_filename(file.path, nil) else {
      throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: file.path])
    }
    defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
    (width, height) = (Int(gdk_texture_get_width(texture)), Int(gdk_texture_get_height(texture)))
    var pixels = [UInt8](repeating: 0, count: width * height * 4)
    gdk_texture_download(texture, &pixels, gsize(width * 4))
    self.pixels = pixels
  }

  /// The direction of the test camera's bar code.
  enum BarOrder {
    case plain
    case mirrored
  }

  /// The direction of the bar code along the picture's lower edge: 56 cells, of which the first four are 1110 and the
  /// last four 0101. `nil` where there is none.
  var barOrder: BarOrder? {
    let y = height - height / 90
    let cells = (0..<56).map { cell -> Int in
      let at = (y * width + (2 * cell + 1) * width / 112) * 4
      return Int(pixels[at]) + Int(pixels[at + 1]) + Int(pixels[at + 2])
    }
    guard let least = cells.min(), let most = cells.max(), most - least > 60 else { return nil }
    let bits = cells.map { $0 > (least + most) / 2 }
    func guards(_ bits: [Bool]) -> Bool {
      bits.prefix(4) == [true, true, true, false] && bits.suffix(4) == [false, true, false, true]
    }
    return guards(bits) ? .plain : guards(bits.reversed()) ? .mirrored : nil
  }
}
