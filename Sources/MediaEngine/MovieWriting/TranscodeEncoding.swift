// Encoding of rendered frames into an MP4 file, as they come.

import CGStreamer
import CameraCore
import Foundation

/// A pipeline from raw frames to an MP4 on disk, without sound. The file's index comes last: whoever assembles the final
/// file puts it in front.
///
/// An actor of its own, made on any thread: see `EncoderMaking`.
actor TranscodeEncoding {
  /// The format of the frames.
  struct Form: Sendable, Hashable {
    /// With even sides.
    var size: PixelSize
    var rate: FrameRate
    /// GStreamer's name.
    var colorimetry: String
    /// Units a second of the track: the source's, so that times stay what they are.
    var timescale: Int
  }

  /// Takes frames: I420 in GStreamer's default layout of the form's size.
  nonisolated let source: Element
  private let pipeline: Pipeline
  /// Decided when frames are taken, or won't be.
  private let readiness = OneShot<Void, MovieFailure>()
  private let outcome = OneShot<Void, MovieFailure>()
  private let file: URL
  private let executor = QueueExecutor(label: "photome.transcoding")

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Builds the pipeline; nothing runs yet.
  ///
  /// - Throws: `MovieFailure` if the encoder can't be used.
  init(
    _ form: Form, encoder: VideoEncoder, niceness: Int32, file: URL, progress: MovieProgress
  ) throws(MovieFailure) {
    self.file = file
    do throws(CameraError) {
      pipeline = try Pipeline(name: "movie rendering", baseTime: .now, niceness: niceness)
      let muxer = try Element("mp4mux", name: "muxer")
      muxer.set("movie-timescale", LivePhotoEncoding.timescale)
      let sink = try Element("filesink", name: "file")
      sink.set("location", file.path)
      sink.set("async", false)
      try pipeline.add(chain: [muxer, sink])
      source = try LivePhotoEncoding.addPicture(
        to: pipeline, size: form.size, rate: form.rate, colorimetry: form.colorimetry, encoder: encoder, muxer: muxer,
        timescale: form.timescale, progress: progress)
    } catch {
      throw MovieFailure(part: .picture, message: error.description.asClause)
    }
  }

  /// Begins to take frames. Returns when it does, or when it has failed or was given up, which `waitForEnd` reports.
  func start() async {
    let readiness = readiness
    let (events, outcome, folder) = (pipeline.events, outcome, file.deletingLastPathComponent())
    // Ends with the pipeline.
    Task.detached {
      for await event in events {
        switch event {
        case .endOfStream: outcome.decide(.success(()))
        case .failed(let failure):
          let failure = await MovieFailure.of(failure, folder: folder)
          outcome.decide(.failure(failure))
          readiness.decide(.failure(failure))
        }
      }
    }
    pipeline.playInBackground { readiness.decide(.success(())) }
    try? await readiness.wait()
  }

  /// Waits until the file is complete. There is no time limit: whoever started it watches the progress.
  ///
  /// - Throws: `MovieFailure`; its part is `.other` if the file can't be written.
  func waitForEnd() async throws(MovieFailure) { try await outcome.wait(orWhenCancelled: .cancelled) }

  /// Ends the waiting with a failure, unless it has ended. Any thread.
  nonisolated func giveUp(_ failure: MovieFailure) {
    outcome.decide(.failure(failure))
    readiness.decide(.failure(failure))
  }

  /// Stops. Returns when nothing writes to the file any more, unless the encoder or the disk hangs.
  func stop() async { await pipeline.stopInBackground(atMost: LivePhotoEncoding.stopLimit) }

  /// Removes the file as soon as nothing writes to it any more. A disk that hangs while the file is opened creates it only
  /// when it goes on.
  func removeWhenDown() {
    guard !pipeline.isDown else { return }
    let file = file
    Task.detached {
      await self.waitUntilDown()
      await Blocking.run { _ = unlink(file.path) }
    }
  }

  private func waitUntilDown() async { await pipeline.waitUntilDown() }
}
