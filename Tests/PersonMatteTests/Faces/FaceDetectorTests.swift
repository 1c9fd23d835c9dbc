// The face detector of still pictures: several people, nobody, no models, cancellation.

import CameraCore
import DrawnPeople
import Foundation
import Testing

@testable import PersonMatte

@Suite(.timeLimit(.minutes(30))) struct FaceDetectorTests {
  private static let size = PixelSize(width: 960, height: 360)

  /// Drawn people at places from the middle, in pixels.
  private func picture(_ places: [Int], padding: Int = 0) -> DecodedImage {
    let stride = 4 * Self.size.width + padding
    return DecodedImage(
      size: Self.size, stride: stride,
      block: FrameBlock(count: stride * Self.size.height) { bytes in
        for row in 0..<Self.size.height {
          for column in 0..<Self.size.width {
            // Each has its own part of the picture.
            let place = places.min { abs(column - 480 - $0) < abs(column - 480 - $1) }
            let color = DrawnPerson.color(
              row: row, column: column, of: Self.size, hasPerson: place != nil, offset: place ?? 0)
            let start = row * stride + 4 * column
            (bytes[start], bytes[start + 1], bytes[start + 2]) = (UInt8(color.z), UInt8(color.y), UInt8(color.x))
          }
        }
      })
  }

  @Test(
    "Everybody is found, where they are",
    .enabled(if: NetworkReferenceTests.areInstalled, "The models aren't installed"),
    arguments: [[], [0], [-240, 240], [-320, 0, 320]], [0, 12])
  func found(places: [Int], padding: Int) async throws {
    let faces = try await FaceDetector().faces(in: picture(places, padding: padding))
    let found = faces.map { ($0.center.x - 0.5) * Double(Self.size.width) }.sorted()
    #expect(found.count == places.count, "\(found)")
    for (place, found) in zip(places, found) { #expect(abs(Double(place) - found) < 20, "\(found)") }
    #expect(faces.allSatisfy { $0.facing(in: Self.size) > 0.6 }, "\(faces.map { $0.facing(in: Self.size) })")
  }

  @Test("Without models nobody knows") func absent() async {
    await #expect(throws: FaceDetectionError.self) { try await FaceDetector(folder: nil).faces(in: picture([])) }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-none-\(UUID().uuidString)")
    await #expect(throws: FaceDetectionError.self) { try await FaceDetector(folder: folder).faces(in: picture([])) }
  }

  @Test("Nobody waits for faces that nobody wants") func canceled() async {
    let picture = picture([0])
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await FaceDetector().faces(in: picture)
    }
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
  }
}
