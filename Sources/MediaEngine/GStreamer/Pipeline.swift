// A GStreamer pipeline with its state changes and its bus.

import CGStreamer
import CameraCore
import Dispatch
import Localization
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A message of a pipeline's bus.
enum PipelineEvent: Sendable {
  case failed(PipelineFailure)
  case endOfStream
}

/// An error message of an element.
struct PipelineFailure: Error, Sendable {
  /// The name of the element that failed.
  var element: String
  /// GStreamer's message for users, without the period at its end: it stands inside our own sentences.
  let message: String
  /// The element's additions for developers; often carries the errno text.
  var detail: String
  /// The code of one of GStreamer's resource errors; `nil` for other kinds.
  var resource: GstResourceError?

  init(element: String, message: String, detail: String = "", resource: GstResourceError? = nil) {
    (self.element, self.message) = (element, message.asClause)
    (self.detail, self.resource) = (detail, resource)
  }

  /// An element refused a change of state. Elements post the reason before they refuse, so this comes second.
  fileprivate static var refusal: PipelineFailure {
    PipelineFailure(element: "pipeline", message: localized("it couldn’t be opened"))
  }
}

/// A pipeline of elements.
///
/// It belongs to whichever actor makes it: it isn't `Sendable`. Every change of state and every seek runs on a queue of
/// the pipeline's own, one after the other, because each can block for as long as a driver, a sound server or an encoder
/// likes: the actor never waits for one, and nothing but this pipeline hangs with it.
///
/// With a base time its clock is `CLOCK_MONOTONIC`, so a buffer's time plus `baseTime` is a `MonotonicTime`. Without one,
/// for playback, its sinks choose the clock (the sound card's, where there is sound) and time begins when all are ready.
final class Pipeline {
  /// The number of pipelines of a name in the process; zero when everything has been closed.
  static func liveCount(_ name: String) -> Int { counts.withLock { $0[name, default: 0] } }
  fileprivate static let counts = Mutex<[String: Int]>([:])

  private let handle: PipelineHandle
  private var pointer: UnsafeMutablePointer<GstElement> { handle.pointer }
  private var elements: [Element] = []
  private var isStopped = false
  private let queue = DispatchQueue(label: "photome.pipeline", qos: .userInitiated)
  /// Decided when every streaming thread has ended after a stop.
  private let down = OneShot<Void, CameraError>()
  /// Errors and the end of the stream, from the bus; ends when the pipeline is stopped.
  let events: AsyncStream<PipelineEvent>
  private let continuation: AsyncStream<PipelineEvent>.Continuation
  /// Yields when every sink is prerolled, at the start and after each seek; ends with the pipeline.
  let readiness: AsyncStream<Void>
  private let readinessContinuation: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - name: For logs and debugging dumps.
  ///   - baseTime: The instant of running time zero; `nil` for playback.
  ///   - niceness: Added to the priority of the streaming threads (0 leaves it); from 0 to 19.
  ///   - starters: The names of elements whose threads start those of others, and keep their priority. Up to GLib 2.74 a
  ///     new thread of its pool takes back the niceness that it has inherited, which only root may do; for everyone else
  ///     GLib complains on standard error.
  init(
    name: String, baseTime: MonotonicTime?, niceness: Int32 = 0, starters: Set<String> = []
  ) throws(CameraError) {
    try GStreamerRuntime.start()
    guard let made = gst_pipeline_new(name) else {
      throw .device(camera: "GStreamer", message: localized("no media pipeline could be created"))
    }
    handle = PipelineHandle(made, name: name)
    (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(16))
    (readiness, readinessContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    if let baseTime {
      gst_pipeline_use_clock(pointer.cast(to: GstPipeline.self), Self.clock)
      gst_element_set_start_time(pointer, GStreamerRuntime.noTime)
      gst_element_set_base_time(pointer, GstClockTime(baseTime.nanoseconds))
    }
    let listener = BusListener(
      continuation: continuation, readiness: readinessContinuation, niceness: niceness, starters: starters)
    let bus = gst_pipeline_get_bus(pointer.cast(to: GstPipeline.self))
    gst_bus_set_sync_handler(
      bus, handleBusMessage, Unmanaged.passRetained(listener).toOpaque(), releaseBusListener)
    gst_object_unref(bus)
  }

  deinit {
    continuation.finish()
    readinessContinuation.finish()
    guard !isStopped else { return }
    let handle = handle
    queue.async { _ = handle.change(to: GST_STATE_NULL) }
  }

  /// `CLOCK_MONOTONIC` as a GStreamer clock, one for all pipelines. Never freed; calls on it are safe on any thread.
  private nonisolated(unsafe) static let clock: UnsafeMutablePointer<GstClock>? = {
    // A clock of our own, because any library may replace the default one.
    let object = g_object_new_with_properties(gst_system_clock_get_type(), 0, nil, nil)
    guard let object else { return gst_system_clock_obtain() }
    gst_util_set_object_arg(object, "clock-type", "monotonic")
    return gst_object_ref_sink(object).assumingMemoryBound(to: GstClock.self)
  }()

  /// Adds elements and links each to the next.
  func add(chain: [Element]) throws(CameraError) {
    for element in chain {
      gst_bin_add(pointer.cast(to: GstBin.self), element.pointer)
      elements.append(element)
    }
    for (left, right) in zip(chain, chain.dropFirst()) { try link(left, right) }
  }

  /// Links two elements that were added.
  func link(_ left: Element, _ right: Element) throws(CameraError) {
    guard gst_element_link(left.pointer, right.pointer) != 0 else {
      throw .device(camera: "GStreamer", message: localized("two parts of the media pipeline don’t fit together"))
    }
  }

  /// Links an element's `src` pad to a requested pad of a muxer.
  func link(_ left: Element, to sinkPad: UnsafeMutablePointer<GstPad>?) throws(CameraError) {
    let source = left.pad("src")
    defer {
      if let source { gst_object_unref(source) }
      if let sinkPad { gst_object_unref(sinkPad) }
    }
    guard let source, let sinkPad, gst_pad_link(source, sinkPad) == GST_PAD_LINK_OK else {
      throw .device(camera: "GStreamer", message: localized("two parts of the media pipeline don’t fit together"))
    }
  }

  /// Begins to play, and returns at once. A refusal is in `events`, after the error that explains it.
  ///
  /// - Parameter onPlaying: Called, on the pipeline's queue, when the elements have taken the change.
  func playInBackground(_ onPlaying: @escaping @Sendable () -> Void = {}) {
    changeInBackground(to: GST_STATE_PLAYING, onPlaying)
  }

  /// Opens everything and stops at the first buffer; returns at once. A refusal is in `events`, after the error that
  /// explains it.
  func pauseInBackground() { changeInBackground(to: GST_STATE_PAUSED) {} }

  private func changeInBackground(to state: GstState, _ onDone: @escaping @Sendable () -> Void) {
    guard !isStopped else { return }
    let (handle, continuation) = (handle, continuation)
    queue.async {
      guard !handle.change(to: state) else { return onDone() }
      continuation.yield(.failed(.refusal))
    }
  }

  /// Seeks to exactly that time, and returns at once: the next buffer at each sink is the one that is shown then. For a
  /// pipeline that is prerolled. There is no time limit: whoever plays watches the progress.
  ///
  /// - Parameters:
  ///   - time: From the stream's start.
  ///   - onDone: Told, on the pipeline's queue, whether the elements could do it.
  func seekInBackground(to time: TimeSpan, onDone: @escaping @Sendable (Bool) -> Void) {
    guard !isStopped else { return onDone(false) }
    let handle = handle
    queue.async { onDone(handle.seek(to: time)) }
  }

  /// The length of the stream; `nil` if the elements don't know it.
  var duration: TimeSpan? {
    var nanoseconds: gint64 = -1
    guard gst_element_query_duration(pointer, GST_FORMAT_TIME, &nanoseconds) != 0, nanoseconds >= 0 else { return nil }
    return TimeSpan(nanoseconds: Int64(nanoseconds))
  }

  /// Whether every streaming thread has ended after a stop.
  var isDown: Bool { down.result != nil }

  /// Returns when every streaming thread has ended after a stop, however long that takes.
  func waitUntilDown(isolation: isolated (any Actor)? = #isolation) async {
    let down = down
    await Task.detached { try? await down.wait() }.value
  }

  /// Stops. Returns when every streaming thread has ended, so that no callback runs any more; or when something hangs and
  /// doesn't let go within the limit. The rest then happens as soon as it does (`isDown`).
  ///
  /// - Parameter onDown: Called when every streaming thread has ended, on the pipeline's queue.
  func stopInBackground(
    atMost limit: TimeSpan, isolation: isolated (any Actor)? = #isolation,
    onDown: @escaping @Sendable () -> Void = {}
  ) async {
    abandon(onDown: onDown)
    let down = down
    guard down.result == nil else { return }
    // A race of two signals; not `down.wait(atMost:)`, which would decide for those who ask later whether it is down.
    let over = OneShot<Void, CameraError>()
    // Waited for by tasks of their own: the caller's cancellation doesn't shorten it.
    Task.detached {
      try? await down.wait()
      over.decide(.success(()))
    }
    await Task.detached { try? await over.wait(atMost: limit, late: .notRunning) }.value
  }

  /// Stops, and returns at once: the threads end as soon as they can.
  ///
  /// - Parameter onDown: Called when every streaming thread has ended, on the pipeline's queue.
  func abandon(onDown: @escaping @Sendable () -> Void = {}) {
    guard !isStopped else { return }
    isStopped = true
    let (handle, down, continuation, readiness) = (handle, down, continuation, readinessContinuation)
    queue.async {
      _ = handle.change(to: GST_STATE_NULL)
      continuation.finish()
      readiness.finish()
      onDown()
      down.decide(.success(()))
    }
  }
}

/// The GStreamer object of a pipeline.
private final class PipelineHandle: @unchecked Sendable {
  // Sendable: the pointer never changes, and GStreamer locks state changes itself.
  let pointer: UnsafeMutablePointer<GstElement>
  private let name: String

  /// - Parameter made: New, so floating; adopted.
  init(_ made: UnsafeMutablePointer<GstElement>, name: String) {
    pointer = gst_object_ref_sink(made).assumingMemoryBound(to: GstElement.self)
    self.name = name
    Self.count(1, of: name)
  }

  @inline(never)  // reached from asynchronous functions: see “Locks” in MediaEngine.md
  private static func count(_ change: Int, of name: String) {
    Pipeline.counts.withLock { $0[name, default: 0] += change }
  }

  /// - Returns: Whether the elements took the change.
  func change(to state: GstState) -> Bool { gst_element_set_state(pointer, state) != GST_STATE_CHANGE_FAILURE }

  /// A pipeline that plays is paused for it, and plays on when the sinks have prerolled; each is waited for, a second at
  /// most. A sink that is flushed while its state changes now and then loses count of its prerolls (GStreamer 1.22): its
  /// bin then stays in PAUSED although pictures are shown, and passes no end of stream on.
  ///
  /// - Returns: Whether the elements could do it.
  func seek(to time: TimeSpan) -> Bool {
    let isPlaying = settledState() == GST_STATE_PLAYING
    if isPlaying {
      _ = change(to: GST_STATE_PAUSED)
      _ = settledState()
    }
    let flags = GstSeekFlags(GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
    let isDone = gst_element_seek_simple(pointer, GST_FORMAT_TIME, flags, gint64(time.nanoseconds)) != 0
    guard isPlaying else { return isDone }
    _ = settledState()
    return change(to: GST_STATE_PLAYING) && isDone
  }

  /// The state, or the one that it is on its way to after a second.
  private func settledState() -> GstState {
    var (state, pending) = (GST_STATE_NULL, GST_STATE_VOID_PENDING)
    _ = gst_element_get_state(pointer, &state, &pending, 1_000_000_000)
    return pending == GST_STATE_VOID_PENDING ? state : pending
  }

  deinit {
    let bus = gst_pipeline_get_bus(pointer.cast(to: GstPipeline.self))
    gst_bus_set_sync_handler(bus, nil, nil, nil)
    gst_object_unref(bus)
    gst_object_unref(pointer)
    Self.count(-1, of: name)
  }
}

/// The bus handler's context; owned by the bus.
private final class BusListener: Sendable {
  let continuation: AsyncStream<PipelineEvent>.Continuation
  let readiness: AsyncStream<Void>.Continuation
  let niceness: Int32
  let starters: Set<String>

  init(
    continuation: AsyncStream<PipelineEvent>.Continuation, readiness: AsyncStream<Void>.Continuation, niceness: Int32,
    starters: Set<String>
  ) {
    self.continuation = continuation
    self.readiness = readiness
    (self.niceness, self.starters) = (niceness, starters)
  }
}

/// The bus's sync handler: called on whichever thread posts a message, most often a streaming thread. Takes every
/// message, since nothing reads the bus's queue.
private nonisolated func handleBusMessage(
  bus: UnsafeMutablePointer<GstBus>?, message: UnsafeMutablePointer<GstMessage>?, data: gpointer?
) -> GstBusSyncReply {
  guard let message, let data else { return GST_BUS_PASS }
  defer { gst_message_unref(message) }
  let listener = Unmanaged<BusListener>.fromOpaque(data).takeUnretainedValue()
  switch message.pointee.type {
  case GST_MESSAGE_ERROR:
    listener.continuation.yield(.failed(PipelineFailure(message)))
  case GST_MESSAGE_EOS:
    listener.continuation.yield(.endOfStream)
  case GST_MESSAGE_ASYNC_DONE:
    listener.readiness.yield()
  case GST_MESSAGE_STREAM_STATUS where listener.niceness != 0:
    var type = GST_STREAM_STATUS_TYPE_CREATE
    var owner: UnsafeMutablePointer<GstElement>?
    gst_message_parse_stream_status(message, &type, &owner)
    let name = owner?.pointee.object.name.map { String(cString: $0) }
    // Posted by the new thread itself; 0 names the calling thread, and threads that it makes inherit it.
    if type == GST_STREAM_STATUS_TYPE_ENTER, name.map(listener.starters.contains) != true {
      _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, listener.niceness)
    }
  default:
    break
  }
  return GST_BUS_DROP
}

/// Frees the listener when the bus drops its handler; any thread.
private nonisolated func releaseBusListener(data: gpointer?) {
  if let data { Unmanaged<BusListener>.fromOpaque(data).release() }
}

extension PipelineFailure {
  /// Reads an error message of the bus.
  init(_ message: UnsafeMutablePointer<GstMessage>) {
    var error: UnsafeMutablePointer<GError>?
    var debug: UnsafeMutablePointer<gchar>?
    gst_message_parse_error(message, &error, &debug)
    defer {
      g_clear_error(&error)
      g_free(debug)
    }
    self.init(
      element: message.pointee.src.flatMap { $0.pointee.name }.map { String(cString: $0) } ?? "pipeline",
      message: error.map { String(cString: $0.pointee.message) } ?? localized("no reason was given"),
      detail: debug.map { String(cString: $0) } ?? "")
    if let error, error.pointee.domain == gst_resource_error_quark() {
      resource = GstResourceError(UInt32(bitPattern: error.pointee.code))
    }
  }
}
