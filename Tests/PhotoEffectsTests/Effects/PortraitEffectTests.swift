// Effects about people: lens blur, studio, stage and color pop.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoEffects

@Suite(.timeLimit(.minutes(30))) struct PortraitEffectTests {
  private static func applied(
    _ effect: any PixelEffect, to source: PixelBuffer, _ matte: Matte, intensity: Double = 1, threads: Int = 1
  ) -> PixelBuffer {
    var copy = source
    var context = FrameContext(kind: .still, time: 0, fullSize: source.size)
    context.matte = matte
    copy.withView {
      effect.apply(to: $0, intensity: intensity, context: context, scratch: EffectScratch(threadCount: threads))
    }
    return copy
  }

  /// A matte with a byte for each place.
  private static func matte(_ size: PixelSize, presence: Double = 1, _ byte: (Int, Int) -> UInt8) -> Matte {
    let block = FrameBlock(count: size.area) { bytes in
      for index in bytes.indices { bytes[index] = byte(index % size.width, index / size.width) }
    }
    return Matte(size: size, block: block, presence: presence)
  }

  private static func channels(_ pixel: UInt32) -> [Int] {
    [Int(pixel & 255), Int(pixel >> 8 & 255), Int(pixel >> 16 & 255)]
  }

  // MARK: Discs

  /// Means over discs, one pixel after the other.
  private static func reference(_ source: PixelBuffer, _ matte: Matte, radius: Double) -> [[Double]] {
    let (width, height) = (source.size.width, source.size.height)
    let bytes = matte.block.bytes
    return (0..<width * height).map { index in
      let (x, y) = (index % width, index / width)
      var (sum, total) = ([0.0, 0, 0], 0.0)
      for row in 0..<height {
        let away = Double(row - y)
        guard abs(away) <= radius + 0.5 else { continue }
        let half = ((radius + 0.5) * (radius + 0.5) - away * away).squareRoot()
        for column in 0..<width {
          let across = Double(column - x)
          let covered = max(0, min(half, across + 0.5) - max(-half, across - 0.5))
          let weight = covered * max(0.1, 1 - Double(bytes[row * width + column]) / 255)
          for (channel, value) in channels(source[column, row]).enumerated() { sum[channel] += weight * Double(value) }
          total += weight
        }
      }
      return sum.map { $0 / total }
    }
  }

  @Test("Discs are means of what weighs something", arguments: [0.4, 1, 2.5, 3.4], [1, 3])
  func discs(_ radius: Double, _ threads: Int) {
    let source = ProceduralScene.noise(37, 23)
    let matte = RampMattes.matte(of: source.size)
    let weights = (0..<256).map { max(Float(0.1), 1 - Float($0) / 255) }
    let expected = Self.reference(source, matte, radius: radius)
    var copy = source
    var worst = 0.0
    let scratch = EffectScratch(threadCount: threads)
    copy.withView { view in
      let blur = DiscBlur(radius: Float(radius), light: .display, weights: weights, for: view, threads: threads)
      blur.withRows(of: view, matte, named: "test", scratch: scratch) { rows in
        scratch.withColors("line", count: rows.lineCount) { line in
          for y in 0..<view.height {
            let row = rows.row(y, line)
            for x in 0..<view.width {
              for channel in 0..<3 {
                worst = max(worst, abs(Double(row[x][channel]) - expected[y * view.width + x][channel]))
              }
            }
          }
        }
      }
    }
    #expect(worst < 0.05, "\(worst)")
  }

  @Test("An even background stays as it is", arguments: [0, 1, 60, 128, 230, 255])
  func evenBackground(_ value: UInt32) {
    let size = PixelSize(width: 200, height: 120)
    let source = PixelBuffer(size: size, color: value * 0x01_0101)
    let result = Self.applied(PortraitEffect(), to: source, RampMattes.matte(of: size))
    for pixel in result.pixels {
      for channel in Self.channels(pixel) { #expect(abs(channel - Int(value)) <= 1) }
    }
  }

  @Test("A weak blur of a wide picture leaves the person alone", arguments: [0.02, 0.05, 0.3])
  func wide(_ intensity: Double) {
    let size = PixelSize(width: 6000, height: 48)
    var source = PixelBuffer(size: size, color: 0x20_2020)
    for y in 0..<48 { for x in 3000..<6000 { source[x, y] = 0x40_80c0 } }
    let result = Self.applied(
      PortraitEffect(), to: source, Self.matte(size) { x, _ in x < 3000 ? 0 : 243 }, intensity: intensity)
    for x in 3100..<6000 {
      for (one, other) in zip(Self.channels(result[x, 20]), Self.channels(source[x, 20])) {
        #expect(abs(one - other) <= 1)
      }
    }
  }

  @Test("A point of light becomes a disc") func pointOfLight() {
    let size = PixelSize(width: 500, height: 300)
    var source = PixelBuffer(size: size)
    for y in 149...151 { for x in 399...401 { source[x, y] = 0xff_ffff } }
    let result = Self.applied(PortraitEffect(), to: source, Self.matte(size) { x, _ in x < 100 ? 255 : 0 })
    // A radius of 16 thousandths of 500 pixels is 8.
    let inside = [(400, 150), (404, 150), (400, 145), (396, 152)].map { Self.channels(result[$0.0, $0.1])[1] }
    #expect(inside.allSatisfy { $0 > 40 } && inside.max()! - inside.min()! < inside.max()! / 3, "\(inside)")
    for (x, y) in [(414, 150), (400, 164), (386, 150)] { #expect(Self.channels(result[x, y])[1] < 4) }
  }

  @Test("The person neither changes nor bleeds into the background", arguments: [0.3, 1])
  func noHalo(_ intensity: Double) {
    let size = PixelSize(width: 300, height: 100)
    var source = PixelBuffer(size: size, color: 0x00_00ff)
    for y in 0..<100 { for x in 0..<150 { source[x, y] = 0xff_0000 } }
    let result = Self.applied(
      PortraitEffect(), to: source, Self.matte(size) { x, _ in x < 150 ? 255 : 0 }, intensity: intensity)
    for y in 0..<100 {
      for x in 0..<150 { #expect(result[x, y] == source[x, y]) }
      for x in 150..<300 { #expect(Self.channels(result[x, y])[2] <= 2, "\(x)") }
    }
  }

  @Test("Results don't depend on the number of threads", arguments: Effect.all.filter { $0.group == .portrait })
  func threads(_ effect: Effect) {
    let source = ProceduralScene.picture(333, 217)
    let matte = RampMattes.matte(of: source.size)
    let one = Self.applied(effect.renderer, to: source, matte)
    #expect(Self.applied(effect.renderer, to: source, matte, threads: 5) == one)
  }

  // MARK: Light and color

  @Test("The stage is black, and edges have the person's own color") func stage() {
    let size = PixelSize(width: 500, height: 80)
    // An edge of 8 pixels.
    let matte = Self.matte(size) { x, _ in UInt8(max(0, min(255, (254 - x) * 32))) }
    var source = PixelBuffer(size: size)
    let (person, wall) = ([40.0, 120, 200], [220.0, 230, 240])
    let bytes = matte.block.bytes
    for y in 0..<80 {
      for x in 0..<500 {
        let share = Double(bytes[y * 500 + x]) / 255
        let mixed = zip(person, wall).map { UInt32(($0 * share + $1 * (1 - share)).rounded()) }
        let (blue, green, red) = (mixed[0], mixed[1] << 8, mixed[2] << 16)
        source[x, y] = blue | green | red
      }
    }
    let result = Self.applied(StageEffect(), to: source, matte)
    var worst = 0.0
    for x in 0..<500 {
      let share = Double(bytes[40 * 500 + x]) / 255
      for (channel, value) in Self.channels(result[x, 40]).enumerated() {
        let error = abs(Double(value) - person[channel] * share)
        worst = max(worst, error)
        if share == 0 || share == 1 { #expect(error == 0, "\(x) \(channel)") }
      }
    }
    // The picture alone would be wrong by 45: half of it is the wall.
    #expect(worst < 15, "\(worst)")
  }

  @Test("Studio darkens the background alone, and Color Pop grays it") func lights() {
    let size = PixelSize(width: 90, height: 30)
    let source = PixelBuffer(size: size, color: 0x40_80c0)
    let matte = RampMattes.matte(of: size)
    let studio = Self.applied(StudioEffect(), to: source, matte)
    #expect(Self.channels(studio[80, 10]) == [48, 32, 16])
    for (lit, own) in zip(Self.channels(studio[5, 10]), Self.channels(source[5, 10])) {
      #expect(lit > own && lit < own + 10)
    }
    let pop = Self.applied(ColorPopEffect(), to: source, matte)
    // 0.299 · 64 + 0.587 · 128 + 0.114 · 192
    #expect(Self.channels(pop[80, 10]) == [116, 116, 116])
    #expect(pop[5, 10] == source[5, 10])
    let half = Self.applied(ColorPopEffect(), to: source, Matte(size: size, block: matte.block, presence: 0.5))
    for (mixed, own) in zip(Self.channels(half[80, 10]), [192, 128, 64]) { #expect(abs(mixed - (own + 116) / 2) <= 1) }
  }
}
