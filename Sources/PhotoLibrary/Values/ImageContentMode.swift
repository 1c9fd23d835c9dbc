// Sizes of pictures: how one fits a target, and how one is turned.

import CameraCore

/// The way in which a picture fits the requested size.
public enum ImageContentMode: Sendable, Hashable {
  /// The whole picture is inside the size.
  case aspectFit
  /// The picture covers the size.
  case aspectFill

  /// The size that a picture needs to fit a target without being enlarged; never more than it has.
  ///
  /// Not `PixelSize.fitted(into:)`, which rounds every half up: floating point rounds some of them down (82x61 for 640x480
  /// in 82x82, not 82x62), and stored thumbnails have these sizes.
  func neededSize(of picture: PixelSize, for target: PixelSize) -> PixelSize {
    let horizontal = Double(max(1, target.width)) / Double(picture.width)
    let vertical = Double(max(1, target.height)) / Double(picture.height)
    let scale = min(1, self == .aspectFit ? min(horizontal, vertical) : max(horizontal, vertical))
    return PixelSize(
      width: max(1, Int((Double(picture.width) * scale).rounded())),
      height: max(1, Int((Double(picture.height) * scale).rounded())))
  }
}

extension PixelSize {
  /// The size of the pixels as a file with this EXIF orientation stores them, from the upright one; or the reverse.
  func turned(orientation: Int) -> PixelSize { orientation >= 5 ? PixelSize(width: height, height: width) : self }
}
