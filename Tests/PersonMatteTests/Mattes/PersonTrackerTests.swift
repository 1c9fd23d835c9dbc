// People through sequences of pictures, with the installed models.

import CameraCore
import DrawnPeople
import Foundation
import Testing

@testable import PersonMatte

@Suite(
  .timeLimit(.minutes(30)),
  .enabled(if: NetworkReferenceTests.areInstalled, "The models aren't installed: data/dev/models fetches them"))
struct PersonTrackerTests {
  private static func matte(
    _ tracker: any MatteTracker, _ size: PixelSize, hasPerson: Bool = true, time: Double = 0
  ) throws -> Matte {
    try DrawnPerson.picture(size, hasPerson: hasPerson).withUnsafeBytes {
      try tracker.matte(of: LentPixels($0, size: size, stride: 4 * size.width), time: time)
    }
  }

  @Test(
    "The person is where they are drawn", arguments: MatteQuality.allCases,
    [PixelSize(width: 640, height: 360), PixelSize(width: 400, height: 360), PixelSize(width: 270, height: 360)])
  func place(_ quality: MatteQuality, _ size: PixelSize) throws {
    let matte = try Self.matte(PersonMatteProvider().makeTracker(.person, quality: quality), size)
    #expect(matte.size == size && matte.presence == 1)
    var (common, both) = (0, 0)
    let bytes = matte.block.bytes
    for row in 0..<size.height {
      for column in 0..<size.width {
        let isPerson =
          DrawnPerson.color(row: row, column: column, of: size)
          != DrawnPerson.color(row: row, column: column, of: size, hasPerson: false)
        let isFound = bytes[row * size.width + column] > 127
        common += isPerson && isFound ? 1 : 0
        both += isPerson || isFound ? 1 : 0
      }
    }
    #expect(Double(common) / Double(both) > 0.9, "\(Double(common) / Double(both))")
  }

  @Test("Nobody covers nothing, and whoever comes is there at once or soon", arguments: MatteQuality.allCases)
  func comesAndGoes(_ quality: MatteQuality) throws {
    let size = PixelSize(width: 320, height: 180)
    let tracker = try PersonMatteProvider().makeTracker(.person, quality: quality)
    let empty = try Self.matte(tracker, size, hasPerson: false, time: 0)
    #expect(empty.presence == 0 && empty.coverage == 0)
    var presences: [Double] = []
    for frame in 1...20 { presences.append(try Self.matte(tracker, size, time: Double(frame) / 30).presence) }
    #expect(presences.last == 1, "\(presences)")
    for frame in 21...40 {
      presences.append(try Self.matte(tracker, size, hasPerson: false, time: Double(frame) / 30).presence)
    }
    #expect(presences.last == 0, "\(presences)")
  }

  @Test func otherKindsHaveOtherProviders() {
    #expect(throws: ModelError.self) { try PersonMatteProvider().makeTracker(.hair, quality: .still) }
    #expect(PersonMatteProvider().reasonForAbsence() == nil)
    #expect(PersonMatteProvider(folder: URL(fileURLWithPath: "/nowhere")).reasonForAbsence() != nil)
  }
}
