// The face detector.

import CameraCore
import Foundation

/// Finds faces with MediaPipe's BlazeFace. For one thread at a time.
///
/// It looks twice. In a whole picture a face is a few of the 128×128 pixels that the network sees, and the head of an animal,
/// a ball, or a wheel passes for one. So what may be a face is looked at again from nearer, in a window of twice its size, and
/// counts when the network is sure there. Of 812 pictures of animals and things, 26 have a score of 0.65 or more at the first
/// look, where whoever is before a camera has 0.67 to 0.96; none is left after the second.
///
/// Source: V. Bazarevsky et al., “BlazeFace: Sub-millisecond Neural Face Detection on Mobile GPUs”, 2019; MediaPipe,
/// `face_detection.pbtxt`, `tensors_to_detections_calculator.cc` and `non_max_suppression_calculator.cc`.
final class FaceFinder {
  private let network: Network
  private let side: Int

  /// The score (0…1) of a face from nearer at least: people have 0.82 to 0.96, animals and things up to 0.80.
  static let surely = 0.81
  /// The score from which on something is looked at from nearer.
  static let least = 0.5
  /// What is looked at from nearer at most, the likeliest first.
  static let mostCandidates = 24
  /// The score from nearer of somebody who is known to be there: less is enough than for somebody who comes.
  static let still = 0.65
  /// The side of the window of the second look, in sides of what was found.
  static let closeness = 2.0
  /// Boxes that overlap more, in parts of both together, are one face.
  static let mostOverlap = 0.3
  /// Numbers of each anchor: a box, then six points.
  private static let stride = 16

  /// - Parameter folder: Of the models.
  /// - Throws: `ModelError`.
  convenience init(folder: URL? = ModelFile.installedFolder) throws(ModelError) {
    try self.init(ModelFile.faces.load(from: folder))
  }

  init(_ model: NetworkModel) throws(ModelError) {
    let network = try Network(model)
    guard let input = network.inputShapes.first, input.count == 4, input[1] == input[2], input[3] == 3,
      network.outputCounts == [FaceAnchors.centers.count * Self.stride, FaceAnchors.centers.count]
    else { throw .wrongShape("face detector") }
    (self.network, side) = (network, input[1])
  }

  /// The faces in a picture, the surest first.
  ///
  /// - Throws: `ModelError.refused`.
  func faces(in picture: LentPixels) throws(ModelError) -> [FoundFace] {
    var found: [FoundFace] = []
    for candidate in try candidates(in: picture).prefix(Self.mostCandidates) {
      if let face = try fromNearer(candidate, in: picture) { found.append(face) }
    }
    return Self.merged(found)
  }

  /// What was found, as it is seen in a window around it; `nil` when it is no face there.
  ///
  /// - Parameter surely: The score of a face at least.
  /// - Throws: `ModelError.refused`.
  func fromNearer(
    _ candidate: FoundFace, in picture: LentPixels, surely: Double = FaceFinder.surely
  ) throws(ModelError) -> FoundFace? {
    guard let window = PictureWindow(around: candidate, sides: Self.closeness, in: picture.size) else { return nil }
    return try candidates(in: picture.part(window)).lazy
      .filter { $0.score >= surely }
      .map { $0.placed(from: window, in: picture.size) }
      .first { Self.overlap($0, candidate) > Self.mostOverlap }
  }

  /// What may be a face in a picture, the likeliest first, as the network sees it at once.
  ///
  /// - Throws: `ModelError.refused`.
  func candidates(in picture: LentPixels) throws(ModelError) -> [FoundFace] {
    let input = PixelSize(width: side, height: side)
    let placement = PictureSampling.letterboxed(picture.size, in: input)
    network.withInput { numbers in
      // The margin is black: MediaPipe pads before it scales 0…255 to -1…1.
      numbers.update(repeating: -1)
      PictureSampling.write(picture, to: numbers, of: input, at: placement, scale: 2 / 255, offset: -1)
    }
    try network.run()
    let (boxes, scores) = (network.output(0), network.output(1))
    var found: [FoundFace] = []
    for (index, score) in scores.enumerated() {
      let score = 1 / (1 + exp(-Double(min(100, max(-100, score)))))
      guard score >= Self.least, score.isFinite else { continue }
      let numbers = boxes[index * Self.stride..<(index + 1) * Self.stride].map { Double($0) / Double(side) }
      found.append(Self.face(numbers, FaceAnchors.centers[index], score))
    }
    return Self.merged(found).map { Self.placed($0, placement, side: side) }
  }

  private static func face(_ numbers: [Double], _ anchor: FoundFace.Point, _ score: Double) -> FoundFace {
    func point(_ index: Int) -> FoundFace.Point {
      FoundFace.Point(x: numbers[index] + anchor.x, y: numbers[index + 1] + anchor.y)
    }
    let center = point(0)
    return FoundFace(
      x: center.x - numbers[2] / 2, y: center.y - numbers[3] / 2, width: numbers[2], height: numbers[3],
      rightEye: point(4), leftEye: point(6), nose: point(8), mouth: point(10), rightEar: point(12), leftEar: point(14),
      score: score)
  }

  // MARK: One face each

  /// Makes one face of those that overlap: their mean, weighted by their scores.
  static func merged(_ found: [FoundFace]) -> [FoundFace] {
    var rest = found.sorted { $0.score > $1.score }
    var merged: [FoundFace] = []
    while let best = rest.first {
      let group = rest.filter { overlap($0, best) > mostOverlap }
      rest.removeAll { overlap($0, best) > mostOverlap }
      // One without an area overlaps nothing, itself neither.
      guard !group.isEmpty else {
        rest.removeFirst()
        continue
      }
      merged.append(mean(group))
    }
    return merged
  }

  private static func mean(_ group: [FoundFace]) -> FoundFace {
    let weight = group.reduce(0) { $0 + $1.score }
    func mean(_ path: KeyPath<FoundFace, Double>) -> Double {
      group.reduce(0) { $0 + $1[keyPath: path] * $1.score } / weight
    }
    func point(_ path: KeyPath<FoundFace, FoundFace.Point>) -> FoundFace.Point {
      FoundFace.Point(x: mean(path.appending(path: \.x)), y: mean(path.appending(path: \.y)))
    }
    return FoundFace(
      x: mean(\.x), y: mean(\.y), width: mean(\.width), height: mean(\.height), rightEye: point(\.rightEye),
      leftEye: point(\.leftEye), nose: point(\.nose), mouth: point(\.mouth), rightEar: point(\.rightEar),
      leftEar: point(\.leftEar), score: group.map(\.score).max() ?? 0)
  }

  /// The common part of two boxes, in parts of both together.
  static func overlap(_ one: FoundFace, _ other: FoundFace) -> Double {
    let width = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    let height = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    guard width > 0, height > 0 else { return 0 }
    let common = width * height
    return common / (one.width * one.height + other.width * other.height - common)
  }

  /// From parts of the input to parts of the picture.
  private static func placed(_ face: FoundFace, _ placement: PictureSampling.Placement, side: Int) -> FoundFace {
    func x(_ value: Double) -> Double { (value * Double(side) - Double(placement.x)) / Double(placement.size.width) }
    func y(_ value: Double) -> Double { (value * Double(side) - Double(placement.y)) / Double(placement.size.height) }
    func point(_ point: FoundFace.Point) -> FoundFace.Point { FoundFace.Point(x: x(point.x), y: y(point.y)) }
    return FoundFace(
      x: x(face.x), y: y(face.y), width: face.width * Double(side) / Double(placement.size.width),
      height: face.height * Double(side) / Double(placement.size.height), rightEye: point(face.rightEye),
      leftEye: point(face.leftEye), nose: point(face.nose), mouth: point(face.mouth), rightEar: point(face.rightEar),
      leftEar: point(face.leftEar), score: face.score)
  }
}
