// The run of a recording: its file, its encoders, and the thread that feeds them.

import CGStreamer
import CameraCore
import Foundation
import Localization
import Synchronization

extension MovieRecorder {
  /// Records until it is stopped, and finishes the file. Call it once.
  ///
  /// - Throws: `CameraError.recordingFailed`, or `missingPlugin`, when there is no movie.
  func run(_ input: Input) async throws(CameraError) -> RecordedMovie {
    defer { onLastFrame(self) }
    withState { $0.sound = input.sound }
    do throws(CameraError) {
      if let missing = LivePhotoEncoders.missing() { throw missing }
      let opened = try await open()
      send(.opened(opened.movie))
      let (file, failure) = try await record(input, into: opened)
      return try await close(file, failure)
    } catch {
      handle { $0.openFailed(error) }
      throw error
    }
  }

  /// Creates the file, on a thread of its own: a disk that hangs is left to itself after a while.
  private func open() async throws(CameraError) -> RecordingFile {
    let isLate = CancellationFlag()
    do throws(CameraError) {
      return try await Blocking.run(
        onThread: "recording file", atMost: environment.limits.movieProgress,
        late: .recordingFailed(message: diskHangs)
      ) { () throws(CameraError) in try self.makeFile(unlessLate: isLate) }
    } catch {
      // What is created in the end belongs to nobody.
      isLate.set()
      throw error
    }
  }

  private func makeFile(unlessLate isLate: CancellationFlag) throws(CameraError) -> RecordingFile {
    let file = try RecordingFile(folder: settings.folder, date: settings.date ?? Date())
    let isFull = environment.freeBytes(settings.folder).map { $0 < 2 * Self.reserve } ?? false
    guard isFull || isLate.isSet else { return file }
    file.discard()
    throw .recordingFailed(message: MovieOutput.words(isFull ? ENOSPC : ETIMEDOUT, settings.folder))
  }

  /// Encodes until the end, with the first encoder that works.
  ///
  /// - Returns: The file, which is another one where an encoder may still write to the first; and why it isn't complete,
  ///   `nil` when it is.
  private func record(
    _ input: Input, into opened: RecordingFile
  ) async throws(CameraError) -> (RecordingFile, MovieFailure?) {
    var file = opened
    guard let frames = await frames(input) else { return (file, .cancelled) }
    // Stabilized pictures are rendered with 8 bits.
    let deep = input.isHDR && !settings.isStabilized ? frames.deepColorimetry : nil
    var videoEncoders = VideoEncoder.candidates(
      for: settings.codec, isDeep: deep != nil, deep: environment.deepEncoders, hevc: environment.hevcEncoders,
      h264: environment.encoders)[...]
    let hadHEVC = videoEncoders.first?.coding != .h264
    var isFallbackSaid = false
    var soundEncoders = LivePhotoEncoders.missingForSound() == nil ? environment.soundEncoders()[...] : []
    while let encoder = videoEncoders.first {
      let progress = MovieProgress()
      let sound = soundEncoders.first.flatMap { encoder in
        input.channels.map { RecordingEncoding.SoundForm(encoder: encoder, channels: $0) }
      }
      let form = RecordingEncoding.Form(
        size: frames.size, rate: input.rate, encoder: encoder, quality: settings.quality,
        isStabilized: settings.isStabilized, deepColorimetry: deep, sound: sound)
      var made: RecordingEncoding?
      do throws(MovieFailure) {
        let encoding = try await make(form, file.path, progress)
        made = encoding
        if settings.codec == .hevc, encoder.coding == .h264, !isFallbackSaid {
          isFallbackSaid = true
          send(.hevcUnavailable(reason: Self.fallbackReason(hadHEVC)))
        }
        let hasSuccessor = encoder.isHardware && videoEncoders.count > 1
        try await encode(form, encoding, into: file, progress, hasSuccessor: hasSuccessor)
        return (file, nil)
      } catch {
        // A graphics card may refuse at once; one that has made a picture is kept to. The frames that it took are lost;
        // those that wait are for the next one, also when the movie was stopped meanwhile.
        let mayGoOn = goesOn || hasWaiting
        // Also when the movie has ended meanwhile: the next one shall not wait for it again. Unless no frame came.
        let wasTried = made == nil || mayGoOn || progress.fed.load(ordering: .relaxed) > 0
        if error.part == .picture, !error.isProven, wasTried { encoder.giveUp() }
        guard error.part != .other, !error.isProven, mayGoOn else { return (file, error) }
        if error.part == .sound, !soundEncoders.isEmpty {
          soundEncoders.removeFirst()
        } else {
          videoEncoders.removeFirst()
          if videoEncoders.isEmpty { return (file, error) }
        }
        do throws(MovieFailure) {
          if let made, isHanging { file = try await replace(file, of: made) }
        } catch { return (file, error) }
      }
    }
    throw GStreamerRuntime.missing("x264enc")
  }

  /// The reason why a movie that was to be HEVC is not.
  ///
  /// - Parameter hadEncoder: Whether there was an encoder to try.
  private static func fallbackReason(_ hadEncoder: Bool) -> String {
    (hadEncoder ? nil : VideoEncoder.hevcRefusal()?.description)
      ?? localized("None of this computer’s HEVC encoders work.")
  }

  /// The form of the frames; `nil` when the recording ended before the first one.
  private func frames(_ input: Input) async -> FrameForm? {
    if let frames = input.frames { return frames }
    return try? await firstForm.wait()
  }

  /// Builds an encoding on a thread of its own, which is left to itself when it hangs.
  private func make(
    _ form: RecordingEncoding.Form, _ path: String, _ progress: MovieProgress
  ) async throws(MovieFailure) -> RecordingEncoding {
    let making = EncoderMaking(limit: environment.limits.encoderMaking, wait: environment.wait)
    let build = environment.makeEncoding
    return try await making.make(with: form.encoder) { () throws(MovieFailure) in try build(form, path, progress) }
  }

  private var goesOn: Bool { withState { $0.machine.needsCamera } }

  /// Whether frames wait for an encoder.
  private var hasWaiting: Bool { queuedFrameCount > 0 }

  private var isHanging: Bool { withState { $0.isHanging } }

  /// Opens another file. What hangs may be the opening of the first one, which empties it in the end.
  ///
  /// - Parameter encoding: It may write to the file; when it doesn't any more, the file is removed.
  private func replace(
    _ file: RecordingFile, of encoding: RecordingEncoding
  ) async throws(MovieFailure) -> RecordingFile {
    let next: RecordingFile
    do throws(CameraError) { next = try await open() } catch {
      guard case .recordingFailed(let message) = error else {
        throw MovieFailure(part: .other, message: error.description.asClause)
      }
      throw MovieFailure(part: .other, message: message)
    }
    Task.detached {
      await encoding.waitUntilDown()
      await Blocking.run { file.discard() }
    }
    withState { $0.isHanging = false }
    send(.opened(next.movie))
    return next
  }

  /// Runs one encoding to its end.
  ///
  /// - Parameter hasSuccessor: Whether it is given up soon when it hangs at its start, for another encoder.
  private func encode(
    _ form: RecordingEncoding.Form, _ encoding: RecordingEncoding, into file: RecordingFile, _ progress: MovieProgress,
    hasSuccessor: Bool
  ) async throws(MovieFailure) {
    guard let queue = begin(form, encoding, progress) else { throw .cancelled }
    await encoding.start {
      // Where a file system has no locks, another start may have taken the file; the pipeline has then made another one.
      guard file.isInPlace else {
        return encoding.giveUp(
          MovieFailure(part: .other, message: localized("another app has taken the file “\(file.path)”")))
      }
      self.feed(queue, to: encoding, form, progress)
    }
    var watchdogs = progress.watchRecording(
      environment.limits, byteCount: { file.byteCount }, isIdle: { queue.isIdle }
    ) {
      encoding.giveUp(.standstill)
    }
    if hasSuccessor {
      let wait = environment.wait
      watchdogs.append(
        progress.watchStart(
          environment.limits.encoderMaking, isIdle: { queue.isIdle },
          pause: { try await wait(TimeSpan(nanoseconds: Int64($0))) }
        ) { encoding.giveUp(.unanswered(by: form.encoder)) })
    }
    let housekeeping = Task.detached { await self.keepHouse(file, form) }
    var failure: MovieFailure?
    do throws(MovieFailure) { try await encoding.waitForEnd() } catch { failure = error }
    // Before it is stopped: one that goes on meanwhile has nothing to say any more.
    failure?.isProven = progress.encoded.load(ordering: .relaxed) > 0
    for watchdog in watchdogs { watchdog.cancel() }
    housekeeping.cancel()
    if let failure, failure.part != .other, !failure.isProven {
      withState { $0.take?.queue = queue.handOn() }
    } else {
      queue.cancel()
    }
    let isClosed = await encoding.stop()
    withState { $0.isHanging = !isClosed }
    if let failure { throw failure }
  }

  /// Lets frames and sound flow into an encoding, those first that wait since an encoder before it.
  ///
  /// - Returns: The queue of the frames; `nil` when the recording has ended and none wait.
  private func begin(
    _ form: RecordingEncoding.Form, _ encoding: RecordingEncoding, _ progress: MovieProgress
  ) -> RecordingQueue? {
    let now = environment.now()
    return withState { state in
      var sound = form.sound.flatMap { sound in
        encoding.sound.map {
          RecordingSound($0, channels: sound.channels, delay: sound.encoder.delay, progress: progress)
        }
      }
      if var take = state.take, take.queue.count > 0 {
        if let earlier = take.sound { sound?.takeOver(earlier) }
        (take.form, take.sound, take.encoding) = (form, sound, encoding)
        state.take = take
        return take.queue
      }
      guard state.machine.needsCamera else { return nil }
      var timeline = RecordingTimeline(origin: now)
      if state.machine.isPaused { timeline.pause(at: now) }
      let queue = RecordingQueue(rate: form.rate)
      state.take = Take(form: form, timeline: timeline, queue: queue, sound: sound, encoding: encoding)
      state.elapsed = .zero
      return queue
    }
  }

  /// Starts the thread that decodes frames and feeds them to the encoder.
  private func feed(
    _ queue: RecordingQueue, to encoding: RecordingEncoding, _ form: RecordingEncoding.Form, _ progress: MovieProgress
  ) {
    @Sendable func push(_ picture: FrameBlock, _ time: TimeSpan) -> Bool {
      let result = AppSource.push(
        picture, to: encoding.picture, time: time.nanoseconds, duration: form.rate.interval.nanoseconds)
      if result == GST_FLOW_OK { progress.fed.add(1, ordering: .relaxed) }
      return result == GST_FLOW_OK
    }
    let thread = Thread {
      do {
        let maker = try MoviePictureMaker(
          size: form.size, isMirrored: self.settings.isMirrored,
          deepColorimetry: form.encoder.coding == .hevcMain10 ? form.deepColorimetry : nil)
        let stabilizer =
          form.isStabilized ? MovieStabilizer(size: MoviePictureMaker.pictureSize(of: form.size)) : nil
        var isFirst = true
        while let item = queue.next() {
          guard case .frame(let frame, let time) = item else {
            // A pause may take hours, and nothing of what was seen before may be in memory only.
            for (steady, time) in stabilizer?.finish() ?? [] {
              guard push(steady, time) else { return }
            }
            continue
          }
          guard let picture = try? maker.picture(of: frame) else {
            // The frame before is shown longer.
            self.refuse(frame)
            continue
          }
          self.noteUsed()
          // The first intact frame begins the movie.
          let place = isFirst ? .zero : time
          isFirst = false
          guard let stabilizer else {
            guard push(picture, place) else { return }
            continue
          }
          if !stabilizer.isOff, queue.fullness > Self.stabilizedFullness {
            stabilizer.switchOff()
            self.send(.stabilizationEnded)
          }
          for (steady, time) in stabilizer.add(picture, at: place) {
            guard push(steady, time) else { return }
          }
        }
        guard !queue.isCancelled else { return }
        for (steady, time) in stabilizer?.finish() ?? [] {
          guard push(steady, time) else { return }
        }
        AppSource.end(encoding.picture)
      } catch {
        encoding.giveUp(MovieFailure(part: .other, message: "\(error)"))
      }
    }
    thread.name = "recording"
    thread.start()
  }

  private func noteUsed() { withState { $0.unusable.used() } }

  private func refuse(_ frame: CameraFrame) {
    let isTooMany = withState { state -> Bool in
      state.droppedFrames += 1
      return state.unusable.refused(at: frame.time)
    }
    if isTooMany { handle { $0.framesFailed(UnusableFrames.damaged) } }
  }
}
