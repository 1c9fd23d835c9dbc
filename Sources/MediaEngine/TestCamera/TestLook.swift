// The effect of the test camera's controls on its frames.

import CameraCore
import MediaFormats

/// Changes the test camera's frames as its controls say, before anyone gets them. Belongs to the thread that feeds the
/// pipeline.
final class TestLook {
  /// As of the frames that are made without.
  private static let quality = 85

  private let renderer = LookRenderer()
  private let decoder: JPEGDecoder
  private let encoder: JPEGEncoder
  private var converters: [RawConverter] = []

  /// - Throws: `JPEGCodecError` when there is no memory for a decoder.
  init() throws { (decoder, encoder) = (try JPEGDecoder(), try JPEGEncoder()) }

  /// The frame with a look.
  ///
  /// - Parameter layout: Of a raw frame; `nil` for Motion JPEG.
  /// - Throws: `JPEGCodecError` or `JPEGStreamError`.
  func apply(_ look: FrameLook, to block: FrameBlock, layout: RawLayout?) throws -> FrameBlock {
    guard let layout else {
      let jpeg = try block.withUnsafeBytes { try JPEGStream.recover($0) }
      let (planar, planes) = try jpeg.block.withUnsafeBytes { try decoder.decodePlanes($0, quality: .fast) }
      let changed = try renderer.render(planes, layout: planar, look: look, isLimited: false)
      return try encoder.encode(planes: changed, layout: planar, quality: Self.quality)
    }
    let kind = RawConverter.Kind(layout: FrameKeeping.planarLayout(for: layout.name), size: layout.size)
    let (planar, planes) = try converter(from: layout.kind, to: kind).convert(block, layout: layout)
    let changed = try renderer.render(planes, layout: planar, look: look, isLimited: true)
    let back = try converter(from: kind, to: layout.kind)
    return FrameBlock(count: block.count) { memory in
      changed.withUnsafeBytes { back.convert($0, layout: planar, into: memory, as: layout) }
    }
  }

  private func converter(from source: RawConverter.Kind, to target: RawConverter.Kind) throws -> RawConverter {
    if let known = converters.first(where: { $0.source == source && $0.target == target }) { return known }
    guard let made = RawConverter(from: source, to: target) else {
      throw JPEGCodecError.layout("\(source.layout)")
    }
    converters.append(made)
    return made
  }
}
