// Encodes rendered pictures into an MP4 file without sound, as they come.

import CGStreamer
import CameraCore
import Foundation
import PhotoEffects

/// A pipeline from raw pictures to an MP4 on disk. Its index comes last: whoever makes the final file puts it in front.
@PipelineActor
final class RenderedMovieEncoding {
  /// What is encoded.
  struct Form: Sendable, Hashable {
    /// With even sides.
    var size: PixelSize
    var rate: FrameRate
    /// In GStreamer's words.
    var colorimetry: String
    /// Of the track, in units a second: the source's, so that times stay what they are.
    var timescale: Int
  }

  /// Takes pictures: I420 in GStreamer's default layout of the form's size.
  nonisolated let source: Element
  private let pipeline: Pipeline
  private let outcome = FirstArrival()
  private let folder: URL
  private let reason = FirstFailure()

  /// - Throws: `MovieFailure` when the encoder can't be used.
  init(
    _ form: Form, encoder: VideoEncoder, niceness: Int32, file: URL, progress: MovieProgress
  ) throws(MovieFailure) {
    folder = file.deletingLastPathComponent()
    do throws(CameraError) {
      pipeline = try Pipeline(name: "movie rendering", baseTime: .now, niceness: niceness)
      let muxer = try Element("mp4mux", name: "muxer")
      muxer.set("movie-timescale", MovieEncoding.timescale)
      let sink = try Element("filesink", name: "file")
      sink.set("location", file.path)
      sink.set("async", false)
      try pipeline.add(chain: [muxer, sink])
      source = try MovieEncoding.addPicture(
        to: pipeline, size: form.size, rate: form.rate, colorimetry: form.colorimetry, encoder: encoder, muxer: muxer,
        timescale: form.timescale, progress: progress)
    } catch {
      throw MovieFailure(part: .picture, message: error.description)
    }
  }

  /// Begins to take pictures.
  func start() {
    let (events, outcome, reason, folder) = (pipeline.events, outcome, reason, folder)
    Task.detached {
      for await event in events {
        switch event {
        case .endOfStream: outcome.decide(.success(()))
        case .failed(let failure):
          let isFile = ["file", "muxer"].contains(failure.element)
          let message = isFile ? Self.words(of: failure, folder) : failure.message
          reason.note(MovieFailure(part: isFile ? .other : .picture, message: message))
          outcome.decide(.failure(.notRunning))
        }
      }
    }
    if !pipeline.play() {
      Task.detached { [outcome] in
        try? await Task.sleep(nanoseconds: 200_000_000)
        outcome.decide(.failure(.notRunning))
      }
    }
  }

  /// What a person can do about a file that can't be written.
  private nonisolated static func words(of failure: PipelineFailure, _ folder: URL) -> String {
    if failure.resource == GST_RESOURCE_ERROR_NO_SPACE_LEFT { return MovieOutput.words(ENOSPC, folder) }
    if let words = MovieOutput.words(in: failure.detail, folder) { return words }
    return failure.message.hasSuffix(".") ? String(failure.message.dropLast()) : failure.message
  }

  /// Waits until the file is whole.
  ///
  /// - Throws: `MovieFailure`; its part is `.other` where the file can't be written.
  func waitForEnd() async throws(MovieFailure) {
    do throws(CameraError) {
      // A day: whoever started it watches the progress.
      try await outcome.wait(atMost: .seconds(86_400), late: .notRunning)
    } catch {
      if Task.isCancelled { throw .cancelled }
      throw reason.error as? MovieFailure ?? MovieFailure(part: .picture, message: "the encoder stopped")
    }
  }

  /// Ends the waiting with a failure, if it has not ended.
  nonisolated func giveUp(_ failure: MovieFailure) {
    reason.note(failure)
    outcome.decide(.failure(.notRunning))
  }

  func stop() { pipeline.stop() }
}
