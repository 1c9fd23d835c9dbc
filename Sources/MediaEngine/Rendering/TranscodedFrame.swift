// Rendering of single frames of a movie for the encoder.

import CameraCore
import EngineInterface
import Localization
import PhotoEffects
import Synchronization

/// A frame on its way to the encoder.
struct TranscodedFrame: Sendable {
  var block: FrameBlock
  var layout: RawLayout
  /// In the result, in nanoseconds.
  var time: Int64
  var duration: Int64
}

/// Applies a processor to the frames of one movie; on any number of threads.
struct FrameTranscoding: Sendable {
  private let processor: (any FrameProcessing)?
  /// The file's name, for messages.
  private let name: String
  /// `nil` where the processor needs no mattes.
  private let mattes: Result<MatteSequence, any Error>?

  init(processor: (any FrameProcessing)?, name: String) {
    (self.processor, self.name) = (processor, name)
    guard let processor, processor.needsMatte else {
      mattes = nil
      return
    }
    mattes = Result { MatteSequence(try processor.makeTracker(.movie)) }
  }

  /// Makes of a decoded frame what the encoder takes.
  ///
  /// - Parameters:
  ///   - number: Of the frame among those that are rendered, counted from 0.
  ///   - form: That of the first frame.
  /// - Throws: `EditError`, or what the processor throws; the reason why there are no mattes.
  func render(
    _ timed: MovieTranscodeStateMachine.TimedFrame, _ number: Int, as form: TranscodeEncoding.Form,
    _ scratch: EffectScratch
  ) throws -> TranscodedFrame {
    let mattes = try mattes?.get()
    do { return try render(timed, number, as: form, mattes, scratch) } catch {
      mattes?.fail(error)
      throw error
    }
  }

  private func render(
    _ timed: MovieTranscodeStateMachine.TimedFrame, _ number: Int, as form: TranscodeEncoding.Form,
    _ mattes: MatteSequence?, _ scratch: EffectScratch
  ) throws -> TranscodedFrame {
    let frame = timed.frame
    guard let target = form.layout else { throw EditError.encoding(reason: "\(form.size)") }
    var layout = frame.layout
    let source = MoviePictureMaker.pictureSize(of: layout.size)
    layout.size = source
    let block: FrameBlock
    if let processor {
      guard processor.outputSize(for: source) == form.size else { throw changedSize }
      let colors = MovieColors(MovieColors.Space(frame.layout))
      var context = FrameContext(kind: .movieFrame, time: Double(frame.time) / 1e9, fullSize: form.size)
      block = try scratch.withPixels("movie source", count: source.area) { pixels in
        let view = PixelView(pixels: pixels, width: source.width, height: source.height, stride: source.width)
        frame.frame.block.withUnsafeBytes { colors.convert($0, layout, into: view) }
        context.matte = try mattes?.matte(of: number, LentPixels(view), time: context.time)
        return try scratch.withPixels("movie target", count: form.size.area) { pixels in
          let result = PixelView(
            pixels: pixels, width: form.size.width, height: form.size.height, stride: form.size.width)
          try processor.render(view, into: result, context: context, scratch: scratch)
          return FrameBlock(count: target.byteCount) { colors.convert(result, into: $0, target.layout) }
        }
      }
    } else {
      guard source == form.size else { throw changedSize }
      block =
        layout.offsets == target.layout.offsets && layout.strides == target.layout.strides
        ? frame.frame.block : frame.frame.block.copied(from: layout, to: target.layout, byteCount: target.byteCount)
    }
    return TranscodedFrame(block: block, layout: target.layout, time: timed.time, duration: frame.duration)
  }

  private var changedSize: EditError {
    .unreadableMovie(file: name, reason: localized("videos that change their size can’t be edited"))
  }
}

/// The frames of a movie that bounces, compressed, for the way back.
final class BounceBuffer: Sendable {
  /// Visually lossless.
  private static let quality = 97

  private let jpegs = Mutex<[FrameBlock]>([])

  /// Keeps the next frame.
  ///
  /// - Throws: `EditError.encoding`.
  func append(_ frame: TranscodedFrame) throws(EditError) {
    do {
      let jpeg = try JPEGEncoder().encode(planes: frame.block, layout: frame.layout, quality: Self.quality)
      jpegs.withLock { $0.append(jpeg) }
    } catch { throw .encoding(reason: "\(error)") }
  }

  /// Hands over frames once more, one after another, until `body` wants no more. The buffer is empty afterwards.
  ///
  /// - Returns: Whether `body` took all of them.
  /// - Throws: `EditError.encoding`.
  func replay(
    _ reprises: [MovieTranscodeStateMachine.Reprise], as form: TranscodeEncoding.Form,
    _ body: (TranscodedFrame) -> Bool
  ) throws(EditError) -> Bool {
    let jpegs = jpegs.withLock { jpegs in
      defer { jpegs = [] }
      return jpegs
    }
    guard !reprises.isEmpty, let target = form.layout else { return true }
    do {
      let decoder = try JPEGDecoder()
      for reprise in reprises {
        // Frames that an encoder refused were not kept; its error ends everything.
        guard jpegs.indices.contains(reprise.index) else { return false }
        let (layout, planes) = try jpegs[reprise.index].withUnsafeBytes { try decoder.decodePlanes($0) }
        let block = planes.copied(from: layout, to: target.layout, byteCount: target.byteCount)
        let frame = TranscodedFrame(
          block: block, layout: target.layout, time: reprise.time, duration: reprise.duration)
        guard body(frame) else { return false }
      }
      return true
    } catch { throw .encoding(reason: "\(error)") }
  }
}

extension TranscodeEncoding.Form {
  /// The planes of its frames, and their bytes.
  fileprivate var layout: (layout: RawLayout, byteCount: Int)? {
    RawConverter.defaultLayout(
      of: RawConverter.Kind(layout: MoviePictureMaker.layout, size: size, colorimetry: colorimetry))
  }
}
