// Dragging a crop: it stays inside the picture, keeps its aspect ratio, and follows the handle.

import CameraCore
import PhotoEffects
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct CropTests {
  nonisolated static let crops = [
    Geometry.Crop.full, Geometry.Crop(x: 0.2, y: 0.1, width: 0.5, height: 0.6),
    Geometry.Crop(x: 0, y: 0.9, width: 0.05, height: 0.1),
  ]
  nonisolated static let offsets = [-3.0, -0.31, -0.02, 0, 0.04, 0.27, 3]

  @Test(arguments: CropHandle.allCases, [nil, 1, 0.4, 2.5])
  func noDragLeavesThePicture(handle: CropHandle, aspect: Double?) {
    for crop in Self.crops {
      for x in Self.offsets {
        for y in Self.offsets {
          let result = crop.dragged(handle, x: x, y: y, aspect: aspect)
          let name = Comment("\(crop) by \(x), \(y): \(result)")
          #expect(throws: Never.self, name) { try result.validate() }
          if handle == .inside {
            #expect(result.width == crop.width && result.height == crop.height, name)
          } else if let aspect {
            #expect(abs(result.width / result.height - aspect) < 1e-9, name)
          }
        }
      }
    }
  }

  @Test func aFreeDragFollowsTheHandle() {
    let crop = Geometry.Crop(x: 0.2, y: 0.2, width: 0.6, height: 0.6)
    let corner = crop.dragged(.topLeft, x: 0.1, y: -0.1, aspect: nil)
    #expect(abs(corner.x - 0.3) < 1e-9 && abs(corner.y - 0.1) < 1e-9)
    #expect(abs(corner.x + corner.width - 0.8) < 1e-9 && abs(corner.y + corner.height - 0.8) < 1e-9)
    let side = crop.dragged(.right, x: 0.1, y: 0.4, aspect: nil)
    #expect(abs(side.width - 0.7) < 1e-9 && side.height == 0.6 && side.x == 0.2 && side.y == 0.2)
    // It doesn't turn inside out.
    #expect(crop.dragged(.bottom, x: 0, y: -2, aspect: nil).height == Geometry.Crop.leastSide)
  }

  @Test func handlesAreFoundWhereTheyAre() {
    let crop = Geometry.Crop(x: 0.2, y: 0.2, width: 0.6, height: 0.6)
    func at(_ x: Double, _ y: Double) -> CropHandle? { CropHandle.at(x: x, y: y, of: crop, reach: (0.05, 0.05)) }
    #expect(at(0.2, 0.2) == .topLeft && at(0.8, 0.78) == .bottomRight && at(0.17, 0.5) == .left)
    #expect(at(0.5, 0.83) == .bottom && at(0.5, 0.5) == .inside && at(0.1, 0.5) == nil && at(0.5, 0.9) == nil)
    // A crop smaller than a finger still has a middle.
    let small = Geometry.Crop(x: 0.4, y: 0.4, width: 0.06, height: 0.06)
    #expect(CropHandle.at(x: 0.43, y: 0.43, of: small, reach: (0.05, 0.05)) == .inside)
  }

  @Test func ratiosAreThoseOfThePixels() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.open()
    model.select(ratio: .square)
    #expect(model.croppedSize == PixelSize(width: 48, height: 48) && model.cropRatio == .square)
    model.drag(.bottomRight, from: model.recipe.geometry.crop, x: -0.25, y: 0)
    let size = try #require(model.croppedSize)
    #expect(size.width == size.height && size.width < 48)
    model.select(ratio: .sixteenToNine)
    #expect(model.croppedSize == PixelSize(width: 64, height: 36))
    // Turned with the picture.
    model.turnRight()
    #expect(model.croppedSize == PixelSize(width: 36, height: 64) && model.cropRatio == .nineToSixteen)
    model.turnLeft()
    #expect(model.croppedSize == PixelSize(width: 64, height: 36) && model.cropRatio == .sixteenToNine)
    model.setStraighten(10)
    #expect(throws: Never.self) { try model.recipe.validate() }
    model.resetGeometry()
    #expect(model.recipe.geometry.isNeutral && model.cropRatio == nil)
    try await bench.end()
  }

  @Test func fourTurnsAreNone() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.open()
    model.drag(.topLeft, from: .full, x: 0.25, y: 0.5)
    let before = model.recipe
    for _ in 0..<4 { model.turnRight() }
    #expect(model.recipe.geometry == before.geometry)
    model.flip()
    model.flip()
    #expect(model.recipe.geometry == before.geometry)
    try await bench.end()
  }
}
