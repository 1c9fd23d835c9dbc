// The contract of every effect, whatever its look.

import CameraCore
import PhotoEffects
import TestSupport
import Testing

@Suite("Every effect")
struct EffectTests {
  @Test("Intensity 0 changes no bit", arguments: EffectCase.all)
  func identity(_ tested: EffectCase) {
    let scene = SampleScene.small
    #expect(scene.with(tested.effect, intensity: 0) == scene)
    #expect(scene.with(tested.effect, intensity: -1) == scene)
    #expect(scene.with(tested.effect, intensity: .nan) == scene)
    #expect(scene.with(tested.effect).meanDifference(to: scene) > 2)
  }

  @Test("The same picture gives the same result, with used memory and on several threads", arguments: EffectCase.all)
  func determinism(_ tested: EffectCase) {
    let scene = SampleScene.small
    let first = scene.with(tested.effect)
    let used = EffectScratch()
    for other in EffectCase.all { _ = SampleScene.tiny.with(other.effect, scratch: used) }
    for other in EffectCase.all { _ = scene.with(other.effect, intensity: 0.5, scratch: used) }
    #expect(scene.with(tested.effect, scratch: used) == first)
    #expect(scene.with(tested.effect, scratch: EffectScratch(threadCount: 5)) == first)
    let mixed = scene.with(tested.effect, intensity: 0.3)
    #expect(scene.with(tested.effect, intensity: 0.3, scratch: EffectScratch(threadCount: 3)) == mixed)
  }

  @Test("More intensity is more of the look", arguments: EffectCase.all)
  func intensity(_ tested: EffectCase) {
    let scene = SampleScene.smaller
    let full = scene.with(tested.effect)
    var before = 0.0
    for intensity in [0.02, 0.25, 0.5, 0.75] {
      let mixed = scene.with(tested.effect, intensity: intensity)
      let difference = mixed.meanDifference(to: scene)
      #expect(difference >= before)
      #expect(mixed.meanDifference(to: full) <= full.meanDifference(to: scene))
      before = difference
      // A blur gets wider; all the others are mixed with the picture.
      if tested.name == "Blur" { continue }
      var largest = 0.0
      for index in stride(from: 0, to: scene.pixels.count, by: 17) {
        let (old, new) = (PixelBuffer.parts(scene.pixels[index]), PixelBuffer.parts(full.pixels[index]))
        for (part, (a, b)) in zip(PixelBuffer.parts(mixed.pixels[index]), zip(old, new)) {
          largest = max(largest, abs(Double(part) - Double(a) - Double(b - a) * intensity))
        }
      }
      #expect(largest <= 1)
    }
    #expect(scene.with(tested.effect, intensity: 7) == full)
  }

  @Test("A preview looks as the reduced picture does", arguments: EffectCase.all)
  func preview(_ tested: EffectCase) {
    let full = SampleScene.large
    let preview = full.halved.with(tested.effect, fullSize: full.size)
    let likeness = preview.signalToNoise(full.with(tested.effect).halved)
    #expect(likeness > tested.previewLikeness, "\(likeness)")
  }

  @Test(
    "Any size works, nothing outside is written, the fourth byte stays", arguments: EffectCase.all,
    [(1, 1), (3, 2), (2, 3), (1, 40), (40, 1), (33, 17), (101, 57)])
  func sizes(_ tested: EffectCase, _ size: (Int, Int)) {
    let (width, height) = size
    var numbers = SeededNumbers(state: UInt64(width * 1000 + height))
    for fullWidth in [width, width * 40] {
      let stride = width + 5
      // A frame of guards around the picture, and between its rows.
      let guardPixel: UInt32 = 0xdead_beef
      var memory = [UInt32](repeating: guardPixel, count: stride * (height + 4))
      var before = memory
      for y in 0..<height {
        for x in 0..<width { memory[(y + 2) * stride + x + 2] = UInt32(truncatingIfNeeded: numbers.next()) }
      }
      before = memory
      let context = FrameContext(
        kind: .still, time: 0, fullSize: PixelSize(width: fullWidth, height: height * fullWidth / width))
      memory.withUnsafeMutableBufferPointer {
        let view = PixelView(pixels: $0.baseAddress! + 2 * stride + 2, width: width, height: height, stride: stride)
        for intensity in [0.4, 1] {
          for threads in [1, 4] {
            tested.effect.apply(
              to: view, intensity: intensity, context: context, scratch: EffectScratch(threadCount: threads))
          }
        }
      }
      var harmed = 0
      for (index, (old, new)) in zip(before, memory).enumerated() {
        let (x, y) = (index % stride - 2, index / stride - 2)
        let isInside = (0..<width).contains(x) && (0..<height).contains(y)
        if isInside ? old >> 24 != new >> 24 : old != new { harmed += 1 }
      }
      #expect(harmed == 0)
    }
  }

  @Test("Black, white and loud colors stay in range", arguments: EffectCase.all)
  func extremes(_ tested: EffectCase) {
    // A tone that overflows would jump to the other end: flat pictures must stay nearly flat, apart from dots and grain.
    let patterned = ["Comic", "Pencil", "Halftone", "PopArt", "Vignette"].contains(tested.name)
    for color: UInt32 in [0x000000, 0xffffff, 0xff0000, 0x00ff00, 0x0000ff, 0xffff00, 0x00ffff, 0xff00ff] {
      let flat = PixelBuffer(size: PixelSize(width: 120, height: 80), color: color)
      let result = flat.with(tested.effect)
      if !patterned { #expect(result.meanDifference(to: flat) < 1, "\(color)") }
      let isGrey = color == 0 || color == 0xffffff
      if isGrey, tested.name == "Comic" {
        #expect(result.pixels.allSatisfy { Set(PixelBuffer.parts($0)).count == 1 })
        #expect(result.meanDifference(to: flat) < 12)
      }
    }
  }
}
