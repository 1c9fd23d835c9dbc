// The drawing surface of the test camera: planes of luma and chroma, 4:2:2, as from webcams.

import CameraCore

/// A color as luma, blue difference, red difference (0 to 255), and coverage (0 to 1).
typealias SceneColor = SIMD4<Float>

/// The range of BT.601 samples: full for JPEG, limited for raw video.
enum SceneRange {
  case full
  case limited

  /// A color from 0xRRGGBB, as in ITU-R BT.601 with the JFIF or the studio scale.
  func color(_ rgb: UInt32) -> SceneColor {
    let red = Float(rgb >> 16 & 255)
    let green = Float(rgb >> 8 & 255)
    let blue = Float(rgb & 255)
    let luma = 0.299 * red + 0.587 * green + 0.114 * blue
    let (cb, cr) = (0.564 * (blue - luma), 0.713 * (red - luma))
    switch self {
    case .full: return SceneColor(luma, 128 + cb, 128 + cr, 1)
    case .limited: return SceneColor(16 + luma * 219 / 255, 128 + cb * 224 / 255, 128 + cr * 224 / 255, 1)
    }
  }

  var white: Float { self == .full ? 255 : 235 }
}

/// A rectangle of pixels.
struct PixelBox {
  var columns: Range<Int>
  var rows: Range<Int>
}

/// A Y42B picture: rows of `width` luma samples, and of half as many of either chroma.
///
/// The memory is its own; not for several threads at once.
final class TestCanvas {
  let width: Int
  let height: Int
  /// All planes, one after another without gaps.
  let memory: UnsafeMutableBufferPointer<UInt8>
  let luma: UnsafeMutablePointer<UInt8>
  let blue: UnsafeMutablePointer<UInt8>
  let red: UnsafeMutablePointer<UInt8>

  /// Undefined contents.
  ///
  /// - Parameter size: Both sides even and above zero.
  init(size: PixelSize) {
    width = size.width
    height = size.height
    memory = .allocate(capacity: 2 * size.area)
    // The two chroma planes have as many bytes as the luma plane.
    let base = memory.baseAddress.unsafelyUnwrapped
    luma = base
    blue = base + size.area
    red = blue + size.area / 2
  }

  deinit { memory.deallocate() }

  func copy(_ other: TestCanvas) { _ = memory.update(from: other.memory) }

  /// Copies one rectangle; its columns are even.
  func copy(_ other: TestCanvas, in box: PixelBox) {
    let half = box.columns.lowerBound / 2
    for row in box.rows {
      let at = row * width + box.columns.lowerBound
      (luma + at).update(from: other.luma + at, count: box.columns.count)
      let chroma = row * width / 2 + half
      (blue + chroma).update(from: other.blue + chroma, count: box.columns.count / 2)
      (red + chroma).update(from: other.red + chroma, count: box.columns.count / 2)
    }
  }

  /// A box around a shape, in whole chroma samples and pairs of rows, cut to the rows above `floor`.
  func box(x: ClosedRange<Float>, y: ClosedRange<Float>, floor: Int) -> PixelBox {
    let scale = Float(height)
    let left = min(max(0, Int(x.lowerBound * scale) - 1), width) & ~1
    let right = (max(left, min(width, Int(x.upperBound * scale) + 2)) + 1) & ~1
    let top = min(max(0, Int(y.lowerBound * scale) - 1), floor) & ~1
    let bottom = min(floor, (max(top, Int(y.upperBound * scale) + 2) + 1) & ~1)
    return PixelBox(columns: left..<min(right, width), rows: top..<max(top, bottom))
  }

  /// Paints over the pixels of a box.
  ///
  /// - Parameter shade: The color at a point, in picture heights from the top left; its last number is the coverage.
  @inline(__always)
  func paint(_ box: PixelBox, _ shade: (_ x: Float, _ y: Float) -> SceneColor) {
    let unit = 1 / Float(height)
    for row in box.rows {
      let y = (Float(row) + 0.5) * unit
      let line = luma + row * width
      let (blueLine, redLine) = (blue + row * width / 2, red + row * width / 2)
      var column = box.columns.lowerBound
      while column < box.columns.upperBound {
        let x = (Float(column) + 0.5) * unit
        let first = shade(x, y)
        let second = shade(x + unit, y)
        if first.w == 1, second.w == 1 {
          line[column] = Self.round(first.x)
          line[column + 1] = Self.round(second.x)
          blueLine[column / 2] = Self.round((first.y + second.y) * 0.5)
          redLine[column / 2] = Self.round((first.z + second.z) * 0.5)
        } else if first.w > 0 || second.w > 0 {
          line[column] = Self.mix(line[column], first.x, first.w)
          line[column + 1] = Self.mix(line[column + 1], second.x, second.w)
          let cover = (first.w + second.w) / 2
          let color = (first * first.w + second * second.w) / (first.w + second.w)
          blueLine[column / 2] = Self.mix(blueLine[column / 2], color.y, cover)
          redLine[column / 2] = Self.mix(redLine[column / 2], color.z, cover)
        }
        column += 2
      }
    }
  }

  @inline(__always)
  private static func mix(_ under: UInt8, _ over: Float, _ cover: Float) -> UInt8 {
    round(Float(under) + (over - Float(under)) * cover)
  }

  @inline(__always)
  private static func round(_ value: Float) -> UInt8 {
    UInt8(truncatingIfNeeded: Int32(min(max(value + 0.5, 0), 255)))
  }
}

/// The coverage of a pixel by a shape, from the signed distance to its edge (negative inside), both in picture
/// heights.
@inline(__always)
func coverage(_ distance: Float, _ scale: Float) -> Float { min(max(0.5 - distance * scale, 0), 1) }

/// 0 at `low` and under, 1 at `high` and over, smooth between.
@inline(__always)
func smoothStep(_ low: Float, _ high: Float, _ value: Float) -> Float {
  let t = min(max((value - low) / (high - low), 0), 1)
  return t * t * (3 - 2 * t)
}
