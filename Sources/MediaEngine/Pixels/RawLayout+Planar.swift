// Planar layouts of JPEG's chroma subsamplings.

import CTurboJPEG
import CameraCore

extension RawLayout {
  /// The planar layout of a subsampling, without gaps between planes; `nil` for 4:4:0.
  ///
  /// - Parameter size: In pixels; planes of odd sizes are rounded up as libjpeg-turbo does.
  public static func planar(_ subsampling: JPEGDecoder.Subsampling, size: PixelSize) -> RawLayout? {
    let name: String
    switch subsampling {
    case .yuv420: name = "I420"
    case .yuv422: name = "Y42B"
    case .yuv444: name = "Y444"
    case .yuv411: name = "Y41B"
    case .gray: name = "GRAY8"
    case .yuv440: return nil
    }
    var layout = RawLayout(name: name, size: size, strides: [], offsets: [])
    var offset = 0
    for plane in 0..<(subsampling == .gray ? 1 : 3) {
      let (width, height) = subsampling.planeSize(plane, of: size)
      // GStreamer's rows begin at multiples of 4.
      let stride = (width + 3) & ~3
      layout.strides.append(stride)
      layout.offsets.append(offset)
      offset += stride * height
    }
    return layout
  }

  /// The subsampling of a planar layout; `nil` for any other layout.
  var planarSubsampling: JPEGDecoder.Subsampling? {
    switch name {
    case "I420": .yuv420
    case "Y42B": .yuv422
    case "Y444": .yuv444
    case "Y41B": .yuv411
    case "GRAY8": .gray
    default: nil
    }
  }

  /// The bytes of the planes, up to the end of the last row; 0 for a layout that isn't planar.
  var planarByteCount: Int {
    guard let subsampling = planarSubsampling else { return 0 }
    return offsets.indices.map { plane in
      offsets[plane] + strides[plane] * subsampling.planeSize(plane, of: size).height
    }.max() ?? 0
  }
}

extension JPEGDecoder.Subsampling {
  /// TurboJPEG's number.
  var turboJPEG: Int32 {
    switch self {
    case .yuv444: Int32(TJSAMP_444.rawValue)
    case .yuv422: Int32(TJSAMP_422.rawValue)
    case .yuv420: Int32(TJSAMP_420.rawValue)
    case .yuv440: Int32(TJSAMP_440.rawValue)
    case .yuv411: Int32(TJSAMP_411.rawValue)
    case .gray: Int32(TJSAMP_GRAY.rawValue)
    }
  }

  /// The samples of a plane; the luma plane is rounded up to whole chroma samples.
  func planeSize(_ plane: Int, of size: PixelSize) -> (width: Int, height: Int) {
    (
      Int(tjPlaneWidth(Int32(plane), Int32(size.width), turboJPEG)),
      Int(tjPlaneHeight(Int32(plane), Int32(size.height), turboJPEG))
    )
  }
}

extension FrameBlock {
  /// A copy of 4:2:0 planes with other strides and offsets.
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
