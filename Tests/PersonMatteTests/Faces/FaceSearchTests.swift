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
    #expect(
      windows.allSatisfy { $0.x >= 0 && $0.y >= 0 && $0.x + $0.side <= size.width && $0.y + $0.side <= size.height })
    for side in Set(windows.map(\.side)) {
      let alike = windows.filter { $0.side == side }
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
      found = try search.score(in: picture, Plane(width: 256, height: 144, repeating: 1), by: finder, most: 200)
    }
    #expect(found >= FaceSearch.surely, "\(whole), \(found)")
  }
}
