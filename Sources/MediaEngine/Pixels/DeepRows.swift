// Rows of samples out of frames with 10 bits a sample, as planes of 10 bits.

import CameraCore

/// Reads the rows of a frame with 10 bits a sample, whatever its layout. Words are little endian, as every machine is that
/// PhotoMe runs on.
struct DeepRows {
  private let base: UnsafeRawPointer
  private let layout: RawLayout
  private let deep: DeepLayout

  /// - Returns: `nil` for a layout of another depth.
  init?(_ pixels: UnsafeRawBufferPointer, _ layout: RawLayout) {
    guard let deep = layout.deep, let base = pixels.baseAddress, layout.offsets.count == layout.strides.count else {
      return nil
    }
    (self.base, self.layout, self.deep) = (base, layout, deep)
  }

  private func words(_ plane: Int, _ row: Int) -> UnsafePointer<UInt16> {
    (base + layout.offsets[plane] + row * layout.strides[plane]).assumingMemoryBound(to: UInt16.self)
  }

  /// Reads a row of luma.
  ///
  /// - Parameter samples: Room for the picture's width.
  func readLuma(_ row: Int, into samples: UnsafeMutablePointer<UInt16>) {
    let (source, width) = (words(0, row), layout.size.width)
    switch deep {
    case .p010: for x in 0..<width { samples[x] = source[x] &>> 6 }
    case .y210: for x in 0..<width { samples[x] = source[2 &* x] &>> 6 }
    case .planar420, .planar422: for x in 0..<width { samples[x] = source[x] & 1023 }
    }
  }

  /// Reads a row of chroma: of every second row where two share it (`DeepLayout.hasHalfHeight`).
  ///
  /// - Parameters:
  ///   - blue: Room for half of the picture's width.
  ///   - red: Likewise.
  func readChroma(_ row: Int, blue: UnsafeMutablePointer<UInt16>, red: UnsafeMutablePointer<UInt16>) {
    let width = layout.size.width / 2
    switch deep {
    case .p010:
      let source = words(1, row)
      for x in 0..<width { (blue[x], red[x]) = (source[2 &* x] &>> 6, source[2 &* x &+ 1] &>> 6) }
    case .y210:
      let source = words(0, row)
      for x in 0..<width { (blue[x], red[x]) = (source[4 &* x &+ 1] &>> 6, source[4 &* x &+ 3] &>> 6) }
    case .planar420, .planar422:
      let (blues, reds) = (words(1, row), words(2, row))
      for x in 0..<width { (blue[x], red[x]) = (blues[x] & 1023, reds[x] & 1023) }
    }
  }

  // MARK: Planes

  /// Copies the frame into planes of 4:2:0. Every sample stays as it is but the chroma of 4:2:2, of which two rows become
  /// their mean, rounded: in between the two is where 4:2:0 has its chroma (ITU-T H.273, chroma sample location type 0).
  ///
  /// - Parameters:
  ///   - planes: `I420_10LE` of the frame's size, which is even.
  ///   - isMirrored: Whether rows are reversed.
  func copy(to memory: UnsafeMutableRawBufferPointer, as planes: RawLayout, isMirrored: Bool) {
    guard let target = memory.baseAddress else { return }
    func words(_ plane: Int, _ row: Int) -> UnsafeMutablePointer<UInt16> {
      (target + planes.offsets[plane] + row * planes.strides[plane]).assumingMemoryBound(to: UInt16.self)
    }
    let half = planes.size.width / 2
    for row in 0..<planes.size.height {
      readLuma(row, into: words(0, row))
      if isMirrored { Self.reverse(words(0, row), count: 2 * half) }
    }
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 2 * half) { room in
      guard let second = room.baseAddress else { return }
      for row in 0..<planes.size.height / 2 {
        let (blue, red) = (words(1, row), words(2, row))
        if deep.hasHalfHeight {
          readChroma(row, blue: blue, red: red)
        } else {
          readChroma(2 * row, blue: blue, red: red)
          readChroma(2 * row + 1, blue: second, red: second + half)
          for x in 0..<half {
            blue[x] = (blue[x] &+ second[x] &+ 1) &>> 1
            red[x] = (red[x] &+ second[half &+ x] &+ 1) &>> 1
          }
        }
        if isMirrored {
          Self.reverse(blue, count: half)
          Self.reverse(red, count: half)
        }
      }
    }
  }

  private static func reverse(_ samples: UnsafeMutablePointer<UInt16>, count: Int) {
    for left in 0..<count / 2 {
      (samples[left], samples[count - 1 - left]) = (samples[count - 1 - left], samples[left])
    }
  }
}

extension RawLayout {
  /// The planes of 10 bits that a frame of 10 bits becomes, and their bytes.
  ///
  /// - Returns: `nil` for a layout of another depth, or a size with an odd side.
  var deepPlanes: (layout: RawLayout, byteCount: Int)? {
    guard deep != nil, size.width % 2 == 0, size.height % 2 == 0 else { return nil }
    return RawConverter.defaultLayout(
      of: RawConverter.Kind(layout: DeepLayout.planar420.rawValue, size: size, colorimetry: colorimetry))
  }
}

extension CameraFrame {
  /// The frame as planes of 4:2:0 with 10 bits a sample.
  ///
  /// - Returns: `nil` for a frame of another depth.
  func deepPlanes(isMirrored: Bool = false) -> (layout: RawLayout, block: FrameBlock)? {
    guard let layout = deepLayout, let planes = layout.deepPlanes else { return nil }
    let block: FrameBlock? = self.block.withUnsafeBytes { pixels in
      guard let rows = DeepRows(pixels, layout) else { return nil }
      return FrameBlock(count: planes.byteCount) { rows.copy(to: $0, as: planes.layout, isMirrored: isMirrored) }
    }
    return block.map { (planes.layout, $0) }
  }
}
