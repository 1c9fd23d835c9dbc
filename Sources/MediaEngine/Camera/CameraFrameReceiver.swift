// The appsink of a camera: copies each frame once, keeps it in the store, and offers it to the preview.

import CGStreamer
import CameraCore
import Synchronization

/// Takes the frames of one camera from its appsink.
final class CameraFrameReceiver: SampleReceiver, @unchecked Sendable {
  // Sendable: its plain variables are touched by the pipeline's one streaming thread only.

  /// What has come of the frames that arrived so far. Any thread.
  var tally: FrameTally {
    let statistics = pump.statistics
    return FrameTally(
      kept: kept.load(ordering: .relaxed), refused: refused.load(ordering: .relaxed), decoded: statistics.converted,
      undecodable: statistics.damaged)
  }

  private let isClosed = Atomic(false)
  private let kept = Atomic(0)
  private let refused = Atomic(0)
  private let baseTime: MonotonicTime
  private let rate: FrameRate
  private let store: CaptureStore
  private let pump: PreviewPump
  private let looks: LookBox
  private let camera: CameraDevice.ID
  private let onFirstFrame: @Sendable () -> Void

  private var hasFirst = false
  private var clock = FrameClock()
  private let intake: MotionJPEGIntake
  /// The timestamp and the bytes of the last frame, by which a repeated one is known.
  private var last: (stamp: MonotonicTime, block: FrameBlock)?
  /// The caps that `picture` was read from; a reference of ours, so that the address can't come to mean others.
  private var caps: UnsafeMutablePointer<GstCaps>?
  private var picture = Picture.unusable
  private var repacker: RawConverter?
  private let encoder = RawFrameEncoder()
  /// Where the sensor's own frames are taken, in a mode that has them and when they are wanted.
  private let sensor: SensorTap?

  private enum Picture {
    case jpeg
    case raw(GstVideoInfo, RawConverter.Kind)
    case unusable
  }

  /// - Parameters:
  ///   - baseTime: The pipeline's.
  ///   - camera: The camera whose look the frames get.
  ///   - mode: The size and the rate that the camera was asked for.
  ///   - sensor: Takes the sensor's own frames on their way to this one.
  ///   - onFirstFrame: Called once, on the streaming thread, when the first whole frame is in the store.
  init(
    baseTime: MonotonicTime, camera: CameraDevice.ID, mode: (size: PixelSize, rate: FrameRate), store: CaptureStore,
    pump: PreviewPump, looks: LookBox, sensor: SensorTap? = nil, onFirstFrame: @escaping @Sendable () -> Void
  ) {
    self.baseTime = baseTime
    rate = mode.rate
    intake = MotionJPEGIntake(mode: mode.size)
    self.store = store
    self.pump = pump
    self.camera = camera
    self.looks = looks
    self.sensor = sensor
    self.onFirstFrame = onFirstFrame
  }

  deinit {
    if let caps { gst_caps_unref(caps) }
  }

  /// Takes nothing from now on: the camera is being closed, which may take long when it hangs.
  func close() { isClosed.store(true, ordering: .releasing) }

  func receive(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
    guard !isClosed.load(ordering: .acquiring) else { return }
    if caps != self.caps { read(caps) }
    let isCorrupt = buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_CORRUPTED.rawValue != 0
    // Frames that were cut short on the cable, marked as corrupt by the driver, or repeated can't be used.
    guard !isCorrupt, var frame = frame(of: buffer), !isRepeated(frame, stamp(of: buffer)) else {
      refused.add(1, ordering: .relaxed)
      return
    }
    frame.look = looks.look(of: camera)
    // A device's own block is counted already.
    if frame.block !== buffer.attachedBlock { frame.block.charge(to: store.budget) }
    let raw = sensor?.frame(stamped: buffer.pointee.pts)
    guard store.receive(frame, raw: raw) else { return }
    kept.add(1, ordering: .relaxed)
    pump.offer(frame)
    if !hasFirst {
      hasFirst = true
      onFirstFrame()
    }
  }

  /// The device's timestamp; `nil` where it has none. Zero is what drivers send that have none.
  private func stamp(of buffer: UnsafeMutablePointer<GstBuffer>) -> MonotonicTime? {
    let stamp = buffer.pointee.pts
    guard stamp != GStreamerRuntime.noTime, stamp > 0, stamp < GstClockTime(Int64.max) else { return nil }
    return MonotonicTime(nanoseconds: baseTime.nanoseconds &+ Int64(stamp))
  }

  /// Whether a frame is the last one once more: the same timestamp and the same bytes.
  private func isRepeated(_ frame: CameraFrame, _ stamp: MonotonicTime?) -> Bool {
    defer { last = stamp.map { ($0, frame.block) } }
    guard let last, last.stamp == stamp, last.block.count == frame.block.count else { return false }
    return last.block.withUnsafeBytes { old in
      frame.block.withUnsafeBytes { new in old.elementsEqual(new) }
    }
  }

  private func frame(of buffer: UnsafeMutablePointer<GstBuffer>) -> CameraFrame? {
    let time = clock.time(stamp: stamp(of: buffer), arrival: .now)
    switch picture {
    case .jpeg: return jpegFrame(of: buffer, at: time)
    case .raw(let info, let kind): return rawFrame(of: buffer, info: info, kind: kind, at: time)
    case .unusable: return nil
    }
  }

  private func jpegFrame(of buffer: UnsafeMutablePointer<GstBuffer>, at time: MonotonicTime) -> CameraFrame? {
    var map = GstMapInfo()
    guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return nil }
    defer { gst_buffer_unmap(buffer, &map) }
    guard let jpeg = intake.complete(UnsafeRawBufferPointer(start: map.data, count: Int(map.size))) else { return nil }
    return CameraFrame(time: time, size: jpeg.size, content: .jpeg, block: jpeg.block)
  }

  private func rawFrame(
    of buffer: UnsafeMutablePointer<GstBuffer>, info: GstVideoInfo, kind: RawConverter.Kind, at time: MonotonicTime
  ) -> CameraFrame? {
    var info = info
    var frame = GstVideoFrame()
    guard gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ) != 0 else { return nil }
    defer { gst_video_frame_unmap(&frame) }
    let byteCount = frame.planeRows.reduce(0) { $0 + $1.stride * $1.rows }
    let preRoll = store.preRoll
    var keeping = FrameKeeping.choose(
      layout: kind.layout, size: kind.size, byteCount: byteCount, rate: rate, preRoll: preRoll,
      limit: CaptureStore.byteLimit)
    // Shots that hold their windows let the ring grow past its limit: from there on frames are compressed.
    // A device's own block is counted already.
    let added = buffer.attachedBlock == nil ? byteCount : 0
    if keeping != .jpeg, store.isOverfull(adding: added) { keeping = .jpeg }
    guard keeping != .asItCame else {
      if let block = buffer.attachedBlock, let (pixels, layout) = frame.span(kind), block.begins(with: pixels) {
        return CameraFrame(time: time, size: kind.size, content: .raw(layout), block: block)
      }
      let (layout, block) = frame.copied(kind)
      return CameraFrame(time: time, size: kind.size, content: .raw(layout), block: block)
    }
    return smallerFrame(frame, kind: kind, keeping: keeping, at: time)
  }

  private func smallerFrame(
    _ frame: GstVideoFrame, kind: RawConverter.Kind, keeping: FrameKeeping, at time: MonotonicTime
  ) -> CameraFrame? {
    guard let (pixels, layout) = frame.span(kind) else {
      // Planes that lie far apart are brought together first.
      let (layout, block) = frame.copied(kind)
      return block.withUnsafeBytes { shrink($0, layout: layout, keeping: keeping, at: time) }
    }
    return shrink(pixels, layout: layout, keeping: keeping, at: time)
  }

  private func shrink(
    _ pixels: UnsafeRawBufferPointer, layout: RawLayout, keeping: FrameKeeping, at time: MonotonicTime
  ) -> CameraFrame? {
    if keeping == .jpeg {
      guard
        let jpeg = try? encoder.encode(pixels, layout: layout, as: "I420", quality: FrameKeeping.ringQuality)
      else { return nil }
      return CameraFrame(time: time, size: layout.size, content: .jpeg, block: jpeg)
    }
    if keeping == .deepHalfColor, let planes = layout.deepPlanes, let rows = DeepRows(pixels, layout) {
      let block = FrameBlock(count: planes.byteCount) { rows.copy(to: $0, as: planes.layout, isMirrored: false) }
      return CameraFrame(time: time, size: layout.size, content: .raw(planes.layout), block: block)
    }
    let target = RawConverter.Kind(layout: "I420", size: layout.size, colorimetry: layout.colorimetry)
    if repacker == nil || repacker?.source != layout.kind { repacker = RawConverter(from: layout.kind, to: target) }
    guard let repacker, let planes = RawConverter.defaultLayout(of: target) else { return nil }
    let block = FrameBlock(count: planes.byteCount) {
      repacker.convert(pixels, layout: layout, into: $0, as: planes.layout)
    }
    return CameraFrame(time: time, size: layout.size, content: .raw(planes.layout), block: block)
  }

  private func read(_ caps: UnsafeMutablePointer<GstCaps>?) {
    if let old = self.caps { gst_caps_unref(old) }
    self.caps = caps.flatMap { gst_caps_ref($0) }
    picture = Self.picture(caps)
  }

  private static func picture(_ caps: UnsafeMutablePointer<GstCaps>?) -> Picture {
    guard let caps, let structure = gst_caps_get_structure(caps, 0), let name = gst_structure_get_name(structure) else {
      return .unusable
    }
    if String(cString: name) == "image/jpeg" { return .jpeg }
    var info = GstVideoInfo()
    guard gst_video_info_from_caps(&info, caps) != 0, let layout = gst_video_format_to_string(info.finfo.pointee.format)
    else { return .unusable }
    var kind = RawConverter.Kind(
      layout: String(cString: layout), size: PixelSize(width: Int(info.width), height: Int(info.height)),
      colorimetry: info.colorimetryName)
    if DeepLayout(rawValue: kind.layout) != nil {
      // The conversions of 10 bits know whole pairs only, of which a device may send fewer than it was asked for.
      guard FrameEncoding.raw(kind.layout).isDefined(at: kind.size) else { return .unusable }
      // GStreamer guesses from the size, BT.2020 or BT.601 among others.
      if gst_structure_has_field(structure, "colorimetry") == 0 { kind.colorimetry = "bt709" }
    }
    return .raw(info, kind)
  }
}

extension FrameBlock {
  /// Whether these are its own bytes.
  fileprivate func begins(with bytes: UnsafeRawBufferPointer) -> Bool {
    withUnsafeBytes { $0.baseAddress == bytes.baseAddress && $0.count >= bytes.count }
  }
}

extension GstVideoFrame {
  /// Each plane's stride and number of rows.
  fileprivate var planeRows: [(stride: Int, rows: Int)] {
    let strides = [info.stride.0, info.stride.1, info.stride.2, info.stride.3]
    return (0..<info.planeCount).map { plane in
      (Int(strides[plane]), plane == 0 ? Int(info.height) : chromaRows)
    }
  }

  /// The rows of the chroma planes.
  private var chromaRows: Int {
    let shift = [info.finfo.pointee.h_sub.0, info.finfo.pointee.h_sub.1].last.map { Int($0) } ?? 0
    return (Int(info.height) + (1 << shift) - 1) >> shift
  }

  private var planes: [UnsafeRawPointer?] {
    [data.0, data.1, data.2, data.3].prefix(info.planeCount).map { UnsafeRawPointer($0) }
  }

  /// The bytes of a plane from its first pixel to the last row's end, which may come before a whole stride.
  private func usedCount(_ plane: Int, _ rows: (stride: Int, rows: Int)) -> Int {
    let component = [info.finfo.pointee.pixel_stride.0, info.finfo.pointee.pixel_stride.1][plane == 0 ? 0 : 1]
    let shift = plane == 0 ? 0 : Int(info.finfo.pointee.w_sub.1)
    let width = (Int(info.width) + (1 << shift) - 1) >> shift
    return rows.stride * (rows.rows - 1) + min(rows.stride, width * Int(component))
  }

  /// The planes where they are, when they follow each other in one stretch of memory.
  fileprivate func span(_ kind: RawConverter.Kind) -> (UnsafeRawBufferPointer, RawLayout)? {
    let rows = planeRows
    let starts = planes.compactMap { $0 }
    guard starts.count == rows.count, let first = starts.first else { return nil }
    let offsets = starts.map { $0 - first }
    guard zip(offsets, offsets.dropFirst()).allSatisfy(<), offsets.allSatisfy({ $0 < 1 << 28 }) else { return nil }
    let end = (offsets.last ?? 0) + usedCount(rows.count - 1, rows[rows.count - 1])
    let layout = RawLayout(
      name: kind.layout, size: kind.size, strides: rows.map(\.stride), offsets: offsets, colorimetry: kind.colorimetry)
    return (UnsafeRawBufferPointer(start: first, count: end), layout)
  }

  /// A copy of the planes, one behind the other with the strides that they have.
  fileprivate func copied(_ kind: RawConverter.Kind) -> (RawLayout, FrameBlock) {
    let rows = planeRows
    var layout = RawLayout(name: kind.layout, size: kind.size, strides: [], offsets: [], colorimetry: kind.colorimetry)
    var count = 0
    for plane in rows {
      layout.strides.append(plane.stride)
      layout.offsets.append(count)
      count += plane.stride * plane.rows
    }
    let block = FrameBlock(count: count) { memory in
      for (plane, start) in planes.enumerated() {
        guard let start, let target = memory.baseAddress else { continue }
        (target + layout.offsets[plane]).copyMemory(from: start, byteCount: usedCount(plane, rows[plane]))
      }
    }
    return (layout, block)
  }
}
