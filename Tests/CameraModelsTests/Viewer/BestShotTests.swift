// The rule of the best shot, by tables.

import CameraCore
import TestSupport
import Testing

@testable import CameraModels

@Suite struct BestShotTests {
  private func best(_ shots: [(picture: Double, faces: [Double]?)]) -> BestShot? {
    BestShot(among: shots.map { ShotSharpness(picture: $0.picture, faces: $0.faces) })
  }

  private func expect(
    _ shots: [(picture: Double, faces: [Double]?)], _ index: Int, _ basis: BestShot.Basis,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let shot = best(shots)
    #expect(shot?.index == index && shot?.basis == basis, "\(String(describing: shot))", sourceLocation: sourceLocation)
  }

  @Test func withoutFacesTheSharpestPictureIsTheBest() {
    expect([(5, nil), (9, nil), (7, nil)], 1, .picture)
    expect([(5, []), (9, []), (7, [])], 1, .picture)
    expect([(9, nil), (9, nil)], 0, .picture)
    #expect(best([]) == nil)
  }

  @Test func facesCountMoreThanTheBackground() {
    expect([(50, [10]), (20, [30]), (40, [20])], 1, .faces)
    expect([(50, [30]), (60, [30])], 0, .faces)
    expect([(50, [0])], 0, .faces)
  }

  @Test func aPictureWithFewerFacesIsNotTheBest() {
    expect([(50, [90]), (20, [10, 20]), (30, [12, 22])], 2, .faces)
    expect([(50, []), (20, [1])], 1, .faces)
    // Each face counts the same.
    expect([(50, [40, 10]), (50, [20, 20])], 0, .faces)
  }

  @Test func facesThatNobodyKnowsDecideNothing() {
    expect([(50, [10]), (20, [30]), (40, nil)], 0, .picture)
  }

  @Test func aPictureThatCannotBeReadIsNotTheBest() {
    let unreadable = (ShotSharpness.unreadable.picture, ShotSharpness.unreadable.faces)
    expect([unreadable, (20, [30])], 1, .faces)
    expect([unreadable, (0, [])], 1, .picture)
    expect([unreadable, (0, nil)], 1, .picture)
  }

  @Test func aFaceHasAMarginInsideOfThePicture() {
    let size = PixelSize(width: 200, height: 100)
    func area(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> [Range<Int>] {
      let area = ShotSharpness.area(of: FoundFace.frontal(x: x, y: y, width: width, height: height), in: size)
      return [area.columns, area.rows]
    }
    // 15 of 100 columns and 7.5 of 50 rows at each side.
    #expect(area(0.25, 0.25, 0.5, 0.5) == [35..<165, 17..<83])
    #expect(area(0, 0.5, 0.5, 0.5) == [0..<115, 42..<100])
    #expect(area(2, -3, 0.5, 0.5) == [200..<200, 0..<0])
  }

  @Test func facesFromTheFrontCountMoreThanThoseFromTheSide() {
    let size = PixelSize(width: 40, height: 20)
    func weight(_ turn: Double) -> Double {
      ShotSharpness.weight(of: .frontal(x: 0.1, y: 0.1, width: 0.4, height: 0.8, turn: turn), in: size)
    }
    let weights = stride(from: 0, through: 1, by: 0.1).map(weight)
    #expect(abs(weights[0] - 1) < 1e-9 && weights == weights.sorted(by: >), "\(weights)")
    #expect(abs(weights[10] - 0.25) < 1e-9)
    // A pattern everywhere, and equally sharp: whoever looks at the camera decides.
    let image = Self.pattern(size, plainFrom: size.width)
    let shots = [0.8, 0, 0.4].map {
      ShotSharpness(of: image, faces: [.frontal(x: 0.1, y: 0.1, width: 0.4, height: 0.8, turn: $0)])
    }
    #expect(BestShot(among: shots)?.index == 1)
  }

  @Test func whoPassesByInTheBackgroundDoesNotCount() {
    let image = Self.pattern(PixelSize(width: 40, height: 20), plainFrom: 40)
    let near = FoundFace.frontal(x: 0.1, y: 0.1, width: 0.4, height: 0.8)
    let far = FoundFace.frontal(x: 0.8, y: 0.1, width: 0.1, height: 0.2)
    #expect(ShotSharpness(of: image, faces: [far, near]) == ShotSharpness(of: image, faces: [near]))
    #expect(ShotSharpness(of: image, faces: [far, far]).faces?.count == 2)
  }

  /// Squares of two pixels in black and gray, and one gray from a column on.
  private static func pattern(_ size: PixelSize, plainFrom end: Int) -> DecodedImage {
    var pixels = [UInt32](repeating: 0x80_8080, count: size.area)
    for y in 0..<size.height {
      for x in 0..<end where (x / 2 + y / 2).isMultiple(of: 2) { pixels[y * size.width + x] = 0 }
    }
    return DecodedImage(
      size: size, stride: size.width * 4, block: pixels.withUnsafeBytes { FrameBlock(copying: $0) })
  }

  /// The left half is a pattern, the right half plain.
  @Test func onlyThePixelsOfAFaceCount() {
    let image = Self.pattern(PixelSize(width: 40, height: 20), plainFrom: 20)
    let shot = ShotSharpness(
      of: image,
      faces: [
        FoundFace.frontal(x: 0.05, y: 0.2, width: 0.3, height: 0.6),
        FoundFace.frontal(x: 0.65, y: 0.2, width: 0.2, height: 0.6),
      ])
    #expect(shot.faces?.count == 2 && shot.faces?.last == 0)
    #expect((shot.faces?.first ?? 0) > shot.picture && shot.picture > 0)
    #expect(ShotSharpness(of: image, faces: nil).faces == nil)
  }
}
