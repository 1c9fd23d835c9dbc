// How far the viewer has gone into a picture, and to where.

import CameraCore

/// A part of a picture: how large the picture is drawn, and which of its points lies in the middle of the view.
public struct ViewerZoom: Equatable, Sendable {
  /// 1 shows all of the picture, 2 half of its width and height.
  public private(set) var scale = 1.0
  /// From 0 at the left to 1 at the right.
  public private(set) var centerX = 0.5
  /// From 0 at the top to 1 at the bottom.
  public private(set) var centerY = 0.5

  /// The largest scale where pictures are small; of a large one each pixel can be seen twice as large.
  private static let leastMaximum = 4.0
  /// One step of a key or of a wheel.
  public static let step = 1.25

  public init() {}

  public var isFit: Bool { scale == 1 }

  /// Goes nearer (above 1) or away (below 1), and leaves the picture's point under `point` where it is.
  ///
  /// - Parameters:
  ///   - point: From the view's left top, in device pixels; `nil` takes its middle.
  ///   - picture: The picture's size in pixels.
  ///   - view: The view's size in device pixels.
  public mutating func zoom(by factor: Double, at point: (x: Double, y: Double)?, picture: PixelSize, view: PixelSize) {
    guard factor.isFinite, factor > 0, let fit = Self.fit(picture, view) else { return }
    let point = point ?? (Double(view.width) / 2, Double(view.height) / 2)
    let maximum = max(Self.leastMaximum, 2 / fit)
    var new = min(max(scale * factor, 1), maximum)
    // Steps that don't divide evenly must still end at the whole picture.
    if abs(new - 1) < 0.02 { new = 1 }
    let (dx, dy) = (point.x - Double(view.width) / 2, point.y - Double(view.height) / 2)
    let (width, height) = (Double(picture.width) * fit, Double(picture.height) * fit)
    centerX += dx / (width * scale) - dx / (width * new)
    centerY += dy / (height * scale) - dy / (height * new)
    scale = new
    keepInside(width: width, height: height, view: view)
  }

  /// Moves the picture by so many device pixels.
  public mutating func pan(x: Double, y: Double, picture: PixelSize, view: PixelSize) {
    guard let fit = Self.fit(picture, view), x.isFinite, y.isFinite else { return }
    let (width, height) = (Double(picture.width) * fit, Double(picture.height) * fit)
    centerX -= x / (width * scale)
    centerY -= y / (height * scale)
    keepInside(width: width, height: height, view: view)
  }

  /// To one picture pixel for each device pixel, or back to the whole picture.
  public mutating func toggle(at point: (x: Double, y: Double)?, picture: PixelSize, view: PixelSize) {
    guard let fit = Self.fit(picture, view) else { return }
    if isFit {
      // A picture that is shown at its own size already is shown twice as large.
      zoom(by: fit < 0.9 ? 1 / fit : 2, at: point, picture: picture, view: view)
    } else {
      self = ViewerZoom()
    }
  }

  /// Nothing black comes in from a side on which there is still picture to be seen.
  private mutating func keepInside(width: Double, height: Double, view: PixelSize) {
    func kept(_ center: Double, _ length: Double, _ room: Int) -> Double {
      let half = Double(room) / 2 / (length * scale)
      return half >= 0.5 ? 0.5 : min(max(center, half), 1 - half)
    }
    centerX = kept(centerX, width, view.width)
    centerY = kept(centerY, height, view.height)
  }

  private static func fit(_ picture: PixelSize, _ view: PixelSize) -> Double? {
    guard picture.width > 0, picture.height > 0, view.width > 0, view.height > 0 else { return nil }
    return min(Double(view.width) / Double(picture.width), Double(view.height) / Double(picture.height))
  }
}
