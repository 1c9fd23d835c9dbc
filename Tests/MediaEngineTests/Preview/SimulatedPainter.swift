// Plays the window: takes each frame, reads the number in it, and notes when it went on screen.

import CameraCore
import EngineInterface
import Synchronization

@testable import MediaEngine

/// A painter without a screen.
final class SimulatedPainter: Sendable {
  /// A frame that was "on screen".
  struct Painting: Sendable {
    var number: UInt32?
    var time: MonotonicTime
    var shown: MonotonicTime
    var size: PixelSize
  }

  private let preview: any PreviewSource
  private let paintings = Mutex<[Painting]>([])
  private let stream: AsyncStream<Painting>
  private let continuation: AsyncStream<Painting>.Continuation

  /// - Parameter isMirrored: Frames are turned back before their number is read.
  init(_ preview: any PreviewSource, size: PixelSize, isMirrored: Bool = false) {
    self.preview = preview
    (stream, continuation) = AsyncStream.makeStream()
    preview.setMirrored(isMirrored)
    preview.setTarget(size)
    preview.setFrameHandler { [weak self] in self?.paint(isMirrored: isMirrored) }
  }

  /// The paintings as they come. For one reader.
  var news: AsyncStream<Painting> { stream }

  /// The frame that was on screen at an instant.
  func painting(at time: MonotonicTime) -> Painting? {
    paintings.withLock { $0.last { $0.shown <= time } }
  }

  func stop() {
    preview.setFrameHandler(nil)
    preview.setTarget(nil)
    continuation.finish()
  }

  private func paint(isMirrored: Bool) {
    guard let frame = preview.takeFrame() else { return }
    let number = frame.number(isMirrored: isMirrored)
    let painting = Painting(number: number, time: frame.time, shown: .now, size: frame.size)
    paintings.withLock { $0.append(painting) }
    preview.markShown(painting.time, at: painting.shown)
    continuation.yield(painting)
  }
}

extension PreviewFrame {
  /// The number in the picture.
  func number(isMirrored: Bool) -> UInt32? {
    let block = FrameBlock(count: size.area * 4) { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let from = y * stride + (isMirrored ? size.width - 1 - x : x) * 4
          let pixel = pixels.loadUnaligned(fromByteOffset: from, as: UInt32.self)
          bytes.storeBytes(of: pixel, toByteOffset: (y * size.width + x) * 4, as: UInt32.self)
        }
      }
    }
    return FrameNumberMark.read(DecodedImage(size: size, stride: size.width * 4, block: block))
  }
}
