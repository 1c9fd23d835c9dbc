// Red pupils of the faces in a picture.

import CameraCore
import Foundation

/// Finds the pupils that a flash has made red.
///
/// Around each eye of a face the largest red patch is taken. Red is R² / (G² + B² + 14), which is some 1 for pale skin, 2 for
/// dark skin and lips, and 4 to 20 for such pupils (M. Gaubatz, R. Ulichney, “Automatic Red-Eye Detection and Correction”, ICIP
/// 2002); the limit depends on the skin of the face. Shadows of lids and brown irises are dark orange, which is red by that
/// measure: a pupil has as little green as blue, and isn't dark. The patch is a pupil when its size is one, it is round, and
/// there is something else around it.
public enum RedEyeFinder {
  /// The least redness of a pupil, and in parts of the median of the face.
  static let (leastRedness, leastContrast): (Float, Float) = (2.8, 1.9)
  /// The least red of a pupil, 0…255, and in parts of the median of the face: in the dark any noise is a color.
  static let (leastRed, leastRedPart): (Float, Float) = (80, 0.6)
  /// By how much green exceeds blue at most, in parts of by how much red does: 0 is red, 1 yellow.
  static let mostOrange: Float = 0.2
  /// The half side of the square in which a pupil is looked for, in parts of the distance between the eyes.
  static let reach = 0.28
  /// The radius of a pupil, in the same parts: 2 to 9 mm of the 63 mm from one to the other.
  static let pupil = 0.02...0.15
  /// The least part of the square around a pupil that is one; π/4 for a circle.
  static let leastFill = 0.45
  /// The most by which one side of that square is longer.
  static let mostStretch = 2.2
  /// The size of the spot, in parts of the pupil's.
  static let spot = 1.6
  /// The least distance between the eyes, and the least pupil, in pixels: fewer can't be told from noise.
  static let (leastDistance, leastCount) = (24.0, 8)
  /// The longer side of a picture in which pupils can be found, in pixels; more makes no difference.
  public static let side = 3072

  /// - Parameters:
  ///   - picture: Upright, of any size.
  ///   - faces: In that picture.
  /// - Returns: Spots for `AdjustmentRecipe.redEye`, in the order of the faces.
  public static func spots(in picture: DecodedImage, faces: [FoundFace]) -> [RedEyeSpot] {
    let found = picture.block.withUnsafeBytes { bytes in
      let reading = Reading(bytes: bytes, size: picture.size, stride: picture.stride)
      return faces.flatMap { reading.spots(of: $0) }
    }
    return Array(found.prefix(RedEyeSpot.most))
  }

  static func redness(_ color: SIMD3<Float>) -> Float {
    color.x * color.x / (color.y * color.y + color.z * color.z + 14)
  }

  /// A patch of connected red pixels.
  private struct Patch {
    var count = 0
    var sum = SIMD2<Double>()
    var columns = Int.max...Int.max
    var rows = Int.max...Int.max

    mutating func add(_ x: Int, _ y: Int) {
      (columns, rows) =
        count == 0
        ? (x...x, y...y)
        : (min(columns.lowerBound, x)...max(columns.upperBound, x), min(rows.lowerBound, y)...max(rows.upperBound, y))
      count += 1
      sum += SIMD2(Double(x), Double(y))
    }

    /// That of a disk of the same area, in pixels.
    var radius: Double { (Double(count) / .pi).squareRoot() }

    var isRound: Bool {
      let (width, height) = (Double(columns.count), Double(rows.count))
      return Double(count) >= leastFill * width * height && max(width, height) <= mostStretch * min(width, height)
    }
  }

  /// The pixels of a picture.
  private struct Reading {
    let bytes: UnsafeRawBufferPointer
    let size: PixelSize
    let stride: Int

    func color(_ x: Int, _ y: Int) -> SIMD3<Float> {
      let at = y * stride + 4 * x
      return SIMD3(Float(bytes[at + 2]), Float(bytes[at + 1]), Float(bytes[at]))
    }

    func spots(of face: FoundFace) -> [RedEyeSpot] {
      let (width, height) = (Double(size.width), Double(size.height))
      let (across, down) = ((face.leftEye.x - face.rightEye.x) * width, (face.leftEye.y - face.rightEye.y) * height)
      let distance = (across * across + down * down).squareRoot()
      guard distance >= leastDistance, distance.isFinite else { return [] }
      let skin = skin(of: face)
      let limits = (
        red: max(leastRed, leastRedPart * skin.red), redness: max(leastRedness, leastContrast * skin.redness)
      )
      return [face.rightEye, face.leftEye].compactMap { eye in
        guard let patch = patch(aroundX: eye.x * width, y: eye.y * height, distance, limits) else { return nil }
        let center = patch.sum / Double(patch.count) + 0.5
        return RedEyeSpot(
          x: center.x / width, y: center.y / height, radius: spot * patch.radius / max(width, height))
      }
    }

    /// The medians of the face. Some hundred of its pixels are looked at.
    private func skin(of face: FoundFace) -> (red: Float, redness: Float) {
      var colors: [SIMD3<Float>] = []
      for row in 0..<16 {
        for column in 0..<16 {
          let x = face.x + face.width * (0.2 + 0.6 * (Double(column) + 0.5) / 16)
          let y = face.y + face.height * (0.2 + 0.6 * (Double(row) + 0.5) / 16)
          guard (0..<1).contains(x), (0..<1).contains(y) else { continue }
          colors.append(color(Int(x * Double(size.width)), Int(y * Double(size.height))))
        }
      }
      guard !colors.isEmpty else { return (0, 0) }
      return (colors.map(\.x).sorted()[colors.count / 2], colors.map(redness).sorted()[colors.count / 2])
    }

    /// The largest patch around an eye that is a pupil.
    private func patch(aroundX x: Double, y: Double, _ distance: Double, _ limits: (red: Float, redness: Float))
      -> Patch?
    {
      guard x.isFinite, y.isFinite, abs(x) < 1e6, abs(y) < 1e6 else { return nil }
      let reach = distance * reach
      let columns = Int(x - reach)..<max(Int(x - reach), Int(x + reach) + 1)
      let rows = Int(y - reach)..<max(Int(y - reach), Int(y + reach) + 1)
      // An eye at the picture's border has no surroundings to be told from.
      guard columns.lowerBound >= 0, rows.lowerBound >= 0, columns.upperBound <= size.width,
        rows.upperBound <= size.height
      else { return nil }
      let width = columns.count
      var isRed = [Bool](repeating: false, count: width * rows.count)
      for row in rows {
        for column in columns {
          let color = color(column, row)
          isRed[(row - rows.lowerBound) * width + column - columns.lowerBound] =
            color.x >= limits.red && redness(color) >= limits.redness
            && color.y - color.z <= mostOrange * (color.x - color.z)
        }
      }
      var best: Patch?
      for start in isRed.indices where isRed[start] {
        let patch = Self.take(from: start, width: width, &isRed)
        let isInside =
          patch.columns.lowerBound > 0 && patch.rows.lowerBound > 0 && patch.columns.upperBound < width - 1
          && patch.rows.upperBound < rows.count - 1
        guard isInside, patch.count >= leastCount, pupil.contains(patch.radius / distance), patch.isRound,
          patch.count > best?.count ?? 0
        else { continue }
        best = patch
      }
      guard var best else { return nil }
      best.sum += SIMD2(Double(columns.lowerBound), Double(rows.lowerBound)) * Double(best.count)
      return best
    }

    /// Takes a patch of connected pixels out.
    private static func take(from start: Int, width: Int, _ isRed: inout [Bool]) -> Patch {
      var patch = Patch()
      var open = [start]
      isRed[start] = false
      while let place = open.popLast() {
        let (x, y) = (place % width, place / width)
        patch.add(x, y)
        func visit(_ next: Int) {
          guard isRed.indices.contains(next), isRed[next] else { return }
          isRed[next] = false
          open.append(next)
        }
        if x > 0 { visit(place - 1) }
        if x < width - 1 { visit(place + 1) }
        visit(place - width)
        visit(place + width)
      }
      return patch
    }
  }
}
