// Textures made from decoded pictures.

import CGtk
import CameraCore
import GtkShim

extension DecodedImage {
  /// A texture with a copy of the pixels, for small pictures; on any thread.
  func texture() -> GObjectRef? {
    block.withUnsafeBytes { bytes in
      guard let pixels = bytes.baseAddress, bytes.count >= stride * size.height, stride >= 4 * size.width else {
        return nil
      }
      return GObjectRef(
        adopting: pm_texture_new_from_bgrx(pixels, Int32(size.width), Int32(size.height), Int32(stride)))
    }
  }
}
