// The gallery of effects: no work without a scene, the right pixels with one, and never more often than it should.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct GalleryPumpTests {
  init() throws { try GStreamerRuntime.start() }

  private static let size = PixelSize(width: 64, height: 36)

  /// A frame of noise in the layout of the screen.
  private func frame(at milliseconds: Int64) -> CameraFrame {
    let block = FrameBlock(count: Self.size.area * 4) { bytes in
      var state = UInt32(truncatingIfNeeded: milliseconds) &+ 99
      for index in bytes.indices {
        state = state &* 1_664_525 &+ 1_013_904_223
        bytes[index] = UInt8(truncatingIfNeeded: state >> 24)
      }
    }
    return CameraFrame(
      time: MonotonicTime(nanoseconds: milliseconds * 1_000_000), size: Self.size,
      content: .raw(RawLayout(name: "BGRx", size: Self.size, strides: [Self.size.width * 4], offsets: [0])),
      block: block)
  }

  private func colors(_ frame: any PreviewFrame) -> [UInt32] {
    (0..<frame.size.area).map { index in
      let at = index / frame.size.width * frame.stride + index % frame.size.width * 4
      return frame.pixels.loadUnaligned(fromByteOffset: at, as: UInt32.self) & 0xff_ffff
    }
  }

  /// The expected pixels.
  private func expected(
    _ frame: CameraFrame, _ setting: AdjustmentRecipe.EffectSetting?, isMirrored: Bool
  ) throws -> [UInt32] {
    let image = DecodedImage(size: frame.size, stride: frame.size.width * 4, block: frame.block)
    let result = try FrameProcessor(AdjustmentRecipe(setting)).render(
      image, kind: .still, time: 0, fullSize: frame.size, scratch: EffectScratch())
    let pixels = result.block.withUnsafeBytes { bytes in
      (0..<Self.size.area).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) & 0xff_ffff }
    }
    guard isMirrored else { return pixels }
    return pixels.indices.map { index in
      pixels[index / Self.size.width * Self.size.width + Self.size.width - 1 - index % Self.size.width]
    }
  }

  @Test("Without a scene nothing is done, and after it neither")
  func idle() async throws {
    let pump = PreviewPump(name: "test")
    let gallery = GalleryPump(pump: pump)
    let (news, continuation) = AsyncStream.makeStream(of: Void.self)
    gallery.setPictureHandler { continuation.yield() }
    for time in 0..<3 { pump.offer(frame(at: Int64(time) * 100)) }
    #expect(!gallery.isAtWork && gallery.takePictures().isEmpty && gallery.roundCount == 0)
    gallery.setScene(EffectGalleryScene(size: Self.size, isMirrored: false, settings: []))
    #expect(!gallery.isAtWork, "nothing is in sight")
    gallery.setScene(EffectGalleryScene(size: Self.size, isMirrored: false, settings: [nil]))
    #expect(gallery.isAtWork)
    pump.offer(frame(at: 1000))
    var arrivals = news.makeAsyncIterator()
    await arrivals.next()
    #expect(gallery.takePictures().count == 1)
    gallery.setScene(nil)
    #expect(!gallery.isAtWork)
    pump.offer(frame(at: 2000))
    #expect(gallery.takePictures().isEmpty && gallery.roundCount == 0)
    #expect(pump.statistics.arrived == 5 && pump.statistics.converted == 0)
    gallery.setPictureHandler(nil)
  }

  @Test("Each picture is the frame with its effect, then mirrored", arguments: [false, true])
  func pixels(isMirrored: Bool) async throws {
    let pump = PreviewPump(name: "test")
    let gallery = GalleryPump(pump: pump)
    let (news, continuation) = AsyncStream.makeStream(of: Void.self)
    gallery.setPictureHandler { continuation.yield() }
    defer { gallery.setPictureHandler(nil) }
    var settings: [AdjustmentRecipe.EffectSetting?] =
      [nil] + Effect.all.filter { !$0.renderer.needsMatte }.map { .init($0) }
    settings[1] = .init(Effect.all[0], intensity: 0.5)
    gallery.setScene(EffectGalleryScene(size: Self.size, isMirrored: isMirrored, settings: settings))
    let frame = frame(at: 7)
    pump.offer(frame)
    var arrivals = news.makeAsyncIterator()
    await arrivals.next()
    let pictures = gallery.takePictures()
    #expect(pictures.count == settings.count)
    for setting in settings {
      let name = EffectGalleryScene.name(of: setting)
      let picture = try #require(pictures[name])
      #expect(picture.time == frame.time && picture.size == Self.size)
      #expect(try colors(picture) == expected(frame, setting, isMirrored: isMirrored), "\(name)")
    }
    gallery.setScene(nil)
    #expect(pictures.count == settings.count, "what is on the screen stays until the screen lets go")
  }

  @Test("Frames that come too soon after the last one are left to the viewfinder")
  func rate() async throws {
    let pump = PreviewPump(name: "test")
    let gallery = GalleryPump(pump: pump)
    let (news, continuation) = AsyncStream.makeStream(of: Void.self)
    gallery.setPictureHandler { continuation.yield() }
    defer { gallery.setPictureHandler(nil) }
    gallery.setScene(EffectGalleryScene(size: Self.size, isMirrored: false, settings: [nil]))
    var arrivals = news.makeAsyncIterator()
    var shown: [Int64] = []
    for time in stride(from: Int64(1000), to: 1400, by: 33) {
      let before = gallery.roundCount
      pump.offer(frame(at: time))
      // Every second one of thirty in a second.
      guard (time - 1000) / 33 % 2 == 0 else { continue }
      await arrivals.next()
      #expect(gallery.roundCount == before + 1)
      shown += gallery.takePictures().values.map { $0.time.nanoseconds / 1_000_000 }
    }
    #expect(shown == Array(stride(from: Int64(1000), to: 1400, by: 66)))
    // Another camera, whose clock begins anew.
    pump.offer(frame(at: 5))
    await arrivals.next()
    #expect(gallery.takePictures().count == 1)
    gallery.setScene(nil)
  }
}
