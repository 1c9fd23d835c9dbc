// Suggested crops: heads with their room, eyes on the upper third, and pictures that are fine.

import CameraCore
import PhotoEffects
import TestSupport
import Testing

@Suite struct CropSuggestionTests {
  private static let sizes = [
    PixelSize(width: 1280, height: 720), PixelSize(width: 640, height: 480), PixelSize(width: 3000, height: 4000),
    PixelSize(width: 500, height: 500),
  ]

  /// A face whose box is square in pixels; the center and the height are in parts of the picture.
  private func face(_ x: Double, _ y: Double, _ height: Double, in size: PixelSize, turn: Double = 0) -> FoundFace {
    let width = height * Double(size.height) / Double(size.width)
    return .frontal(x: x - width / 2, y: y - height / 2, width: width, height: height, turn: turn)
  }

  /// Pictures of one to four people, the same in every run.
  private func pictures() -> [(faces: [FoundFace], size: PixelSize)] {
    var numbers = SeededNumbers(state: 7)
    return (0..<400).map { index in
      let size = Self.sizes[index % Self.sizes.count]
      return (
        (0..<1 + index % 4).map { _ in
          face(
            .random(in: 0...1, using: &numbers), .random(in: 0...1, using: &numbers),
            .random(in: 0.05...0.5, using: &numbers), in: size, turn: .random(in: 0...1, using: &numbers))
        }, size
      )
    }
  }

  @Test("Every face is inside with its margin, and the crop in the picture has the ratio and isn't small")
  func properties() throws {
    var count = 0
    for (faces, size) in pictures() {
      for ratio in [nil] + CropRatio.allCases.map(Optional.some) {
        guard let crop = CropSuggestion(faces: faces, size: size, ratio: ratio).crop else { continue }
        count += 1
        try crop.validate()
        let largest = (ratio ?? .original).largestCrop(in: size)
        #expect(abs(crop.width / crop.height - largest.width / largest.height) < 1e-6)
        #expect(crop.width >= CropSuggestion.leastShare * largest.width - 1e-9)
        let margin = CropSuggestion.margin
        for face in faces.foremost {
          func isInside(_ low: Double, _ high: Double, _ start: Double, _ length: Double) -> Bool {
            max(0, low) >= start - 1e-9 && min(1, high) <= start + length + 1e-9
          }
          // A face may be cut off by the picture itself.
          guard (0...1).contains(face.betweenEyes.y) else { continue }
          #expect(
            isInside(
              face.x - margin.beside * face.width, face.x + (1 + margin.beside) * face.width, crop.x, crop.width))
          #expect(
            isInside(
              face.y - margin.above * face.height, face.y + (1 + margin.below) * face.height, crop.y, crop.height))
        }
      }
    }
    #expect(count > 500, "\(count)")
  }

  @Test("Eyes come to the upper third", arguments: sizes, [0.15, 0.3])
  func eyes(_ size: PixelSize, height: Double) throws {
    for y in stride(from: 0.45, through: 0.65, by: 0.05) {
      let face = face(0.5, y, height, in: size)
      let crop = try #require(CropSuggestion(faces: [face], size: size).crop)
      let eyes = (face.betweenEyes.y - crop.y) / crop.height
      #expect(abs(eyes - 1.0 / 3) < 0.1, "\(y): \(eyes)")
      // Nearer than before, and in the middle.
      #expect(abs(eyes - 1.0 / 3) < abs(face.betweenEyes.y - 1.0 / 3))
      #expect(abs((0.5 - crop.x) / crop.width - 0.5) < 1e-6)
    }
  }

  @Test("A picture that is fine stays as it is, and so does a suggested one") func fine() throws {
    let size = Self.sizes[0]
    #expect(CropSuggestion(faces: [], size: size).crop == nil)
    for x in [1.0 / 3, 0.5, 2.0 / 3] {
      // The eyes of this face are 0.06 above its middle.
      #expect(CropSuggestion(faces: [face(x, 0.393, 0.3, in: size)], size: size).crop == nil)
    }
    let before = face(0.5, 0.55, 0.2, in: size)
    let crop = try #require(CropSuggestion(faces: [before], size: size).crop)
    var geometry = Geometry()
    geometry.crop = crop
    let after = geometry.placed(before, of: size)
    #expect(CropSuggestion(faces: [after], size: geometry.outputSize(for: size)).crop == nil)
  }

  @Test("Somebody looks into the picture") func looking() throws {
    let size = Self.sizes[0]
    // Turned to the own right, which is the picture's left.
    let left = try #require(CropSuggestion(faces: [face(0.5, 0.4, 0.2, in: size, turn: 0.9)], size: size).crop)
    #expect(left.x < 1 - left.x - left.width)
    var mirrored = Geometry()
    mirrored.isFlipped = true
    let turned = mirrored.placed(face(0.5, 0.4, 0.2, in: size, turn: 0.9), of: size)
    let right = try #require(CropSuggestion(faces: [turned], size: size).crop)
    #expect(right.x > 1 - right.x - right.width)
  }

  @Test("People who don't fit into the ratio stay in the picture") func wide() {
    let size = Self.sizes[0]
    let faces = [face(0.1, 0.5, 0.2, in: size), face(0.9, 0.5, 0.2, in: size)]
    #expect(CropSuggestion(faces: faces, size: size, ratio: .nineToSixteen).crop == nil)
    #expect(CropSuggestion(faces: faces, size: size, ratio: .square).crop == nil)
    // A crop in the middle would cut somebody at the side.
    let aside = face(0.2, 0.393, 0.3, in: size)
    #expect((CropSuggestion(faces: [aside], size: size, ratio: .square).crop?.x ?? 1) < 0.1)
  }

  @Test("Faces go where the geometry puts the picture", arguments: Geometry.Turn.allCases, [false, true])
  func placed(_ turn: Geometry.Turn, _ isFlipped: Bool) {
    let size = Self.sizes[0]
    let face = face(0.3, 0.4, 0.2, in: size, turn: 0.3)
    var geometry = Geometry()
    (geometry.turn, geometry.isFlipped, geometry.straighten) = (turn, isFlipped, 7)
    geometry.crop = Geometry.Crop(x: 0.1, y: 0.05, width: 0.8, height: 0.9)
    let placed = geometry.placed(face, of: size)
    // Its points stay within the box, and the measure of where it looks is that of before.
    let points = [placed.rightEye, placed.leftEye, placed.nose, placed.mouth]
    #expect(
      points.allSatisfy {
        (placed.x...placed.x + placed.width).contains($0.x) && (placed.y...placed.y + placed.height).contains($0.y)
      })
    #expect(abs(placed.facing(in: geometry.outputSize(for: size)) - face.facing(in: size)) < 0.02)
    #expect(Geometry().placed(face, of: size).isNear(face))
  }
}

extension FoundFace {
  fileprivate func isNear(_ other: FoundFace) -> Bool {
    abs(x - other.x) + abs(y - other.y) + abs(width - other.width) + abs(nose.x - other.nose.x) < 1e-9
  }
}
