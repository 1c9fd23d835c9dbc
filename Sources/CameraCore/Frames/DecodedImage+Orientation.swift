// Rotation of pictures into their upright orientation.

extension DecodedImage {
  /// Turned and mirrored so that it is upright.
  ///
  /// - Parameter orientation: As EXIF counts, 1 to 8: where the first row and the first column of the file belong.
  public func upright(orientation: Int) -> DecodedImage {
    guard (2...8).contains(orientation) else { return self }
    let result = orientation >= 5 ? PixelSize(width: size.height, height: size.width) : size
    let (lastColumn, lastRow) = (size.width - 1, size.height - 1)
    return block.withUnsafeBytes { source in
      let block = FrameBlock(count: result.area * 4) { target in
        for y in 0..<result.height {
          for x in 0..<result.width {
            // Where the pixel at (x, y) of the upright picture lies in the file.
            let (column, row) =
              switch orientation {
              case 2: (lastColumn - x, y)
              case 3: (lastColumn - x, lastRow - y)
              case 4: (x, lastRow - y)
              case 5: (y, x)
              case 6: (y, lastRow - x)
              case 7: (lastColumn - y, lastRow - x)
              default: (lastColumn - y, x)
              }
            let pixel = source.loadUnaligned(fromByteOffset: row * stride + column * 4, as: UInt32.self)
            target.storeBytes(of: pixel, toByteOffset: (y * result.width + x) * 4, as: UInt32.self)
          }
        }
      }
      return DecodedImage(size: result, stride: result.width * 4, block: block)
    }
  }
}
