// People through a sequence of pictures.

import CameraCore
import Foundation

/// Finds the matte of people in one picture after another. For one thread at a time.
final class PersonTracker: MatteTracker {
  private let models: (wide: NetworkModel, general: NetworkModel)
  private let finder: FaceFinder
  private let guide: MatteRefinement.Guide
  private let isStill: Bool
  /// For pictures of the shape of the last one.
  private var network: (picture: PixelSize, network: Network, size: PixelSize)?
  private var smoothing = MatteSmoothing()
  private var edges = EdgeSmoothing()
  private var gate = PresenceGate()
  private var search = FaceSearch()
  /// See `expectPerson`.
  private var isExpected = false
  private var last: Plane?
  /// Of the last picture with a face.
  private var lastWithFace: Plane?

  /// From this aspect ratio on, pictures are wide: a 4:3 picture loses less in 256×144 pixels than a square.
  private static let wideRatio = 4.0 / 3

  /// The windows in which faces are looked for: in the first picture of a sequence, which may be the only one, and in each
  /// of the others.
  private static let (windowsAtFirst, windowsLater) = (120, 4)

  /// - Parameters:
  ///   - isLive: The faster network for wide pictures; otherwise that for pictures of any shape.
  ///   - folder: Of the models.
  /// - Throws: `ModelError`.
  init(isLive: Bool, guide: MatteRefinement.Guide, folder: URL?) throws(ModelError) {
    let general = try ModelFile.selfie.load(from: folder)
    models = (isLive ? try ModelFile.selfieLandscape.load(from: folder) : general, general)
    (self.guide, isStill) = (guide, !isLive)
    finder = try FaceFinder(folder: folder)
    // Whether they run here is known before the first picture.
    _ = try Network(models.wide)
  }

  private func network(for picture: PixelSize) throws(ModelError) -> (network: Network, size: PixelSize) {
    if let network {
      if network.picture == picture { return (network.network, network.size) }
      // The same people in a picture that is shown larger or smaller, as while a window is resized: mattes are compared in the
      // network's size.
      if network.picture.hasShape(of: picture) {
        self.network?.picture = picture
        edges = EdgeSmoothing()
        return (network.network, network.size)
      }
    }
    let isWide = Double(picture.width) >= Self.wideRatio * Double(picture.height)
    let made = try Network(isWide ? models.wide : models.general)
    guard let shape = made.inputShapes.first, shape.count == 4, shape[3] == 3,
      made.outputCounts == [shape[1] * shape[2]]
    else { throw .wrongShape("segmentation") }
    let size = PixelSize(width: shape[2], height: shape[1])
    network = (picture, made, size)
    (smoothing, edges, gate) = (MatteSmoothing(), EdgeSmoothing(), PresenceGate())
    (last, lastWithFace) = (nil, nil)
    if isExpected { gate.expect() }
    isExpected = false
    return (made, size)
  }

  /// - Throws: `ModelError`.
  func matte(of picture: LentPixels, time: Double) throws -> Matte {
    let (network, size) = try network(for: picture.size)
    var numbers: [Float] = []
    network.withInput { input in
      let placement = PictureSampling.Placement(x: 0, y: 0, size: size)
      PictureSampling.write(picture, to: input, of: size, at: placement, scale: 1 / 255, offset: 0)
      numbers = [Float](input)
    }
    try network.run()
    func plane(_ numbers: [Float]) -> Plane { Plane(width: size.width, height: size.height, numbers: numbers) }
    let colors = (0..<3).map { channel in plane(stride(from: channel, to: numbers.count, by: 3).map { numbers[$0] }) }
    // What isn't a number covers nothing.
    var matte = smoothing.smooth(MatteCleaning.clean(plane(network.output().map { $0 >= 0 ? min(1, $0) : 0 })))
    var faceOfStill: Double?
    if isStill {
      let faces = try FaceSearch.faces(in: picture, by: finder)
      try CloserLook(network: network, size: size).improve(&matte, of: picture, faces)
      faceOfStill = FaceSearch.score(of: faces, matte)
    }
    let observation = PresenceGate.Observation(
      coverage: Double(matte.numbers.reduce(0, +)) / Double(size.area),
      continuity: last.map { Self.overlap($0, matte) } ?? 1, likeness: lastWithFace.map { Self.overlap($0, matte) } ?? 1
    )
    let face =
      gate.wantsFaces(at: time, observation)
      ? try faceOfStill
        ?? search.score(
          in: picture, matte, by: finder, surely: gate.surely,
          most: last == nil ? Self.windowsAtFirst : Self.windowsLater)
      : nil
    if gate.update(time: time, face: face, observation) { lastWithFace = matte }
    last = matte
    guard gate.presence > 0 else {
      edges = EdgeSmoothing()
      return .nobody(picture.size)
    }
    var block = MatteRefinement(matte, colors: colors, guide: guide).matte(of: picture)
    if !isStill { block = edges.smooth(block) }
    return Matte(size: picture.size, block: block, presence: gate.presence)
  }

  func expectPerson() { isExpected = true }

  /// What two mattes have in common, in parts of both together (intersection over union); 1 for two that cover nothing.
  static func overlap(_ one: Plane, _ other: Plane) -> Double {
    var (common, both) = (Float(0), Float(0))
    for (first, second) in zip(one.numbers, other.numbers) {
      common += min(first, second)
      both += max(first, second)
    }
    return both > 0 ? Double(common / both) : 1
  }
}

extension PixelSize {
  /// Whether the sides have the same ratio, but for a rounded pixel of each.
  func hasShape(of other: PixelSize) -> Bool {
    abs(width * other.height - other.width * height) <= 2 * (max(width, height) + max(other.width, other.height))
  }
}
