// Puts the planes of a picture where somebody else wants them.

import CameraCore

extension FrameBlock {
  /// The same planes of 8 bits a sample, 4:2:0, in another layout.
  func copied(from layout: RawLayout, to target: RawLayout, byteCount: Int) -> FrameBlock {
    FrameBlock(count: byteCount) { memory in
      withUnsafeBytes { bytes in
        guard let source = bytes.baseAddress, let result = memory.baseAddress else { return }
        for plane in 0..<3 {
          let (width, height) =
            plane == 0
            ? (target.size.width, target.size.height) : ((target.size.width + 1) / 2, (target.size.height + 1) / 2)
          for row in 0..<height {
            (result + target.offsets[plane] + row * target.strides[plane]).copyMemory(
              from: source + layout.offsets[plane] + row * layout.strides[plane], byteCount: width)
          }
        }
      }
    }
  }
}
