// Plays the movie of a live photo, or a movie file, into a preview, with sound where there is a way to hear it.

import CGStreamer
import CameraCore
import EngineInterface
import Foundation
import Synchronization

/// Makes players that use GStreamer.
public struct EngineMoviePlayerFactory: MoviePlayerFactory {
  public init() {}

  public func player(for url: URL, byteRange: Range<UInt64>, isMuted: Bool) -> any MoviePlayback {
    MoviePlayer(url: url, byteRange: byteRange, isMuted: isMuted)
  }
}

/// Plays one movie, any number of times. The picture comes at the size that is shown, not mirrored.
public final class MoviePlayer: MoviePlayback {
  public var preview: any PreviewSource { pump }

  private let url: URL
  private let byteRange: Range<UInt64>
  private let isMuted: Bool
  private let pump = PreviewPump(name: "movie")
  private let control = MovieControl()
  private let current = Mutex<FirstArrival?>(nil)

  /// - Parameters:
  ///   - byteRange: Where the movie lies in the file.
  ///   - isMuted: Whether its sound is left out.
  public init(url: URL, byteRange: Range<UInt64>, isMuted: Bool) {
    self.url = url
    self.byteRange = byteRange
    self.isMuted = isMuted
  }

  /// Plays from the start, and returns at the movie's end, when `stop` is called, when the task is cancelled, and when it
  /// is played anew. Everything that was opened is closed by then.
  ///
  /// - Throws: `CameraError.playbackFailed`, or `missingPlugin` when a decoder isn't installed.
  public func play() async throws(CameraError) {
    let end = FirstArrival()
    let before = current.withLock { current in
      defer { current = end }
      return current
    }
    before?.decide(.success(()))
    defer { current.withLock { if $0 === end { $0 = nil } } }
    guard !Task.isCancelled else { return }
    let playing = try await MoviePlaying(url, byteRange, isMuted: isMuted, pump: pump, control: control, end: end)
    try await playing.run()
  }

  public func stop() { current.withLock { $0 }?.decide(.success(())) }

  public func setPaused(_ isPaused: Bool) { control.setPaused(isPaused) }

  public func seek(to seconds: Double) { control.seek(to: seconds) }

  public func positions() -> AsyncStream<Double> { control.positions() }
}

/// One pass through a movie: the pipeline, and waiting for its end.
@PipelineActor
private final class MoviePlaying {
  private let name: String
  private let bytes: MovieBytes
  private let pipeline: Pipeline
  private let control: MovieControl
  private let end: FirstArrival
  /// Whether the sinks have their first buffers, before which nothing can be sought.
  private var isReady = false
  private var isHeld = false

  init(
    _ url: URL, _ range: Range<UInt64>, isMuted: Bool, pump: PreviewPump, control: MovieControl, end: FirstArrival
  ) throws(CameraError) {
    let name = url.lastPathComponent
    self.name = name
    self.control = control
    self.end = end
    bytes = try MovieBytes(url, range: range)
    let source = try bytes.makeSource()
    pipeline = try Pipeline(name: "movie", baseTime: nil)
    let demuxer = try Element("qtdemux", name: "demuxer")
    try pipeline.add(chain: [source, demuxer])
    pump.reset()
    let missing = Mutex<CameraError?>(nil)
    let linker = StreamLinker { kind, type in
      do throws(CameraError) {
        switch kind {
        case .picture: return try Self.pictureRow(type, pump, control)
        case .sound: return isMuted ? [] : try Self.soundRow(type)
        }
      } catch {
        // Without its sound a movie plays silently.
        if kind == .picture { missing.withLock { $0 = error } }
        return []
      }
    } onAllFound: { linker in
      guard !linker.has(.picture) else { return }
      let error = missing.withLock { $0 }
      end.decide(
        .failure(error ?? .playbackFailed(file: name, message: "there is no picture in it that can be decoded")))
    }
    linker.watch(demuxer)
  }

  /// Elements that show pictures.
  private nonisolated static func pictureRow(
    _ type: String, _ pump: PreviewPump, _ control: MovieControl
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
    let receiver = MovieFrameReceiver(pump: pump, control: control)
    return row + [form, try AppSink.make(receiver: receiver, isSynchronised: true)]
  }

  /// Elements that make sound heard; none when there is no way.
  private nonisolated static func soundRow(_ type: String) throws(CameraError) -> [Element] {
    guard let decoder = try StreamDecoder.elements(for: type) else { return [] }
    let row = [try Element("queue")] + decoder + [try Element("audioconvert"), try Element("audioresample")]
    return SoundOutput.open().map { row + [$0] } ?? []
  }

  func run() async throws(CameraError) {
    defer {
      pipeline.stop()
      bytes.end()
    }
    let (events, end, name) = (pipeline.events, end, name)
    let orders = control.orders()
    let follower = Task { [weak self] in
      for await _ in orders { self?.obey() }
    }
    defer { follower.cancel() }
    let readiness = pipeline.readiness
    let readier = Task { [weak self] in
      for await _ in readiness { self?.becameReady() }
    }
    defer { readier.cancel() }
    let listener = Task.detached {
      for await event in events {
        switch event {
        case .endOfStream: end.decide(.success(()))
        case .failed(let failure):
          // GStreamer ends its sentences, as the error's does.
          let message = failure.message.hasSuffix(".") ? String(failure.message.dropLast()) : failure.message
          end.decide(.failure(.playbackFailed(file: name, message: message)))
        }
      }
    }
    defer { listener.cancel() }
    isHeld = control.isPaused
    if !(isHeld ? pipeline.pause() : pipeline.play()) {
      // The reason follows on the bus; if not, this is it.
      Task.detached {
        try? await Task.sleep(nanoseconds: 200_000_000)
        end.decide(.failure(.playbackFailed(file: name, message: "it could not be started")))
      }
    }
    do throws(CameraError) {
      // A day: the movie ends by itself.
      try await end.wait(atMost: .seconds(86_400), late: .playbackFailed(file: name, message: "it does not end"))
    } catch {
      if !Task.isCancelled { throw error }
    }
  }

  private func becameReady() {
    isReady = true
    obey()
  }

  /// Does what was asked for meanwhile.
  private func obey() {
    guard isReady else { return }
    if let seconds = control.takeSeek() {
      // `ready` comes again when it has been done. A movie that can't be sought goes on as it was.
      if pipeline.seek(to: TimeSpan(nanoseconds: Int64(seconds * 1_000_000_000))) { isReady = false }
    }
    guard control.isPaused != isHeld else { return }
    isHeld = control.isPaused
    _ = isHeld ? pipeline.pause() : pipeline.play()
  }
}
