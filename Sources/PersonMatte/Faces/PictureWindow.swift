// A part of a picture, given to a network as if it were a picture of its own.

import CameraCore

/// A part of a picture, in pixels.
struct PictureWindow: Hashable {
  /// A network sees nothing in fewer pixels.
  static let leastSide = 8

  var x: Int
  var y: Int
  var width: Int
  var height: Int

  init(x: Int, y: Int, width: Int, height: Int) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// A square around a face, as much of it as is in the picture; `nil` for one without pixels.
  ///
  /// - Parameters:
  ///   - sides: In sides of the face.
  ///   - size: Of the picture, in pixels.
  init?(around face: FoundFace, sides: Double, in size: PixelSize) {
    let (width, height) = (Double(size.width), Double(size.height))
    let (x, y) = (face.center.x * width, face.center.y * height)
    let half = max(face.width * width, face.height * height) * sides / 2
    guard half.isFinite, x.isFinite, y.isFinite, half > 0 else { return nil }
    let (left, right) = (max(0, x - half), min(width, x + half))
    let (top, bottom) = (max(0, y - half), min(height, y + half))
    guard right - left >= Double(Self.leastSide), bottom - top >= Double(Self.leastSide) else { return nil }
    self.init(x: Int(left), y: Int(top), width: Int(right) - Int(left), height: Int(bottom) - Int(top))
  }
}

extension FoundFace {
  /// A face of a window, in parts of the picture.
  ///
  /// - Parameter size: Of the picture, in pixels.
  func placed(from window: PictureWindow, in size: PixelSize) -> FoundFace {
    func x(_ value: Double) -> Double { (Double(window.x) + value * Double(window.width)) / Double(size.width) }
    func y(_ value: Double) -> Double { (Double(window.y) + value * Double(window.height)) / Double(size.height) }
    func point(_ point: Point) -> Point { Point(x: x(point.x), y: y(point.y)) }
    var face = self
    (face.x, face.y) = (x(self.x), y(self.y))
    (face.width, face.height) = (x(self.x + width) - face.x, y(self.y + height) - face.y)
    (face.rightEye, face.leftEye, face.nose) = (point(rightEye), point(leftEye), point(nose))
    (face.mouth, face.rightEar, face.leftEar) = (point(mouth), point(rightEar), point(leftEar))
    return face
  }
}

extension LentPixels {
  /// A part of the picture, which lies in it.
  func part(_ window: PictureWindow) -> LentPixels {
    let start = window.y * stride + 4 * window.x
    let count = stride * (window.height - 1) + 4 * window.width
    return LentPixels(
      UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]),
      size: PixelSize(width: window.width, height: window.height), stride: stride)
  }
}
