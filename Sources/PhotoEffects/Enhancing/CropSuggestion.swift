// A crop for a picture of people: headroom, and eyes on the upper third.

import CameraCore

/// Suggests a crop by the faces of a picture.
///
///     CropSuggestion(faces: faces, size: size, ratio: .square).crop      // nil: nothing to improve
///
/// The rules of portraits: the eyes are a third of the height below the upper edge, which also leaves a little room over the
/// head; one person is in the middle or on a third, whatever is nearest, and looks into the picture; several are in the
/// middle. As little is cut off as that takes, and never so much that heads are, or that the picture gets small.
public struct CropSuggestion: Sendable, Hashable {
  /// The crop of the picture that the faces are places in; `nil` where there are no faces, where they don't fit into the
  /// ratio, and where the picture, or the largest crop in the middle, is fine.
  public let crop: Geometry.Crop?

  /// Where the eyes are to be, in parts of the crop's height from above.
  public static let eyeLine = 1.0 / 3
  /// The least side of a crop, in parts of that of the largest one with the ratio.
  public static let leastShare = 0.6
  /// The same, where it is only to bring somebody to the middle or to a third.
  static let leastShareAcross = 0.8
  /// What is kept around a face, in parts of its size: hair and headroom above, neck below.
  public static let margin = (above: 0.45, beside: 0.3, below: 0.3)
  /// A face that is turned to the camera less than this looks to a side.
  static let leastFacing = 0.4
  /// A crop that has more in common with the whole is no improvement (intersection over union).
  static let mostLikeness = 0.94

  /// - Parameters:
  ///   - faces: In parts of the turned and straightened picture (`Geometry.placed(_:of:)` without the crop).
  ///   - size: Of that picture, in pixels: `Geometry.straightenedSize(for:)`.
  ///   - ratio: The shape of the crop; `nil` for the picture's.
  public init(faces: [FoundFace], size: PixelSize, ratio: CropRatio? = nil) {
    let largest = (ratio ?? .original).largestCrop(in: size)
    guard let people = People(faces.foremost, in: size),
      let found = Self.crop(around: people, shape: (largest.width, largest.height)),
      Self.likeness(found, largest) < Self.mostLikeness
    else {
      crop = nil
      return
    }
    crop = found
  }

  /// What a crop is measured by, in parts of the picture.
  private struct People {
    var left = 1.0
    var right = 0.0
    var top = 1.0
    var bottom = 0.0
    /// The mean of their eyes.
    var eyes: Double
    /// The middle of their faces.
    var middle: Double
    /// Where the middle may be in the crop, in parts of its width.
    var places: [Double]

    /// - Returns: `nil` for nobody.
    init?(_ faces: [FoundFace], in size: PixelSize) {
      let faces = faces.filter { $0.width > 0 && $0.height > 0 && (0...1).contains($0.betweenEyes.y) }
      guard !faces.isEmpty else { return nil }
      let margin = CropSuggestion.margin
      for face in faces {
        left = min(left, max(0, face.x - margin.beside * face.width))
        right = max(right, min(1, face.x + (1 + margin.beside) * face.width))
        top = min(top, max(0, face.y - margin.above * face.height))
        bottom = max(bottom, min(1, face.y + (1 + margin.below) * face.height))
      }
      guard left < right, top < bottom else { return nil }
      eyes = faces.map(\.betweenEyes.y).reduce(0, +) / Double(faces.count)
      middle = min(max(0, faces.map(\.center.x).reduce(0, +) / Double(faces.count)), 1)
      places = [0.5]
      guard faces.count == 1, let face = faces.first else { return }
      places = [0.5, 1.0 / 3, 2.0 / 3]
      // There is room where somebody looks to.
      if face.facing(in: size) < CropSuggestion.leastFacing {
        places = [face.nose.x < face.betweenEyes.x ? 2.0 / 3 : 1.0 / 3]
      }
    }
  }

  /// - Parameter shape: The largest crop, in parts of the picture's sides.
  private static func crop(around people: People, shape: (width: Double, height: Double)) -> Geometry.Crop? {
    /// The largest share with which a place of the picture is at a place of the crop.
    func share(_ place: Double, at target: Double, _ length: Double) -> Double {
      min(1, place / (target * length), (1 - place) / ((1 - target) * length))
    }
    let down = share(people.eyes, at: eyeLine, shape.height)
    let across = people.places.map { (place: $0, share: share(people.middle, at: $0, shape.width)) }
    // The first of equals: the middle.
    guard var best = across.first else { return nil }
    for other in across.dropFirst() where other.share > best.share { best = other }
    var part = max(leastShare, min(down, max(leastShareAcross, best.share)))
    // Everybody fits in.
    part = max(part, (people.right - people.left) / shape.width, (people.bottom - people.top) / shape.height)
    guard part <= 1 else { return nil }
    let (width, height) = (part * shape.width, part * shape.height)
    func start(_ wanted: Double, _ length: Double, holding range: (Double, Double)) -> Double {
      // First the faces, then the picture: a range that lies in the picture stays inside.
      min(max(0, min(max(wanted, range.1 - length), range.0)), 1 - length)
    }
    return Geometry.Crop(
      x: start(people.middle - best.place * width, width, holding: (people.left, people.right)),
      y: start(people.eyes - eyeLine * height, height, holding: (people.top, people.bottom)), width: width,
      height: height)
  }

  /// What two crops have in common, in parts of both together.
  private static func likeness(_ one: Geometry.Crop, _ other: Geometry.Crop) -> Double {
    let width = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    let height = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    guard width > 0, height > 0 else { return 0 }
    let common = width * height
    return common / (one.width * one.height + other.width * other.height - common)
  }
}
