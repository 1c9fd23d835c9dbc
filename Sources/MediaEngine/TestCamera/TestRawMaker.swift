// The test camera's raw video: a packed background, and the regions that move.

import CameraCore

/// Makes raw frames. Not for several threads at once.
final class TestRawMaker {
  let layout: RawLayout
  let byteCount: Int
  private let scene: TestScene
  private let canvas: TestCanvas
  /// The backgrounds in the layout, by whether they are bright.
  private var packed: [Bool: FrameBlock] = [:]

  init(layout: RawLayout) {
    self.layout = layout
    byteCount = layout.rawByteCount
    scene = TestScene(size: layout.size, range: .limited)
    canvas = TestCanvas(size: layout.size)
  }

  /// - Parameter memory: Room for `byteCount` bytes.
  func fill(_ memory: UnsafeMutableRawBufferPointer, _ moment: TestMoment) {
    let background = scene.background(isFlash: moment.isFlash)
    let boxes = scene.movingBoxes(phase: moment.phase, on: canvas)
    for box in boxes { canvas.copy(background, in: box) }
    scene.drawMoving(phase: moment.phase, isFlash: moment.isFlash, on: canvas)
    let still = packed[moment.isFlash] ?? pack(background)
    packed[moment.isFlash] = still
    still.withUnsafeBytes { memory.copyMemory(from: $0) }
    for box in boxes { pack(box, of: canvas, into: memory) }
    writeMark(moment.number)
    pack(PixelBox(columns: 0..<canvas.width, rows: scene.floor..<canvas.height), of: canvas, into: memory)
    if layout.deep != nil { drawRamp(memory) }
  }

  private func writeMark(_ number: UInt32) {
    for row in scene.floor..<canvas.height {
      let line = canvas.luma + row * canvas.width
      FrameNumberMark.write(number, to: UnsafeMutableBufferPointer(start: line, count: canvas.width))
      (canvas.blue + row * canvas.width / 2).update(repeating: 128, count: canvas.width / 2)
      (canvas.red + row * canvas.width / 2).update(repeating: 128, count: canvas.width / 2)
    }
  }

  private func pack(_ canvas: TestCanvas) -> FrameBlock {
    FrameBlock(count: byteCount) { memory in
      pack(PixelBox(columns: 0..<canvas.width, rows: 0..<canvas.height), of: canvas, into: memory)
    }
  }

  /// Copies a rectangle in the frame's layout.
  ///
  /// - Parameter box: In whole color samples and, for layouts with half as many rows of color, pairs of rows.
  private func pack(_ box: PixelBox, of canvas: TestCanvas, into memory: UnsafeMutableRawBufferPointer) {
    guard let base = memory.assumingMemoryBound(to: UInt8.self).baseAddress, !box.rows.isEmpty else { return }
    if layout.deep != nil {
      packP010(box, of: canvas, into: base)
      return
    }
    if layout.name == "YUY2" {
      packYUY2(box, of: canvas, into: base)
      return
    }
    for row in box.rows {
      let target = base + layout.offsets[0] + row * layout.strides[0] + box.columns.lowerBound
      target.update(from: canvas.luma + row * canvas.width + box.columns.lowerBound, count: box.columns.count)
    }
    // Each color row is the mean of two.
    let (half, first, count) = (canvas.width / 2, box.columns.lowerBound / 2, box.columns.count / 2)
    for row in box.rows.lowerBound / 2..<box.rows.upperBound / 2 {
      let blue = canvas.blue + 2 * row * half + first
      let red = canvas.red + 2 * row * half + first
      if layout.name == "NV12" {
        let target = base + layout.offsets[1] + row * layout.strides[1] + 2 * first
        for column in 0..<count {
          target[2 * column] = Self.mean(blue[column], blue[column + half])
          target[2 * column + 1] = Self.mean(red[column], red[column + half])
        }
      } else {
        let blueTarget = base + layout.offsets[1] + row * layout.strides[1] + first
        let redTarget = base + layout.offsets[2] + row * layout.strides[2] + first
        for column in 0..<count {
          blueTarget[column] = Self.mean(blue[column], blue[column + half])
          redTarget[column] = Self.mean(red[column], red[column + half])
        }
      }
    }
  }

  private func packYUY2(_ box: PixelBox, of canvas: TestCanvas, into base: UnsafeMutablePointer<UInt8>) {
    let (first, count) = (box.columns.lowerBound, box.columns.count / 2)
    for row in box.rows {
      let target = base + layout.offsets[0] + row * layout.strides[0] + 2 * first
      let luma = canvas.luma + row * canvas.width + first
      let blue = canvas.blue + (row * canvas.width + first) / 2
      let red = canvas.red + (row * canvas.width + first) / 2
      for pair in 0..<count {
        target[4 * pair] = luma[2 * pair]
        target[4 * pair + 1] = blue[pair]
        target[4 * pair + 2] = luma[2 * pair + 1]
        target[4 * pair + 3] = red[pair]
      }
    }
  }

  /// Two bits more than the canvas has, which are zero, in the upper bits of each word.
  private func packP010(_ box: PixelBox, of canvas: TestCanvas, into base: UnsafeMutablePointer<UInt8>) {
    let (half, first, count) = (canvas.width / 2, box.columns.lowerBound / 2, box.columns.count / 2)
    for row in box.rows {
      let luma = canvas.luma + row * canvas.width + 2 * first
      let target = words(base, plane: 0, row) + 2 * first
      for column in 0..<2 * count { target[column] = UInt16(luma[column]) << 8 }
    }
    for row in box.rows.lowerBound / 2..<box.rows.upperBound / 2 {
      let blue = canvas.blue + 2 * row * half + first
      let red = canvas.red + 2 * row * half + first
      let target = words(base, plane: 1, row) + 2 * first
      for column in 0..<count {
        target[2 * column] = UInt16(Self.mean(blue[column], blue[column + half])) << 8
        target[2 * column + 1] = UInt16(Self.mean(red[column], red[column + half])) << 8
      }
    }
  }

  /// The part of the picture's height that the ramp takes, just above the bar with the frame number.
  static let rampHeight = 12

  /// Draws a gray ramp through all levels of 10 bits from black, 64, on the left to white, 940, on the right: what has more
  /// of them than 219 kept more than 8 bits.
  private func drawRamp(_ memory: UnsafeMutableRawBufferPointer) {
    guard let base = memory.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
    let end = scene.floor & ~1
    for row in end - end / Self.rampHeight..<end {
      let target = words(base, plane: 0, row)
      for column in 0..<canvas.width { target[column] = UInt16(64 + column * 876 / (canvas.width - 1)) << 6 }
      words(base, plane: 1, row / 2).update(repeating: 512 << 6, count: canvas.width)
    }
  }

  private func words(_ base: UnsafeMutablePointer<UInt8>, plane: Int, _ row: Int) -> UnsafeMutablePointer<UInt16> {
    UnsafeMutableRawPointer(base + layout.offsets[plane] + row * layout.strides[plane])
      .assumingMemoryBound(to: UInt16.self)
  }

  @inline(__always)
  private static func mean(_ first: UInt8, _ second: UInt8) -> UInt8 {
    UInt8(truncatingIfNeeded: (UInt16(first) + UInt16(second) + 1) >> 1)
  }
}

extension RawLayout {
  /// The layout of a raw format as GStreamer has it without padding of its own, for even sizes whose width is a
  /// multiple of 8.
  ///
  /// - Parameter name: `YUY2`, `NV12`, `P010_10LE`; anything else is taken as `I420`.
  static func raw(_ name: String, size: PixelSize) -> RawLayout {
    let (width, area) = (size.width, size.area)
    switch name {
    case "YUY2":
      return RawLayout(name: name, size: size, strides: [2 * width], offsets: [0])
    case "P010_10LE":
      return RawLayout(name: name, size: size, strides: [2 * width, 2 * width], offsets: [0, 2 * area])
    case "NV12":
      return RawLayout(name: name, size: size, strides: [width, width], offsets: [0, area])
    default:
      return RawLayout(
        name: "I420", size: size, strides: [width, width / 2, width / 2], offsets: [0, area, area + area / 4])
    }
  }

  /// The bytes of a frame in one of these layouts.
  fileprivate var rawByteCount: Int { name == "YUY2" ? 2 * size.area : size.area * 3 / (deep == nil ? 2 : 1) }
}
