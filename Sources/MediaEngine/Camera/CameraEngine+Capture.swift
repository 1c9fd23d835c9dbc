// Capture of one shot, from the press to its last event.

import CameraCore
import Foundation
import Localization

extension CameraEngine {
  public func capture(_ settings: PhotoSettings) -> AsyncThrowingStream<CaptureEvent, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: CaptureEvent.self, throwing: (any Error).self)
    let chosen = Self.choose(settings, store)
    // What was on screen was decoded for that.
    if let chosen, chosen.wasShown { Self.announce(chosen, settings) { continuation.yield($0) } }
    let (store, writer, isWhole, encoder) = (store, writer, isWhole, encoder)
    let work = Task.detached(priority: .userInitiated) {
      do throws(CameraError) {
        let choice: CaptureStore.Choice
        if let chosen, chosen.wasShown {
          choice = chosen
        } else if let whole = Self.firstWhole(chosen, settings, store, isWhole) {
          choice = whole
          Self.announce(choice, settings) { continuation.yield($0) }
        } else {
          // The camera stands still, or is gone.
          choice = try await store.nextChoice(isLive: settings.isLive, isOfBurst: settings.group?.isBurst == true)
          Self.announce(choice, settings) { continuation.yield($0) }
        }
        defer { store.abandon(choice.id) }
        try await Self.finish(choice, settings, store, writer, encoder) { continuation.yield($0) }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    // Dropping the stream gives up the shot, and with it its hold on the ring.
    continuation.onTermination = { if case .cancelled = $0 { work.cancel() } }
    return stream
  }

  /// The number of damaged frames that are skipped to find the picture of a shot.
  private static let attempts = 3

  private static func choose(
    _ settings: PhotoSettings, _ store: CaptureStore, before limit: MonotonicTime? = nil
  ) -> CaptureStore.Choice? {
    store.choose(
      pressed: settings.pressed, isLive: settings.isLive, before: limit, isNew: settings.isOfBurst,
      companions: settings.quality == .quality ? StillStacking.most : 0)
  }

  /// The chosen frame, or else the newest one before it that is whole: a frame that was cut on the cable must not become
  /// the picture. Decodes each, which takes some milliseconds.
  private static func firstWhole(
    _ chosen: CaptureStore.Choice?, _ settings: PhotoSettings, _ store: CaptureStore,
    _ isWhole: (CameraFrame) -> Bool
  ) -> CaptureStore.Choice? {
    var next = chosen
    for _ in 0..<attempts {
      guard let choice = next else { return nil }
      if isWhole(choice.frame) { return choice }
      store.abandon(choice.id)
      next = choose(settings, store, before: choice.frame.time)
    }
    if let next { store.abandon(next.id) }
    return nil
  }

  private static func announce(
    _ choice: CaptureStore.Choice, _ settings: PhotoSettings, _ send: (CaptureEvent) -> Void
  ) {
    let resolved = ResolvedPhotoSettings(
      id: choice.id, isLive: settings.isLive, size: choice.frame.size, stillTime: choice.frame.time,
      date: Date(timeIntervalSinceNow: (choice.frame.time - .now).seconds), camera: choice.session.camera,
      microphone: choice.microphone,
      mayImprove: choice.companions.count >= StillStacking.fewest || settings.format != .jpeg,
      wantsRaw: choice.session.savesRaw && !settings.isOfBurst, group: settings.group)
    send(.willBegin(resolved))
    send(.willCapture)
    send(.didCapture)
  }

  private static func finish(
    _ choice: CaptureStore.Choice, _ settings: PhotoSettings, _ store: CaptureStore, _ writer: LivePhotoWriter,
    _ encoder: StillFormats.Encoder, _ send: @Sendable (CaptureEvent) -> Void
  ) async throws(CameraError) {
    let (frame, quality, isMirrored) = (choice.frame, settings.quality, settings.isMirrored)
    // On threads of their own: with two shots of a large camera, nothing else would run for some tenths of a second.
    let (original, jpeg, thumbnail) = try await Blocking.run { () throws(CameraError) in
      let original = try StillMaker.jpeg(of: frame, for: quality)
      let jpeg = isMirrored ? try StillMaker.mirrored(original, of: frame) : original
      return (original, jpeg, try StillMaker.thumbnail(of: jpeg))
    }
    send(.thumbnail(thumbnail))
    // First as a JPEG, which is safe in a moment: the encoders of other formats take their time, and may fail.
    send(
      .photo(
        CapturedPhoto(
          data: jpeg.withUnsafeBytes { Data($0) }, thumbnail: thumbnail, size: frame.size, raw: choice.raw)))
    // Beside the movie, which doesn't wait for the encoder of a still. The movie comes last: with it, the shot is saved.
    async let better = improved(original, jpeg, choice, settings, thumbnail, encoder)
    let movie: Result<CapturedMovie, CameraError>?
    do throws(CameraError) {
      movie = settings.isLive ? .success(try await Self.movie(of: choice, settings, store, writer, send)) : nil
    } catch { movie = .failure(error) }
    if let better = await better { send(.improved(better)) }
    if let movie { send(.movie(try movie.get())) }
  }

  /// The movie of a live photo, once its last frame is there.
  private static func movie(
    of choice: CaptureStore.Choice, _ settings: PhotoSettings, _ store: CaptureStore, _ writer: LivePhotoWriter,
    _ send: @Sendable (CaptureEvent) -> Void
  ) async throws(CameraError) -> CapturedMovie {
    guard var window = await store.gather(choice.id) else { throw .movieFailed(message: localized("it was canceled")) }
    window.isMirrored = settings.isMirrored
    send(.movieRecorded)
    // The writer lets the frames go one by one, if nobody else holds them.
    return try await writer.write(consume window, into: settings.movieFolder)
  }

  /// The still that takes the place of the first: with less noise, where the frames around it allow, and in the format that
  /// was asked for. What fails costs nothing: the first still is safe.
  ///
  /// - Parameters:
  ///   - original: The first still as the camera has it.
  ///   - jpeg: The same as it is to be seen.
  /// - Returns: `nil` when the first one stays. A JPEG with a shortfall where the format can't be had.
  private static func improved(
    _ original: FrameBlock, _ jpeg: FrameBlock, _ choice: CaptureStore.Choice, _ settings: PhotoSettings,
    _ thumbnail: Data, _ encoder: StillFormats.Encoder
  ) async -> CapturedPhoto? {
    // Beside the sensor's own frame stands its picture, not that of several; and several are averaged with 8 bits.
    if choice.raw != nil || choice.session.isHDR { _ = choice.companions.take() }
    let stacked = await stacked(original, with: choice.companions, isMirrored: settings.isMirrored)
    let format = settings.format
    if stacked == nil, format == .jpeg { return nil }
    let still = stacked?.jpeg ?? jpeg
    var photo = CapturedPhoto(
      data: Data(), format: format, thumbnail: thumbnail, size: choice.frame.size,
      frameCount: stacked?.frameCount ?? 1)
    do {
      // An averaged one is mirrored already, and was made of several frames.
      let isFrame = stacked == nil
      photo.data = try await encoder(
        still, isFrame ? choice.frame : nil, isFrame && settings.isMirrored, choice.session.isHDR, format)
    } catch {
      photo.data = still.withUnsafeBytes { Data($0) }
      photo.format = .jpeg
      photo.shortfall = localized(
        "The photo was saved as JPEG because it couldn’t be encoded as \(format.name): \("\(error)".asClause).",
        comment: "{0} is a format, {1} the reason")
    }
    return photo
  }

  /// Admits one shot at a time to averaging, which takes all the frames around it in memory once more.
  private static let stacking = AsyncGate()

  /// A still with less noise, as it is to be seen, where the frames around it allow; `nil` where they don't, or where it fails.
  private static func stacked(
    _ jpeg: FrameBlock, with companions: CaptureStore.Companions, isMirrored: Bool
  ) async -> StillStacking.Result? {
    // Also when it isn't this shot's turn before it is canceled.
    defer { _ = companions.take() }
    guard companions.count >= StillStacking.fewest, (try? await stacking.enterUnlessCancelled()) != nil else {
      return nil
    }
    defer { stacking.leave() }
    let flag = CancellationFlag()
    return try? await Blocking.run(canceling: flag) { () throws -> StillStacking.Result? in
      guard
        var better = try StillStacking.improved(jpeg, by: companions.take(), isCancelled: { flag.isSet })
      else { return nil }
      if isMirrored { better.jpeg = try JPEGMirror.mirrored(better.jpeg) }
      return better
    }
  }
}
