// The size of a picture as people write it.

import CameraCore

extension PixelSize {
  /// “1280 × 720”: without separators, as sizes in pixels are written.
  var title: String { "\(width) × \(height)" }
}
