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
    _ tracker: any MatteTracker, _ size: PixelSize, hasPerson: Bool = true, isTurnedAway: Bool = false, time: Double = 0
  ) throws -> Matte {
    try DrawnPerson.picture(size, hasPerson: hasPerson, isTurnedAway: isTurnedAway).withUnsafeBytes {
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

  @Test(
    "Whoever is known to be there is found from behind, and nobody in an empty room", arguments: MatteQuality.allCases)
  func expected(_ quality: MatteQuality) throws {
    let size = PixelSize(width: 320, height: 180)
    func tracker() throws -> any MatteTracker { try PersonMatteProvider().makeTracker(.person, quality: quality) }
    #expect(try Self.matte(tracker(), size, isTurnedAway: true).presence == 0)
    let knowing = try tracker()
    knowing.expectPerson()
    let matte = try Self.matte(knowing, size, isTurnedAway: true)
    #expect(matte.presence == 1 && matte.coverage > 0.1)
    let empty = try tracker()
    empty.expectPerson()
    #expect(try Self.matte(empty, size, hasPerson: false).presence == 0)
    // Whoever leaves is gone as ever.
    var presence = 1.0
    for frame in 1...20 {
      presence = try Self.matte(knowing, size, hasPerson: false, time: Double(frame) / 30).presence
    }
    #expect(presence == 0)
  }

  @Test("Who has turned away stays when the picture gets another size, and isn't known in one of another shape")
  func resized() throws {
    let tracker = try PersonMatteProvider().makeTracker(.person, quality: .live)
    let sizes = [(640, 360), (320, 180), (333, 187), (1280, 720)].map { PixelSize(width: $0.0, height: $0.1) }
    for frame in 0..<10 { _ = try Self.matte(tracker, sizes[0], time: Double(frame) / 30) }
    for (number, size) in sizes.enumerated() {
      for frame in 0..<3 {
        let time = Double(10 + 3 * number + frame) / 30
        #expect(try Self.matte(tracker, size, isTurnedAway: true, time: time).presence == 1, "\(size) \(frame)")
      }
    }
    let other = PixelSize(width: 360, height: 360)
    #expect(try Self.matte(tracker, other, isTurnedAway: true, time: 1).presence == 0)
  }

  @Test func otherKindsHaveOtherProviders() {
    #expect(throws: ModelError.self) { try PersonMatteProvider().makeTracker(.hair, quality: .still) }
    #expect(PersonMatteProvider().reasonForAbsence() == nil)
    #expect(PersonMatteProvider(folder: URL(fileURLWithPath: "/nowhere")).reasonForAbsence() != nil)
  }
}
