// The skin of people through a sequence of pictures.

import CameraCore
import Foundation

/// Finds the skin of people: what the person's matte covers and has the colors of their faces (`SkinColors`), or of anybody's
/// skin while no face is seen. For one thread at a time.
///
/// Colors alone don't tell skin from a shirt or hair of the same color.
final class SkinTracker: MatteTracker {
  private let person: PersonTracker
  private let finder: FaceFinder
  private let isStill: Bool
  private var size = PixelSize(width: 0, height: 0)
  /// Of the faces that were seen last.
  private var learned: [SkinColors] = []
  private var lastLook: Double?
  private var smoothing = MatteSmoothing()

  /// The longer side of the picture in which colors are compared, in pixels.
  private static let side = 256
  /// In seconds, from one look for faces to the next: light changes slowly.
  private static let lookPeriod = 0.5

  /// - Parameters:
  ///   - person: Finds the person; its pictures are those of this tracker.
  ///   - folder: Of the models.
  /// - Throws: `ModelError`.
  init(_ person: PersonTracker, isStill: Bool, folder: URL?) throws(ModelError) {
    (self.person, self.isStill) = (person, isStill)
    finder = try FaceFinder(folder: folder)
  }

  func expectPerson() { person.expectPerson() }

  /// - Throws: `ModelError`.
  func matte(of picture: LentPixels, time: Double) throws -> Matte {
    let person = try person.matte(of: picture, time: time)
    if picture.size != size {
      // The same people, shown larger or smaller.
      if !size.hasShape(of: picture.size) { (learned, lastLook) = ([], nil) }
      (size, smoothing) = (picture.size, MatteSmoothing())
    }
    guard person.presence > 0 else { return person }
    let colors = Self.colors(of: picture)
    if isStill || lastLook.map({ time - $0 >= Self.lookPeriod || time < $0 }) ?? true {
      lastLook = time
      let faces =
        isStill
        ? try FaceSearch.faces(in: picture, by: finder)
        : try finder.faces(in: picture)
      // Who turns away keeps the colors.
      let new = faces.compactMap { SkinColors(learningFrom: Self.colors(of: $0, in: colors)) }
      if !new.isEmpty { learned = new }
    }
    let (width, height) = (colors[0].width, colors[0].height)
    var skin = Plane(width: width, height: height)
    person.block.withUnsafeBytes { covered in
      for index in skin.numbers.indices {
        let (x, y) = (index % width, index / width)
        let place = (2 * y + 1) * size.height / (2 * height) * size.width + (2 * x + 1) * size.width / (2 * width)
        guard covered[place] > 0 else { continue }
        skin.numbers[index] = Float(likelihood(Self.color(index, in: colors))) * Float(covered[place]) / 255
      }
    }
    skin = smoothing.smooth(skin.blurred(radius: 1))
    let block = MatteRefinement(skin, colors: colors, guide: .color).matte(of: picture)
    return Matte(size: size, block: Self.smaller(block, person.block), presence: person.presence)
  }

  private func likelihood(_ color: SIMD3<Double>) -> Double {
    guard !learned.isEmpty else { return SkinColors.genericLikelihood(color) }
    return learned.reduce(0) { max($0, $1.likelihood(color)) }
  }

  /// The smaller of both, pixel by pixel.
  private static func smaller(_ one: FrameBlock, _ other: FrameBlock) -> FrameBlock {
    one.withUnsafeBytes { one in
      other.withUnsafeBytes { other in
        FrameBlock(count: one.count) { target in
          for index in target.indices { target[index] = min(one[index], other[index]) }
        }
      }
    }
  }

  // MARK: Colors

  /// Red, green and blue of a small copy, 0…1.
  private static func colors(of picture: LentPixels) -> [Plane] {
    let scale = min(1, Double(side) / Double(max(picture.size.width, picture.size.height)))
    let size = PixelSize(
      width: max(1, Int(Double(picture.size.width) * scale)), height: max(1, Int(Double(picture.size.height) * scale)))
    var numbers = [Float](repeating: 0, count: 3 * size.area)
    numbers.withUnsafeMutableBufferPointer {
      let placement = PictureSampling.Placement(x: 0, y: 0, size: size)
      PictureSampling.write(picture, to: $0, of: size, at: placement, scale: 1 / 255, offset: 0)
    }
    return (0..<3).map { channel in
      Plane(
        width: size.width, height: size.height,
        numbers: stride(from: channel, to: numbers.count, by: 3).map { numbers[$0] })
    }
  }

  private static func color(_ index: Int, in colors: [Plane]) -> SIMD3<Double> {
    255 * SIMD3(Double(colors[0].numbers[index]), Double(colors[1].numbers[index]), Double(colors[2].numbers[index]))
  }

  /// The colors of a face, 0…255; none of one beyond the picture.
  private static func colors(of face: FoundFace, in colors: [Plane]) -> [SIMD3<Double>] {
    let (width, height) = (colors[0].width, colors[0].height)
    func range(_ center: Double, _ reach: Double, _ count: Int) -> Range<Int> {
      guard center.isFinite, reach.isFinite else { return 0..<0 }
      func place(_ value: Double) -> Int { Int(max(0, min(1, value)) * Double(count)) }
      return place(center - reach)..<max(place(center - reach), place(center + reach))
    }
    let columns = range(face.center.x, SkinColors.part.across * face.width, width)
    return range(face.center.y, SkinColors.part.down * face.height, height).flatMap { y in
      columns.map { color(y * width + $0, in: colors) }
    }
  }
}
