// Windows in which small faces are looked for, and people who are small in the picture.

import CameraCore
import DrawnPeople
import Testing

@testable import PersonMatte

@Suite(.timeLimit(.minutes(30))) struct FaceSearchTests {
  private static let sizes = [
    PixelSize(width: 1280, height: 720), PixelSize(width: 300, height: 900), PixelSize(width: 100, height: 100),
    PixelSize(width: 40, height: 33),
  ]

  @Test("Windows lie inside the picture, and together cover what the matte does", arguments: sizes)
  func windows(_ size: PixelSize) {
    let windows = FaceSearch.windows(of: size, Plane(width: 256, height: 144, repeating: 1))
    for window in windows {
      #expect(window.x >= 0 && window.x + window.width <= size.width)
      #expect(window.y >= 0 && window.y + window.height <= size.height)
    }
    for side in Set(windows.map(\.width)) {
      let alike = windows.filter { $0.width == side }
      for (x, y) in [(0, 0), (size.width - 1, size.height - 1), (size.width / 2, size.height / 3)] {
        #expect(alike.contains { ($0.x..<$0.x + side).contains(x) && ($0.y..<$0.y + side).contains(y) })
      }
    }
    #expect(FaceSearch.windows(of: size, Plane(width: 256, height: 144)).isEmpty)
  }

  @Test("Only where the matte covers something") func coverage() {
    var matte = Plane(width: 100, height: 100)
    for row in 0..<50 { for column in 0..<50 { matte.numbers[row * 100 + column] = 1 } }
    let windows = FaceSearch.windows(of: PixelSize(width: 1000, height: 1000), matte)
    #expect(!windows.isEmpty && windows.allSatisfy { $0.x < 500 && $0.y < 500 })
  }

  @Test(
    "Somebody farther away is found", .enabled(if: NetworkReferenceTests.areInstalled, "The models aren't installed"),
    arguments: [3, 4])
  func farAway(_ part: Int) throws {
    // A drawn person at a fraction of the size, in the middle at the bottom of a wall.
    let size = PixelSize(width: 1280, height: 720)
    let small = PixelSize(width: 720 / part, height: 720 / part)
    var bytes = DrawnPerson.picture(size, hasPerson: false)
    let (left, top) = ((size.width - small.width) / 2, size.height - small.height)
    let person = DrawnPerson.picture(small)
    for row in 0..<small.height {
      let start = ((top + row) * size.width + left) * 4
      bytes.replaceSubrange(
        start..<start + 4 * small.width, with: person[row * small.width * 4..<(row + 1) * small.width * 4])
    }
    var (whole, found) = (0.0, 0.0)
    try bytes.withUnsafeBytes { bytes in
      let picture = LentPixels(bytes, size: size, stride: 4 * size.width)
      let finder = try FaceFinder()
      whole = try finder.faces(in: picture).first?.score ?? 0
      var search = FaceSearch()
      found = try search.score(
        in: picture, Plane(width: 256, height: 144, repeating: 1), by: finder, surely: FaceFinder.surely, most: 200)
    }
    #expect(found >= FaceFinder.surely, "\(whole), \(found)")
  }

  @Test(
    "A bowling ball is no face", .enabled(if: NetworkReferenceTests.areInstalled, "The models aren't installed"),
    arguments: [PixelSize(width: 256, height: 256), PixelSize(width: 640, height: 360)])
  func bowlingBall(_ size: PixelSize) throws {
    let finder = try FaceFinder()
    // From afar it passes for one: two eyes and a mouth.
    var likeliest = 0.0
    var found: [FoundFace] = []
    try Self.ball(in: size).withUnsafeBytes { bytes in
      let picture = LentPixels(bytes, size: size, stride: 4 * size.width)
      likeliest = try finder.candidates(in: picture).first?.score ?? 0
      found = try finder.faces(in: picture) + FaceSearch.faces(in: picture, by: finder)
    }
    #expect(likeliest > 0.65 && found.isEmpty, "\(likeliest), \(found)")
  }

  @Test("A window around a face is the part of it that is in the picture; one without pixels is none")
  func windowOfFace() {
    func face(_ x: Double, _ y: Double, _ side: Double) -> FoundFace {
      let middle = FoundFace.Point(x: x, y: y)
      return FoundFace(
        x: x - side / 2, y: y - side / 2, width: side, height: side, rightEye: middle, leftEye: middle, nose: middle,
        mouth: middle, rightEar: middle, leftEar: middle, score: 1)
    }
    let size = PixelSize(width: 100, height: 100)
    #expect(
      PictureWindow(around: face(0.5, 0.5, 0.2), sides: 2, in: size)
        == PictureWindow(x: 30, y: 30, width: 40, height: 40))
    #expect(
      PictureWindow(around: face(0.1, 0.9, 0.2), sides: 2, in: size)
        == PictureWindow(x: 0, y: 70, width: 30, height: 30))
    for (x, side) in [(-2, 0.2), (0.5, 0.01), (0.5, 0), (.nan, 0.2), (0.5, .infinity), (0.5, -1)] {
      #expect(PictureWindow(around: face(x, 0.5, side), sides: 2, in: size) == nil, "\(x) \(side)")
    }
  }

  /// A gray ball with three holes, whose diameter is two fifths of the picture's height, on a plain ground.
  private static func ball(in size: PixelSize) -> [UInt8] {
    let radius = 0.2 * Double(size.height)
    let holes = [(x: -0.35, y: -0.2), (x: 0.35, y: -0.2), (x: 0, y: 0.4)]
    return (0..<size.area).flatMap { index -> [UInt8] in
      let x = (Double(index % size.width) + 0.5 - Double(size.width) / 2) / radius
      let y = (Double(index / size.width) + 0.5 - Double(size.height) / 2) / radius
      let isHole = holes.contains { (x - $0.x) * (x - $0.x) + (y - $0.y) * (y - $0.y) < 0.18 * 0.18 }
      let depth = max(0, 1 - x * x - y * y)
      let gray = isHole ? 30 : depth > 0 ? 90 * (0.35 + 0.65 * depth.squareRoot()) : 150
      return [UInt8(gray), UInt8(gray), UInt8(gray), 255]
    }
  }
}
