// Direct manipulation of the crop: the handles on its corners and sides, and moving it as a whole.

import PhotoEffects

/// The part of the crop that is being dragged.
public enum CropHandle: String, CaseIterable, Sendable {
  case topLeft, top, topRight, left, inside, right, bottomLeft, bottom, bottomRight

  /// −1 for the left side, 1 for the right, 0 for neither; likewise for top and bottom.
  var sides: (x: Double, y: Double) {
    switch self {
    case .topLeft: (-1, -1)
    case .top: (0, -1)
    case .topRight: (1, -1)
    case .left: (-1, 0)
    case .inside: (0, 0)
    case .right: (1, 0)
    case .bottomLeft: (-1, 1)
    case .bottom: (0, 1)
    case .bottomRight: (1, 1)
    }
  }

  /// The handle at a point; `nil` outside the crop and away from its handles.
  ///
  /// - Parameters:
  ///   - x: In the crop's units: 0 is the picture's left edge, 1 its right; `y` likewise.
  ///   - reach: The distance within which a handle can be grabbed, in the same units; at most a third of the crop.
  public static func at(x: Double, y: Double, of crop: Geometry.Crop, reach: (x: Double, y: Double)) -> CropHandle? {
    func side(_ place: Double, _ start: Double, _ length: Double, _ reach: Double) -> Double? {
      let inner = min(reach, length / 3)
      if place < start - reach || place > start + length + reach { return nil }
      if place <= start + inner { return -1 }
      return place >= start + length - inner ? 1 : 0
    }
    guard let horizontal = side(x, crop.x, crop.width, reach.x), let vertical = side(y, crop.y, crop.height, reach.y)
    else { return nil }
    return allCases.first { $0.sides == (horizontal, vertical) }
  }
}

extension Geometry.Crop {
  /// The minimum width and height of a crop, as a fraction of the picture.
  public static let leastSide = 0.05

  /// The crop after a drag of one of its handles. It never leaves the picture.
  ///
  /// - Parameters:
  ///   - x: The distance of the drag, as a fraction of the picture's width; `y` of its height.
  ///   - aspect: The width divided by the height to keep, both as fractions of the picture; `nil` for a free crop.
  public func dragged(_ handle: CropHandle, x: Double, y: Double, aspect: Double?) -> Geometry.Crop {
    let sides = handle.sides
    if handle == .inside {
      var crop = self
      crop.x = min(max(0, self.x + x), 1 - width)
      crop.y = min(max(0, self.y + y), 1 - height)
      return crop
    }
    // The maximum length of each side, measured from the side that stays.
    let room = (
      x: sides.x < 0 ? self.x + width : sides.x > 0 ? 1 - self.x : 1,
      y: sides.y < 0 ? self.y + height : sides.y > 0 ? 1 - self.y : 1
    )
    var new = (width: width + sides.x * x, height: height + sides.y * y)
    if let aspect, aspect > 0 {
      // The direction with the larger change decides; a handle on a side has only one.
      let (across, down) = (new.width, new.height * aspect)
      let isAcross = sides.y == 0 || (sides.x != 0 && abs(across - width) >= abs(down - height * aspect))
      let wanted = isAcross ? across : down
      let most = min(room.x, room.y * aspect)
      let least = min(most, max(Self.leastSide, Self.leastSide * aspect))
      new.width = min(max(wanted, least), most)
      new.height = new.width / aspect
    } else {
      new.width = min(max(new.width, Self.leastSide), room.x)
      new.height = min(max(new.height, Self.leastSide), room.y)
    }
    func start(_ side: Double, _ start: Double, _ before: Double, _ length: Double) -> Double {
      if side > 0 { return start }
      // An axis without a handle grows from its middle.
      let wanted = side < 0 ? start + before - length : start + (before - length) / 2
      return min(max(0, wanted), 1 - length)
    }
    return Geometry.Crop(
      x: start(sides.x, self.x, width, new.width), y: start(sides.y, self.y, height, new.height), width: new.width,
      height: new.height)
  }
}
