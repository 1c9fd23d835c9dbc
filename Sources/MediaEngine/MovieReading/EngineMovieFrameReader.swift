// Decodes one frame of a live photo's movie or of a movie file, at the size that is wanted.

import CGStreamer
import CameraCore
import EngineInterface
import Foundation
import Synchronization

/// Decodes single frames of movies with GStreamer.
///
/// The pipeline is opened, stops at the first frame, goes to the time that is wanted, stops at that frame, and is closed:
/// what is decoded is what lies between the last key frame and that time.
public struct EngineMovieFrameReader: MovieFrameReader {
  public init() {}

  public func frame(
    of url: URL, byteRange: Range<UInt64>, at time: Double, fitting size: PixelSize
  ) async throws -> DecodedImage {
    try Task.checkCancellation()
    do throws(CameraError) {
      let search = try await FrameSearch(url, byteRange, fitting: size)
      return try await search.frame(at: time)
    } catch {
      // Whoever waited was let go because of it.
      try Task.checkCancellation()
      throw error
    }
  }
}

/// One look into a movie.
@PipelineActor
private final class FrameSearch {
  /// The time for opening a movie, and for finding a frame in it: a hostile one could keep the decoder busy for ever.
  private static let limit = TimeSpan.seconds(20)

  private let name: String
  private let bytes: MovieBytes
  private let pipeline: Pipeline
  private let receiver: SingleFrameReceiver

  init(_ url: URL, _ range: Range<UInt64>, fitting size: PixelSize) throws(CameraError) {
    name = url.lastPathComponent
    bytes = try MovieBytes(url, range: range)
    let source = try bytes.makeSource()
    pipeline = try Pipeline(name: "movie frame", baseTime: nil)
    let demuxer = try Element("qtdemux", name: "demuxer")
    try pipeline.add(chain: [source, demuxer])
    let receiver = SingleFrameReceiver(fitting: size)
    self.receiver = receiver
    let name = name
    let missing = Mutex<CameraError?>(nil)
    let linker = StreamLinker { kind, type in
      guard kind == .picture else { return [] }
      do throws(CameraError) { return try Self.row(type, receiver) } catch {
        missing.withLock { $0 = error }
        return []
      }
    } onAllFound: { linker in
      guard !linker.has(.picture) else { return }
      let error = missing.withLock { $0 }
      receiver.fail(error ?? .playbackFailed(file: name, message: "there is no picture in it that can be decoded"))
    }
    linker.watch(demuxer)
  }

  private nonisolated static func row(
    _ type: String, _ receiver: SingleFrameReceiver
  ) throws(CameraError) -> [Element] {
    guard let decoder = try StreamDecoder.elements(for: type) else { return [] }
    var row = [try Element("queue")] + decoder + [try Element("videoconvert")]
    if let turner = try? Element("videoflip") {
      // As the movie's own note about its orientation says.
      turner.set("method", "automatic")
      row.append(turner)
    }
    let form = try Element("capsfilter")
    form.setCaps("video/x-raw,format=(string)I420")
    return row + [form, try AppSink.makePaused(receiver: receiver)]
  }

  func frame(at time: Double) async throws(CameraError) -> DecodedImage {
    defer {
      pipeline.stop()
      bytes.end()
    }
    let (events, receiver, name) = (pipeline.events, receiver, name)
    let listener = Task.detached {
      for await event in events {
        guard case .failed(let failure) = event else { continue }
        // GStreamer ends its sentences, as the error's does.
        let message = failure.message.hasSuffix(".") ? String(failure.message.dropLast()) : failure.message
        receiver.fail(.playbackFailed(file: name, message: message))
      }
    }
    defer { listener.cancel() }
    let opened = receiver.expect()
    // A refusal's reason follows on the bus; without one, the time limit ends the waiting.
    _ = pipeline.pause()
    try await wait(for: opened)
    guard let wanted = target(time) else { return try await found() }
    let shown = receiver.expect()
    guard pipeline.seek(to: wanted) else {
      throw .playbackFailed(file: name, message: "it has no frame at that time")
    }
    try await wait(for: shown)
    return try await found()
  }

  /// Where to go; `nil` when that is where the movie begins.
  private func target(_ time: Double) -> TimeSpan? {
    // A NaN is no time either.
    guard time > 0 else { return nil }
    let wanted = TimeSpan.seconds(min(time, 1_000_000))
    guard let duration = pipeline.duration else { return wanted }
    // At the very end nothing is shown any more.
    let last = TimeSpan(nanoseconds: max(0, duration.nanoseconds - 1_000_000))
    return min(wanted, last)
  }

  private func wait(for arrival: FirstArrival) async throws(CameraError) {
    try await arrival.wait(
      atMost: Self.limit, late: .playbackFailed(file: name, message: "it takes too long to find a picture in it"))
  }

  private func found() async throws(CameraError) -> DecodedImage {
    guard let image = receiver.takeImage() else {
      throw .playbackFailed(file: name, message: "there is no picture in it at that time")
    }
    return image
  }
}

/// Takes the frame that a paused pipeline stopped at, and scales it.
private final class SingleFrameReceiver: PrerollReceiver {
  private struct State {
    var image: DecodedImage?
    var arrival = FirstArrival()
    var failure: CameraError?
  }

  private let size: PixelSize
  private let state = Mutex(State())

  /// Of a frame, in pixels: more than any level of H.264 and H.265 allows.
  private static let largestArea = 67_108_864

  /// - Parameter size: What the frame is to fit into.
  init(fitting size: PixelSize) { self.size = size }

  /// To be asked for before the next frame can come.
  func expect() -> FirstArrival {
    state.withLock { state in
      state.arrival = FirstArrival()
      if let failure = state.failure { state.arrival.decide(.failure(failure)) }
      return state.arrival
    }
  }

  func fail(_ error: CameraError) {
    state.withLock { state in
      state.failure = state.failure ?? error
      return state.arrival
    }.decide(.failure(error))
  }

  func takeImage() -> DecodedImage? { state.withLock { $0.image } }

  func receivePreroll(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
    let image = caps.flatMap { picture(buffer, caps: $0) }
    state.withLock { state in
      if let image { state.image = image }
      return state.arrival
    }.decide(.success(()))
  }

  /// Behind the last frame: the frame that was found before stands.
  func receiveEnd() { state.withLock { $0.arrival }.decide(.success(())) }

  private func picture(
    _ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>
  ) -> DecodedImage? {
    guard let frame = CameraFrame.copying(buffer, caps: caps, largestArea: Self.largestArea),
      case .raw(let layout) = frame.content
    else { return nil }
    let target = fit(frame.size)
    let converter = RawConverter(from: layout.kind, to: RawConverter.Kind(layout: "BGRx", size: target))
    guard let converter else { return nil }
    let (result, block) = converter.convert(frame.block, layout: layout)
    return DecodedImage(size: target, stride: result.strides[0], block: block)
  }

  private func fit(_ frame: PixelSize) -> PixelSize {
    if frame.width <= size.width, frame.height <= size.height { return frame }
    let horizontal = Double(max(1, size.width)) / Double(frame.width)
    let vertical = Double(max(1, size.height)) / Double(frame.height)
    let full = PixelSize(
      width: Int((Double(frame.width) * vertical).rounded()), height: Int((Double(frame.height) * horizontal).rounded())
    )
    // Whoever computed the size from the frame's has rounded as well.
    let isMeant = abs(full.width - size.width) <= 1 || abs(full.height - size.height) <= 1
    if isMeant, (1...frame.width).contains(size.width), (1...frame.height).contains(size.height) { return size }
    return horizontal < vertical
      ? PixelSize(width: max(1, size.width), height: max(1, full.height))
      : PixelSize(width: max(1, full.width), height: max(1, size.height))
  }
}
