// The thread that turns a window's frames into raw pictures for the encoder.

import CGStreamer
import CameraCore
import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Feeds an appsrc with the frames of a movie, decoded and converted to what H.264 is made of: 4:2:0, BT.709.
final class MovieFrameFeeder: Sendable {
  /// GStreamer's names of what the encoder gets.
  static let layout = "I420"
  static let colorimetry = "bt709"

  private let frames: [CameraFrame]
  private let size: PixelSize
  private let rate: FrameRate
  private let source: Element
  private let niceness: Int32
  private let fed = Atomic(0)
  private let isStopped = Atomic(false)
  private let failureText = Mutex<String?>(nil)

  /// - Parameter frames: In order; all of the same size.
  init(_ frames: [CameraFrame], size: PixelSize, rate: FrameRate, to source: Element, niceness: Int32) {
    self.frames = frames
    self.size = size
    self.rate = rate
    self.source = source
    self.niceness = niceness
  }

  /// Frames that the encoder has taken.
  var fedCount: Int { fed.load(ordering: .relaxed) }
  /// Why the feeding ended early.
  var failure: String? { failureText.withLock { $0 } }

  /// Starts the thread. It ends with the last frame, or soon after the pipeline was stopped.
  func start() {
    let thread = Thread { self.run() }
    thread.name = "movie frames"
    thread.start()
  }

  func stop() { isStopped.store(true, ordering: .releasing) }

  private func run() {
    // 0 names the calling thread.
    _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, niceness)
    guard let origin = frames.first?.time else { return AppSource.end(source) }
    let last = TimeSpan.seconds(1 / max(1, rate.framesPerSecond)).nanoseconds
    do {
      let maker = try MoviePictureMaker(size: size)
      for (index, frame) in frames.enumerated() {
        guard !isStopped.load(ordering: .acquiring) else { return }
        let next = index + 1 < frames.count ? (frames[index + 1].time - frame.time).nanoseconds : last
        // A frame that turns out to be broken is left out: the one before stays a little longer.
        guard let picture = try? maker.picture(of: frame) else { continue }
        let flow = AppSource.push(picture, to: source, time: (frame.time - origin).nanoseconds, duration: next)
        guard flow == GST_FLOW_OK else { return }
        fed.add(1, ordering: .relaxed)
      }
      if fedCount == 0 { failureText.withLock { $0 = "none of its frames could be decoded" } }
    } catch {
      failureText.withLock { $0 = "\(error)" }
    }
    AppSource.end(source)
  }
}

/// Makes I420 BT.709 pictures of camera frames, one after another. Not for several threads at once.
private final class MoviePictureMaker {
  private let target: RawConverter.Kind
  private let decoder: JPEGDecoder
  private var converter: RawConverter?

  init(size: PixelSize) throws {
    // 4:2:0 has no half samples: an odd last row or column goes.
    target = RawConverter.Kind(
      layout: MovieFrameFeeder.layout, size: PixelSize(width: size.width & ~1, height: size.height & ~1),
      colorimetry: MovieFrameFeeder.colorimetry)
    decoder = try JPEGDecoder()
  }

  func picture(of frame: CameraFrame) throws -> FrameBlock {
    switch frame.content {
    case .jpeg:
      var (layout, block) = try frame.block.withUnsafeBytes { try decoder.decodePlanes($0, quality: .fast) }
      layout.colorimetry = FrameKeeping.jpegColorimetry
      return try convert(block, layout: layout)
    case .raw(let layout):
      return try convert(frame.block, layout: layout)
    }
  }

  private func convert(_ block: FrameBlock, layout: RawLayout) throws -> FrameBlock {
    if converter == nil || converter?.source != layout.kind { converter = RawConverter(from: layout.kind, to: target) }
    guard let converter else {
      throw JPEGCodecError(message: "pictures of the layout \(layout.name) can't be converted")
    }
    return converter.convert(block, layout: layout).block
  }
}
