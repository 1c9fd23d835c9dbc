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

  /// A plane in the driver's memory and in a block.
  private struct Plane {
    /// The bytes of a row, and the number of rows.
    var row: Int
    var rows: Int
    /// In the driver's memory: the bytes before the plane, and from one row to the next.
    var source: (offset: Int, stride: Int)
    /// The same in the block.
    var target: (offset: Int, stride: Int)

    var sourceEnd: Int { source.offset + (rows - 1) * source.stride + row }
  }

  private let mode: NodeMode
  private let size: PixelSize
  private let planes: [Plane]
  /// Bytes of the pipeline's block.
  private let deliveredCount: Int
  private let transfer: BayerFrame.Transfer
  /// The sensor's own layout; `nil` when the samples aren't kept.
  private let kept: BayerLayout?
  private let budget: FrameBudget

  /// - Parameters:
  ///   - keepsSamples: Whether a sensor's own samples are wanted beside the pictures.
  ///   - budget: Counts what is made.
  init(_ mode: NodeMode, _ format: NodeFormat, keepsSamples: Bool, budget: FrameBudget) {
    (self.mode, self.budget, size) = (mode, budget, format.size)
    let delivered = Self.delivered(mode.delivered, format.size)
    deliveredCount = delivered.byteCount
    let padded = Self.planes(mode, format.size, firstStride: format.stride, delivered.layout)
    // A stride that doesn't fit into the driver's own frame is none: uvcvideo counts both planes of P010 into it.
    let isPlausible = padded.allSatisfy { $0.source.stride >= $0.row && $0.sourceEnd <= format.byteCount }
    planes = isPlausible ? padded : Self.planes(mode, format.size, firstStride: nil, delivered.layout)
    transfer = NodeTransfer.transfer(colorSpace: format.color.space, function: format.color.transfer)
    kept = keepsSamples ? mode.encoding.bayerLayout : nil
  }

  /// The pipeline's layout: strides, offsets, and the bytes of all.
  private static func delivered(
    _ encoding: FrameEncoding, _ size: PixelSize
  ) -> (layout: [(offset: Int, stride: Int)], byteCount: Int) {
    switch encoding {
    case .motionJPEG, .h264: return ([], 0)
    case .raw(let name):
      guard let (layout, count) = RawConverter.defaultLayout(of: RawConverter.Kind(layout: name, size: size)) else {
        return ([], 0)
      }
      return (zip(layout.offsets, layout.strides).map { ($0, $1) }, count)
    case .bayer:
      // GStreamer's rows begin at multiples of four.
      let stride = (size.width + 3) & ~3
      return ([(0, stride)], stride * size.height)
    }
  }

  /// - Parameter firstStride: That of the first plane, by which the others' are known: it is divided as the width is.
  ///   `nil` for rows without padding.
  private static func planes(
    _ mode: NodeMode, _ size: PixelSize, firstStride: Int?, _ delivered: [(offset: Int, stride: Int)]
  ) -> [Plane] {
    var offset = 0
    let first = mode.planes.first
    return zip(mode.planes, delivered).map { plane, target in
      let (row, rows) = (plane.rowBytes(of: size), plane.rowCount(of: size))
      var stride = row
      if let firstStride, let first {
        stride = firstStride * plane.bytes * first.columns / (first.bytes * plane.columns)
      }
      defer { offset += stride * rows }
      return Plane(row: row, rows: rows, source: (offset, stride), target: target)
    }
  }

  /// The fewest bytes of a whole frame in the driver's memory. The last row needs no padding.
  var byteCount: Int { planes.map(\.sourceEnd).max() ?? 1 }

  /// Copies a frame.
  ///
  /// - Returns: `nil` when it was cut short.
  func copy(_ bytes: UnsafeRawBufferPointer) -> FrameBlock? {
    guard bytes.count >= byteCount, let start = bytes.baseAddress else { return nil }
    if planes.isEmpty {
      let block = FrameBlock(copying: bytes)
      block.charge(to: budget)
      return block
    }
    if keepsApart {
      return fill(2 * size.width * size.height, stride: 2 * size.width, from: start) { source, target, byteCount in
        switch mode.samples {
        case .packed(let bits): SampleRows.unpack(source, bits, count: size.width, into: target)
        default: target.copyMemory(from: source, byteCount: byteCount)
        }
      }
    }
    return fill(deliveredCount, from: start, deliver)
  }

  /// Whether the samples that are kept have more bits than the picture.
  private var keepsApart: Bool { kept.map { $0.bits > 8 } ?? false }

  /// The frame of a copy.
  func finish(_ copy: FrameBlock) -> Frame {
    guard let kept, let target = planes.first?.target else { return Frame(block: copy) }
    guard keepsApart else {
      let samples = BayerFrame(layout: kept, size: size, stride: target.stride, transfer: transfer, block: copy)
      return Frame(block: copy, samples: samples)
    }
    let stride = 2 * size.width
    let samples = BayerFrame(layout: kept, size: size, stride: stride, transfer: transfer, block: copy)
    let block = copy.withUnsafeBytes { bytes in
      FrameBlock(count: deliveredCount) { memory in
        guard let start = bytes.baseAddress, let first = memory.baseAddress else { return }
        for row in 0..<size.height {
          SampleRows.reduce(start + row * stride, kept.bits, count: size.width, into: first + row * target.stride)
        }
      }
    }
    block.charge(to: budget)
    return Frame(block: block, samples: samples)
  }

  private func deliver(_ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ byteCount: Int) {
    let width = size.width
    switch (mode.encoding, mode.samples) {
    case (.bayer, .words(let bits)): SampleRows.reduce(source, bits, count: width, into: target)
    case (.bayer, .packed(let bits)): SampleRows.reduce(packed: source, bits, count: width, into: target)
    case (_, .words(let bits)): SampleRows.widen(source, bits, count: width, into: target)
    case (_, .packed(let bits)):
      SampleRows.unpack(source, bits, count: width, shiftedLeft: 16 - bits, into: target)
    default: target.copyMemory(from: source, byteCount: byteCount)
    }
  }

  /// A block of all rows of all planes.
  ///
  /// - Parameters:
  ///   - stride: The bytes between the block's rows where they aren't the pipeline's.
  ///   - driver: The driver's memory.
  ///   - body: Is given each row, its place in the block, and its bytes.
  private func fill(
    _ count: Int, stride: Int? = nil, from driver: UnsafeRawPointer,
    _ body: (UnsafeRawPointer, UnsafeMutableRawPointer, Int) -> Void
  ) -> FrameBlock {
    let isConverted = if case .planes = mode.samples { false } else { true }
    let block = FrameBlock(count: count) { memory in
      guard let first = memory.baseAddress, let longest = planes.map(\.row).max() else { return }
      // Rows have padding where the width isn't a multiple of four.
      if size.width % 4 != 0 { memory.initializeMemory(as: UInt8.self, repeating: 0) }
      withUnsafeTemporaryAllocation(byteCount: longest, alignment: 16) { scratch in
        guard let scratch = scratch.baseAddress else { return }
        for plane in planes {
          for row in 0..<plane.rows {
            let source = driver + plane.source.offset + row * plane.source.stride
            let target = first + plane.target.offset + row * (stride ?? plane.target.stride)
            // Driver's memory may be slow to read sample by sample.
            if isConverted { scratch.copyMemory(from: source, byteCount: plane.row) }
            body(isConverted ? UnsafeRawPointer(scratch) : source, target, plane.row)
          }
        }
      }
    }
    block.charge(to: budget)
    return block
  }
}
