// The shutter's click, played without delay.

import CGStreamer
import CameraCore
import Foundation
import Synchronization

/// A short sound that can be played any number of times, also while it is still playing.
///
///     let shutter = ShutterSound(file: url)
///     shutter.prepare()     // when a shot may come soon
///     shutter.play()
///
/// One connection to the sound server stands ready after `prepare` and after each `play`, and is closed when nothing was
/// played for a while; a stream is open only while it sounds. Without a sound output, nothing happens. No microphone is
/// opened.
public final class ShutterSound: Sendable {
  private let voices: ShutterVoices

  /// - Parameter file: A sound file that GStreamer reads, of a few seconds at most; read at the first use.
  public init(file: URL) { voices = ShutterVoices(file: file) }

  /// Reads the sound and connects to the sound server. Returns at once.
  public func prepare() {
    let voices = voices
    Task { @PlaybackActor in await voices.prepare() }
  }

  /// Plays the sound. Returns at once.
  public func play() {
    let voices = voices
    Task { @PlaybackActor in await voices.play() }
  }
}

/// The streams of a shutter sound: those that are playing, and one that is ready.
///
/// The ready one is connected but not paused: GStreamer 1.22's pulsesink would delay it by the time it had been paused. It
/// is heard within 10 ms.
@PlaybackActor
final class ShutterVoices {
  /// The most streams at a time: more of the same click can't be told apart.
  nonisolated static let most = 4
  /// The time after which an unused stream is closed.
  nonisolated static let rest = TimeSpan.seconds(20)
  /// A sound server that takes so long beyond the sound's own length isn't waited for.
  nonisolated static let patience = TimeSpan.seconds(3)

  private let file: URL
  private let output: SoundOutput
  private let patience: TimeSpan
  /// `nil` until the file was read; empty if it can't be.
  private var samples: FrameBlock?
  private var ready: Pipeline?
  private var isPreparing = false
  private var sounding = 0
  /// Incremented by each use, so that an old timer closes nothing.
  private var use = 0

  /// The number of streams that were started, and that are playing; for tests.
  private(set) var playedCount = 0
  var soundingCount: Int { sounding }
  var isReady: Bool { ready != nil }

  nonisolated init(file: URL, output: SoundOutput = .shared, patience: TimeSpan = ShutterVoices.patience) {
    (self.file, self.output, self.patience) = (file, output, patience)
  }

  /// Makes a stream ready unless one is.
  func prepare() async {
    guard ready == nil, !isPreparing else { return }
    isPreparing = true
    ready = await makeStream()
    isPreparing = false
    closeLater()
  }

  func play() async {
    guard sounding < Self.most else { return }
    sounding += 1
    defer { sounding -= 1 }
    let prepared = ready
    ready = nil
    guard let stream = if let prepared { prepared } else { await makeStream() } else { return }
    playedCount += 1
    stream.playInBackground()
    // The next one, while this one plays.
    Task { @PlaybackActor in await prepare() }
    let end = OneShot<Void, CameraError>()
    let events = stream.events
    let listener = Task.detached {
      for await _ in events { break }
      end.decide(.success(()))
    }
    defer { listener.cancel() }
    try? await end.wait(atMost: length + patience, late: .notRunning)
    await stream.stopInBackground(atMost: patience)
  }

  /// Of the sound.
  private var length: TimeSpan {
    TimeSpan(nanoseconds: Int64(samples?.count ?? 0) * 1_000_000_000 / SoundFile.bytesPerSecond)
  }

  /// Closes the stream that is ready.
  func close() {
    ready?.abandon()
    ready = nil
  }

  private func closeLater() {
    use += 1
    let use = use
    Task { @PlaybackActor [weak self] in
      try? await Task.sleep(nanoseconds: UInt64(Self.rest.nanoseconds))
      guard let self, self.use == use else { return }
      close()
    }
  }

  private func makeStream() async -> Pipeline? {
    if samples == nil { samples = await SoundFile.read(file) ?? FrameBlock(count: 0) { _ in } }
    guard let samples, samples.count > 0 else { return nil }
    guard let sink = await output.open(isPrompt: true) else { return nil }
    guard let stream = try? Self.stream(samples, to: sink) else {
      SoundOutput.close(sink)
      return nil
    }
    return stream
  }

  private static func stream(_ samples: FrameBlock, to sink: Element) throws(CameraError) -> Pipeline {
    let source = try AppSource.make(caps: SoundFile.caps, isLive: false)
    let row = [source, try Element("audioconvert"), try Element("audioresample"), sink]
    let pipeline = try Pipeline(name: "shutter", baseTime: nil)
    try pipeline.add(chain: row)
    AppSource.push(samples, to: source, time: 0)
    AppSource.end(source)
    return pipeline
  }
}

/// Reads short sound files.
enum SoundFile {
  /// The format of the samples.
  static let caps = "audio/x-raw,format=(string)S16LE,layout=(string)interleaved,rate=(int)48000,channels=(int)2"
  static let bytesPerSecond: Int64 = 48_000 * 2 * 2

  /// The samples of a file; `nil` if it can't be read.
  @PlaybackActor
  static func read(_ url: URL) async -> FrameBlock? {
    let end = OneShot<Void, CameraError>()
    let collector = SampleCollector()
    guard let source = try? await MovieBytes.open(whole: url).makeSource(),
      let pipeline = try? Pipeline(name: "sound file", baseTime: nil), let decoder = try? Element("decodebin"),
      (try? pipeline.add(chain: [source, decoder])) != nil
    else { return nil }
    let linker = StreamLinker { kind, _ in
      kind == .sound ? row(into: collector) : []
    } onAllFound: { linker in
      if !linker.has(.sound) { end.decide(.failure(.notRunning)) }
    }
    linker.watch(decoder)
    let events = pipeline.events
    let listener = Task.detached {
      for await event in events {
        if case .endOfStream = event { end.decide(.success(())) } else { end.decide(.failure(.notRunning)) }
      }
    }
    pipeline.playInBackground()
    let isRead = (try? await end.wait(atMost: .seconds(10), late: .notRunning)) != nil
    listener.cancel()
    await pipeline.stopInBackground(atMost: .seconds(2))
    return isRead ? collector.block : nil
  }

  private nonisolated static func row(into collector: SampleCollector) -> [Element] {
    guard let converter = try? Element("audioconvert"), let resampler = try? Element("audioresample"),
      let form = try? Element("capsfilter"), let sink = try? AppSink.make(receiver: collector)
    else { return [] }
    form.setCaps(caps)
    return [converter, resampler, form, sink]
  }
}

/// Collects the samples of a stream, up to a few seconds.
private final class SampleCollector: SampleReceiver {
  private static let most = 4 << 20
  private let bytes = Mutex<[UInt8]>([])

  var block: FrameBlock {
    @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
    get { bytes.withLock { bytes in bytes.withUnsafeBytes { FrameBlock(copying: $0) } } }
  }

  func receive(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
    var map = GstMapInfo()
    guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return }
    defer { gst_buffer_unmap(buffer, &map) }
    bytes.withLock { bytes in
      let count = min(Int(map.size), Self.most - bytes.count)
      bytes.append(contentsOf: UnsafeRawBufferPointer(start: map.data, count: count))
    }
  }
}
