// A person through a sequence of pictures.

import CameraCore
import Foundation

/// Finds the matte of people in one picture after another. For one thread at a time.
final class PersonTracker: MatteTracker {
  private let network: Network
  private let finder: FaceFinder
  private let size: PixelSize
  private let guide: MatteRefinement.Guide
  private var smoothing = MatteSmoothing()
  private var gate = PresenceGate()
  private var last: Plane?

  /// - Parameter folder: Of the models.
  /// - Throws: `ModelError`.
  init(_ file: ModelFile, guide: MatteRefinement.Guide, folder: URL?) throws(ModelError) {
    let network = try Network(file.load(from: folder))
    guard let shape = network.inputShapes.first, shape.count == 4, shape[3] == 3,
      network.outputCounts == [shape[1] * shape[2]]
    else { throw .wrongShape(file.rawValue) }
    (self.network, self.guide) = (network, guide)
    size = PixelSize(width: shape[2], height: shape[1])
    finder = try FaceFinder(folder: folder)
  }

  /// - Throws: `ModelError.refused`.
  func matte(of picture: LentPixels, time: Double) throws -> Matte {
    var numbers: [Float] = []
    network.withInput { input in
      let placement = PictureSampling.Placement(x: 0, y: 0, size: size)
      PictureSampling.write(picture, to: input, of: size, at: placement, scale: 1 / 255, offset: 0)
      numbers = [Float](input)
    }
    try network.run()
    let colors = (0..<3).map { channel in
      Plane(
        width: size.width, height: size.height,
        numbers: stride(from: channel, to: numbers.count, by: 3).map { numbers[$0] })
    }
    // What isn't a number covers nothing.
    let found = Plane(
      width: size.width, height: size.height, numbers: network.output().map { $0 >= 0 ? min(1, $0) : 0 })
    let smooth = smoothing.smooth(found)
    let face = gate.wantsFaces(at: time) ? try finder.faces(in: picture).first?.score ?? 0 : nil
    let coverage = Double(smooth.numbers.reduce(0, +)) / Double(size.area)
    gate.update(time: time, face: face, coverage: coverage, resemblance: last.map { Self.resemblance($0, smooth) } ?? 1)
    last = smooth
    let block: FrameBlock
    if gate.presence > 0 {
      block = MatteRefinement(smooth, colors: colors, guide: guide).matte(of: picture)
    } else {
      block = FrameBlock(count: picture.size.area) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
    }
    return Matte(size: picture.size, block: block, presence: gate.presence)
  }

  /// What two mattes have in common, in parts of both together; 1 for two that cover nothing.
  static func resemblance(_ one: Plane, _ other: Plane) -> Double {
    var (common, both) = (Float(0), Float(0))
    for (first, second) in zip(one.numbers, other.numbers) {
      common += min(first, second)
      both += max(first, second)
    }
    return both > 0 ? Double(common / both) : 1
  }
}
