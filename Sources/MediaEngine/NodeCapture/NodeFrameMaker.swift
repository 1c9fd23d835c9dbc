// Frames for the pipeline, made of a device's buffers.

import CameraCore

/// Makes frames of the buffers of one mode, in two steps: one copy out of the driver's memory, which may be slow to read
/// and is wanted back, and what is left to do with that copy. Each block is in the budget from its making on.
struct NodeFrameMaker {
  /// A frame.
  struct Frame {
    /// What the pipeline gets: GStreamer's layout of `NodeMode.delivered`.
    var block: FrameBlock
    /// The sensor's own samples, where they are kept.
    var samples: BayerFrame?
  }

  private let mode: NodeMode
  private let size: PixelSize
  /// Bytes of a row in the driver's memory, and from one row to the next.
  private let row: Int
  private let stride: Int
  /// Rows of all planes.
  private let rows: Int
  private let transfer: BayerFrame.Transfer
  /// The sensor's own layout; `nil` when the samples aren't kept.
  private let kept: BayerLayout?
  private let budget: FrameBudget

  /// - Parameters:
  ///   - keepsSamples: Whether a sensor's own samples are wanted beside the pictures.
  ///   - budget: Counts what is made.
  init(_ mode: NodeMode, _ format: NodeFormat, keepsSamples: Bool, budget: FrameBudget) {
    self.mode = mode
    self.budget = budget
    size = format.size
    row = size.width / mode.pixelsInGroup * mode.bytesInGroup
    if case .pixels(_, let rowsForTwo) = mode.samples {
      rows = size.height * rowsForTwo / 2
    } else {
      rows = size.height
    }
    // A stride that doesn't fit into the driver's own frame is none: uvcvideo counts both planes of P010 into it.
    let isPlausible = format.stride >= row && (rows - 1) * format.stride + row <= format.byteCount
    stride = isPlausible ? format.stride : row
    transfer = NodeTransfer.transfer(colorSpace: format.color.space, function: format.color.transfer)
    kept = keepsSamples ? mode.encoding.bayerLayout : nil
  }

  /// The bytes of a whole frame in the driver's memory. The last row needs no padding.
  var byteCount: Int { (rows - 1) * stride + row }

  /// The bytes from one row to the next as GStreamer has them: a multiple of four.
  private var deliveredStride: Int {
    let bytes =
      switch (mode.encoding, mode.samples) {
      case (.bayer, _): size.width
      case (_, .pixels(let bytes, _)): size.width * bytes
      default: size.width * 2
      }
    return (bytes + 3) & ~3
  }

  /// Copies a frame.
  ///
  /// - Returns: `nil` when it was cut short.
  func copy(_ bytes: UnsafeRawBufferPointer) -> FrameBlock? {
    guard bytes.count >= byteCount, let start = bytes.baseAddress else { return nil }
    if kept != nil {
      return fill(2 * size.width) { row, target in
        switch mode.samples {
        case .packed(let bits): SampleRows.unpack(start + row, bits, count: size.width, into: target)
        default: target.copyMemory(from: start + row, byteCount: self.row)
        }
      }
    }
    return fill(deliveredStride) { row, target in deliver(start + row, target) }
  }

  /// The frame of a copy.
  func finish(_ copy: FrameBlock) -> Frame {
    guard let kept, case let stride = 2 * size.width else { return Frame(block: copy) }
    let samples = BayerFrame(layout: kept, size: size, stride: stride, transfer: transfer, block: copy)
    let block = copy.withUnsafeBytes { bytes in
      FrameBlock(count: deliveredStride * rows) { memory in
        guard let start = bytes.baseAddress, let target = memory.baseAddress else { return }
        for row in 0..<rows {
          SampleRows.reduce(
            start + row * stride, kept.bits, count: size.width, into: target + row * deliveredStride)
        }
      }
    }
    block.charge(to: budget)
    return Frame(block: block, samples: samples)
  }

  /// A frame in the place of a damaged one, which nobody looks at: it is marked as such.
  var blank: FrameBlock {
    let block = FrameBlock(count: deliveredStride * rows) { _ = $0.initializeMemory(as: UInt8.self, repeating: 0) }
    block.charge(to: budget)
    return block
  }

  private func deliver(_ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer) {
    let width = size.width
    switch (mode.encoding, mode.samples) {
    case (.bayer, .words(let bits)): SampleRows.reduce(source, bits, count: width, into: target)
    case (.bayer, .packed(let bits)): SampleRows.reduce(packed: source, bits, count: width, into: target)
    case (_, .words(let bits)): SampleRows.widen(source, bits, count: width, into: target)
    case (_, .packed(let bits)):
      SampleRows.unpack(source, bits, count: width, shiftedLeft: 16 - bits, into: target)
    case (_, .pixels): target.copyMemory(from: source, byteCount: row)
    }
  }

  /// A block of all rows; `body` is given each row's place in the driver's memory and in the block.
  private func fill(_ stride: Int, _ body: (Int, UnsafeMutableRawPointer) -> Void) -> FrameBlock {
    let block = FrameBlock(count: stride * rows) { memory in
      guard let target = memory.baseAddress else { return }
      for row in 0..<rows { body(row * self.stride, target + row * stride) }
    }
    block.charge(to: budget)
    return block
  }
}
