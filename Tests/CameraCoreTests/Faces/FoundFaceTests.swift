// Faces: how much they are turned to the camera, and who is in the foreground.

import CameraCore
import Foundation
import TestSupport
import Testing

@Suite struct FoundFaceTests {
  private static let size = PixelSize(width: 640, height: 360)

  private func face(turn: Double) -> FoundFace { .frontal(x: 0.3, y: 0.2, width: 0.2, height: 0.35, turn: turn) }

  @Test("From the front to the side, it is ever less") func turning() {
    let facing = stride(from: 0, through: 1, by: 0.1).map { face(turn: $0).facing(in: Self.size) }
    #expect(abs(facing[0] - 1) < 1e-9 && abs(facing[10]) < 1e-9, "\(facing)")
    #expect(facing == facing.sorted(by: >) && facing.allSatisfy { (0...1).contains($0) })
  }

  /// The face with its points changed, in pixels.
  private func changed(_ face: FoundFace, _ change: (Double, Double) -> (Double, Double)) -> FoundFace {
    var face = face
    for path in [\FoundFace.rightEye, \.leftEye, \.nose, \.mouth, \.rightEar, \.leftEar] {
      let (width, height) = (Double(Self.size.width), Double(Self.size.height))
      let (x, y) = change(face[keyPath: path].x * width, face[keyPath: path].y * height)
      face[keyPath: path] = FoundFace.Point(x: x / width, y: y / height)
    }
    return face
  }

  @Test("A mirrored face, and a tilted one, face the camera as much", arguments: [0, 0.2, 0.7])
  func tilted(turn: Double) {
    let facing = face(turn: turn).facing(in: Self.size)
    var mirrored = changed(face(turn: turn)) { (640 - $0, $1) }
    (mirrored.rightEye, mirrored.leftEye) = (mirrored.leftEye, mirrored.rightEye)
    (mirrored.rightEar, mirrored.leftEar) = (mirrored.leftEar, mirrored.rightEar)
    #expect(abs(mirrored.facing(in: Self.size) - facing) < 1e-9)
    for angle in [-1.2, -0.3, 0.4, 1.5, 3] {
      let tilted = changed(face(turn: turn)) { x, y in
        (x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle))
      }
      // The ears are lower than the eyes, so the line of the eyes is all that counts.
      #expect(abs(tilted.facing(in: Self.size) - facing) < 1e-6, "\(angle)")
    }
  }

  @Test("Points that can't be a face's are from the side") func impossible() {
    var one = face(turn: 0)
    one.leftEye = one.rightEye
    #expect(one.facing(in: Self.size) == 0)
    one = face(turn: 0)
    one.nose.x = .nan
    #expect(one.facing(in: Self.size) == 0)
    one = face(turn: 0)
    (one.rightEar, one.leftEar) = (one.nose, one.nose)
    #expect(one.facing(in: Self.size) == 0)
  }

  @Test("Faces of a third of the highest are in the foreground") func foremost() {
    let heights = [0.3, 0.09, 0.11, 0.3, 0.05]
    let faces = heights.map { FoundFace.frontal(x: 0.1, y: 0.1, width: 0.1, height: $0) }
    #expect(faces.foremost.map(\.height) == [0.3, 0.11, 0.3])
    #expect([FoundFace]().foremost.isEmpty)
  }
}
