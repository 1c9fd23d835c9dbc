// Several pictures on one sheet of white paper, as a photo booth hands them out.

import CameraCore

/// The arrangement of the pictures on a sheet.
public enum SheetLayout: String, CaseIterable, Codable, Sendable {
  /// Two beside two.
  case grid
  /// One below the other.
  case strip

  /// The number of pictures beside each other.
  var columns: Int { self == .grid ? 2 : 1 }
}

/// The places of pictures of one size on a sheet: in reading order, with a white edge around and between them.
public struct PhotoSheet: Equatable, Sendable {
  public let layout: SheetLayout
  /// The room of each picture, in pixels.
  public let cell: PixelSize
  /// The number of pictures.
  public let count: Int
  /// The width of the edge in pixels: a twenty-fourth of the shorter side of a picture, and at least 2.
  public let edge: Int

  /// - Parameters:
  ///   - picture: The size of the pictures, upright.
  ///   - count: At least 1.
  ///   - longest: The longer side of a picture on the sheet at most, in pixels; larger ones are reduced.
  public init(_ layout: SheetLayout, of picture: PixelSize, count: Int, longest: Int = 1920) {
    precondition(count > 0, "A sheet without pictures.")
    self.layout = layout
    self.count = count
    cell = Self.fitted(picture, to: PixelSize(width: longest, height: longest))
    edge = max(2, min(cell.width, cell.height) / 24)
  }

  /// The size of the whole sheet in pixels.
  public var size: PixelSize {
    let rows = (count + layout.columns - 1) / layout.columns
    return PixelSize(
      width: layout.columns * (cell.width + edge) + edge, height: rows * (cell.height + edge) + edge)
  }

  /// The upper left corner of a picture's room.
  ///
  /// - Parameter index: From 0 on.
  public func origin(of index: Int) -> (x: Int, y: Int) {
    (
      edge + index % layout.columns * (cell.width + edge),
      edge + index / layout.columns * (cell.height + edge)
    )
  }

  /// Draws the pictures. One of another size is reduced until it fits, and is in the middle of its room.
  ///
  /// - Parameter pictures: `count` of them, upright.
  public func drawn(_ pictures: [DecodedImage]) -> DecodedImage {
    precondition(pictures.count == count, "Each room has a picture.")
    let size = size
    let stride = size.width * 4
    let block = FrameBlock(count: stride * size.height) { output in
      for at in Swift.stride(from: 0, to: output.count, by: 4) {
        // White; the fourth byte of a pixel means nothing.
        output.storeBytes(of: UInt32(0x00ff_ffff).littleEndian, toByteOffset: at, as: UInt32.self)
      }
      for (index, picture) in pictures.enumerated() {
        let image = picture.averaged(to: Self.fitted(picture.size, to: cell))
        let origin = origin(of: index)
        let left = origin.x + (cell.width - image.size.width) / 2
        let top = origin.y + (cell.height - image.size.height) / 2
        image.block.withUnsafeBytes { input in
          for row in 0..<image.size.height {
            let line = input[(row * image.stride)..<(row * image.stride + image.size.width * 4)]
            let at = (top + row) * stride + left * 4
            UnsafeMutableRawBufferPointer(rebasing: output[at..<(at + line.count)])
              .copyMemory(from: UnsafeRawBufferPointer(rebasing: line))
          }
        }
      }
    }
    return DecodedImage(size: size, stride: stride, block: block)
  }

  /// A size with the same aspect ratio that fits into another; smaller ones stay as they are.
  private static func fitted(_ size: PixelSize, to room: PixelSize) -> PixelSize {
    let scale = min(1, min(Double(room.width) / Double(size.width), Double(room.height) / Double(size.height)))
    guard scale < 1 else { return size }
    return PixelSize(
      width: min(room.width, max(1, Int((Double(size.width) * scale).rounded()))),
      height: min(room.height, max(1, Int((Double(size.height) * scale).rounded()))))
  }
}
