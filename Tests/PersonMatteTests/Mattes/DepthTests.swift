// Mattes with the distances of a simulated depth camera.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PersonMatte

/// A person before a wall, with a box in the hands and a desk in front; seen by a camera, and by a depth camera that sees more
/// of it from another place.
private struct Scene {
  static let size = PixelSize(width: 320, height: 180)
  static let depthSize = PixelSize(width: 240, height: 160)
  /// Where the depth camera sees a point of the picture.
  var place = DepthRegistration.Place(scale: 0.8, x: 0.03, y: -0.03)
  /// Of 65,536 distances, how many aren't measured.
  var holes = 3000

  enum Thing { case person, box, desk, wall }

  /// - Parameters: From the middle of the picture, -½…½ at its edges.
  func thing(_ x: Double, _ y: Double) -> Thing {
    if abs(x - 0.16) < 0.05, abs(y - 0.1) < 0.12 { return .box }
    let head = (x * x) / (0.08 * 0.08) + (y + 0.2) * (y + 0.2) / (0.16 * 0.16) < 1
    let body = y > -0.08 && abs(x) < 0.13
    if y > 0.42 { return .desk }
    return head || body ? .person : .wall
  }

  func distance(_ thing: Thing, _ y: Double) -> Double {
    switch thing {
    case .person: 900
    case .box: 880
    case .desk: 700
    case .wall: 2600 + 200 * y
    }
  }

  /// The truth: person and box.
  func covers(_ x: Double, _ y: Double) -> Bool { [.person, .box].contains(thing(x, y)) }

  func frame(_ time: MonotonicTime) -> DepthFrame {
    var noise = SeededNumbers(state: 7)
    let size = Self.depthSize
    let block = FrameBlock(count: 2 * size.area) { bytes in
      for row in 0..<size.height {
        for column in 0..<size.width {
          let x = ((Double(column) + 0.5) / Double(size.width) - 0.5 - place.x) / place.scale
          let y = ((Double(row) + 0.5) / Double(size.height) - 0.5 - place.y) / place.scale
          let measured = distance(thing(x, y), y) * Double.random(in: 0.99...1.01, using: &noise)
          let number = Int.random(in: 0..<65_536, using: &noise) < holes ? 0 : UInt16(measured)
          bytes.storeBytes(
            of: number.littleEndian, toByteOffset: 2 * (row * size.width + column), as: UInt16.self)
        }
      }
    }
    return DepthFrame(time: time, size: size, block: block)
  }

  /// The network's answer: without the box, and with a piece of the wall.
  func found(presence: Double = 1) -> Matte {
    let size = Self.size
    let block = FrameBlock(count: size.area) { bytes in
      for index in bytes.indices {
        let (x, y) = Self.point(index)
        let blob = abs(x + 0.3) < 0.07 && abs(y) < 0.1
        bytes[index] = thing(x, y) == .person || blob ? 255 : 0
      }
    }
    return Matte(size: size, block: block, presence: presence)
  }

  static func point(_ index: Int) -> (x: Double, y: Double) {
    (
      (Double(index % size.width) + 0.5) / Double(size.width) - 0.5,
      (Double(index / size.width) + 0.5) / Double(size.height) - 0.5
    )
  }

  /// How much a matte and the truth have in common, without the desk's edge.
  func likeness(_ matte: Matte) -> Double {
    var (common, both) = (0.0, 0.0)
    matte.block.withUnsafeBytes { bytes in
      for index in bytes.indices {
        let (x, y) = Self.point(index)
        guard y < 0.38 else { continue }
        let (value, truth) = (Double(bytes[index]) / 255, covers(x, y) ? 1.0 : 0)
        common += min(value, truth)
        both += max(value, truth)
      }
    }
    return common / both
  }

  /// The picture: each thing has its color.
  func withPicture<R>(_ body: (LentPixels) throws -> R) rethrows -> R {
    var pixels = (0..<Self.size.area).map { index -> UInt32 in
      let (x, y) = Self.point(index)
      return switch thing(x, y) {
      case .person: 0x804020
      case .box: 0x20c040
      case .desk: 0x303030
      case .wall: 0xd0d0e0
      }
    }
    return try pixels.withUnsafeMutableBytes {
      try body(LentPixels(UnsafeRawBufferPointer($0), size: Self.size, stride: 4 * Self.size.width))
    }
  }
}

/// Finds the same matte in each picture.
private struct ScriptedMattes: MatteProvider {
  var matte: Matte
  var kinds: Set<MatteKind> { [.person, .skin] }
  func reasonForAbsence() -> (any Error)? { nil }
  func makeTracker(_ kind: MatteKind, quality: MatteQuality) throws -> any MatteTracker { Tracker(matte) }

  final class Tracker: MatteTracker {
    let matte: Matte
    init(_ matte: Matte) { self.matte = matte }
    func matte(of picture: LentPixels, time: Double) -> Matte { matte }
  }
}

@Suite(.timeLimit(.minutes(30))) struct DepthTests {
  private func board(_ scene: Scene, at seconds: Double = 5) -> DepthBoard {
    let board = DepthBoard()
    let reader = board.setReader { _ in }
    board.put(scene.frame(MonotonicTime(nanoseconds: Int64(seconds * 1e9))), from: reader)
    return board
  }

  @Test(
    "The place of the picture in the distances is learned",
    arguments: [(1.0, 0.0, 0.0), (0.8, 0.03, -0.03), (0.7, -0.06, 0.06), (1.1, 0.03, 0.03)])
  func registration(_ scale: Double, _ x: Double, _ y: Double) {
    let scene = Scene(place: .init(scale: scale, x: x, y: y))
    var registration = DepthRegistration()
    let small = DepthTracker.smallSize(of: Scene.size)
    #expect(small == PixelSize(width: 160, height: 90))
    let matte = Plane(scene.found(), size: small)
    registration.update(matte, scene.frame(.now))
    // The points of the person are where they belong, whatever the numbers that bring them there.
    let distances = registration.distances(in: scene.frame(.now), small)
    var (right, all) = (0, 0)
    for index in 0..<small.area where distances.numbers[index] > 0 {
      let (column, row) = (index % small.width, index / small.width)
      let place = ((Double(column) + 0.5) / Double(small.width) - 0.5, (Double(row) + 0.5) / Double(small.height) - 0.5)
      guard abs(place.0) < 0.35, abs(place.1) < 0.35 else { continue }
      let truth = scene.distance(scene.thing(place.0, place.1), place.1)
      all += 1
      if abs(Double(distances.numbers[index]) - truth) < 0.1 * truth { right += 1 }
    }
    #expect(Double(right) > 0.93 * Double(all), "\(right) of \(all), \(registration.place)")
  }

  @Test("What is held comes, the wall goes, and nothing is needed where nothing is measured")
  func tracker() throws {
    let scene = Scene()
    let board = board(scene)
    let provider = DepthMatteProvider(board, others: ScriptedMattes(matte: scene.found()))
    #expect(provider.kinds == [.person, .skin] && provider.reasonForAbsence() == nil)
    let tracker = try provider.makeTracker(.person, quality: .live)
    let better = try scene.withPicture { try tracker.matte(of: $0, time: 5.05) }
    let before = scene.likeness(scene.found())
    #expect(before < 0.75)
    #expect(scene.likeness(better) > 0.93, "\(scene.likeness(better)), before \(before)")
    #expect(better.size == Scene.size && better.presence == 1)
    // Times that are none.
    for time in [Double.nan, .infinity, 1e300, -1] {
      let matte = try scene.withPicture { try tracker.matte(of: $0, time: time) }
      #expect(scene.likeness(matte) == before)
    }
    // Too long ago.
    let later = try scene.withPicture { try tracker.matte(of: $0, time: 5.5) }
    #expect(scene.likeness(later) == before)
  }

  @Test("Nobody stays nobody, and stills, movies and skin are the networks’ alone")
  func others() throws {
    let scene = Scene()
    let board = board(scene)
    let nobody = DepthMatteProvider(board, others: ScriptedMattes(matte: scene.found(presence: 0)))
    let tracker = try nobody.makeTracker(.person, quality: .live)
    #expect(try scene.withPicture { try tracker.matte(of: $0, time: 5) }.presence == 0)
    let provider = DepthMatteProvider(board, others: ScriptedMattes(matte: scene.found()))
    for (kind, quality) in [(MatteKind.person, MatteQuality.still), (.person, .movie), (.skin, .live)] {
      let tracker = try provider.makeTracker(kind, quality: quality)
      #expect(!(tracker is DepthTracker))
    }
  }

  @Test("The depth camera works while a tracker lives")
  func following() throws {
    let board = DepthBoard()
    let provider = DepthMatteProvider(board, others: ScriptedMattes(matte: Scene().found()))
    var tracker: (any MatteTracker)? = try provider.makeTracker(.person, quality: .live)
    #expect(board.isFollowed && tracker != nil)
    tracker = nil
    #expect(!board.isFollowed)
  }

  @Test("Distances that say nothing change nothing", arguments: [0, 1, 65_535])
  func nothingMeasured(_ distance: Int) throws {
    let scene = Scene()
    let board = DepthBoard()
    for size in [PixelSize(width: 1, height: 1), PixelSize(width: 64, height: 48)] {
      let block = FrameBlock(count: 2 * size.area) { bytes in
        bytes.bindMemory(to: UInt16.self).update(repeating: UInt16(distance).littleEndian)
      }
      let reader = board.setReader { _ in }
      board.put(DepthFrame(time: MonotonicTime(nanoseconds: 5_000_000_000), size: size, block: block), from: reader)
      let provider = DepthMatteProvider(board, others: ScriptedMattes(matte: scene.found()))
      let tracker = try provider.makeTracker(.person, quality: .live)
      let matte = try scene.withPicture { try tracker.matte(of: $0, time: 5) }
      #expect(scene.likeness(matte) == scene.likeness(scene.found()) && matte.presence == 1)
    }
  }
}
