// The camera's picture on the screen: its place, and the number of the displayed frame.

import CameraCore
import Foundation
import MediaEngine

/// The place of a program's camera picture; the same for PhotoMe and every peer, because it looks at nothing but
/// the screen.
struct PictureOnScreen {
  /// The picture without borders.
  let area: ScreenArea

  private static let watched = 1.3

  /// Finds the picture in a part of the screen. It takes somewhat more than a second: the test camera's flash, which
  /// lights every point of the picture once a second, shows where it ends.
  ///
  /// - Returns: `nil` when nothing there flashes, or what flashes carries no frame number.
  init?(in part: ScreenArea, of screen: Screen) {
    guard let first = screen.pixels(in: part) else { return nil }
    var changed = [Bool](repeating: false, count: part.width * part.height)
    let end = ContinuousClock.now + .seconds(Self.watched)
    while ContinuousClock.now < end {
      guard let next = screen.pixels(in: part) else { return nil }
      for index in changed.indices where !changed[index] {
        changed[index] = Self.differs(first.pixels[index], next.pixels[index])
      }
      pass(seconds: 0.05)
    }
    var columns = [Int](repeating: 0, count: part.width)
    var rows = [Int](repeating: 0, count: part.height)
    for row in 0..<part.height {
      for column in 0..<part.width where changed[row * part.width + column] {
        columns[column] += 1
        rows[row] += 1
      }
    }
    // The bar of the frame number does not flash; a fifth of its cells changes within a second.
    guard let x = Self.span(columns, share: 0.4), let y = Self.span(rows, share: 0.15), x.count >= 168 else {
      return nil
    }
    area = ScreenArea(x: part.x + x.lowerBound, y: part.y + y.lowerBound, width: x.count, height: y.count)
    let found = self
    guard waitUntil(seconds: 1, { found.number(on: screen) != nil }) else { return nil }
  }

  /// The number of the frame that is shown now; `nil` while the picture is being changed.
  func number(on screen: Screen) -> UInt32? {
    // Two rows in the middle of the bar are enough; above them the reader wants a picture's height, which it ignores.
    let bar = max(4, FrameNumberMark.height(inPictureOf: 720) * area.height / 720)
    let strip = ScreenArea(x: area.x, y: area.y + area.height - bar / 2 - 1, width: area.width, height: 2)
    guard let pixels = screen.pixels(in: strip)?.pixels else { return nil }
    let height = 16
    var luma = [UInt8](repeating: 0, count: area.width * height)
    for (index, pixel) in pixels.enumerated() {
      luma[(height - 2) * area.width + index] = Self.brightness(pixel)
    }
    return luma.withUnsafeBufferPointer { luma in
      luma.baseAddress.flatMap {
        FrameNumberMark.read(luma: $0, width: area.width, height: height, stride: area.width)
      }
    }
  }

  private static func brightness(_ pixel: UInt32) -> UInt8 {
    UInt8((77 * (pixel >> 16 & 255) + 150 * (pixel >> 8 & 255) + 29 * (pixel & 255)) >> 8)
  }

  private static func differs(_ one: UInt32, _ other: UInt32) -> Bool {
    one != other && abs(Int(brightness(one)) - Int(brightness(other))) > 16
  }

  /// From the first to the last of those that reach a share of the largest.
  private static func span(_ counts: [Int], share: Double) -> Range<Int>? {
    let floor = Int(Double(counts.max() ?? 0) * share)
    guard floor > 0, let first = counts.firstIndex(where: { $0 >= floor }),
      let last = counts.lastIndex(where: { $0 >= floor })
    else { return nil }
    return first..<(last + 1)
  }
}

/// A program's frames while it was watched.
struct Watch {
  /// Watched for this long.
  var seconds: Double
  /// Different frames that were seen on the screen.
  var shown: Int
  /// Frames that the camera sent during that time, by their numbers.
  var sent: Int
  /// Processor time of the whole program.
  var processorSeconds: Double

  var millisecondsPerFrame: Double { shown > 0 ? processorSeconds * 1000 / Double(shown) : .infinity }
  /// Of one core.
  var percent: Double { processorSeconds / seconds * 100 }

  /// Watches a program's picture.
  init(of pid: pid_t, at picture: PictureOnScreen, on screen: Screen, seconds: Double) {
    let began = ContinuousClock.now
    let usedBefore = ProcessUsage.processorSeconds(of: pid)
    var numbers: Set<UInt32> = []
    _ = waitUntil(seconds: seconds, interval: 0.008) {
      if let number = picture.number(on: screen) { numbers.insert(number) }
      return false
    }
    processorSeconds = ProcessUsage.processorSeconds(of: pid) - usedBefore
    self.seconds = (ContinuousClock.now - began) / .seconds(1)
    shown = numbers.count
    sent = numbers.isEmpty ? 0 : Int((numbers.max() ?? 0) - (numbers.min() ?? 0)) + 1
  }

  private init(seconds: Double, shown: Int, sent: Int, processorSeconds: Double) {
    self.seconds = seconds
    self.shown = shown
    self.sent = sent
    self.processorSeconds = processorSeconds
  }

  /// Several watches as one.
  static func + (one: Self, other: Self) -> Self {
    Self(
      seconds: one.seconds + other.seconds, shown: one.shown + other.shown, sent: one.sent + other.sent,
      processorSeconds: one.processorSeconds + other.processorSeconds)
  }
}
