// A preview that renders an effect: the right pixels at the right size, and what is held changes with the processor.

import CameraCore
import Foundation
import PhotoEffects
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct EffectPreviewTests {
  init() throws { try GStreamerRuntime.start() }

  private static func recipe(_ change: (inout AdjustmentRecipe) -> Void) -> AdjustmentRecipe {
    var recipe = AdjustmentRecipe()
    change(&recipe)
    return recipe
  }

  /// A frame of noise, in the layout of the screen, so that decoding it changes nothing.
  private func frame(_ size: PixelSize, at nanoseconds: Int64 = 1) -> CameraFrame {
    let block = FrameBlock(count: size.area * 4) { bytes in
      var state: UInt32 = 12345
      for index in bytes.indices {
        state = state &* 1_664_525 &+ 1_013_904_223
        bytes[index] = UInt8(truncatingIfNeeded: state >> 24)
      }
    }
    return CameraFrame(
      time: MonotonicTime(nanoseconds: nanoseconds), size: size,
      content: .raw(RawLayout(name: "BGRx", size: size, strides: [size.width * 4], offsets: [0])), block: block)
  }

  private func colors(_ pixels: UnsafeRawPointer, _ size: PixelSize, stride: Int) -> [UInt32] {
    (0..<size.area).map { index in
      let at = index / size.width * stride + index % size.width * 4
      return pixels.loadUnaligned(fromByteOffset: at, as: UInt32.self) & 0xff_ffff
    }
  }

  private func expected(_ frame: CameraFrame, _ recipe: AdjustmentRecipe) throws -> DecodedImage {
    let image = DecodedImage(size: frame.size, stride: frame.size.width * 4, block: frame.block)
    return try FrameProcessor(recipe).render(
      image, kind: .still, time: 0, fullSize: frame.size, scratch: EffectScratch())
  }

  @Test("What a processor makes of a frame fits, and is as large as it can be")
  func sizes() throws {
    let recipes = [
      Self.recipe { _ in }, Self.recipe { $0.geometry.turn = .right }, Self.recipe { $0.geometry.straighten = -17.3 },
      Self.recipe { $0.geometry.crop = Geometry.Crop(x: 0.1, y: 0.35, width: 0.21, height: 0.4) },
      Self.recipe {
        $0.geometry.turn = .left
        $0.geometry.straighten = 44
        $0.geometry.crop = Geometry.Crop(x: 0.5, y: 0, width: 0.07, height: 0.9)
      },
    ]
    for recipe in recipes {
      let processor = try FrameProcessor(recipe)
      for frame in [PixelSize(width: 1920, height: 1080), PixelSize(width: 641, height: 479)] {
        for target in [
          PixelSize(width: 960, height: 540), PixelSize(width: 333, height: 700), .init(width: 8, height: 5),
        ] {
          let decoded = PreviewRenderer.decodedSize(of: frame, in: target, for: processor)
          let result = processor.outputSize(for: decoded)
          let best = processor.outputSize(for: frame).fitted(into: target)
          let name = Comment("\(recipe.geometry) \(frame) in \(target): \(result), at best \(best)")
          #expect(result.width <= target.width && result.height <= target.height, name)
          #expect(decoded.width <= frame.width && decoded.height <= frame.height, name)
          // Rounding costs a pixel of the decoded size, which a crop makes less of, not more.
          #expect(best.width - result.width <= 3 && best.height - result.height <= 3, name)
        }
      }
    }
  }

  @Test("The pixels are those of the processor, then mirrored", arguments: [false, true])
  func pixels(isMirrored: Bool) throws {
    let frame = frame(PixelSize(width: 97, height: 54))
    let recipe = Self.recipe {
      $0.geometry.turn = .right
      $0.geometry.crop = Geometry.Crop(x: 0, y: 0.2, width: 0.5, height: 0.5)
      $0.adjustments.exposure = 0.7
      $0.effect = .init(Effect.all[0])
    }
    let form = PreviewRenderer.Form(
      target: PixelSize(width: 500, height: 500), isMirrored: isMirrored, processor: try FrameProcessor(recipe))
    let result = try #require(PreviewRenderer().render(frame, as: form))
    let expected = try expected(frame, recipe)
    #expect(result.size == expected.size)
    let wanted = expected.block.withUnsafeBytes { bytes in
      colors(bytes.baseAddress!, expected.size, stride: expected.stride)
    }
    let size = result.size
    let shown = colors(result.pixels, size, stride: result.stride)
    #expect(
      shown.indices.allSatisfy { index in
        let (x, y) = (index % size.width, index / size.width)
        return shown[index] == wanted[y * size.width + (isMirrored ? size.width - 1 - x : x)]
      })
  }

  @Test("A frame that is held changes with its processor, and back")
  func held() async throws {
    let pump = PreviewPump(name: "test")
    pump.setTarget(PixelSize(width: 200, height: 200))
    let (news, continuation) = AsyncStream.makeStream(of: Void.self)
    pump.setFrameHandler { continuation.yield() }
    defer { pump.setFrameHandler(nil) }
    var arrivals = news.makeAsyncIterator()
    let frame = frame(PixelSize(width: 64, height: 48), at: 7)
    func shown() async throws -> [UInt32] {
      while true {
        await arrivals.next()
        if let frame = pump.takeFrame() {
          #expect(frame.time.nanoseconds == 7)
          return colors(frame.pixels, frame.size, stride: frame.stride)
        }
      }
    }
    pump.offer(frame)
    let plain = try await shown()
    pump.setProcessor(try FrameProcessor(Self.recipe { $0.geometry.turn = .upsideDown }))
    #expect(try await shown() == plain.reversed())
    pump.setProcessor(nil)
    #expect(try await shown() == plain)
    // Of another camera or movie nothing is left to be rendered anew.
    pump.reset()
    pump.setProcessor(try FrameProcessor(AdjustmentRecipe()))
    #expect(pump.takeFrame() == nil)
  }

  @Test("A processor that fails shows nothing new, and the next one does")
  func failure() throws {
    struct Failing: FrameProcessing {
      func outputSize(for source: PixelSize) -> PixelSize { source }
      func render(_ source: PixelView, into target: PixelView, context: FrameContext, scratch: EffectScratch) throws {
        throw CocoaError(.featureUnsupported)
      }
    }
    let frame = frame(PixelSize(width: 32, height: 32))
    let renderer = PreviewRenderer()
    let target = PixelSize(width: 32, height: 32)
    for _ in 0..<20 { #expect(renderer.render(frame, as: .init(target: target, processor: Failing())) == nil) }
    #expect(renderer.render(frame, as: .init(target: target)) != nil, "its memory came back")
  }
}
