// The changes that PhotoMe makes to a camera's pictures in place of controls that the camera lacks.

/// Digital zoom, brightness and contrast of a frame. It applies to whatever is made of the frame: the preview, the photo,
/// and movies.
public struct FrameLook: Hashable, Sendable {
  /// The enlargement of the picture's middle, from 1, the whole picture.
  public var zoom: Double
  /// Added to each of red, green and blue, of which 1 is the brightest.
  public var brightness: Double
  /// The factor of each color's distance from the middle, 0.5.
  public var contrast: Double

  public init(zoom: Double = 1, brightness: Double = 0, contrast: Double = 1) {
    (self.zoom, self.brightness, self.contrast) = (zoom, brightness, contrast)
  }

  /// Whether it changes nothing.
  public var isPlain: Bool { zoom <= 1 && !changesColors }

  /// Whether it changes colors, too.
  public var changesColors: Bool { brightness != 0 || contrast != 1 }

  /// The part of a picture that is enlarged. It begins at even rows and at columns that are multiples of 4, where every
  /// layout has whole samples of chroma.
  public func crop(of size: PixelSize) -> (x: Int, y: Int, size: PixelSize) {
    guard zoom > 1 else { return (0, 0, size) }
    func length(_ whole: Int) -> Int { min(whole, max(2, Int((Double(whole) / zoom).rounded()) & ~1)) }
    let part = PixelSize(width: length(size.width), height: length(size.height))
    return ((size.width - part.width) / 2 & ~3, (size.height - part.height) / 2 & ~1, part)
  }
}
