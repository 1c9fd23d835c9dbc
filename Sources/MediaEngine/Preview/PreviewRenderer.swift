// Turns a camera's frame into what the screen shows: decoded or converted, at the size shown, mirrored when asked for.

import CameraCore

/// Renders one frame after another on the preview thread, reusing its decoder, converters and memory.
final class PreviewRenderer {
  private var decoder: JPEGDecoder?
  private var pool: PreviewPool?
  private var converters: [RawConverter] = []
  private var scratch: PixelMemory?

  /// The size at which a frame is shown: the largest of its own shape that fits, and never larger than the frame itself.
  static func shownSize(of frame: PixelSize, in target: PixelSize) -> PixelSize {
    if frame.width <= target.width, frame.height <= target.height { return frame }
    // Compare the shapes as products of whole numbers: width/height of the target against that of the frame.
    if target.width * frame.height <= target.height * frame.width {
      let height = (target.width * frame.height + frame.width / 2) / frame.width
      return PixelSize(width: max(1, target.width), height: max(1, height))
    }
    let width = (target.height * frame.width + frame.height / 2) / frame.height
    return PixelSize(width: max(1, width), height: max(1, target.height))
  }

  /// Renders a frame.
  ///
  /// - Returns: `nil` when the picture can't be decoded, or when every buffer is still on its way to the screen.
  func render(_ frame: CameraFrame, into target: PixelSize, isMirrored: Bool) -> PooledPreviewFrame? {
    let size = Self.shownSize(of: frame.size, in: target)
    let pool = pool(for: size)
    guard let memory = pool.take() else { return nil }
    let isDone = frame.block.withUnsafeBytes { bytes in
      switch frame.content {
      case .jpeg: decode(bytes, of: frame.size, to: size, into: memory.bytes)
      case .raw(let layout): convert(bytes, layout: layout, to: size, into: memory.bytes)
      }
    }
    guard isDone else {
      pool.giveBack(memory)
      return nil
    }
    if isMirrored { mirrorRows(of: memory.bytes, size: size) }
    return PooledPreviewFrame(time: frame.time, memory: memory, pool: pool)
  }

  /// Frees what only a running preview needs.
  func rest() {
    pool = nil
    scratch = nil
    converters = []
  }

  private func pool(for size: PixelSize) -> PreviewPool {
    if let pool, pool.size == size { return pool }
    let made = PreviewPool(size: size)
    pool = made
    return made
  }

  private func decode(
    _ jpeg: UnsafeRawBufferPointer, of whole: PixelSize, to size: PixelSize, into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    do {
      let decoder = try self.decoder ?? JPEGDecoder()
      self.decoder = decoder
      // Only these scales have SIMD code in libjpeg-turbo; the ones between are slower than the next larger.
      let eighths =
        [1, 2, 4].first {
          let scaled = JPEGScale.size(of: whole, eighths: $0)
          return scaled.width >= size.width && scaled.height >= size.height
        } ?? 8
      let decoded = JPEGScale.size(of: whole, eighths: eighths)
      if decoded == size {
        try decoder.decode(jpeg, eighths: eighths, quality: .fast, into: output)
        return true
      }
      let scratch = scratch(byteCount: decoded.area * 4)
      try decoder.decode(jpeg, eighths: eighths, quality: .fast, into: scratch)
      return resize(UnsafeRawBufferPointer(scratch), from: decoded, to: size, into: output)
    } catch {
      // A damaged frame; the next one comes in a moment.
      return false
    }
  }

  private func convert(
    _ pixels: UnsafeRawBufferPointer, layout: RawLayout, to size: PixelSize, into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let target = RawConverter.Kind(layout: "BGRx", size: size)
    guard let converter = converter(from: layout.kind, to: target) else { return false }
    converter.convert(pixels, layout: layout, into: output, as: Self.bgrx(size))
    return true
  }

  private func resize(
    _ pixels: UnsafeRawBufferPointer, from: PixelSize, to size: PixelSize, into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let source = Self.bgrx(from)
    guard let converter = converter(from: source.kind, to: Self.bgrx(size).kind) else { return false }
    converter.convert(pixels, layout: source, into: output, as: Self.bgrx(size))
    return true
  }

  private static func bgrx(_ size: PixelSize) -> RawLayout {
    RawLayout(name: "BGRx", size: size, strides: [size.width * 4], offsets: [0])
  }

  private func converter(from source: RawConverter.Kind, to target: RawConverter.Kind) -> RawConverter? {
    if let known = converters.first(where: { $0.source == source && $0.target == target }) { return known }
    guard let made = RawConverter(from: source, to: target) else { return nil }
    // A window that is being resized asks for a new size with every frame.
    converters = converters.suffix(1) + [made]
    return made
  }

  private func scratch(byteCount: Int) -> UnsafeMutableRawBufferPointer {
    if let scratch, scratch.bytes.count >= byteCount {
      return UnsafeMutableRawBufferPointer(rebasing: scratch.bytes[..<byteCount])
    }
    let made = PixelMemory(byteCount: byteCount)
    scratch = made
    return made.bytes
  }
}

/// Turns each row around in place.
private func mirrorRows(of pixels: UnsafeMutableRawBufferPointer, size: PixelSize) {
  typealias Eight = SIMD8<UInt32>
  let rows = pixels.bindMemory(to: UInt32.self)
  guard let base = rows.baseAddress else { return }
  for y in 0..<size.height {
    let row = UnsafeMutableRawPointer(base + y * size.width)
    var left = 0
    var right = size.width
    // Eight pixels from either end at a time, then one by one in the middle.
    while right - left >= 16 {
      right -= 8
      let (a, b) = (
        row.loadUnaligned(fromByteOffset: left * 4, as: Eight.self),
        row.loadUnaligned(fromByteOffset: right * 4, as: Eight.self)
      )
      row.storeBytes(of: b.reversed, toByteOffset: left * 4, as: Eight.self)
      row.storeBytes(of: a.reversed, toByteOffset: right * 4, as: Eight.self)
      left += 8
    }
    let pixels = base + y * size.width
    while right - left >= 2 {
      right -= 1
      (pixels[left], pixels[right]) = (pixels[right], pixels[left])
      left += 1
    }
  }
}

extension SIMD8 {
  fileprivate var reversed: SIMD8 { SIMD8(self[7], self[6], self[5], self[4], self[3], self[2], self[1], self[0]) }
}
