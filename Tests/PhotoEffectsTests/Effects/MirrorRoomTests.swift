// The mirror room against plain implementations of its formulas.

import CameraCore
import Testing

@testable import PhotoEffects

@Suite struct MirrorRoomTests {
  static let intensities = [0.1, 0.5, 1]

  /// The same in double precision, pixel by pixel.
  static func reference(_ source: PixelBuffer, _ distortion: Distortion, intensity: Double) -> PixelBuffer {
    var result = source
    let width = source.size.width
    let height = source.size.height
    let radius = distortion.radius(width: Double(width), height: Double(height))
    for y in 0..<height {
      for x in 0..<width {
        let dx = Double(x) - Double(width - 1) / 2
        let dy = Double(y) - Double(height - 1) / 2
        let square = (dx * dx + dy * dy) / (radius * radius)
        let factor = square < 1 ? distortion.factor(square: square, intensity: intensity) : (1, 0)
        let fromX = Double(width - 1) / 2 + dx * factor.0 - dy * factor.1
        let fromY = Double(height - 1) / 2 + dx * factor.1 + dy * factor.0
        result[x, y] = bilinear(source, fromX, fromY)
      }
    }
    return result
  }

  static func bilinear(_ source: PixelBuffer, _ x: Double, _ y: Double) -> UInt32 {
    let x = min(max(x, 0), Double(source.size.width - 1))
    let y = min(max(y, 0), Double(source.size.height - 1))
    let left = Int(x)
    let top = Int(y)
    let right = min(left + 1, source.size.width - 1)
    let bottom = min(top + 1, source.size.height - 1)
    let fx = x - Double(left)
    let fy = y - Double(top)
    func mixed(_ a: [Double], _ b: [Double], _ f: Double) -> [Double] { zip(a, b).map { $0 + ($1 - $0) * f } }
    let color = mixed(
      mixed(ProceduralScene.values(source[left, top]), ProceduralScene.values(source[right, top]), fx),
      mixed(ProceduralScene.values(source[left, bottom]), ProceduralScene.values(source[right, bottom]), fx), fy)
    return ProceduralScene.pixel(red: color[0], green: color[1], blue: color[2])
  }

  @Test(arguments: Distortion.allCases, intensities) func isTheFormula(distortion: Distortion, intensity: Double) {
    for (width, height) in [(121, 68), (64, 64), (33, 90)] {
      let source = ProceduralScene.picture(width, height)
      let result = source.applying(DistortionEffect(distortion), intensity: intensity)
      let exact = Self.reference(source, distortion, intensity: intensity)
      // Places are rounded to 1/256 of a pixel, and the steepest edge here is 170 steps high; colors are rounded twice.
      #expect(ProceduralScene.distance(result, exact) <= 2)
    }
  }

  @Test(arguments: Distortion.allCases, intensities) func polynomialsAreTheFactors(
    distortion: Distortion, intensity: Double
  ) {
    let real = Polynomial { distortion.factor(square: $0, intensity: intensity).real }
    let imaginary = Polynomial { distortion.factor(square: $0, intensity: intensity).imaginary }
    for step in 0...1000 {
      let square = Double(step) / 1000
      let exact = distortion.factor(square: square, intensity: intensity)
      let at = SIMD8(repeating: Float(square))
      let a = real.coefficients.withUnsafeBufferPointer { Polynomial.evaluate($0, at: at)[3] }
      let b = imaginary.coefficients.withUnsafeBufferPointer { Polynomial.evaluate($0, at: at)[3] }
      #expect(abs(Double(a) - exact.real) < 1e-5)
      #expect(abs(Double(b) - exact.imaginary) < 1e-5)
    }
  }

  /// Nothing folds over: going outward, the source goes outward too. At the rim nothing moves.
  @Test(arguments: Distortion.allCases, intensities) func theMapIsOneToOne(distortion: Distortion, intensity: Double) {
    var last = 0.0
    for step in 1...1000 {
      let rho = Double(step) / 1000
      let factor = distortion.factor(square: rho * rho, intensity: intensity)
      let length = (factor.real * factor.real + factor.imaginary * factor.imaginary).squareRoot() * rho
      #expect(length > last)
      last = length
    }
    let rim = distortion.factor(square: 1, intensity: intensity)
    #expect(abs(rim.real - 1) < 1e-12 && abs(rim.imaginary) < 1e-12)
  }

  @Test func themiddleIsMagnified() {
    #expect(abs(1 / Distortion.bulge.factor(square: 0, intensity: 1).real - 2.5) < 1e-9)
    #expect(abs(1 / Distortion.pinch.factor(square: 0, intensity: 1).real - 0.5) < 1e-9)
    #expect(1 / Distortion.fisheye.factor(square: 0, intensity: 1).real > 2)
  }

  @Test(arguments: Distortion.allCases) func nothingIsNothing(distortion: Distortion) {
    let source = ProceduralScene.noise(31, 17)
    #expect(source.applying(DistortionEffect(distortion), intensity: 0) == source)
    #expect(source.applying(DistortionEffect(distortion)) != source)
  }

  @Test(arguments: [Distortion.bulge, .pinch, .twirl]) func whatIsOutsideStays(distortion: Distortion) {
    let source = ProceduralScene.noise(90, 40)
    let result = source.applying(DistortionEffect(distortion))
    let radius = distortion.radius(width: 90, height: 40)
    for y in 0..<40 {
      for x in 0..<90 {
        let dx = Double(x) - 44.5
        let dy = Double(y) - 19.5
        if dx * dx + dy * dy > radius * radius + 0.01 {
          #expect(ProceduralScene.distance(source[x, y], result[x, y]) == 0)
        }
      }
    }
  }

  @Test(arguments: Distortion.allCases) func oddSizesAndRowsWithGaps(distortion: Distortion) {
    for (width, height) in [(1, 1), (1, 7), (8, 1), (2, 2), (9, 3), (17, 5)] {
      let source = ProceduralScene.noise(width, height)
      let result = source.applying(DistortionEffect(distortion))
      let wide = source.inWideRows { view in
        DistortionEffect(distortion).apply(
          to: view, intensity: 1, context: FrameContext(kind: .still, time: 0, fullSize: view.size),
          scratch: EffectScratch())
      }
      #expect(wide == result)
      #expect(result.pixels.allSatisfy { $0 >> 24 == 255 })
    }
  }

  @Test func aPlainPictureStaysPlain() {
    for distortion in Distortion.allCases {
      let plain = PixelBuffer(size: PixelSize(width: 30, height: 20), color: 0xff12_34c8)
      #expect(plain.applying(DistortionEffect(distortion), intensity: 0.7) == plain)
    }
  }

  /// A preview shows what the full picture will: here the one is every third pixel's middle of the other.
  @Test(arguments: Distortion.allCases) func aPreviewLooksTheSame(distortion: Distortion) {
    let full = ProceduralScene.picture(360, 201).applying(DistortionEffect(distortion))
    let preview = ProceduralScene.picture(120, 67).applying(DistortionEffect(distortion))
    var far = 0
    for y in 0..<67 {
      for x in 0..<120 where ProceduralScene.distance(full[3 * x + 1, 3 * y + 1], preview[x, y]) > 6 { far += 1 }
    }
    // The rim of the round shape alone.
    #expect(far < 120 * 67 / 25)
  }

  @Test func mirror() {
    for width in [1, 2, 7, 40] {
      let source = ProceduralScene.noise(width, 5)
      let result = source.applying(MirrorEffect())
      for y in 0..<5 {
        for x in 0..<width {
          #expect(result[x, y] == result[width - 1 - x, y])
          if x < (width + 1) / 2 { #expect(result[x, y] == source[x, y]) }
        }
      }
      #expect(source.applying(MirrorEffect(), intensity: 0) == source)
    }
    // Half the intensity: the axis is at three quarters.
    let source = ProceduralScene.noise(40, 1)
    let result = source.applying(MirrorEffect(), intensity: 0.5)
    #expect((0..<30).allSatisfy { result[$0, 0] == source[$0, 0] })
    #expect((30..<40).allSatisfy { result[$0, 0] == source[59 - $0, 0] })
  }
}
