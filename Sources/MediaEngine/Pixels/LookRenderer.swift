// Digital zoom, brightness and contrast of whole pictures.

import CameraCore
import Synchronization

/// The looks that frames get when they arrive, one for each camera: the first frames of the next camera must not have the zoom
/// and the colors of the last one. Any thread.
final class LookBox: Sendable {
  private let looks = Mutex<[CameraDevice.ID: FrameLook]>([:])

  /// `nil` when it changes nothing.
  func look(of camera: CameraDevice.ID) -> FrameLook? { looks.withLock { $0[camera] } }

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func set(_ look: FrameLook, of camera: CameraDevice.ID) { looks.withLock { $0[camera] = look.isPlain ? nil : look } }
}

/// Gives one picture after another its look. Not for several threads at once.
final class LookRenderer {
  private var converter: RawConverter?

  /// Renders a planar picture; the result has the same size and layout.
  ///
  /// - Parameters:
  ///   - layout: `I420`, `Y42B`, `Y444`, `Y41B` or `GRAY8`.
  ///   - isLimited: Whether luma reaches from 16 to 235 and chroma from 16 to 240, instead of 0 to 255.
  /// - Throws: `JPEGCodecError` for another layout.
  func render(_ block: FrameBlock, layout: RawLayout, look: FrameLook, isLimited: Bool) throws -> FrameBlock {
    guard let subsampling = layout.planarSubsampling else {
      throw JPEGCodecError.layout(layout.name)
    }
    let (x, y, part) = look.crop(of: layout.size)
    // Colorimetry is left as it is, and said so that GStreamer doesn't guess it from the size.
    let source = RawConverter.Kind(layout: layout.name, size: part, colorimetry: FrameKeeping.jpegColorimetry)
    let target = RawConverter.Kind(layout: layout.name, size: layout.size, colorimetry: FrameKeeping.jpegColorimetry)
    if converter?.source != source || converter?.target != target { converter = RawConverter(from: source, to: target) }
    guard let converter else {
      throw JPEGCodecError.layout(layout.name)
    }
    var cropped = layout
    cropped.size = part
    let luma = subsampling.planeSize(0, of: layout.size)
    for plane in layout.offsets.indices {
      let own = subsampling.planeSize(plane, of: layout.size)
      cropped.offsets[plane] += y * own.height / luma.height * layout.strides[plane] + x * own.width / luma.width
    }
    return FrameBlock(count: block.count) { memory in
      block.withUnsafeBytes { pixels in
        if part == layout.size {
          memory.copyMemory(from: pixels)
        } else {
          converter.convert(pixels, layout: cropped, into: memory, as: layout)
        }
      }
      if look.changesColors { Self.change(memory, layout: layout, look: look, isLimited: isLimited) }
    }
  }

  /// Changes the colors of planes. Brightness and contrast of luma and chroma are those of red, green and blue, as the
  /// matrix between them is linear; only where colors are clipped they differ.
  private static func change(
    _ memory: UnsafeMutableRawBufferPointer, layout: RawLayout, look: FrameLook, isLimited: Bool
  ) {
    let (black, white, top) = isLimited ? (16.0, 235.0, 240.0) : (0.0, 255.0, 255.0)
    let luma = (0...255).map { value -> UInt8 in
      let level = look.changed((Double(value) - black) / (white - black))
      return UInt8((black + level * (white - black)).rounded())
    }
    let chroma = (0...255).map { value -> UInt8 in
      UInt8(min(max(128 + (Double(value) - 128) * look.contrast, black), top).rounded())
    }
    for (plane, offset) in layout.offsets.enumerated() {
      let end = plane + 1 < layout.offsets.count ? layout.offsets[plane + 1] : memory.count
      apply(plane == 0 ? luma : chroma, to: UnsafeMutableRawBufferPointer(rebasing: memory[offset..<end]))
    }
  }

  /// Changes the colors of BGRx pixels in place.
  static func change(_ pixels: UnsafeMutableRawBufferPointer, look: FrameLook) {
    apply((0...255).map { UInt8((look.changed(Double($0) / 255) * 255).rounded()) }, to: pixels)
  }

  private static func apply(_ table: [UInt8], to samples: UnsafeMutableRawBufferPointer) {
    table.withUnsafeBufferPointer { table in
      for index in samples.indices { samples[index] = table[Int(samples[index])] }
    }
  }
}

extension FrameLook {
  /// A brightness from 0 to 1 with this look.
  fileprivate func changed(_ level: Double) -> Double { min(max((level - 0.5) * contrast + 0.5 + brightness, 0), 1) }
}
