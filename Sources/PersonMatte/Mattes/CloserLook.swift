// A second look at people who are small in the picture.

import CameraCore

/// Looks at each small face of a still from closer up: the network was made for selfies, and half loses the others of a group.
/// Around such a face a part of the picture is given to the network as if it were a picture of its own, and the matte gets
/// what is found there in addition.
struct CloserLook {
  /// The side of the part, in heights of the face, and how much of it is above the middle of the face.
  static let side = 5.5
  static let above = 0.35
  /// A face that is higher, in parts of the picture's height, is near enough.
  static let largestFace = 0.25
  /// The most faces that are looked at.
  static let mostFaces = 12
  /// The part of the side over which what is found fades at borders that aren't the picture's.
  static let feather = 0.15
  /// What is found at the middle of a face at least: less is no person.
  static let leastMatte: Float = 0.5

  let network: Network
  let size: PixelSize

  /// Adds what is found to a matte of the whole picture.
  ///
  /// - Throws: `ModelError`.
  func improve(_ matte: inout Plane, of picture: LentPixels, _ faces: [FoundFace]) throws(ModelError) {
    let small = faces.filter { $0.height < Self.largestFace }.prefix(Self.mostFaces)
    for face in small {
      let window = Self.window(around: face, in: picture.size)
      guard window.width >= 32 else { continue }
      let part = picture.part(window)
      network.withInput { input in
        let placement = PictureSampling.Placement(x: 0, y: 0, size: size)
        PictureSampling.write(part, to: input, of: size, at: placement, scale: 1 / 255, offset: 0)
      }
      try network.run()
      let found = MatteCleaning.clean(
        Plane(width: size.width, height: size.height, numbers: network.output().map { $0 >= 0 ? min(1, $0) : 0 }))
      // In parts of the window.
      let x = ((face.x + face.width / 2) * Double(picture.size.width) - Double(window.x)) / Double(window.width)
      let y = ((face.y + face.height / 2) * Double(picture.size.height) - Double(window.y)) / Double(window.height)
      guard found.value(x: x, y: y) >= Self.leastMatte else { continue }
      Self.add(found, of: window, to: &matte, of: picture.size)
    }
  }

  static func window(around face: FoundFace, in size: PixelSize) -> PictureWindow {
    let height = face.height * Double(size.height)
    let side = min(Double(min(size.width, size.height)), height * Self.side)
    let x = (face.x + face.width / 2) * Double(size.width) - side / 2
    let y = (face.y + face.height / 2) * Double(size.height) - side * above
    return PictureWindow(
      x: Int(max(0, min(Double(size.width) - side, x))), y: Int(max(0, min(Double(size.height) - side, y))),
      width: Int(side), height: Int(side))
  }

  /// The larger of both, pixel by pixel.
  private static func add(_ found: Plane, of window: PictureWindow, to matte: inout Plane, of size: PixelSize) {
    func isBorder(_ start: Int, _ side: Int, _ length: Int) -> (low: Bool, high: Bool) {
      (start <= 1, start + side >= length - 1)
    }
    let across = isBorder(window.x, window.width, size.width)
    let down = isBorder(window.y, window.height, size.height)
    func weight(_ place: Double, _ border: (low: Bool, high: Bool)) -> Float {
      let low = border.low ? 1 : min(1, place / feather)
      let high = border.high ? 1 : min(1, (1 - place) / feather)
      return Float(max(0, min(low, high)))
    }
    for row in 0..<matte.height {
      let y =
        ((Double(row) + 0.5) / Double(matte.height) * Double(size.height) - Double(window.y)) / Double(window.height)
      guard y > 0, y < 1 else { continue }
      for column in 0..<matte.width {
        let place = (Double(column) + 0.5) / Double(matte.width) * Double(size.width)
        let x = (place - Double(window.x)) / Double(window.width)
        guard x > 0, x < 1 else { continue }
        let value = found.value(x: x, y: y) * weight(x, across) * weight(y, down)
        let index = row * matte.width + column
        matte.numbers[index] = max(matte.numbers[index], value)
      }
    }
  }
}
