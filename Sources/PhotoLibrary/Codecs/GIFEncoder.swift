// Encoding animated GIFs with cgif: one palette for all frames, and only the changed pixels in each.

import CGIF
import CameraCore
import EngineInterface
import Foundation
import Localization
import PhotoEffects

/// Encodes a GIF frame by frame.
struct GIFEncoder: AnimationEncoder, ~Copyable {
  /// The bytes written so far; cgif writes through a pointer to it.
  private final class Output {
    var data = Data()
  }

  private let gif: OpaquePointer
  private let output: Output
  private var isClosed = false
  private var dither: PatternDither
  private let size: PixelSize
  /// The duration of all frames so far, in hundredths of a second.
  private var elapsed = 0

  /// Viewers show frames that are shorter than two hundredths of a second for a tenth.
  private static let shortest = 2

  /// - Parameter palette: At most 255 colors.
  /// - Throws: `AnimationFailure` when the size is too large for a GIF, or without memory.
  init(palette: [SIMD3<UInt8>], size: PixelSize) throws(AnimationFailure) {
    self.size = size
    dither = PatternDither(palette: palette, size: size)
    let output = Output()
    self.output = output
    guard let width = UInt16(exactly: size.width), let height = UInt16(exactly: size.height) else {
      throw AnimationFailure(reason: localized("a GIF can’t have more than \(65_535) pixels per side"))
    }
    var colors = palette.flatMap { [$0.x, $0.y, $0.z] }
    var config = CGIF_Config()
    config.attrFlags = 1 << 1  // CGIF_ATTR_IS_ANIMATED
    config.width = width
    config.height = height
    config.numGlobalPaletteEntries = UInt16(palette.count)
    // Forever.
    config.numLoops = 0
    config.pWriteFn = takeGIFBytes
    config.pContext = Unmanaged.passUnretained(output).toOpaque()
    let made = colors.withUnsafeMutableBufferPointer { colors in
      config.pGlobalPalette = colors.baseAddress
      return cgif_newgif(&config)
    }
    guard let made else { throw AnimationFailure(reason: localized("there isn’t enough memory")) }
    gif = made
  }

  deinit { if !isClosed { cgif_close(gif) } }

  fileprivate static func take(_ context: UnsafeMutableRawPointer, _ bytes: UnsafePointer<UInt8>, _ count: Int) {
    Unmanaged<Output>.fromOpaque(context).takeUnretainedValue().data.append(bytes, count: count)
  }

  mutating func add(_ frame: MovieFrame) throws(AnimationFailure) {
    guard frame.image.size == size else { throw AnimationFailure(reason: localized("its frames differ in size")) }
    dither.show(frame.image)
    // Counted from the start, so that rounding errors don't accumulate.
    let end = Int(((frame.time + frame.duration) * 100).rounded())
    let delay = min(max(Self.shortest, end - elapsed), Int(UInt16.max))
    elapsed += delay
    var config = CGIF_FrameConfig()
    config.delay = UInt16(delay)
    // CGIF_FRAME_GEN_USE_TRANSPARENCY and CGIF_FRAME_GEN_USE_DIFF_WINDOW
    config.genFlags = 1 << 0 | 1 << 1
    var indexes = dither.indexes
    let code = indexes.withUnsafeMutableBufferPointer { indexes in
      config.pImageData = indexes.baseAddress
      return cgif_addframe(gif, &config)
    }
    guard code == 0 else { throw AnimationFailure(reason: localized("a frame can’t be written (cgif \(code))")) }
  }

  mutating func finish() throws(AnimationFailure) -> Data {
    isClosed = true
    let code = cgif_close(gif)
    guard code == 0 else { throw AnimationFailure(reason: localized("it can’t be written (cgif \(code))")) }
    return output.data
  }
}

/// cgif's write callback, called on the thread that adds frames.
private func takeGIFBytes(
  _ context: UnsafeMutableRawPointer?, _ bytes: UnsafePointer<UInt8>?, _ count: Int
) -> Int32 {
  if let context, let bytes { GIFEncoder.take(context, bytes, count) }
  return 0
}
