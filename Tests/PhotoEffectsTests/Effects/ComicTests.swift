// The comic effect: black lines, flat colors, dots in the shadows, and stability under noise.

import CameraCore
import TestSupport
import Testing

@testable import PhotoEffects

@Suite("Comic")
struct ComicTests {
  /// Flat halves, `dark` on the left side.
  private func edge(_ dark: UInt32, _ light: UInt32) -> PixelBuffer {
    var picture = PixelBuffer(size: PixelSize(width: 480, height: 270), color: light)
    for y in 0..<270 { for x in 0..<240 { picture[x, y] = dark } }
    return picture
  }

  /// The full size of a picture of this size, so that a line is some pixels wide.
  private let fullSize = PixelSize(width: 480, height: 1000)

  @Test("An edge gets one unbroken black line on its dark side")
  func line() {
    let result = edge(0x808080, 0xd0d0d0).with(ComicEffect(), fullSize: fullSize)
    for y in 20..<250 {
      let black = (0..<480).filter { result[$0, y] & 0xff < 40 }
      #expect(!black.isEmpty)
      #expect(black.allSatisfy { (232...241).contains($0) })
      #expect(black.count <= 8)
    }
  }

  @Test("Away from edges colors are flat, and noise leaves no speckle on them")
  func flatness() {
    var numbers = SeededNumbers(state: 20)
    let result = noisy(edge(0x9090a0, 0xe0c0b0), sigma: 5, &numbers).with(ComicEffect(), fullSize: fullSize)
    for (columns, name) in [(20..<220, "dark"), (260..<460, "light")] {
      var (least, most) = (255, 0)
      for y in 20..<250 {
        for x in columns {
          least = min(least, Int(result[x, y] >> 8 & 0xff))
          most = max(most, Int(result[x, y] >> 8 & 0xff))
        }
      }
      #expect(most - least <= 12, "\(name)")
    }
  }

  @Test("In dim light there are lines and tones as well")
  func dim() {
    let result = edge(0x202020, 0x484848).with(ComicEffect(), fullSize: fullSize)
    for y in 20..<250 { #expect((230...241).contains { result[$0, y] & 0xff < 30 }) }
    #expect(result[400, 100] & 0xff > 0x60)
    // Not so where something bright shows that it is dark for a reason.
    var dark = TestPlane(width: 20, height: 10) { _, _ in 0.2 }
    var lit = TestPlane(width: 20, height: 10) { x, _ in x < 6 ? 0.9 : 0.2 }
    var black = TestPlane(width: 20, height: 10)
    #expect(abs(dark.lend { LineDrawing.gain(for: $0) } - 2.2) < 1e-6)
    #expect(lit.lend { LineDrawing.gain(for: $0) } == 1)
    #expect(black.lend { LineDrawing.gain(for: $0) } == 2.2)
    var middle = TestPlane(width: 20, height: 10) { _, _ in 0.4 }
    #expect(abs(middle.lend { LineDrawing.gain(for: $0) } - 1.5) < 1e-4)
  }

  @Test("Shadows have dots, lights have none")
  func dots() {
    func range(_ gray: UInt32) -> Int {
      let result = edge(gray | gray << 8 | gray << 16, 0xffffff).with(ComicEffect(), fullSize: fullSize)
      var (least, most) = (255, 0)
      for y in 0..<270 {
        for x in 0..<200 {
          least = min(least, Int(result[x, y] & 0xff))
          most = max(most, Int(result[x, y] & 0xff))
        }
      }
      return most - least
    }
    #expect(range(64) > 20)
    #expect(range(150) == 0)
    #expect(range(220) == 0)
  }

  @Test("In a still scene with noise the comic is calmer than the picture", arguments: [1.0, 3, 6])
  func calm(sigma: Double) {
    var numbers = SeededNumbers(state: 30)
    var before: [Double] = []
    var after: [Double] = []
    var last: (PixelBuffer, PixelBuffer)?
    let scratch = EffectScratch()
    for _ in 0..<3 {
      let frame = noisy(SampleScene.small, sigma: sigma, &numbers)
      let comic = frame.with(ComicEffect(), scratch: scratch)
      if let last {
        before.append(frame.meanDifference(to: last.0))
        after.append(comic.meanDifference(to: last.1))
      }
      last = (frame, comic)
    }
    let (changedBefore, changedAfter) = (before.reduce(0, +) / 2, after.reduce(0, +) / 2)
    // By a good margin: no more than it was is what is promised.
    #expect(changedAfter < 0.4 * changedBefore, "\(changedBefore) became \(changedAfter)")
  }

  /// The picture with the noise of a camera, a different one each time.
  private func noisy(_ picture: PixelBuffer, sigma: Double, _ numbers: inout SeededNumbers) -> PixelBuffer {
    let noise = (0..<4096).map { _ in Int((numbers.bell() * sigma).rounded()) }
    var copy = picture
    copy.withView { view in
      noise.withUnsafeBufferPointer { noise in
        var index = 0
        while index < view.width * view.height {
          let old = Int(view.pixels[index])
          let random = Int(truncatingIfNeeded: numbers.next() >> 16)
          let blue = (old & 0xff) + noise[random & 4095]
          let green = (old >> 8 & 0xff) + noise[random >> 12 & 4095]
          let red = (old >> 16 & 0xff) + noise[random >> 24 & 4095]
          view.pixels[index] = UInt32(
            old & 0xff00_0000 | limited(red) << 16 | limited(green) << 8 | limited(blue))
          index += 1
        }
      }
    }
    return copy
  }

  private func limited(_ part: Int) -> Int { part < 0 ? 0 : part > 255 ? 255 : part }
}
