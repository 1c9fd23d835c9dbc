// Averaging: how much noise goes, that shaking doesn't matter, and that nothing that moves leaves a ghost.

import CameraCore
import Foundation
import PhotoEffects
import TestSupport
import Testing

@Suite struct FrameStackTests {
  private static let size = PixelSize(width: 320, height: 192)

  /// Planes of 4:2:0 in arrays.
  private struct Frame {
    var planes: [[UInt8]]

    func with<Value>(_ body: ([BytePlane]) -> Value) -> Value {
      let size = FrameStackTests.size
      return planes[0].withUnsafeBytes { luma in
        planes[1].withUnsafeBytes { blue in
          planes[2].withUnsafeBytes { red in
            body([
              BytePlane(luma, width: size.width, height: size.height, stride: size.width),
              BytePlane(blue, width: size.width / 2, height: size.height / 2, stride: size.width / 2),
              BytePlane(red, width: size.width / 2, height: size.height / 2, stride: size.width / 2),
            ])
          }
        }
      }
    }
  }

  private static let discRadius = 24.0

  /// A frame of a dim room.
  ///
  /// - Parameters:
  ///   - noise: The standard deviation of luma; chroma has half of it.
  ///   - shift: Of the camera.
  ///   - disc: The center of a bright disc that moves.
  private static func frame(
    noise: Double, shift: PixelShift = .zero, disc: (x: Double, y: Double)? = nil, _ numbers: inout SeededNumbers
  ) -> Frame {
    func sample(_ value: Double, _ noise: Double) -> UInt8 {
      UInt8(min(255, max(0, (value + noise * numbers.bell()).rounded())))
    }
    var frame = Frame(planes: [[], [], []])
    for y in 0..<size.height {
      for x in 0..<size.width {
        let (u, v) = (Double(x + shift.x) + 500, Double(y + shift.y) + 500)
        var value = 50 + 25 * sin(u / 17) + 20 * cos(v / 23 + u / 51)
        if (Int(u) / 40 + Int(v) / 40) % 2 == 0 { value += 12 }
        if let disc, hypot(Double(x) - disc.x, Double(y) - disc.y) < discRadius { value = 150 }
        frame.planes[0].append(sample(value, noise))
      }
    }
    for plane in 1...2 {
      for y in 0..<size.height / 2 {
        for x in 0..<size.width / 2 {
          let value =
            128 + 20 * sin(Double(2 * x + shift.x) / 60 + Double(plane)) + 9 * cos(Double(2 * y + shift.y) / 45)
          frame.planes[plane].append(sample(value, noise / 2))
        }
      }
    }
    return frame
  }

  /// In decibels.
  private static func psnr(_ a: [UInt8], _ b: [UInt8], where isCounted: (Int) -> Bool = { _ in true }) -> Double {
    var (sum, count) = (0.0, 0.0)
    for index in a.indices where isCounted(index) {
      let difference = Double(a[index]) - Double(b[index])
      sum += difference * difference
      count += 1
    }
    return 10 * log10(255 * 255 * count / max(sum, 1e-9))
  }

  private static let shakes = [(2, -1), (-2, 2), (1, -2), (-1, 1), (2, 2)].map { PixelShift(x: $0.0, y: $0.1) }

  @Test("Six frames of a still scene have at least 4 dB less noise", arguments: [3.0, 14], [false, true])
  func gain(noise: Double, shakes: Bool) throws {
    var numbers = SeededNumbers(state: 11)
    let clean = Self.frame(noise: 0, &numbers)
    let reference = Self.frame(noise: noise, &numbers)
    var stack = reference.with { FrameStack(reference: $0) }
    for shake in Self.shakes {
      let shift = shakes ? shake : .zero
      let added = try #require(Self.frame(noise: noise, shift: shift, &numbers).with { stack.add($0) })
      #expect(abs(added.shift.x + shift.x) <= 1 && abs(added.shift.y + shift.y) <= 1, "\(added.shift) \(shift)")
      #expect(added.share > 0.95)
    }
    #expect(abs(stack.noise - noise) < 0.15 * noise + 0.2)
    let result = stack.averaged
    for plane in 0..<3 {
      let gain = Self.psnr(result[plane], clean.planes[plane]) - Self.psnr(reference.planes[plane], clean.planes[plane])
      #expect(gain >= 4, "plane \(plane): \(gain) dB")
    }
  }

  @Test("What moves leaves no ghost, and what stands still gets better all the same", arguments: [7.0], [1.0, 5, 14])
  func movement(noise: Double, speed: Double) throws {
    var numbers = SeededNumbers(state: 5)
    let start = (x: 110.0, y: 100.0)
    let clean = Self.frame(noise: 0, disc: start, &numbers)
    let reference = Self.frame(noise: noise, disc: start, &numbers)
    var stack = reference.with { FrameStack(reference: $0) }
    for step in 1...5 {
      let disc = (x: start.x + speed * Double(step), y: start.y)
      _ = Self.frame(noise: noise, disc: disc, &numbers).with { stack.add($0) }
    }
    let result = stack.averaged
    // Where the disc is or was.
    let inPath = { (index: Int) in
      let (x, y) = (Double(index % Self.size.width), Double(index / Self.size.width))
      return abs(y - start.y) <= Self.discRadius + 2 && x >= start.x - Self.discRadius - 2
        && x <= start.x + 5 * speed + Self.discRadius + 2
    }
    let (before, after) = (
      Self.psnr(reference.planes[0], clean.planes[0], where: inPath),
      Self.psnr(result[0], clean.planes[0], where: inPath)
    )
    #expect(after >= before - 0.1, "\(before) dB, then \(after) dB")
    // A ghost is a difference to the reference beyond its noise, and one that has a direction.
    for index in result[0].indices where inPath(index) {
      let difference = abs(Double(result[0][index]) - Double(reference.planes[0][index]))
      #expect(difference <= 6 * noise, "\(index % Self.size.width), \(index / Self.size.width)")
    }
    let gain =
      Self.psnr(result[0], clean.planes[0]) { !inPath($0) }
      - Self.psnr(reference.planes[0], clean.planes[0]) { !inPath($0) }
    #expect(gain >= 4)
  }

  @Test func anotherSceneWeighsNothing() throws {
    var numbers = SeededNumbers(state: 3)
    let reference = Self.frame(noise: 5, &numbers)
    var stack = reference.with { FrameStack(reference: $0) }
    _ = Self.frame(noise: 5, &numbers).with { stack.add($0) }
    let one = stack.averaged
    let inverted = Frame(planes: reference.planes.map { $0.map { 255 - $0 } })
    let added = try #require(inverted.with { stack.add($0) })
    #expect(added.share == 0)
    let error = Self.psnr(stack.averaged[0], one[0])
    #expect(error > 35, "\(error)")
  }

  @Test func framesOfOtherSizesAndTooManyAreRefused() throws {
    var numbers = SeededNumbers(state: 4)
    let reference = Self.frame(noise: 5, &numbers)
    var stack = reference.with { FrameStack(reference: $0) }
    #expect(reference.with { stack.add([$0[0]]) } == nil)
    #expect(reference.with { stack.add([$0[1], $0[1], $0[2]]) } == nil)
    for _ in 0..<FrameStack.frameLimit {
      let added = reference.with { stack.add($0) }
      #expect(added != nil)
    }
    #expect(reference.with { stack.add($0) } == nil)
    // The same picture many times is that picture.
    #expect(stack.averaged == reference.planes)
    #expect(stack.noise == 0)
  }

  @Test func aShiftIsFoundWithinItsReachInDarkAndNoise() {
    var numbers = SeededNumbers(state: 8)
    let reference = Self.frame(noise: 6, &numbers).with { LumaPyramid($0[0]) }
    for shift in [PixelShift(x: 0, y: 0), PixelShift(x: 9, y: -4), PixelShift(x: -12, y: 11)] {
      let found = Self.frame(noise: 6, shift: shift, &numbers).with {
        LumaPyramid($0[0]).shift(against: reference, reach: 12)
      }
      #expect(abs(found.x + shift.x) <= 1 && abs(found.y + shift.y) <= 1, "\(found) \(shift)")
    }
  }
}
