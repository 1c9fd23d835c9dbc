// Stabilization of a movie while it is recorded.

import CameraCore
import PhotoEffects

/// Takes the shaking out of pictures by cutting each out of a larger one, where the camera would have looked if it had been
/// calm. Nothing is scaled or warped.
///
/// The motion of the whole picture is measured from frame to frame (`LumaPyramid`); what moves in the picture has little
/// say. Frames wait for those after them until the newest is half a second later, and keep their times: what waits is lost
/// to a kill. For one thread.
final class MovieStabilizer {
  /// The share of each side that is cut off for it, at both ends: a shake may be as large.
  static let margin = 0.05
  /// The most frames that a frame waits for: half a second of most cameras.
  static let lookAhead = 15
  /// The time after which a frame waits no longer, however few came meanwhile, as in the dark. A longer gap is a cut.
  static let patience = TimeSpan.milliseconds(500)
  /// The most bytes of frames that wait; larger frames wait for fewer others.
  static let byteLimit = 64 << 20
  /// The sides that a picture needs to have.
  static let leastSide = 128
  /// The longer side at which the motion is measured.
  private static let measuredSide = 1920
  /// The largest motion from one frame to the next, as a share of the width.
  private static let reach = 1.0 / 16
  /// The mean difference of two frames, in 8-bit steps, from which on they don't show the same: a cut, or the light was
  /// turned on.
  private static let cut = 20.0

  /// The size of stabilized pictures, with even sides; `nil` for those that are too small for it.
  static func size(of size: PixelSize) -> PixelSize? {
    guard min(size.width, size.height) >= leastSide else { return nil }
    let margins = margins(of: size)
    return PixelSize(width: size.width - 2 * margins.x, height: size.height - 2 * margins.y)
  }

  /// Even, so that the middle of the picture is cut out without moving its chroma.
  private static func margins(of size: PixelSize) -> PixelShift {
    PixelShift(
      x: Int(Double(size.width) * margin) / 2 * 2, y: Int(Double(size.height) * margin) / 2 * 2)
  }

  private let source: RawLayout
  private let target: (layout: RawLayout, byteCount: Int)
  private let margins: PixelShift
  private var path: CameraPath
  private var waiting: [(picture: FrameBlock, time: TimeSpan)] = []
  private var last: LumaPyramid?
  /// Whether it measures nothing anymore, because the computer can't keep up. The picture comes to rest in the middle.
  private(set) var isOff = false

  /// - Parameter size: Of the pictures, with even sides.
  /// - Returns: `nil` for pictures that are too small.
  init?(size: PixelSize) {
    func layout(_ size: PixelSize) -> (layout: RawLayout, byteCount: Int)? {
      RawConverter.defaultLayout(
        of: RawConverter.Kind(
          layout: MoviePictureMaker.layout, size: size, colorimetry: MoviePictureMaker.colorimetry))
    }
    guard let smaller = Self.size(of: size), let source = layout(size), let target = layout(smaller) else { return nil }
    self.source = source.layout
    self.target = target
    margins = Self.margins(of: size)
    path = CameraPath(lookAhead: min(Self.lookAhead, Self.byteLimit / source.byteCount))
  }

  /// Takes a picture.
  ///
  /// - Parameter picture: I420 in GStreamer's default layout.
  /// - Returns: The pictures that are ready now, with their own times.
  func add(_ picture: FrameBlock, at time: TimeSpan) -> [(picture: FrameBlock, time: TimeSpan)] {
    if let latest = waiting.last?.time, time - latest > Self.patience { last = nil }
    waiting.append((picture, time))
    var ready = path.add(motion(of: picture)).map { [takeFirst($0)] } ?? []
    while let oldest = waiting.first, time - oldest.time >= Self.patience, let offset = path.takeNext() {
      ready.append(takeFirst(offset))
    }
    return ready
  }

  /// The pictures that are left, because the movie ends or pauses. A picture that follows is another view.
  func finish() -> [(picture: FrameBlock, time: TimeSpan)] {
    last = nil
    return path.finish().map(takeFirst)
  }

  /// Measures nothing from now on.
  func switchOff() {
    isOff = true
    last = nil
  }

  private func motion(of picture: FrameBlock) -> PixelShift? {
    if isOff { return .zero }
    let pyramid = picture.withUnsafeBytes {
      LumaPyramid(
        BytePlane(
          UnsafeRawBufferPointer(rebasing: $0[source.offsets[0]...]), width: source.size.width,
          height: source.size.height, stride: source.strides[0]), finestSide: Self.measuredSide)
    }
    defer { last = pyramid }
    guard let last else { return nil }
    let shift = pyramid.shift(against: last, reach: Int(Double(source.size.width) * Self.reach))
    return pyramid.difference(from: last, at: shift) > Self.cut ? nil : shift
  }

  private func takeFirst(_ offset: PixelShift) -> (picture: FrameBlock, time: TimeSpan) {
    let (picture, time) = waiting.removeFirst()
    let x = margins.x + min(max(offset.x, -margins.x), margins.x)
    let y = margins.y + min(max(offset.y, -margins.y), margins.y)
    return (cut(picture, x: x, y: y), time)
  }

  /// Cuts a picture out. Between two samples of chroma their mean is taken.
  private func cut(_ picture: FrameBlock, x: Int, y: Int) -> FrameBlock {
    FrameBlock(count: target.byteCount) { memory in
      picture.withUnsafeBytes { bytes in
        for plane in target.layout.offsets.indices {
          let share = plane == 0 ? 1 : 2
          let (width, height) = (target.layout.size.width / share, target.layout.size.height / share)
          let (stride, from) = (source.strides[plane], source.offsets[plane])
          // At the last column and row there is nothing beyond to take the mean with.
          let right = x % share != 0 && x / share + width < source.size.width / share ? 1 : 0
          let below = y % share != 0 && y / share + height < source.size.height / share ? stride : 0
          for row in 0..<height {
            let start = from + (y / share + row) * stride + x / share
            let place = target.layout.offsets[plane] + row * target.layout.strides[plane]
            guard right + below > 0 else {
              UnsafeMutableRawBufferPointer(rebasing: memory[place..<place + width])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + width]))
              continue
            }
            for column in 0..<width {
              let at = start + column
              let sum =
                UInt16(bytes[at]) + UInt16(bytes[at + right]) + UInt16(bytes[at + below])
                + UInt16(bytes[at + right + below])
              memory[place + column] = UInt8(truncatingIfNeeded: (sum + 2) >> 2)
            }
          }
        }
      }
    }
  }
}
