// Conversion of frames for the screen: decoded, scaled, processed, mirrored.

import CameraCore
import Foundation
import MediaFormats
import PhotoEffects

/// Renders one frame after another on the preview thread, reusing its decoder, converters and memory.
final class PreviewRenderer {
  private var decoder: JPEGDecoder?
  private var pool: PreviewPool?
  private var converters: [RawConverter] = []
  private var scratch: PixelMemory?
  /// The decoded frame and the scratch memory of a processor; only while there is one.
  private var unprocessed: PixelMemory?
  private var effectScratch: EffectScratch?
  /// Only while a processor needs mattes. It stays when the strength changes.
  private var tracker: (any MatteTracker)?
  /// Of the tracker's mattes.
  private var matteKind: MatteKind?
  private var hasNoMattes = false
  private var processorNumber = 0
  /// See `PreviewSource`.
  var presence: Double? { matte?.matte.presence }
  /// The last matte, and the number of frames that had it.
  private var matte: (matte: Matte, uses: Int)?
  /// Of the last frame that had a matte, in seconds.
  private var matteTime: Double?
  /// Between two frames that go on from each other, in seconds.
  private static let longestStep = 1.0
  /// The decoded frame of which the middle is shown; only while there is digital zoom.
  private var enlarged: PixelMemory?
  /// Whether the frame that was rendered last could not be decoded, or only without its end.
  private(set) var foundDamage = false

  /// The form in which a frame is shown.
  struct Form {
    /// The box that it fits into, in device pixels.
    var target: PixelSize
    var isMirrored = false
    /// Changes the pixels.
    var processor: (any FrameProcessing)?
    /// Counts the processors: after a failure the next one may find people again.
    var processorNumber = 0
    /// Of so many frames, one gets a matte of its own.
    var mattePeriod = 1
    /// The presentation time of a movie's frame, in seconds from the movie's start.
    var movieTime: Double?
    /// Sees the decoded frame (`BGRx` without space between rows) before it is processed and mirrored.
    var inspector: FrameInspector?
    /// See `PreviewSource.setMatteFailureHandler`.
    var onMatteFailure: (@Sendable (any Error) -> Void)?
  }

  /// Looks at the pixels of a decoded frame, for the duration of the call.
  typealias FrameInspector = @Sendable (_ pixels: UnsafeRawBufferPointer, _ size: PixelSize) -> Void

  /// The size at which a frame is decoded so that the processor's result fits: smaller than the frame by as much as the
  /// result would be too large.
  static func decodedSize(of frame: PixelSize, in target: PixelSize, for processor: any FrameProcessing) -> PixelSize {
    let full = processor.outputSize(for: frame)
    let shown = full.fitted(into: target)
    let scale = min(Double(shown.width) / Double(full.width), Double(shown.height) / Double(full.height))
    guard scale < 1 else { return frame }
    var size = PixelSize(
      width: max(1, Int((Double(frame.width) * scale).rounded())),
      height: max(1, Int((Double(frame.height) * scale).rounded())))
    // The processor rounds as well, by up to a pixel.
    for _ in 0..<4 {
      let result = processor.outputSize(for: size)
      if result.width <= target.width, result.height <= target.height { break }
      size = PixelSize(width: max(1, size.width - 1), height: max(1, size.height - 1))
    }
    return size
  }

  /// Renders a frame.
  ///
  /// - Returns: `nil` when the picture can't be decoded or processed, or when every buffer is still on its way to the
  ///   screen.
  func render(_ frame: CameraFrame, as form: Form) -> PooledPreviewFrame? {
    foundDamage = false
    guard let processor = form.processor else {
      unprocessed = nil
      effectScratch = nil
      forgetPeople()
      let size = frame.size.fitted(into: form.target)
      return fill(frame.time, size, form) { draw(frame, size, form, into: $0) }
    }
    let size = Self.decodedSize(of: frame.size, in: form.target, for: processor)
    return fill(frame.time, processor.outputSize(for: size), form) { output in
      let pixels = reused(&unprocessed, byteCount: size.area * 4)
      return draw(frame, size, form, into: pixels)
        && process(pixels, of: frame, size, by: processor, form, into: output)
    }
  }

  /// Takes memory from the pool and fills it.
  private func fill(
    _ time: MonotonicTime, _ size: PixelSize, _ form: Form, _ body: (UnsafeMutableRawBufferPointer) -> Bool
  ) -> PooledPreviewFrame? {
    let pool = pool(for: size)
    guard let memory = pool.take() else { return nil }
    guard body(memory.bytes) else {
      pool.giveBack(memory)
      return nil
    }
    if form.isMirrored { Self.mirrorRows(of: memory.bytes, size: size) }
    return PooledPreviewFrame(time: time, memory: memory, pool: pool)
  }

  private func draw(
    _ frame: CameraFrame, _ size: PixelSize, _ form: Form, into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let isDrawn = frame.block.withUnsafeBytes { bytes in
      if let look = frame.look, look.zoom > 1 { return enlarge(bytes, of: frame, by: look, to: size, into: output) }
      return switch frame.content {
      case .jpeg: decode(bytes, of: frame.size, to: size, into: output)
      case .raw(let layout): convert(bytes, layout: layout, to: size, into: output)
      }
    }
    if isDrawn, let look = frame.look, look.changesColors {
      LookRenderer.change(UnsafeMutableRawBufferPointer(rebasing: output[..<(size.area * 4)]), look: look)
    }
    if isDrawn { form.inspector?(UnsafeRawBufferPointer(rebasing: output[..<(size.area * 4)]), size) }
    if !isDrawn { foundDamage = true }
    return isDrawn
  }

  private func process(
    _ pixels: UnsafeMutableRawBufferPointer, of frame: CameraFrame, _ size: PixelSize,
    by processor: any FrameProcessing, _ form: Form, into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let result = processor.outputSize(for: size)
    // Nothing else works on the picture, so all cores may.
    let scratch = effectScratch ?? EffectScratch(threadCount: ProcessInfo.processInfo.activeProcessorCount)
    effectScratch = scratch
    let time = form.movieTime ?? Double(frame.time.nanoseconds) / 1e9
    // The camera's own time: a movie behind a person goes on with it.
    var context = FrameContext(
      kind: form.movieTime == nil ? .still : .movieFrame, time: time,
      fullSize: processor.outputSize(for: frame.size))
    let source = PixelView(writing: pixels, size: size, stride: size.width * 4)
    do {
      context.matte = try matte(of: source, time: time, as: form, for: processor)
      try processor.render(
        source,
        into: PixelView(writing: output, size: result, stride: result.width * 4), context: context, scratch: scratch)
      return true
    } catch {
      // As with a damaged frame: the last one that could be shown stays.
      return false
    }
  }

  /// - Throws: `RecipeError.noMattes` for a frame that isn't shown without its effect.
  private func matte(
    of picture: PixelView, time: Double, as form: Form, for processor: any FrameProcessing
  ) throws -> Matte? {
    if processor.matteKind != matteKind || hasNoMattes && form.processorNumber != processorNumber { forgetPeople() }
    processorNumber = form.processorNumber
    matteKind = processor.matteKind
    guard processor.needsMatte else { return nil }
    // Whether there are mattes is known before an effect is chosen. When one fails nevertheless, models aren't read again
    // for each frame.
    guard !hasNoMattes else { return try noMatte(picture.size, form) }
    // After a jump, or with another camera, nothing goes on from the frame before.
    if let matteTime, time < matteTime || time - matteTime > Self.longestStep { tracker = nil }
    matteTime = time
    do {
      if let held = matte, held.uses < form.mattePeriod, held.matte.size == picture.size, tracker != nil {
        matte?.uses += 1
        return held.matte
      }
      let tracker = try tracker ?? processor.makeTracker(.live, from: form.movieTime ?? 0)
      self.tracker = tracker
      let found = try tracker.matte(of: LentPixels(picture), time: time)
      matte = (found, 1)
      return found
    } catch {
      (hasNoMattes, matte) = (true, nil)
      form.onMatteFailure?(error)
      return try noMatte(picture.size, form)
    }
  }

  private func forgetPeople() { (tracker, matteKind, matte, hasNoMattes) = (nil, nil, nil, false) }

  /// The matte of a frame that has none: with nobody there, which shows it without its effect, where nobody hears of it.
  private func noMatte(_ size: PixelSize, _ form: Form) throws -> Matte {
    guard form.onMatteFailure == nil else { throw RecipeError.noMattes }
    return .nobody(size)
  }

  /// Frees the memory that only a running preview needs.
  func rest() {
    pool = nil
    scratch = nil
    unprocessed = nil
    effectScratch = nil
    forgetPeople()
    enlarged = nil
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
      let eighths = JPEGScale.cheapestEighths(of: whole, atLeast: size)
      let decoded = JPEGScale.size(of: whole, eighths: eighths)
      if decoded == size {
        try decoder.decode(jpeg, eighths: eighths, quality: .fast, into: output)
        return !decoder.isCut
      }
      let scratch = reused(&scratch, byteCount: decoded.area * 4)
      try decoder.decode(jpeg, eighths: eighths, quality: .fast, into: scratch)
      return !decoder.isCut && resize(UnsafeRawBufferPointer(scratch), from: decoded, to: size, into: output)
    } catch {
      // A damaged frame; the next one comes in a moment.
      return false
    }
  }

  /// Draws the middle of a frame. The whole is decoded no larger than needed for that.
  private func enlarge(
    _ bytes: UnsafeRawBufferPointer, of frame: CameraFrame, by look: FrameLook, to size: PixelSize,
    into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let wanted = PixelSize(
      width: min(frame.size.width, Int((Double(size.width) * look.zoom).rounded(.up))),
      height: min(frame.size.height, Int((Double(size.height) * look.zoom).rounded(.up))))
    var whole = wanted
    if case .jpeg = frame.content {
      whole = JPEGScale.size(
        of: frame.size, eighths: JPEGScale.cheapestEighths(of: frame.size, atLeast: wanted))
    }
    let pixels = reused(&enlarged, byteCount: whole.area * 4)
    let isDrawn =
      switch frame.content {
      case .jpeg: decode(bytes, of: frame.size, to: whole, into: pixels)
      case .raw(let layout): convert(bytes, layout: layout, to: whole, into: pixels)
      }
    let (x, y, part) = look.crop(of: whole)
    var layout = Self.bgrx(whole)
    layout.size = part
    layout.offsets = [(y * whole.width + x) * 4]
    guard isDrawn, let converter = converter(from: Self.bgrx(part).kind, to: Self.bgrx(size).kind) else { return false }
    converter.convert(UnsafeRawBufferPointer(pixels), layout: layout, into: output, as: Self.bgrx(size))
    return true
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
    // While the window is being resized, every frame has another size.
    converters = converters.suffix(1) + [made]
    return made
  }

  private func reused(_ memory: inout PixelMemory?, byteCount: Int) -> UnsafeMutableRawBufferPointer {
    if let memory, memory.bytes.count >= byteCount {
      return UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<byteCount])
    }
    let made = PixelMemory(byteCount: byteCount)
    memory = made
    return made.bytes
  }
}

extension PreviewRenderer {
  /// Reverses each row in place.
  static func mirrorRows(of pixels: UnsafeMutableRawBufferPointer, size: PixelSize) {
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
}

extension SIMD8 {
  fileprivate var reversed: SIMD8 { SIMD8(self[7], self[6], self[5], self[4], self[3], self[2], self[1], self[0]) }
}
