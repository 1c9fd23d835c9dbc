// The viewer's zoom: a factor and a center, with zooming, panning and limits.

import CameraCore

/// The visible part of a picture: its scale, and the point in the middle of the view.
public struct ViewerZoom: Equatable, Sendable {
  /// 1 fits the whole picture into the view; 2 shows half of its width and height.
  public private(set) var scale = 1.0
  /// From 0 at the left to 1 at the right.
  public private(set) var centerX = 0.5
  /// From 0 at the top to 1 at the bottom.
  public private(set) var centerY = 0.5

  /// The maximum scale of small pictures; large ones can be enlarged to two device pixels per pixel.
  private static let leastMaximum = 4.0
  /// The factor of one key press or one notch of a wheel.
  public static let step = 1.25

  public init() {}

  public var isFit: Bool { scale == 1 }

  /// Zooms in (above 1) or out (below 1), keeping the picture's point under `point` in place.
  ///
  /// - Parameters:
  ///   - point: From the view's top left corner, in device pixels; `nil` is its middle.
  ///   - picture: The picture's size in pixels.
  ///   - view: The view's size in device pixels.
  public mutating func zoom(by factor: Double, at point: (x: Double, y: Double)?, picture: PixelSize, view: PixelSize) {
    guard factor.isFinite, factor > 0, let fit = Self.fit(picture, view) else { return }
    let point = point ?? (Double(view.width) / 2, Double(view.height) / 2)
    let maximum = max(Self.leastMaximum, 2 / fit)
    var new = min(max(scale * factor, 1), maximum)
    // Factors that don't divide evenly must still end at the whole picture.
    if abs(new - 1) < 0.02 { new = 1 }
    let (dx, dy) = (point.x - Double(view.width) / 2, point.y - Double(view.height) / 2)
    let (width, height) = (Double(picture.width) * fit, Double(picture.height) * fit)
    centerX += dx / (width * scale) - dx / (width * new)
    centerY += dy / (height * scale) - dy / (height * new)
    scale = new
    keepInside(width: width, height: height, view: view)
  }

  /// Moves the picture by a distance in device pixels.
  public mutating func pan(x: Double, y: Double, picture: PixelSize, view: PixelSize) {
    guard let fit = Self.fit(picture, view), x.isFinite, y.isFinite else { return }
    let (width, height) = (Double(picture.width) * fit, Double(picture.height) * fit)
    centerX -= x / (width * scale)
    centerY -= y / (height * scale)
    keepInside(width: width, height: height, view: view)
  }

  /// Switches between actual size and the whole picture.
  public mutating func toggle(at point: (x: Double, y: Double)?, picture: PixelSize, view: PixelSize) {
    guard let fit = Self.fit(picture, view) else { return }
    if isFit {
      // A picture that already fits at about its actual size is doubled.
      zoom(by: fit < 0.9 ? 1 / fit : 2, at: point, picture: picture, view: view)
    } else {
      self = ViewerZoom()
    }
  }

  /// Keeps empty borders out while there is still picture to show on that side.
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
