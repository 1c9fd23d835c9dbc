// Turning, flipping, straightening and cropping.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoEffects

@Suite struct GeometryTests {
  static let sizes = [(1, 1), (1, 5), (6, 1), (2, 2), (7, 4), (16, 9), (150, 70)]

  static func render(_ source: PixelBuffer, isEven: Bool = false, threads: Int = 1, _ set: (inout Geometry) -> Void)
    throws -> PixelBuffer
  {
    var geometry = Geometry()
    set(&geometry)
    return try render(source, geometry, isEven: isEven, threads: threads)
  }

  static func render(
    _ source: PixelBuffer, _ geometry: Geometry, isEven: Bool = false, threads: Int = 1
  ) throws -> PixelBuffer {
    var source = source
    var target = PixelBuffer(size: geometry.outputSize(for: source.size, isEven: isEven), color: 0xdead_beef)
    try source.withView { source in
      try target.withView {
        try geometry.render(source, into: $0, isEven: isEven, scratch: EffectScratch(threadCount: threads))
      }
    }
    return target
  }

  /// A random geometry without straightening.
  static func random(_ numbers: inout SeededNumbers) -> Geometry {
    var geometry = Geometry()
    geometry.turn = Geometry.Turn.allCases.randomElement(using: &numbers) ?? .none
    geometry.isFlipped = Bool.random(using: &numbers)
    let x = Double.random(in: 0...0.8, using: &numbers)
    let y = Double.random(in: 0...0.8, using: &numbers)
    geometry.crop = Geometry.Crop(
      x: x, y: y, width: Double.random(in: 0.1...1 - x, using: &numbers),
      height: Double.random(in: 0.1...1 - y, using: &numbers))
    return geometry
  }

  @Test(arguments: sizes) func turnsAreExact(width: Int, height: Int) throws {
    let source = ProceduralScene.noise(width, height)
    let right = try Self.render(source) { $0.turn = .right }
    #expect(right.size == PixelSize(width: height, height: width))
    let half = try Self.render(source) { $0.turn = .upsideDown }
    let left = try Self.render(source) { $0.turn = .left }
    let flipped = try Self.render(source) { $0.isFlipped = true }
    for y in 0..<height {
      for x in 0..<width {
        // Clockwise: the upper left corner comes to the upper right. Pixels are moved with all their bytes.
        #expect(right[height - 1 - y, x] == source[x, y])
        #expect(half[width - 1 - x, height - 1 - y] == source[x, y])
        #expect(left[y, width - 1 - x] == source[x, y])
        #expect(flipped[width - 1 - x, y] == source[x, y])
      }
    }
  }

  @Test(arguments: sizes) func fourTurnsAndTwoFlipsAreNothing(width: Int, height: Int) throws {
    let source = ProceduralScene.noise(width, height)
    var turned = source
    for _ in 0..<4 { turned = try Self.render(turned) { $0.turn = .right } }
    #expect(turned == source)
    let once = try Self.render(source) { $0.isFlipped = true }
    #expect(try Self.render(once) { $0.isFlipped = true } == source)
    #expect(try Self.render(source, Geometry()) == source)
  }

  /// The buttons change the values as they would change the pixels.
  @Test(arguments: 0..<40) func buttonsActOnWhatIsSeen(seed: UInt64) throws {
    var numbers = SeededNumbers(state: seed)
    // 20 pixels each way and a crop in twentieths: whole pixels before and after.
    let source = ProceduralScene.noise(20, 20, seed: seed)
    var geometry = Self.random(&numbers)
    func twentieth(_ value: Double) -> Double { (value * 20).rounded() / 20 }
    geometry.crop = Geometry.Crop(
      x: twentieth(geometry.crop.x), y: twentieth(geometry.crop.y), width: max(0.05, twentieth(geometry.crop.width)),
      height: max(0.05, twentieth(geometry.crop.height)))
    if geometry.crop.x + geometry.crop.width > 1 { geometry.crop.x = 1 - geometry.crop.width }
    if geometry.crop.y + geometry.crop.height > 1 { geometry.crop.y = 1 - geometry.crop.height }
    let seen = try Self.render(source, geometry)

    var right = geometry
    right.turnRight()
    #expect(try Self.render(source, right) == Self.render(seen) { $0.turn = .right })
    var left = geometry
    left.turnLeft()
    #expect(try Self.render(source, left) == Self.render(seen) { $0.turn = .left })
    var flipped = geometry
    flipped.flip()
    #expect(try Self.render(source, flipped) == Self.render(seen) { $0.isFlipped = true })
    for _ in 0..<3 { right.turnRight() }
    #expect(try Self.render(source, right) == seen)
    try right.validate()
    try left.validate()
    try flipped.validate()
  }

  @Test func buttonsKeepTheHorizonLevel() throws {
    var geometry = Geometry()
    geometry.straighten = 7
    geometry.crop = Geometry.Crop(x: 0.1, y: 0.2, width: 0.6, height: 0.5)
    let source = ProceduralScene.picture(200, 200)
    let seen = try Self.render(source, geometry)
    var flipped = geometry
    flipped.flip()
    #expect(flipped.straighten == -7)
    let mirrored = try Self.render(seen) { $0.isFlipped = true }
    let rendered = try Self.render(source, flipped)
    #expect(rendered.size == mirrored.size)
    let far = zip(rendered.pixels, mirrored.pixels).filter { ProceduralScene.distance($0, $1) > 8 }
    // A crop's edge may be rounded to the other side; then what differs is the rim of the round shape.
    #expect(far.count < rendered.pixels.count / 30)
  }

  @Test(arguments: 0..<60) func cropsAreExact(seed: UInt64) throws {
    var numbers = SeededNumbers(state: 100 + seed)
    let width = Int.random(in: 1...40, using: &numbers)
    let height = Int.random(in: 1...40, using: &numbers)
    let source = ProceduralScene.noise(width, height, seed: seed)
    let geometry = Self.random(&numbers)
    var whole = geometry
    whole.crop = .full
    let turned = try Self.render(source, whole)
    let part = try Self.render(source, geometry)
    let left = min(Int((geometry.crop.x * Double(turned.size.width)).rounded()), turned.size.width - 1)
    let top = min(Int((geometry.crop.y * Double(turned.size.height)).rounded()), turned.size.height - 1)
    for y in 0..<part.size.height {
      for x in 0..<part.size.width { #expect(part[x, y] == turned[left + x, top + y]) }
    }
    let right = (geometry.crop.x + geometry.crop.width) * Double(turned.size.width)
    #expect(abs(Double(left + part.size.width) - right) <= 0.5 || part.size.width == 1)
    let even = geometry.outputSize(for: source.size, isEven: true)
    #expect(even.width % 2 == 0 || turned.size.width == 1)
    #expect(even.height % 2 == 0 || turned.size.height == 1)
    #expect(try Self.render(source, geometry, isEven: true).size == even)
  }

  @Test(arguments: [-45, -30, -12.5, -1, -0.1, 0.01, 0.5, 3, 20, 44.9, 45] as [Double])
  func straighteningHasNoEmptyCorner(degrees: Double) {
    for (width, height) in [(1920, 1080), (1080, 1920), (64, 64), (33, 7), (2, 2), (1, 1), (1, 40)] {
      for turn in Geometry.Turn.allCases {
        for isFlipped in [false, true] {
          var geometry = Geometry()
          geometry.turn = turn
          geometry.isFlipped = isFlipped
          geometry.straighten = degrees
          let source = PixelSize(width: width, height: height)
          let size = geometry.outputSize(for: source)
          let placement = geometry.placement(for: source, isEven: false)
          // The result's outer corners, half a pixel outside of the corner pixels' middles.
          for column in [-0.5, Double(size.width) - 0.5] {
            for row in [-0.5, Double(size.height) - 0.5] {
              let place = placement(column, row)
              // A picture of a single pixel keeps it, and nothing smaller fits.
              let slack = min(size.width, size.height) == 1 ? 0.71 : 1e-6
              #expect(place.x >= -0.5 - slack && place.x <= Double(width) - 0.5 + slack)
              #expect(place.y >= -0.5 - slack && place.y <= Double(height) - 0.5 + slack)
            }
          }
        }
      }
    }
  }

  @Test func straighteningLeavesTheLargestPart() {
    var geometry = Geometry()
    geometry.straighten = 45
    // A square turned by 45 degrees: half its area is left.
    let square = geometry.straightenedSize(for: PixelSize(width: 1000, height: 1000))
    #expect(square == PixelSize(width: 707, height: 707))
    geometry.straighten = -10
    let wide = geometry.straightenedSize(for: PixelSize(width: 1920, height: 1080))
    #expect(abs(Double(wide.width) / Double(wide.height) - 16.0 / 9) < 0.002)
    // One pixel more would leave the picture: height · sin and cos fill it.
    let reach = Double(wide.width + 2) * sin(10 * .pi / 180) + Double(wide.height + 2) * cos(10 * .pi / 180)
    #expect(reach > 1080)
  }

  @Test(arguments: [-20, 5, 33] as [Double]) func straighteningIsTheRotation(degrees: Double) throws {
    let source = ProceduralScene.picture(160, 120)
    let result = try Self.render(source) { $0.straighten = degrees }
    let angle = degrees * .pi / 180
    var far = 0
    for y in 0..<result.size.height {
      for x in 0..<result.size.width {
        let dx = Double(x) - Double(result.size.width - 1) / 2
        let dy = Double(y) - Double(result.size.height - 1) / 2
        let fromX = 79.5 + dx * cos(angle) + dy * sin(angle)
        let fromY = 59.5 - dx * sin(angle) + dy * cos(angle)
        let exact = MirrorRoomTests.bilinear(source, fromX, fromY)
        if ProceduralScene.distance(result[x, y], exact) > 2 { far += 1 }
        #expect(result[x, y] >> 24 == 255)
      }
    }
    // At the rim of the round shape alone the cubic differs from straight lines.
    #expect(far < result.pixels.count / 12)
  }

  @Test func theCubicIsKeys() {
    for (step, weights) in CubicKernel.weights.enumerated() {
      #expect(weights.reduce(0, +) == 128)
      for (index, weight) in weights.enumerated() {
        let d = abs(Double(step) / 128 - Double(index - 1))
        let exact = d < 1 ? 1.5 * d * d * d - 2.5 * d * d + 1 : -0.5 * d * d * d + 2.5 * d * d - 4 * d + 2
        #expect(abs(Double(weight) / 128 - exact) < 1.6 / 128)
      }
    }
  }

  @Test func aPlainPictureStaysPlainAndThreadsChangeNothing() throws {
    let plain = PixelBuffer(size: PixelSize(width: 90, height: 61), color: 0xff00_ff7f)
    let result = try Self.render(plain) { $0.straighten = 17 }
    #expect(result.pixels.allSatisfy { $0 == 0xff00_ff7f })
    let noise = ProceduralScene.noise(700, 500)
    for geometry in [(Geometry.Turn.right, 0.0), (.none, 0), (.left, 3)] {
      let set: (inout Geometry) -> Void = {
        $0.turn = geometry.0
        $0.straighten = geometry.1
      }
      #expect(try Self.render(noise, threads: 4, set) == Self.render(noise, set))
    }
  }

  @Test func rowsWithGaps() throws {
    let source = ProceduralScene.noise(23, 14)
    for (turn, straighten) in [(Geometry.Turn.none, 0.0), (.left, 0), (.upsideDown, 9)] {
      var geometry = Geometry()
      geometry.turn = turn
      geometry.straighten = straighten
      let plain = try Self.render(source, geometry)
      // Gaps in the target, and then in the source.
      let blank = PixelBuffer(size: plain.size)
      let filled = try blank.inWideRows { target in
        var source = source
        try source.withView { try geometry.render($0, into: target, scratch: EffectScratch()) }
      }
      #expect(filled == plain)
      var target = blank
      _ = try source.inWideRows { view in
        try target.withView { try geometry.render(view, into: $0, scratch: EffectScratch()) }
      }
      #expect(target == plain)
    }
  }

  @Test func aTargetOfAnotherSizeIsRefused() {
    var source = ProceduralScene.noise(8, 6)
    var target = PixelBuffer(size: PixelSize(width: 8, height: 6), color: 7)
    var geometry = Geometry()
    geometry.turn = .right
    #expect(throws: RecipeError.wrongTargetSize(given: "8x6", needed: "6x8")) {
      try source.withView { source in
        try target.withView { try geometry.render(source, into: $0, scratch: EffectScratch()) }
      }
    }
    #expect(target.pixels.allSatisfy { $0 == 7 })
  }

  @Test(arguments: CropRatio.allCases) func ratios(ratio: CropRatio) throws {
    for (width, height) in [(1920, 1080), (1080, 1920), (500, 500), (3, 1000)] {
      let size = PixelSize(width: width, height: height)
      let crop = ratio.largestCrop(in: size)
      try crop.validate()
      #expect(max(crop.width, crop.height) == 1)
      let aspect = crop.width * Double(width) / (crop.height * Double(height))
      #expect(abs(aspect / (ratio.aspect ?? Double(width) / Double(height)) - 1) < 1e-9)
      #expect(abs(crop.x + crop.width / 2 - 0.5) < 1e-9 && abs(crop.y + crop.height / 2 - 0.5) < 1e-9)
    }
  }

  @Test func badValuesAreNamed() throws {
    var geometry = Geometry()
    for degrees in [45.1, -46, .nan, .infinity] {
      geometry.straighten = degrees
      #expect(throws: RecipeError.self) { try geometry.validate() }
    }
    #expect(throws: RecipeError.badTurn(45)) { try Geometry.Turn(degrees: 45) }
    #expect(throws: RecipeError.badTurn(360)) { try Geometry.Turn(degrees: 360) }
    #expect(try Geometry.Turn(degrees: 270) == .left)
    for (x, y, width, height) in [
      (-0.1, 0, 1, 1), (0, 0, 0, 1), (0, 0, 1, -1), (0.5, 0, 0.6, 1), (0, 0.5, 1, 0.6), (.nan, 0, 1, 1),
      (0, 0, .nan, 1), (0, 0, .infinity, 1),
    ] as [(Double, Double, Double, Double)] {
      #expect(throws: RecipeError.badCrop) {
        try Geometry.Crop(x: x, y: y, width: width, height: height).validate()
      }
    }
  }

  /// The way of a pixel's middle and the way back agree.
  @Test func pointsGoWherePixelsGo() {
    var numbers = SeededNumbers.fresh()
    for size in Self.sizes.map({ PixelSize(width: $0.0, height: $0.1) }) {
      for round in 0..<30 {
        var geometry = Self.random(&numbers)
        if round % 2 == 0 { geometry.straighten = Double.random(in: -45...45, using: &numbers) }
        let placement = geometry.placement(for: size, isEven: false)
        let (origin, right, down) = geometry.destination(of: size)
        let result = geometry.outputSize(for: size)
        for (x, y) in [(0, 0), (result.width - 1, 0), (0, result.height - 1), (result.width / 2, result.height / 2)] {
          let source = (placement(Double(x), Double(y)) + 0.5) / SIMD2(Double(size.width), Double(size.height))
          let found = origin + source.x * right + source.y * down
          let expected = SIMD2(
            (Double(x) + 0.5) / Double(result.width), (Double(y) + 0.5) / Double(result.height))
          let far = found - expected
          #expect(abs(far.x) < 1e-9 && abs(far.y) < 1e-9, "\(size) \(geometry)")
        }
      }
    }
  }
}
