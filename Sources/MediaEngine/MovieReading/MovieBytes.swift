// An appsrc for a movie anywhere in a file.

import CGStreamer
import CameraCore
import EngineInterface
import Foundation
import Localization
import MediaFormats

/// A stretch of an open file, read by an appsrc as if it were a file of its own.
final class MovieBytes: @unchecked Sendable {
  // Sendable: what changes is touched by the appsrc's one streaming thread only, and by `end` when that has ended.
  let count: UInt64
  /// The file's name, for messages.
  let name: String
  /// The structure of the file, by its first bytes; that of an MP4 where it is none.
  let structure: MovieFormat.Structure
  /// The clockwise quarter turns that the demuxer doesn't tell, 0…3.
  let quarterTurns: Int
  private var stretch: MovieStretch?
  private var position: UInt64 = 0

  /// Bytes that are read at a time when the appsrc doesn't say.
  private static let step = 64 << 10

  /// Opens the file.
  ///
  /// - Throws: `CameraError.playbackFailed` when it can't be opened, or the range is empty or reaches past its end.
  private init(_ url: URL, range: Range<UInt64>) throws(CameraError) {
    name = url.lastPathComponent
    count = range.upperBound - range.lowerBound
    do throws(FormatError) {
      guard count > 0 else { throw .refused(reason: localized("the file is empty")) }
      let stretch = try MovieStretch(url, range: range)
      structure = try MovieHead.format(of: stretch)?.structure ?? .boxes
      quarterTurns = structure == .elements ? try MatroskaHead(stretch)?.quarterTurns ?? 0 : 0
      self.stretch = stretch
    } catch {
      switch error {
      case .refused: throw .playbackFailed(file: name, message: localized("the video is incomplete"))
      case .read(let failure): throw .playbackFailed(file: name, message: failure.reason)
      }
    }
  }

  /// Opens the movie's file. On a thread of its own: a network disk may never answer.
  ///
  /// - Throws: `CameraError.playbackFailed` when it can't be opened, the range is empty or reaches past its end, or the disk
  ///   doesn't answer.
  static func open(_ source: MovieSource) async throws(CameraError) -> MovieBytes {
    try await open(source.url) { source.byteRange }
  }

  /// The same for the whole of a file.
  static func open(whole url: URL) async throws(CameraError) -> MovieBytes {
    try await open(url) {
      let size = (try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? UInt64
      return 0..<(size ?? 0)
    }
  }

  private static func open(
    _ url: URL, range: @escaping @Sendable () -> Range<UInt64>
  ) async throws(CameraError) -> MovieBytes {
    try await Blocking.run(
      onThread: "movie opening", atMost: openingLimit,
      late: .playbackFailed(file: url.lastPathComponent, message: localized("the disk isn’t responding"))
    ) { () throws(CameraError) in
      try MovieBytes(url, range: range())
    }
  }

  /// The time for a file to be opened: a disk that sleeps takes some seconds.
  private static let openingLimit = TimeSpan.seconds(15)

  /// Closes the file, when the pipeline has been stopped. Elements may live on for a moment.
  func end() { stretch = nil }

  /// The name of the element that `makeSource` makes.
  static let sourceName = "source"

  /// An appsrc that reads these bytes, forwards and backwards.
  ///
  /// - Throws: `CameraError` when GStreamer or the element is missing.
  func makeSource() throws(CameraError) -> Element {
    try GStreamerRuntime.start()
    let source = try Element("appsrc", name: Self.sourceName)
    source.set("format", "bytes")
    source.set("stream-type", "random-access")
    source.set("size", Int(clamping: count))
    var callbacks = GstAppSrcCallbacks()
    callbacks.need_data = giveBytes
    callbacks.seek_data = seekBytes
    gst_app_src_set_callbacks(
      source.pointer.cast(to: GstAppSrc.self), &callbacks, Unmanaged.passRetained(self).toOpaque(), releaseBytes)
    return source
  }

  /// Pushes the next bytes, or the end. Streaming thread.
  fileprivate func give(_ wanted: Int, to source: UnsafeMutablePointer<GstAppSrc>) {
    let length = Int(min(count - position, UInt64(wanted > 0 ? wanted : Self.step)))
    guard length > 0, let buffer = gst_buffer_new_allocate(nil, gsize(length), nil) else {
      gst_app_src_end_of_stream(source)
      return
    }
    var map = GstMapInfo()
    guard gst_buffer_map(buffer, &map, GST_MAP_WRITE) != 0 else {
      gst_buffer_unref(buffer)
      gst_app_src_end_of_stream(source)
      return
    }
    // A failed read ends the stream, as does the end of a file that became shorter.
    let target = UnsafeMutableRawBufferPointer(start: map.data, count: length)
    let filled = (try? stretch?.fill(target, from: position)) ?? 0
    gst_buffer_unmap(buffer, &map)
    guard filled > 0 else {
      gst_buffer_unref(buffer)
      gst_app_src_end_of_stream(source)
      return
    }
    gst_buffer_set_size(buffer, gssize(filled))
    buffer.pointee.offset = guint64(position)
    position += UInt64(filled)
    // Takes the reference.
    gst_app_src_push_buffer(source, buffer)
  }

  fileprivate func seek(to position: UInt64) -> Bool {
    guard position <= count else { return false }
    self.position = position
    return true
  }
}

/// Called on the appsrc's streaming thread when it has nothing left to send.
private nonisolated func giveBytes(source: UnsafeMutablePointer<GstAppSrc>?, length: guint, data: gpointer?) {
  guard let source, let data else { return }
  // All bits set means: as much as you like.
  let wanted = length == guint.max ? 0 : Int(length)
  Unmanaged<MovieBytes>.fromOpaque(data).takeUnretainedValue().give(wanted, to: source)
}

/// Called before bytes from elsewhere are asked for; the streaming thread waits meanwhile.
private nonisolated func seekBytes(
  source: UnsafeMutablePointer<GstAppSrc>?, offset: guint64, data: gpointer?
) -> gboolean {
  guard let data else { return 0 }
  return Unmanaged<MovieBytes>.fromOpaque(data).takeUnretainedValue().seek(to: UInt64(offset)) ? 1 : 0
}

/// Closes the file when the appsrc is gone; any thread.
private nonisolated func releaseBytes(data: gpointer?) {
  if let data { Unmanaged<MovieBytes>.fromOpaque(data).release() }
}
