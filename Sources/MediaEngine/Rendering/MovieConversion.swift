// The conversion of Matroska and AVI movies into MP4s, which edits start from.

import CGStreamer
import CameraCore
import EngineInterface
import Foundation
import Localization
import MediaFormats
import Synchronization

/// Puts the streams of a movie of another format into a temporary MP4:
///
///     appsrc ─ demuxer ─┬─ queue ─ parser ──────────────────────────────┬─ muxer ─ filesink
///                       └─ queue ─ decoder ─ audioconvert ─ AAC encoder ┘
///
/// Packets are copied where an MP4 takes them: AAC, and H.264, H.265 and AV1 of a picture that stays as it is. Other sound
/// becomes AAC. Other pictures become a Motion JPEG of high quality, from which the edit is then encoded: a file that
/// nobody sees. Its samples are those of an ordinary movie, in limited range: it is read as such, not as other JPEGs. HDR and
/// wide colors become those of the screen on the way (`ScreenColorBridge`).
@EncodingActor
final class MovieConversion {
  /// What was found while the streams were linked.
  private struct State {
    var picture: (type: String, last: Element)?
    var sound: Element?
    var soundRefusal: String?
  }

  /// What became of the picture.
  struct Picture {
    /// Whether it can stay as it is.
    var isKept: Bool
    /// GStreamer's name of that of its samples, which decoders don't know; `nil` when they do.
    var colorimetry: String?
  }

  private let pipeline: Pipeline
  private let bytes: MovieBytes
  /// Whether pictures are copied where an MP4 takes them.
  private let copies: Bool
  private let progress = MovieProgress()
  private let outcome = OneShot<Void, EditError>()
  private let state = StateBox()

  /// The streams that were found. A class, since the closures of the linker live on.
  private final class StateBox: Sendable {
    let value = Mutex(State())
  }

  /// The pictures that are copied, and what they pass through on their way into an MP4. Matroska has no decoding times,
  /// which frames out of order need.
  private nonisolated static let parsers = [
    "video/x-h264": ["h264parse", "h264timestamper"], "video/x-h265": ["h265parse", "h265timestamper"],
    "video/x-av1": ["av1parse"],
  ]

  /// Whether a movie is an MP4 or a QuickTime movie already, or nothing that could become one.
  ///
  /// - Throws: `EditError.unreadableMovie`.
  nonisolated static func isNeedless(for stretch: MovieStretch) throws(EditError) -> Bool {
    do throws(FormatError) { return try MovieHead.format(of: stretch)?.structure ?? .boxes == .boxes } catch {
      throw .unreadableMovie(file: stretch.name, reason: error.reason)
    }
  }

  /// Converts a movie, and removes the MP4 when it has been used.
  ///
  /// - Parameters:
  ///   - folder: For the temporary file; made where it isn't there.
  ///   - patience: The time without progress after which it fails.
  ///   - body: Is given the MP4, and what became of its picture.
  /// - Throws: `EditError`, `CancellationError`, or what `body` throws.
  nonisolated static func with<Result: Sendable>(
    _ source: MovieSource, wantsSound: Bool, keepsPicture: Bool, into folder: URL, patience: TimeSpan,
    _ body: (MovieSource, Picture) async throws -> Result
  ) async throws -> Result {
    let name = source.url.lastPathComponent
    // In a folder of its own under the movie's name, which errors tell.
    let place = folder.appendingPathComponent(".edit-\(UUID().uuidString).tmp", isDirectory: true)
    let file = place.appendingPathComponent(name)
    let isMade = await Blocking.run(niceness: MovieTranscoder.niceness) {
      (try? FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)) != nil
    }
    guard isMade else { throw EditError.writing(reason: localized("the folder “\(folder.path)” can’t be created")) }
    @Sendable func clear() async {
      await Blocking.run(niceness: MovieTranscoder.niceness) { try? FileManager.default.removeItem(at: place) }
    }
    do {
      let conversion: MovieConversion
      do throws(CameraError) {
        conversion = try await MovieConversion(source, wantsSound, keepsPicture, to: file)
      } catch {
        throw EditError(error, reading: name)
      }
      let picture = try await conversion.run(patience: patience)
      let size = try await Blocking.run(niceness: MovieTranscoder.niceness) { () throws(EditError) in
        try ConvertedMovie.complete(file, from: source)
        return try MovieStretch(whole: file).count
      }
      let result = try await body(MovieSource(url: file, byteRange: 0..<size), picture)
      await clear()
      return result
    } catch {
      await clear()
      throw error
    }
  }

  private init(
    _ source: MovieSource, _ wantsSound: Bool, _ keepsPicture: Bool, to file: URL
  ) async throws(CameraError) {
    let hasWideColors = try await Self.hasWideColors(source)
    let bytes = try await MovieBytes.open(source)
    self.bytes = bytes
    // AVI has no presentation times, which an MP4 needs.
    let copies = keepsPicture && bytes.structure == .elements
    self.copies = copies
    let demuxerName = "demuxer"
    pipeline = try Pipeline(
      name: "movie conversion", baseTime: nil, niceness: MovieTranscoder.niceness,
      starters: [MovieBytes.sourceName, demuxerName])
    let demuxer = try Element(MoviePipeline.demuxer(of: bytes.structure), name: demuxerName)
    try pipeline.add(chain: [try bytes.makeSource(), demuxer])
    let (state, outcome, progress, name) = (state, outcome, progress, bytes.name)
    let linker = StreamLinker { stream, type in
      do throws(CameraError) {
        switch stream {
        case .picture:
          let branch = try Self.pictureBranch(type, copies, hasWideColors)
          if let last = branch.last { state.value.withLock { $0.picture = (type, last) } }
          return branch
        case .sound:
          guard wantsSound else { return [] }
          let branch = try Self.soundBranch(type)
          state.value.withLock {
            $0.sound = branch.last
            if branch.isEmpty { $0.soundRefusal = localized("PhotoMe can’t decode it") }
          }
          return branch
        }
      } catch {
        if stream == .picture {
          outcome.decide(.failure(EditError(error, reading: name)))
        } else {
          state.value.withLock { $0.soundRefusal = error.description.asClause }
        }
        return []
      }
    } onAllFound: { _ in
      let found = state.value.withLock { $0 }
      if let refusal = found.soundRefusal {
        outcome.decide(.failure(.unusableSound(file: name, reason: refusal)))
        return
      }
      guard let picture = found.picture else {
        let reason = localized("it has no picture that can be decoded")
        outcome.decide(.failure(.unreadableMovie(file: name, reason: reason)))
        return
      }
      do throws(CameraError) {
        try Self.mux(picture.last, picture.type, found.sound, to: file, progress, copies)
      } catch {
        outcome.decide(.failure(.encoding(reason: error.description.asClause)))
      }
    }
    linker.watch(demuxer)
  }

  /// Whether `ScreenColors` are to be made of a movie's, by its first frame.
  ///
  /// - Throws: `CameraError`.
  private nonisolated static func hasWideColors(_ source: MovieSource) async throws(CameraError) -> Bool {
    let isDeep = Atomic(false)
    let decoding = try await MovieDecoding(
      source, niceness: MovieTranscoder.niceness, progress: MovieProgress(), keepsDepth: true
    ) { frame in
      isDeep.store(frame.layout.deep != nil, ordering: .relaxed)
      return false
    }
    // What can't be decoded is said by the conversion.
    try? await decoding.run(patience: MovieDecoding.patience)
    return isDeep.load(ordering: .relaxed)
  }

  /// A queue without limits but that of memory: AVI files have their sound and pictures in any order.
  private nonisolated static func queue() throws(CameraError) -> Element {
    let queue = try Element("queue")
    queue.set("max-size-buffers", 0)
    queue.set("max-size-time", 0)
    queue.set("max-size-bytes", 64 << 20)
    return queue
  }

  /// Whether packets of a picture are copied.
  private nonisolated static func isCopied(_ type: String, _ copies: Bool) -> Bool {
    type == "image/jpeg" || copies && parsers[type]?.allSatisfy(GStreamerRuntime.has) == true
  }

  private nonisolated static func pictureBranch(
    _ type: String, _ copies: Bool, _ hasWideColors: Bool
  ) throws(CameraError) -> [Element] {
    if isCopied(type, copies) {
      var branch = [try queue()]
      for name in parsers[type] ?? [] { branch.append(try Element(name)) }
      return branch
    }
    guard let decoder = try StreamDecoder.elements(for: type) else { return [] }
    let encoder = try Element("jpegenc")
    encoder.set("quality", 95)
    let converter = try Element("videoconvert")
    if hasWideColors {
      return [try queue()] + decoder + [converter]
        + (try ScreenColorBridge.elements(niceness: MovieTranscoder.niceness)) + [encoder]
    }
    let form = try Element("capsfilter")
    // GStreamer's converter is wrong about the full range that JPEGs have.
    form.setCaps("video/x-raw,format=(string)I420,colorimetry=(string)\(MoviePictureMaker.colorimetry)")
    return [try queue()] + decoder + [converter, form, encoder]
  }

  private nonisolated static func soundBranch(_ type: String) throws(CameraError) -> [Element] {
    if type == "audio/mpeg" { return [try queue(), try Element("aacparse")] }
    guard let decoder = try StreamDecoder.elements(for: type) else { return [] }
    guard let encoder = SoundEncoder.installed().first else { throw GStreamerRuntime.missing("avenc_aac") }
    let form = try Element("capsfilter")
    form.setCaps("audio/x-raw,rate=(int)48000,channels=(int)[1,2]")
    return [try queue()] + decoder + [try Element("audioconvert"), try Element("audioresample"), form]
      + [try encoder.make(channels: 2), try Element("aacparse")]
  }

  /// Links the streams to a muxer and a file, before their first packets come. Streaming thread.
  private nonisolated static func mux(
    _ picture: Element, _ type: String, _ sound: Element?, to file: URL, _ progress: MovieProgress,
    _ copies: Bool
  ) throws(CameraError) {
    let isMP4 = isCopied(type, copies) && type != "image/jpeg"
    let muxer = try Element(isMP4 ? "mp4mux" : "qtmux", name: "muxer")
    let sink = try Element("filesink", name: "file")
    sink.set("location", file.path)
    sink.set("async", false)
    progress.countPackets(of: sink, pad: "sink")
    guard let parent = gst_object_get_parent(picture.pointer.cast(to: GstObject.self)) else { return }
    defer { gst_object_unref(parent) }
    let bin = UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstBin.self)
    for element in [muxer, sink] { gst_bin_add(bin, element.pointer) }
    gst_element_link(muxer.pointer, sink.pointer)
    let links = [(picture, "video_%u", [("trak-timescale", "90000")])] + (sound.map { [($0, "audio_%u", [])] } ?? [])
    for (last, name, properties) in links {
      guard let pad = muxer.requestPad(name, setting: properties), let source = last.pad("src") else { continue }
      gst_pad_link(source, pad)
      gst_object_unref(source)
      gst_object_unref(pad)
    }
    for element in [sink, muxer] { gst_element_sync_state_with_parent(element.pointer) }
  }

  /// Writes the file. Call it once.
  private func run(patience: TimeSpan) async throws -> Picture {
    let (outcome, name, events) = (outcome, bytes.name, pipeline.events)
    // Ends with the pipeline.
    Task.detached {
      for await event in events {
        switch event {
        case .endOfStream: outcome.decide(.success(()))
        case .failed(let failure) where ["file", "muxer"].contains(failure.element):
          outcome.decide(.failure(.writing(reason: failure.message)))
        case .failed(let failure): outcome.decide(.failure(.unreadableMovie(file: name, reason: failure.message)))
        }
      }
    }
    pipeline.playInBackground()
    let watchdog = progress.watch(patience, isExcused: { false }) {
      outcome.decide(.failure(.unreadableMovie(file: name, reason: localized("the decoder stopped responding"))))
    }
    defer { watchdog.cancel() }
    let result: Result<Void, EditError>
    do throws(EditError) {
      try await outcome.wait(orWhenCancelled: .writing(reason: ""))
      result = .success(())
    } catch {
      result = .failure(error)
    }
    let bytes = bytes
    await pipeline.stopInBackground(atMost: MoviePipeline.stopLimit) { bytes.end() }
    try Task.checkCancellation()
    try result.get()
    guard let type = Self.pictureType(state) else { return Picture(isKept: false, colorimetry: nil) }
    let isCopied = Self.isCopied(type, copies)
    return Picture(
      isKept: isCopied && Self.parsers[type] != nil, colorimetry: isCopied ? nil : MoviePictureMaker.colorimetry)
  }

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private static func pictureType(_ state: StateBox) -> String? { state.value.withLock { $0.picture?.type } }
}
