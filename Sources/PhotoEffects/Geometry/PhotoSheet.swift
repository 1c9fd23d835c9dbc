// Several pictures on one sheet of white paper: as a photo booth hands them out, and contact sheets.

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
  /// The number of pictures beside each other.
  public let columns: Int
  /// The room of each picture, in pixels.
  public let cell: PixelSize
  /// The number of pictures.
  public let count: Int
  /// The width of the edge in pixels: a twenty-fourth of the shorter side of a picture, and at least 2.
  public let edge: Int
  /// The height of the line of text below each picture, in pixels; 0 for none.
  public let captionHeight: Int

  /// - Parameters:
  ///   - picture: The size of the pictures, upright.
  ///   - count: At least 1.
  ///   - longest: The longer side of a picture on the sheet at most, in pixels; larger ones are reduced.
  public init(_ layout: SheetLayout, of picture: PixelSize, count: Int, longest: Int = 1920) {
    precondition(count > 0, "A sheet without pictures.")
    columns = layout.columns
    self.count = count
    cell = Self.fitted(picture, to: PixelSize(width: longest, height: longest))
    edge = max(2, min(cell.width, cell.height) / 24)
    captionHeight = 0
  }

  private init(columns: Int, cell: PixelSize, count: Int, edge: Int, captionHeight: Int) {
    (self.columns, self.cell, self.count, self.edge) = (columns, cell, count, edge)
    self.captionHeight = captionHeight
  }

  /// The least height of a contact sheet, in pixels: there is room for two pictures beside each other.
  private static let leastHeight = 16
  /// The most pictures beside each other on a contact sheet.
  private static let mostColumns = 6
  /// The least height of a line of text, and of the paper that has any, in pixels.
  private static let (leastCaption, leastCaptioned) = (14, 640)

  /// The sheets of a contact sheet: small pictures in square rooms on upright paper, as large as the number allows. Where
  /// there is more paper than pictures, the sheet is shorter.
  ///
  /// - Parameters:
  ///   - count: Of all pictures; at least 1.
  ///   - height: Of a full sheet, in pixels, at least 16; 3,508 are those of A4 at 300 per inch. Low ones have fewer pictures.
  ///   - hasCaptions: Whether a line of text is below each picture, on sheets on which it can be read.
  public static func contactSheets(count: Int, height: Int = 3508, hasCaptions: Bool = false) -> [PhotoSheet] {
    precondition(count > 0, "A sheet without pictures.")
    let height = max(height, leastHeight)
    // Paper of the A series.
    let width = Int(Double(height) / 2.0.squareRoot())
    let edge = max(2, height / 150)
    let line = hasCaptions && height >= leastCaptioned ? max(leastCaption, height / 80) : 0
    var (columns, side, rows) = (1, width, 1)
    // A picture has a pixel at least.
    for next in 2...max(2, min(mostColumns, (width - edge) / (edge + 1))) {
      columns = next
      side = max(1, (width - edge) / columns - edge)
      rows = max(1, (height - edge) / (side + line + edge))
      if columns * rows >= count { break }
    }
    let cell = PixelSize(width: side, height: side)
    return stride(from: 0, to: count, by: columns * rows).map { start in
      PhotoSheet(
        columns: columns, cell: cell, count: min(columns * rows, count - start), edge: edge, captionHeight: line)
    }
  }

  /// The sheets of pictures by four, two beside two.
  ///
  /// - Parameters:
  ///   - picture: The size of the first one, upright.
  ///   - count: Of all pictures; at least 1.
  ///   - longest: The longer side of a picture on the sheet at most, in pixels.
  public static func fourUps(of picture: PixelSize, count: Int, longest: Int = 1920) -> [PhotoSheet] {
    precondition(count > 0, "A sheet without pictures.")
    return stride(from: 0, to: count, by: 4).map { start in
      PhotoSheet(.grid, of: picture, count: min(4, count - start), longest: longest)
    }
  }

  /// The same sheet with another number of rooms, at least 1.
  public func holding(_ count: Int) -> PhotoSheet {
    precondition(count > 0, "A sheet without pictures.")
    return PhotoSheet(columns: columns, cell: cell, count: count, edge: edge, captionHeight: captionHeight)
  }

  /// The size of the whole sheet in pixels.
  public var size: PixelSize {
    let rows = (count + columns - 1) / columns
    return PixelSize(
      width: columns * (cell.width + edge) + edge, height: rows * (cell.height + captionHeight + edge) + edge)
  }

  /// The upper left corner of a picture's room.
  ///
  /// - Parameter index: From 0 on.
  public func origin(of index: Int) -> (x: Int, y: Int) {
    (
      edge + index % columns * (cell.width + edge),
      edge + index / columns * (cell.height + captionHeight + edge)
    )
  }

  /// Draws the pictures. One of another size is reduced until it fits, and is in the middle of its room.
  ///
  /// - Parameters:
  ///   - pictures: `count` of them, upright.
  ///   - captions: The text below each, or none at all: as wide as a room and `captionHeight` high, 0 for paper, 255 for ink.
  public func drawn(_ pictures: [DecodedImage], captions: [[UInt8]] = []) -> DecodedImage {
    precondition(pictures.count == count, "Each room has a picture.")
    precondition(captions.isEmpty || captions.count == count, "Each picture has a caption.")
    let size = size
    let stride = size.width * 4
    let block = FrameBlock(count: stride * size.height) { output in
      for at in Swift.stride(from: 0, to: output.count, by: 4) {
        // White; the fourth byte of a pixel means nothing.
        output.storeBytes(of: UInt32(0x00ff_ffff).littleEndian, toByteOffset: at, as: UInt32.self)
      }
      for (index, caption) in captions.enumerated() { draw(caption, index, into: output, stride: stride) }
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

  private func draw(_ caption: [UInt8], _ index: Int, into output: UnsafeMutableRawBufferPointer, stride: Int) {
    precondition(caption.count == cell.width * captionHeight, "A caption has the size of its line.")
    let origin = origin(of: index)
    let top = origin.y + cell.height
    for (at, coverage) in caption.enumerated() {
      let pixel = (top + at / cell.width) * stride + (origin.x + at % cell.width) * 4
      for channel in 0..<3 { output[pixel + channel] = 255 - coverage }
    }
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
