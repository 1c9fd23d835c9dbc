// The blur of a lens: points become discs.

import CameraCore
import Foundation

/// A blur that makes a disc of each point, of the pixels that weigh something, computed at reduced size.
///
/// Pixels are weighted by the matte, so that what is left out doesn't bleed into its surroundings: colors and weights are
/// summed over discs, and divided (normalized convolution: H. Knutsson, C.-F. Westin, “Normalized and Differential
/// Convolution”, CVPR 1993). Beyond the border there is nothing.
struct DiscBlur {
  typealias Color = SIMD4<Float>

  /// The light in which colors are summed.
  enum Light {
    /// Values as they are, for means.
    case display
    /// As in a lens: linear light, of which highlights have far more than a picture can show. With the linear value v, 0…1,
    /// it is taken to be v / (1.15 − v), up to 6.7; the sum goes back by the inverse, so that an even area stays as it is.
    case lens

    /// By a channel's value, 0…255.
    fileprivate var table: [Float] { self == .lens ? Self.lensTable : Self.displayTable }

    private static let displayTable = (0..<256).map { Float($0) }
    private static let lensTable = (0..<256).map { byte in
      let linear = Float(ToneCurve.linear(Double(byte) / 255))
      return linear / (ceiling - linear)
    }
    private static let ceiling: Float = 1.15
    private static let lastStep = 4095
    /// Values of 0…255 by linear light in steps.
    private static let screenTable = (0...lastStep).map { step in
      Float(255 * ToneCurve.encoded(Double(step) / Double(lastStep)))
    }

    /// Sums as values of the screen, 0…255.
    @inline(__always)
    fileprivate func screen(_ sum: Color, _ table: UnsafePointer<Float>) -> Color {
      guard self == .lens else { return sum }
      let linear = sum * Self.ceiling / (sum + 1) * Float(Self.lastStep)
      @inline(__always) func value(_ channel: Float) -> Float {
        table[Pixel.nearest(min(Float(Self.lastStep), max(0, channel)))]
      }
      return Color(value(linear.x), value(linear.y), value(linear.z), 0)
    }

    fileprivate func withScreenTable<R>(_ body: (UnsafePointer<Float>) throws -> R) rethrows -> R {
      try Self.screenTable.withUnsafeBufferPointer { try body($0.baseAddress!) }
    }
  }

  /// The disc's radius, in reduced pixels.
  private let radius: Float
  /// The pixels of the picture in one reduced pixel, across and down.
  private let step: Int
  private let width: Int
  private let height: Int
  private let light: Light
  private let weights: [Float]
  private let threads: Int

  /// Of a disc's weights: of less, sums in single precision are noise.
  private static let leastSum: Float = 0.02
  /// In reduced pixels: larger discs would cost much more, and look the same.
  private static let largestRadius: Float = 3.5
  /// The longest side of the reduced picture: of a weak blur in a large picture.
  private static let longestSide = 1600

  /// - Parameters:
  ///   - radius: In pixels of the picture.
  ///   - weights: Of pixels, by their byte of the matte.
  init(radius: Float, light: Light, weights: [Float], for view: PixelView, threads: Int) {
    precondition(weights.count == 256, "There is a weight for each byte.")
    let bySize = (max(view.width, view.height) + Self.longestSide - 1) / Self.longestSide
    step = max(1, bySize, Int((radius / Self.largestRadius).rounded(.up)))
    self.radius = max(0, radius) / Float(step)
    (width, height) = ((view.width + step - 1) / step, (view.height + step - 1) / step)
    (self.light, self.weights, self.threads) = (light, weights, threads)
  }

  /// The columns of zeros at either side of a row.
  private var margin: Int { Int(radius.rounded(.up)) + 2 }
  private var stride: Int { width + 2 * margin }

  /// Blurs a picture and lends the result.
  ///
  /// - Parameter name: Of the scratch memory.
  func withRows(
    of view: PixelView, _ matte: Matte, named name: String, scratch: EffectScratch, _ body: (Rows) -> Void
  ) {
    precondition(matte.size == view.size, "The matte has the picture’s size.")
    let (margin, stride) = (margin, stride)
    // Colors with weights, their sums along rows, and the blurred picture.
    scratch.withColors(name, count: (2 * stride + width) * height) { colors in
      let sums = colors + stride * height
      let blurred = sums + stride * height
      matte.block.withUnsafeBytes { matte in
        RowBands.run(rows: height, threads: threads) { rows, _ in
          for y in rows {
            let row = colors + y * stride
            for x in 0..<margin { (row[x], row[margin + width + x]) = (Color(), Color()) }
            reduce(view, matte, y, to: row + margin)
            var sum = Color()
            for x in 0..<stride {
              sums[y * stride + x] = sum
              sum += row[x]
            }
          }
        }
      }
      RowBands.run(rows: height, threads: threads) { rows, _ in
        light.withScreenTable { table in
          for y in rows { blur(y, colors + margin, sums + margin, to: blurred + y * width, table) }
        }
      }
      body(Rows(blurred, width: width, height: height, step: step, of: view.size))
    }
  }

  /// The blurred picture, which is enlarged row by row.
  struct Rows {
    private let colors: UnsafePointer<Color>
    private let width: Int
    private let height: Int
    private let across: LinearPlaces
    private let down: LinearPlaces
    private let wide: Int

    fileprivate init(_ colors: UnsafePointer<Color>, width: Int, height: Int, step: Int, of size: PixelSize) {
      (self.colors, self.width, self.height, wide) = (colors, width, height, size.width)
      across = LinearPlaces(from: width, to: size.width, scale: Float(step))
      down = LinearPlaces(from: height, to: size.height, scale: Float(step))
    }

    /// The memory for a row, in colors.
    var lineCount: Int { width + wide }

    /// Writes a row at full size: values of 0…255.
    ///
    /// - Parameter line: `lineCount` colors.
    /// - Returns: The row, in `line`.
    func row(_ y: Int, _ line: UnsafeMutablePointer<Color>) -> UnsafePointer<Color> {
      let (index, share) = down[y]
      let (upper, lower) = (colors + index * width, colors + min(index + 1, height - 1) * width)
      for x in 0..<width { line[x] = upper[x] + (lower[x] - upper[x]) * share }
      let row = line + width
      for x in 0..<wide {
        let (index, share) = across[x]
        let (left, right) = (line[index], line[min(index + 1, width - 1)])
        row[x] = left + (right - left) * share
      }
      return UnsafePointer(row)
    }
  }

  /// Means of weighted colors, and of weights. (Their sums along rows lose less than those of sums would.)
  private func reduce(
    _ view: PixelView, _ matte: UnsafeRawBufferPointer, _ y: Int, to row: UnsafeMutablePointer<Color>
  ) {
    row.update(repeating: Color(), count: width)
    light.table.withUnsafeBufferPointer { table in
      weights.withUnsafeBufferPointer { weights in
        for line in y * step..<min(view.height, (y + 1) * step) {
          let pixels = view.row(line)
          let bytes = matte.baseAddress! + line * view.width
          for x in 0..<width {
            var sum = row[x]
            for place in x * step..<min(view.width, (x + 1) * step) {
              let pixel = pixels[place]
              let weight = weights[Int(bytes.load(fromByteOffset: place, as: UInt8.self))]
              let color = Color(
                table[Int(pixel & 0xff)], table[Int(pixel >> 8 & 0xff)], table[Int(pixel >> 16 & 0xff)], 1)
              sum += color * weight
            }
            row[x] = sum
          }
        }
        let share = 1 / Float(step * step)
        for x in 0..<width { row[x] *= share }
      }
    }
  }

  /// The means over discs of a row.
  private func blur(
    _ y: Int, _ colors: UnsafePointer<Color>, _ sums: UnsafePointer<Color>, to row: UnsafeMutablePointer<Color>,
    _ table: UnsafePointer<Float>
  ) {
    // The radius of a disc that covers its own pixel at least.
    let outer = radius + 0.5
    let reach = Int(outer)
    row.update(repeating: Color(), count: width)
    for line in max(0, y - reach)...min(height - 1, y + reach) {
      let away = Float(line - y)
      let end = max(0, outer * outer - away * away).squareRoot() + 0.5
      let whole = Int(end)
      let part = end - Float(whole)
      let (colors, sums) = (colors + line * stride, sums + line * stride)
      for x in 0..<width {
        let inner = sums[x + whole] - sums[x + 1 - whole]
        row[x] += inner + (colors[x + whole] + colors[x - whole]) * part
      }
    }
    // What weighs next to nothing is lost in sums along rows; it is as it was.
    let own = colors + y * stride
    for x in 0..<width {
      let sum = row[x].w > Self.leastSum ? row[x] : own[x]
      row[x] = light.screen(sum / max(sum.w, .leastNormalMagnitude), table)
    }
  }
}
