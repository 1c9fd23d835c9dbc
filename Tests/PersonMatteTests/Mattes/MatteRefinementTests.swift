// Mattes with the edges of the picture.

import CameraCore
import Foundation
import Testing

@testable import PersonMatte

@Suite struct MatteRefinementTests {
  private static let guides: [MatteRefinement.Guide] = [.gray, .color]

  /// A picture of two halves, with the edge anywhere.
  private func picture(_ size: PixelSize, edge: Int, _ left: SIMD4<UInt8>, _ right: SIMD4<UInt8>) -> [UInt8] {
    (0..<size.height).flatMap { _ in
      (0..<size.width).flatMap { x in (0..<4).map { x < edge ? left[$0] : right[$0] } }
    }
  }

  private func refined(
    _ bytes: [UInt8], _ size: PixelSize, _ matte: Plane, guide: MatteRefinement.Guide
  ) -> [UInt8] {
    var numbers = [Float](repeating: 0, count: 3 * matte.numbers.count)
    return bytes.withUnsafeBytes { memory in
      let picture = LentPixels(memory, size: size, stride: 4 * size.width)
      let small = PixelSize(width: matte.width, height: matte.height)
      numbers.withUnsafeMutableBufferPointer {
        PictureSampling.write(
          picture, to: $0, of: small, at: PictureSampling.Placement(x: 0, y: 0, size: small), scale: 1 / 255, offset: 0)
      }
      let colors = (0..<3).map { channel in
        Plane(
          width: matte.width, height: matte.height,
          numbers: stride(from: channel, to: numbers.count, by: 3).map { numbers[$0] })
      }
      return MatteRefinement(matte, colors: colors, guide: guide).matte(of: picture).bytes
    }
  }

  @Test("What is sure everywhere stays so", arguments: guides, [Float(0), 1])
  func sure(_ guide: MatteRefinement.Guide, _ value: Float) {
    let size = PixelSize(width: 90, height: 41)
    let bytes = picture(size, edge: 31, [10, 200, 90, 0], [240, 30, 120, 0])
    let result = refined(bytes, size, Plane(width: 30, height: 13, repeating: value), guide: guide)
    #expect(result.count == size.area && result.allSatisfy { $0 == UInt8(value * 255) })
  }

  @Test("A coarse edge moves to the edge of the picture", arguments: guides)
  func edges(_ guide: MatteRefinement.Guide) {
    let size = PixelSize(width: 320, height: 80)
    // The edge of the matte is three pixels of the large picture beside that of the picture, and soft.
    let matte = Plane(
      width: 32, height: 8,
      numbers: (0..<32 * 8).map { index in
        let x = Float(index % 32)
        return max(0, min(1, (x - 14.7) / 2))
      })
    let bytes = picture(size, edge: 160, [40, 40, 40, 0], [200, 210, 220, 0])
    let result = refined(bytes, size, matte, guide: guide)
    for y in 10..<70 {
      #expect(result[y * 320 + 156] < 40 && result[y * 320 + 163] > 215, "\(result[y * 320 + 150..<y * 320 + 170])")
    }
  }

  @Test("Colors of one brightness are told apart by the color guide")
  func equallyBright() {
    let size = PixelSize(width: 320, height: 80)
    // 0.299 · 60 + 0.587 · 100 + 0.114 · 180 and 0.299 · 160 + 0.587 · 60 + 0.114 · 124 are one brightness.
    let bytes = picture(size, edge: 160, [180, 100, 60, 0], [124, 60, 160, 0])
    let matte = Plane(
      width: 32, height: 8, numbers: (0..<32 * 8).map { max(0, min(1, (Float($0 % 32) - 14) / 3)) })
    func width(_ guide: MatteRefinement.Guide) -> Int {
      let row = refined(bytes, size, matte, guide: guide)[40 * 320..<41 * 320]
      return row.count { (26...229).contains($0) }
    }
    #expect(width(.color) < width(.gray) / 2, "\(width(.color)), \(width(.gray))")
  }

  @Test("In a gray picture the color guide does what the gray one does")
  func gray() {
    let size = PixelSize(width: 320, height: 80)
    let bytes = picture(size, edge: 160, [0, 0, 0, 0], [255, 255, 255, 0])
    let matte = Plane(
      width: 32, height: 8, numbers: (0..<32 * 8).map { max(0, min(1, (Float($0 % 32) - 14) / 3)) })
    let (one, other) = (refined(bytes, size, matte, guide: .gray), refined(bytes, size, matte, guide: .color))
    #expect(zip(one, other).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
  }

  @Test func theSystemIsSolved() {
    let solution = MatteRefinement.solve((4, 1, 0.5, 3, 0.25, 2), SIMD3(6.5, 7.75, 7))
    let back = SIMD3(
      4 * solution.x + solution.y + 0.5 * solution.z, solution.x + 3 * solution.y + 0.25 * solution.z,
      0.5 * solution.x + 0.25 * solution.y + 2 * solution.z)
    #expect((0..<3).allSatisfy { abs(back[$0] - SIMD3<Float>(6.5, 7.75, 7)[$0]) < 1e-4 }, "\(back)")
    // Nothing to solve.
    #expect(MatteRefinement.solve((0, 0, 0, 0, 0, 0), SIMD3(1, 1, 1)) == SIMD3())
  }
}
