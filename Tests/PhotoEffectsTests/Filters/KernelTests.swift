// The effects' kernels against plain implementations of their formulas.

import CameraCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PhotoEffects

@Suite("Kernels")
struct KernelTests {
  @Test(
    "A bell curve smooths as its formula says", arguments: [0, 0.1, 0.4, 0.8, 1.1, 2.3, 5], [(1, 1), (3, 2), (23, 17)])
  func gaussianBlur(sigma: Float, size: (Int, Int)) {
    var source = TestPlane.uneven(width: size.0, height: size.1, seed: 1)
    var target = source
    for threads in [1, 3] {
      let blur = GaussianBlur(sigma: sigma)
      var scratch = [Float](repeating: .nan, count: blur.scratchCount(width: size.0, threads: threads))
      source.lend { source in
        target.lend { blur.apply(from: source, to: $0, scratch: &scratch, threads: threads) }
      }
      #expect(target.largestDifference(to: source.blurred(sigma: Double(sigma), radius: blur.radius)) < 1e-5)
    }
  }

  @Test("The guided filter is what its formula says")
  func guidedFilter() {
    var guide = TestPlane.uneven(width: 21, height: 14, seed: 2)
    var input = TestPlane.uneven(width: 21, height: 14, seed: 3)
    let filter = GuidedFilter(window: GaussianBlur(sigma: 1.4), epsilon: 0.01)
    var slope = TestPlane(width: 21, height: 14)
    var offset = slope
    var memory = [Float](repeating: .nan, count: filter.scratchCount(width: 21, height: 14))
    let memoryCount = memory.count
    guide.lend { guide in
      input.lend { input in
        slope.lend { slope in
          offset.lend { offset in
            memory.withUnsafeMutableBufferPointer {
              var arena = PlaneArena($0.baseAddress!, count: memoryCount)
              let prepared = filter.prepare(guide, arena: &arena)
              filter.coefficients(for: input, guide: prepared, slope: slope, offset: offset)
            }
          }
        }
      }
    }
    func mean(_ plane: TestPlane) -> TestPlane { plane.blurred(sigma: 1.4, radius: filter.window.radius) }
    let (meanGuide, meanInput) = (mean(guide), mean(input))
    let meanSquare = mean(guide.map { guide.at($0, $1) * guide.at($0, $1) })
    let meanProduct = mean(guide.map { guide.at($0, $1) * input.at($0, $1) })
    let a = guide.map { x, y in
      let variance = meanSquare.at(x, y) - meanGuide.at(x, y) * meanGuide.at(x, y)
      return (meanProduct.at(x, y) - meanGuide.at(x, y) * meanInput.at(x, y)) / (variance + 0.01)
    }
    let b = guide.map { meanInput.at($0, $1) - a.at($0, $1) * meanGuide.at($0, $1) }
    #expect(slope.largestDifference(to: mean(a)) < 1e-3)
    #expect(offset.largestDifference(to: mean(b)) < 1e-3)
  }

  @Test("A plane is enlarged linearly", arguments: [1, 2, 3, 4, 8])
  func enlargement(factor: Int) {
    for (width, height) in [(1, 1), (2, 3), (9, 5)] {
      var plane = TestPlane.uneven(width: width, height: height, seed: 4)
      let enlargement = Enlargement(factor: factor)
      var scratch = [Float](repeating: .nan, count: enlargement.scratchCount(width: width))
      var row = [Float](repeating: .nan, count: width * factor)
      for y in 0..<height * factor {
        plane.lend { enlargement.row(y, of: $0, to: &row, scratch: &scratch) }
        for x in 0..<width * factor {
          let expected = plane.between(
            (Double(x) + 0.5) / Double(factor) - 0.5, (Double(y) + 0.5) / Double(factor) - 0.5)
          #expect(abs(Double(row[x]) - expected) < 1e-6)
        }
      }
    }
  }

  @Test("A picture and a plane are reduced to means", arguments: [1, 2, 3, 4, 5, 8])
  func reduction(factor: Int) {
    var numbers = SeededNumbers(state: 5)
    for (width, height) in [(1, 1), (3, 2), (17, 11), (16, 8)] {
      var picture = PixelBuffer(size: PixelSize(width: width, height: height))
      for y in 0..<height { for x in 0..<width { picture[x, y] = UInt32(truncatingIfNeeded: numbers.next()) } }
      let reduction = Reduction(factor: factor)
      let (small, tall) = (reduction.count(width), reduction.count(height))
      var (luma, blue, red) = (
        TestPlane(width: small, height: tall), TestPlane(width: small, height: tall),
        TestPlane(width: small, height: tall)
      )
      var (means, source) = (luma, TestPlane.uneven(width: width, height: height, seed: 6))
      var scratch = [Float](repeating: .nan, count: reduction.scratchCount(width: width))
      picture.withView { view in
        luma.lend { luma in
          blue.lend { blue in
            red.lend { reduction.lumaAndColor(of: view, weights: .video, luma: luma, blue: blue, red: $0) }
          }
        }
      }
      source.lend { source in means.lend { reduction.means(of: source, to: $0, scratch: &scratch) } }
      for y in 0..<tall {
        for x in 0..<small {
          var (sum, count, plain) = ([0.0, 0.0, 0.0], 0.0, 0.0)
          for row in y * factor..<min((y + 1) * factor, height) {
            for column in x * factor..<min((x + 1) * factor, width) {
              for (index, part) in PixelBuffer.parts(picture[column, row]).enumerated() {
                sum[index] += Double(part) / 255
              }
              plain += source.at(column, row)
              count += 1
            }
          }
          let expected = (0.114 * sum[0] + 0.587 * sum[1] + 0.299 * sum[2]) / count
          #expect(abs(luma.at(x, y) - expected) < 1e-5)
          #expect(abs(blue.at(x, y) - (sum[0] / count - expected)) < 1e-5)
          #expect(abs(red.at(x, y) - (sum[2] / count - expected)) < 1e-5)
          #expect(abs(means.at(x, y) - plain / count) < 1e-5)
        }
      }
    }
  }

  @Test("Every color survives being taken apart and packed")
  func packedColor() {
    for part in UInt32(0)...255 {
      for pixel in [part, part << 8, part << 16, part << 16 | (255 - part) << 8 | part] {
        #expect(PackedColor(pixel).packed == pixel)
        let color = PackedColor(pixel)
        let luma = 0.2 * color.red + 0.58 * color.green + 0.22 * color.blue
        #expect(
          PackedColor(luma: luma, blue: color.blue - luma, red: color.red - luma, weights: .orthochromatic).packed
            == pixel)
      }
    }
    #expect(PackedColor(luma: 300, blue: 10, red: -400, weights: .video).packed == 0x00ffff)
    #expect(PackedColor(blue: 0, green: 10, red: 255).mixed(with: PackedColor(0x00ff00), share: 0.5).packed == 0x808400)
  }

  @Test("Numbers are limited, and a step is soft")
  func limits() {
    let numbers: [Float] = [-.infinity, -1e9, -1, -0.0, 0, 0.25, 1, 1.5, 254.5, 1e9, .infinity]
    for number in numbers { #expect(number.limited(to: 1) == min(max(number, 0), 1)) }
    for number in numbers where abs(number) < 10 {
      let x = min(max(number, 0), 1)
      #expect(abs(number.softStep - (3 * x * x - 2 * x * x * x)) < 1e-6)
    }
  }

  @Test("Each row belongs to one band")
  func bands() {
    for (rows, threads) in [(1, 1), (1, 4), (7, 3), (100, 8)] {
      let counts = (0..<rows).map { _ in Counter() }
      RowBands.run(rows: rows, threads: threads) { range, band in
        if (0..<threads).contains(band) { for row in range { counts[row].add() } }
      }
      #expect(counts.allSatisfy { $0.count == 1 })
    }
  }

  /// Counts from several threads.
  private final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
  }

  @Test("A preview's unit is smaller by as much as the preview is")
  func patternUnit() {
    func unit(_ width: Int, _ height: Int, of fullSize: PixelSize) -> Float {
      var picture = PixelBuffer(size: PixelSize(width: width, height: height))
      return picture.withView { FrameContext(kind: .still, time: 0, fullSize: fullSize).patternUnit(in: $0) }
    }
    #expect(abs(unit(1920, 1080, of: PixelSize(width: 1920, height: 1080)) - 1.92) < 1e-6)
    #expect(abs(unit(640, 360, of: PixelSize(width: 1920, height: 1080)) - 0.64) < 1e-6)
    #expect(abs(unit(270, 480, of: PixelSize(width: 1080, height: 1920)) - 0.48) < 1e-6)
    #expect(unit(10, 10, of: PixelSize(width: 1, height: 10_000)) <= 0.2)
    #expect(unit(1, 1, of: PixelSize(width: 0, height: 0)) > 0)
  }
}
