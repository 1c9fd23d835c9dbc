// Sizes of scaled pictures.

extension PixelSize {
  /// The largest size of the same shape that fits into a box, never larger than this one and never empty.
  ///
  ///     PixelSize(width: 1920, height: 1080).fitted(into: PixelSize(width: 960, height: 960))     // 960×540
  public func fitted(into box: PixelSize) -> PixelSize {
    if width <= box.width, height <= box.height { return self }
    let (boxWidth, boxHeight) = (max(1, box.width), max(1, box.height))
    // The shapes are compared as products of whole numbers: width/height of the box against that of the picture.
    if boxWidth * height <= boxHeight * width {
      return PixelSize(width: min(width, boxWidth), height: max(1, (boxWidth * height + width / 2) / width))
    }
    return PixelSize(width: max(1, (boxHeight * width + height / 2) / height), height: min(height, boxHeight))
  }

  /// The same, but a box that a caller computed from this size, rounded one way or the other, is taken as it is.
  public func fitted(intoRounded box: PixelSize) -> PixelSize {
    guard width > box.width || height > box.height, (1...width).contains(box.width), (1...height).contains(box.height)
    else { return fitted(into: box) }
    // The sides that belong to the box's other ones.
    let matching = PixelSize(
      width: Int((Double(width) * Double(box.height) / Double(height)).rounded()),
      height: Int((Double(height) * Double(box.width) / Double(width)).rounded()))
    let isMeant = abs(matching.width - box.width) <= 1 || abs(matching.height - box.height) <= 1
    return isMeant ? box : fitted(into: box)
  }
}
