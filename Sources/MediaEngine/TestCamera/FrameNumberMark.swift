// A bar code of the frame number in the test camera's pictures, which identifies each frame.

import CameraCore
import Foundation

/// The frame number as a row of gray cells, readable after compression, scaling and mirroring.
///
/// 56 cells of equal width fill the picture's width: a start guard, 32 bits of the number and 16 bits of CRC (highest
/// bit first, whitened), a stop guard. The guards differ, so that a mirrored bar is recognized. The bar
/// is about 1/45 of the picture's height, and at 320 pixels a cell is still 5.7 pixels wide.
///
/// A false positive is rarer than one in a hundred thousand: guards and CRC are 24 bits, and some 90 positions are tried.
public enum FrameNumberMark {
  /// Cells from edge to edge.
  public static let cellCount = 56
  /// The luma of the two kinds of cell; far enough apart for JPEG at quality 50 and poor H.264, close enough to rest
  /// quietly under a dusk landscape.
  public static let darkLevel: UInt8 = 40
  public static let lightLevel: UInt8 = 104

  private static let startGuard: UInt64 = 0b1110
  private static let stopGuard: UInt64 = 0b0101
  /// Neighboring numbers shouldn't give long runs of one level.
  private static let whitening: UInt64 = 0x5a96_c369_a53c
  /// Light must exceed dark by this to count as a bar.
  private static let leastContrast = 16

  /// The height of the bar in a picture, in rows: whole JPEG blocks, so that the rest of the picture compresses on its
  /// own.
  public static func height(inPictureOf height: Int) -> Int { isShown ? max(8, (height + 359) / 360 * 8) : 0 }

  /// Whether pictures have a bar: not where the environment variable `PHOTOME_TEST_MARK` is 0, for screenshots.
  static let isShown = ProcessInfo.processInfo.environment["PHOTOME_TEST_MARK"] != "0"

  /// The left edge of a cell, in pixels.
  public static func start(ofCell cell: Int, width: Int) -> Int { cell * width / cellCount }

  /// The cells for a number, the leftmost in bit 55; a light cell is a one.
  public static func cells(for number: UInt32) -> UInt64 {
    let data = (UInt64(number) << 16 | UInt64(checksum(number))) ^ whitening
    return startGuard << 52 | data << 4 | stopGuard
  }

  /// Writes one row of the bar.
  ///
  /// - Parameter row: A row of luma samples.
  public static func write(
    _ number: UInt32, to row: UnsafeMutableBufferPointer<UInt8>, dark: UInt8 = darkLevel, light: UInt8 = lightLevel
  ) {
    let cells = cells(for: number)
    for cell in 0..<cellCount {
      let isLight = cells >> UInt64(cellCount - 1 - cell) & 1 == 1
      let range = start(ofCell: cell, width: row.count)..<start(ofCell: cell + 1, width: row.count)
      UnsafeMutableBufferPointer(rebasing: row[range]).update(repeating: isLight ? light : dark)
    }
  }

  /// Reads the number from a luma plane.
  ///
  /// - Parameters:
  ///   - luma: `height` rows of `width` samples, `stride` bytes apart; the picture without borders, give or take a
  ///     pixel or two.
  /// - Returns: `nil` if there is no legible bar.
  public static func read(luma: UnsafePointer<UInt8>, width: Int, height: Int, stride: Int) -> UInt32? {
    read(width: width, height: height) { x, y in Int(luma[y * stride + x]) }
  }

  /// Reads the number from a decoded picture.
  public static func read(_ image: DecodedImage) -> UInt32? {
    image.block.withUnsafeBytes { bytes in
      guard bytes.count >= image.stride * (image.size.height - 1) + image.size.width * 4 else { return nil }
      return read(width: image.size.width, height: image.size.height) { x, y in
        let at = y * image.stride + x * 4
        // BT.601 in 256ths.
        return (29 * Int(bytes[at]) + 150 * Int(bytes[at + 1]) + 77 * Int(bytes[at + 2])) >> 8
      }
    }
  }

  private static func read(width: Int, height: Int, sample: (_ x: Int, _ y: Int) -> Int) -> UInt32? {
    // Narrower, a cell is under three pixels.
    guard width >= 3 * cellCount, height >= 16 else { return nil }
    // The bar takes 1/45 to 1/30 of the height (1/60 at some scales): look through its lower part, the surest row
    // first.
    let rows = [90, 70, 120, 200].map { height - 1 - height / $0 } + [height - 1]
    var profile = [Int](repeating: 0, count: width)
    for row in rows {
      let neighbors = max(0, row - 1)...min(height - 1, row)
      for x in 0..<width { profile[x] = neighbors.reduce(0) { $0 + sample(x, $1) } * 8 / neighbors.count }
      for (left, right) in edges {
        if let number = decode(profile, from: left, to: width + right) { return number }
      }
    }
    return nil
  }

  /// The offsets of the bar's ends from the picture's, in pixels, the likeliest first.
  private static let edges = [(0, 0), (-1, 1), (1, -1), (1, 1), (-1, -1), (2, 0), (0, -2), (2, -2), (-2, 2)]

  /// Reads a row of luma (in eighths), straight and mirrored.
  private static func decode(_ profile: [Int], from left: Int, to right: Int) -> UInt32? {
    var levels = [Int](repeating: 0, count: cellCount)
    let width = right - left
    for cell in 0..<cellCount {
      // The middle half of the cell: its edges are blurred.
      let start = left + (4 * cell + 1) * width / (4 * cellCount)
      let end = max(start + 1, left + (4 * cell + 3) * width / (4 * cellCount))
      var sum = 0
      for x in start..<end { sum += profile[min(max(x, 0), profile.count - 1)] }
      levels[cell] = sum / (end - start)
    }
    let sorted = levels.sorted()
    // The guards alone have three dark cells and five light ones.
    let (dark, light) = (sorted[2], sorted[cellCount - 3])
    guard light - dark >= leastContrast * 8 else { return nil }
    let middle = (dark + light) / 2
    var straight: UInt64 = 0
    var mirrored: UInt64 = 0
    for cell in 0..<cellCount where levels[cell] > middle {
      straight |= 1 << UInt64(cellCount - 1 - cell)
      mirrored |= 1 << UInt64(cell)
    }
    return number(fromCells: straight) ?? number(fromCells: mirrored)
  }

  /// The number in cells whose guards and checksum are right.
  private static func number(fromCells cells: UInt64) -> UInt32? {
    guard cells >> 52 == startGuard, cells & 0b1111 == stopGuard else { return nil }
    let data = (cells >> 4 & 0xffff_ffff_ffff) ^ whitening
    let number = UInt32(truncatingIfNeeded: data >> 16)
    return UInt16(truncatingIfNeeded: data) == checksum(number) ? number : nil
  }

  /// CRC-16/CCITT-FALSE of the number's four bytes, highest first (polynomial 0x1021, start 0xffff).
  static func checksum(_ number: UInt32) -> UInt16 {
    var crc: UInt16 = 0xffff
    for shift in [24, 16, 8, 0] as [UInt32] {
      crc ^= UInt16(truncatingIfNeeded: number >> shift & 0xff) << 8
      for _ in 0..<8 { crc = crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
    }
    return crc
  }
}
