// Rendering of edits at full size: stills with libjpeg-turbo, movies with GStreamer.

import CameraCore
import EngineInterface
import Foundation
import Localization
import MediaFormats
import PhotoEffects
import Synchronization

/// Renders stills and movies, any number at the same time.
public struct EngineEditRenderer: EditRenderer {
  /// The time without progress after which a movie fails.
  private let patience: TimeSpan
  private let encoders: @Sendable () -> [VideoEncoder]
  private let making: EncoderMaking

  /// Whether nobody waits for the result: a photo is then rendered on one low-priority thread. Movies always have low
  /// priority.
  private let isInBackground: Bool

  public init(isInBackground: Bool = false) {
    self.init(patience: .seconds(30), encoders: VideoEncoder.installed, isInBackground: isInBackground)
  }

  /// - Parameter encoders: The installed encoders, best first; the next is tried when one fails.
  init(
    patience: TimeSpan, encoders: @escaping @Sendable () -> [VideoEncoder], making: EncoderMaking = EncoderMaking(),
    isInBackground: Bool = false
  ) {
    (self.patience, self.encoders, self.making, self.isInBackground) = (patience, encoders, making, isInBackground)
  }

  // MARK: Movies

  /// Renders a movie into a new file; see `EditRenderer`.
  ///
  /// - Throws: `EditError`, `CancellationError`, or what the processor throws.
  public func movie(
    of source: MovieSource, edit: MovieEdit, into folder: URL, progress: @escaping @Sendable (Double) -> Void
  ) async throws -> RenderedMovie {
    let isMP4 = try await Self.onDisk { _ in try MovieConversion.isNeedless(for: MovieStretch(source)) }
    if isMP4 { return try await movie(ofMP4: source, edit: edit, into: folder, progress: progress) }
    return try await MovieConversion.with(
      source, wantsSound: !edit.isMuted && !edit.isBounced, keepsPicture: edit.keepsPicture, into: folder,
      patience: patience
    ) { source, picture in
      try await movie(
        ofMP4: source, edit: edit, encodes: !picture.isKept, colorimetry: picture.colorimetry, into: folder,
        progress: progress)
    }
  }

  /// - Parameters:
  ///   - encodes: Whether the picture is encoded anew even if it stays as it is: MP4s with its codec play in few programs.
  ///   - colorimetry: That of the decoded frames; `nil` for what the decoder says.
  private func movie(
    ofMP4 source: MovieSource, edit: MovieEdit, encodes: Bool = false, colorimetry: String? = nil, into folder: URL,
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> RenderedMovie {
    let index = try await Self.onDisk { _ in try MP4Index(MovieStretch(source)) }
    guard let picture = index.picture else {
      throw EditError.unreadableMovie(
        file: source.url.lastPathComponent,
        reason: index.pictureRefusal?.reason ?? localized("the video has no picture"))
    }
    let keepsSound = !edit.isMuted && !edit.isBounced
    if keepsSound, let refusal = index.soundRefusal {
      throw EditError.unusableSound(file: source.url.lastPathComponent, reason: refusal.reason)
    }
    let files = Files(folder)
    do {
      let movie: RenderedMovie
      if edit.keepsPicture, !encodes {
        // The picture is copied, not decoded.
        movie = try await copy(index, picture, keepsSound: keepsSound, to: files)
      } else {
        movie = try await encode(
          source, edit, index, picture, colorimetry, keepsSound: keepsSound, to: files, progress)
      }
      progress(1)
      return movie
    } catch {
      await Self.remove(files.unfinished)
      throw error
    }
  }

  /// The files of one movie.
  private struct Files: Sendable {
    let folder: URL
    /// The movie until it is whole.
    let unfinished: URL
    let finished: URL

    init(_ folder: URL) {
      let name = "edit-\(UUID().uuidString)"
      self.folder = folder
      unfinished = folder.appendingPathComponent(".\(name).tmp")
      finished = folder.appendingPathComponent("\(name).mp4")
    }

    /// The picture track before it is joined with the sound. Each encoder has a file of its own: the opening of the one
    /// before may hang, and empties it in the end.
    ///
    /// - Parameter attempt: Counted from 1.
    func encoded(_ attempt: Int) -> URL {
      let name = unfinished.deletingPathExtension().lastPathComponent
      return folder.appendingPathComponent("\(name).picture\(attempt).tmp")
    }

    func makeFolder() throws(EditError) {
      do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
        throw .writing(reason: localized("the folder “\(folder.path)” can’t be created"))
      }
    }

    func publish() throws(EditError) {
      guard rename(unfinished.path, finished.path) == 0 else {
        throw .writing(reason: MovieOutput.words(errno, folder))
      }
    }
  }

  private static func remove(_ files: URL...) async {
    await Blocking.run(niceness: MovieTranscoder.niceness) { for file in files { unlink(file.path) } }
  }

  /// Encodes the movie's picture anew, and joins it with the sound.
  private func encode(
    _ source: MovieSource, _ edit: MovieEdit, _ index: MP4Index, _ picture: MP4Track, _ colorimetry: String?,
    keepsSound: Bool, to files: Files, _ progress: @escaping @Sendable (Double) -> Void
  ) async throws -> RenderedMovie {
    try await Self.onDisk { _ in try files.makeFolder() }
    let (made, encoded) = try await Self.asEdit(of: source) {
      try await transcode(source, edit, index, picture, colorimetry, to: files, progress)
    }
    let isTrimmed = edit.trim != nil
    let hasSound: Bool
    do {
      hasSound = try await Self.onDisk { flag in
        var assembly = try MP4Assembly(MP4Index(MovieStretch(whole: encoded)))
        assembly.metadataSource = index
        if keepsSound {
          let start = Double(made.sourceTimes.first ?? 0) / 1e9
          assembly.addSound(of: index, window: isTrimmed ? start...max(start, Double(made.sourceEnd) / 1e9) : nil)
        }
        try assembly.write(to: files.unfinished) { flag.isSet }
        try files.publish()
        unlink(encoded.path)
        return assembly.hasSound
      }
    } catch {
      await Self.remove(encoded)
      throw error
    }
    return RenderedMovie(
      url: files.finished, size: made.size, duration: Double(made.duration) / 1e9,
      sourceTimes: made.sourceTimes.map { Double($0) / 1e9 }, times: made.times.map { Double($0) / 1e9 },
      hasSound: hasSound)
  }

  /// Tries one encoder after the other.
  ///
  /// - Returns: The file as well. Where it fails there is none.
  private func transcode(
    _ source: MovieSource, _ edit: MovieEdit, _ index: MP4Index, _ picture: MP4Track, _ colorimetry: String?,
    to files: Files,
    _ progress: @escaping @Sendable (Double) -> Void
  ) async throws -> (MovieTranscodeStateMachine.Result, URL) {
    var attempt = 0
    var left = encoders()[...]
    guard !left.isEmpty else {
      throw EditError.encoding(
        reason: localized("there is no H.264 encoder; install the package gstreamer1.0-plugins-ugly"))
    }
    while let encoder = left.popFirst() {
      attempt += 1
      let file = files.encoded(attempt)
      let machine = MovieTranscodeStateMachine(
        edit, name: source.url.lastPathComponent, timescale: Int(picture.timescale),
        expectedCount: picture.frameCount(within: edit.trim),
        sourceEnd: picture.end.map { Int64((min($0, MP4Head.longestDuration) * 1e9).rounded()) })
      let transcoder = MovieTranscoder(
        source, edit, machine: machine, colorimetry: colorimetry, encoder: encoder, making: making, file: file,
        duration: Double(picture.duration) / Double(picture.timescale), report: progress)
      do {
        return (try await transcoder.run(patience: patience), file)
      } catch {
        await Self.remove(file)
        guard let failure = error as? MovieFailure else { throw error }
        try Task.checkCancellation()
        guard failure.part != .other else {
          throw EditError.writing(reason: failure.message)
        }
        encoder.giveUp()
        if left.isEmpty { throw EditError.encoding(reason: failure.message) }
      }
    }
    throw EditError.encoding(reason: localized("no encoder works"))
  }

  /// Copies the movie, perhaps without its sound.
  private func copy(
    _ index: MP4Index, _ picture: MP4Track, keepsSound: Bool, to files: Files
  ) async throws -> RenderedMovie {
    try await Self.onDisk { flag in
      try files.makeFolder()
      var assembly = MP4Assembly(index)
      if keepsSound { assembly.addSound(of: index, window: nil) }
      try assembly.write(to: files.unfinished) { flag.isSet }
      try files.publish()
      let times = picture.startTimes
      return RenderedMovie(
        url: files.finished, size: PixelSize(width: 0, height: 0),
        duration: Double(picture.duration) / Double(picture.timescale), sourceTimes: times, times: times,
        hasSound: assembly.hasSound)
    }
  }

  // MARK: Stills

  /// Renders the picture of a photo; see `EditRenderer`.
  ///
  /// - Throws: `EditError`, `CancellationError`, or what the processor throws.
  public func still(
    of source: StillSource, processor: any FrameProcessing, time: Double
  ) async throws -> RenderedStill {
    let threadCount = isInBackground ? 1 : ProcessInfo.processInfo.activeProcessorCount
    return try await Self.blocking(niceness: isInBackground ? MovieTranscoder.niceness : nil) { isCancelled in
      let still = try StillCodec.decode(source, unless: isCancelled)
      try isCancelled.check()
      return try StillCodec.render(still, processor, time: time, threadCount: threadCount, unless: isCancelled)
    }
  }

  /// Renders one frame of a movie as a picture; see `EditRenderer`.
  ///
  /// - Throws: `EditError`, `CancellationError`, or what the processor throws.
  public func still(
    of source: MovieSource, at time: Double, processor: (any FrameProcessing)?
  ) async throws -> RenderedStill {
    let image = try await Self.asEdit(of: source) {
      try await EngineMovieReader().frame(
        of: source, at: time, fitting: PixelSize(width: FrameProcessor.longestSide, height: FrameProcessor.longestSide))
    }
    return try await Self.blocking { isCancelled in
      try StillCodec.render(StillCodec.Still(image: image), processor, time: time, unless: isCancelled)
    }
  }

  /// Renders the average of a movie's frames; see `EditRenderer`.
  ///
  /// - Throws: `EditError`, `CancellationError`, or what the processor throws.
  public func longExposure(
    of source: MovieSource, trim: ClosedRange<Double>?, processor: (any FrameProcessing)?,
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> RenderedStill {
    let index = try await Self.onDisk { _ in try MP4Index(MovieStretch(source)) }
    let exposure = LongExposure(trim: trim)
    let length = index.picture.map { Double($0.duration) / Double($0.timescale) } ?? 0
    try await Self.asEdit(of: source) {
      let decoding = try await MovieDecoding(source, niceness: MovieTranscoder.niceness, progress: MovieProgress()) {
        progress(length > 0 ? min(0.95, Double($0.time) / 1e9 / length) : 0)
        return exposure.add($0)
      }
      try await withTaskCancellationHandler {
        try await decoding.run(patience: MovieDecoding.patience)
      } onCancel: {
        exposure.stop()
      }
    }
    try Task.checkCancellation()
    let image = try exposure.average(named: source.url.lastPathComponent)
    let still = try await Self.blocking { isCancelled in
      try StillCodec.render(
        StillCodec.Still(image: image), processor, time: trim?.lowerBound ?? 0, unless: isCancelled)
    }
    progress(1)
    return still
  }

  /// Turns the errors of reading a movie into those of an edit.
  private static func asEdit<Result: Sendable>(
    of source: MovieSource, _ body: () async throws -> Result
  ) async throws -> Result {
    do { return try await body() } catch let error as CameraError {
      throw EditError(error, reading: source.url.lastPathComponent)
    }
  }

  /// Reads and writes files on a thread of its own, with low priority: a disk that hangs holds up that thread alone.
  ///
  /// - Parameter body: Is given a flag that is set when the task is canceled.
  private static func onDisk<Output: Sendable>(
    _ body: @escaping @Sendable (CancellationFlag) throws -> Output
  ) async throws -> Output {
    try Task.checkCancellation()
    let flag = CancellationFlag()
    return try await withTaskCancellationHandler {
      try await Blocking.run(niceness: MovieTranscoder.niceness) { try body(flag) }
    } onCancel: {
      flag.set()
    }
  }

  /// Does long work on another thread. A cancellation is noticed before and after it, and where `body`
  /// checks it.
  ///
  /// - Parameter body: Is given a flag that is set when the task is canceled.
  private static func blocking<Output: Sendable>(
    niceness: Int32? = nil, _ body: @escaping @Sendable (CancellationFlag) throws -> Output
  ) async throws -> Output {
    try Task.checkCancellation()
    do {
      let flag = CancellationFlag()
      let output = try await withTaskCancellationHandler {
        guard let niceness else { return try await Blocking.run { try body(flag) } }
        return try await Blocking.run(niceness: niceness) { try body(flag) }
      } onCancel: {
        flag.set()
      }
      try Task.checkCancellation()
      return output
    } catch {
      try Task.checkCancellation()
      throw error
    }
  }
}

extension MovieEdit {
  /// Whether the picture's packets can be those of the source.
  fileprivate var keepsPicture: Bool { processor == nil && trim == nil && !isBounced }
}
