// People in previews: followed from frame to frame, and what happens when they can't be told.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import Synchronization
import TestSupport
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct MattePreviewTests {
  init() throws { try GStreamerRuntime.start() }

  private static let size = PixelSize(width: 60, height: 20)

  /// A light gray frame in the layout of the screen.
  private func frame(at milliseconds: Int64) -> CameraFrame {
    let block = FrameBlock(count: Self.size.area * 4) { $0.initializeMemory(as: UInt8.self, repeating: 200) }
    return CameraFrame(
      time: MonotonicTime(nanoseconds: milliseconds * 1_000_000), size: Self.size,
      content: .raw(RawLayout(name: "BGRx", size: Self.size, strides: [Self.size.width * 4], offsets: [0])),
      block: block)
  }

  private func form(_ mattes: RampMattes, strength: Double = 1, period: Int = 1) throws -> PreviewRenderer.Form {
    let recipe = AdjustmentRecipe(.init(try Effect.named("stage"), intensity: strength))
    return PreviewRenderer.Form(
      target: Self.size, processor: try FrameProcessor(recipe, mattes: mattes), mattePeriod: period)
  }

  /// The brightness at the right border, where nobody is.
  private func background(_ frame: PooledPreviewFrame?) throws -> UInt8 {
    let frame = try #require(frame)
    return frame.pixels.load(fromByteOffset: 4 * (frame.size.width - 2), as: UInt8.self)
  }

  @Test("One tracker follows all frames, whatever the strength") func follows() throws {
    let (mattes, renderer) = (RampMattes(), PreviewRenderer())
    for number in 0..<6 {
      let form = try form(mattes, strength: number < 3 ? 1 : 0.5)
      let shown = try background(renderer.render(frame(at: Int64(number) * 33), as: form))
      #expect(number < 3 ? shown == 0 : shown > 50 && shown < 150)
    }
    #expect(mattes.questions.count == 6 && Set(mattes.questions.map(\.tracker)) == [0])
    #expect(mattes.questions.allSatisfy { $0.quality == .live })
    // Without the effect nobody is followed, and later anew.
    _ = renderer.render(frame(at: 300), as: PreviewRenderer.Form(target: Self.size))
    _ = renderer.render(frame(at: 333), as: try form(mattes))
    #expect(mattes.questions.last?.tracker == 1)
  }

  @Test("Another kind of matte has another tracker") func kinds() throws {
    let (mattes, renderer) = (RampMattes(kinds: [.person, .skin]), PreviewRenderer())
    for (number, scope) in [EffectScope.person, .background, .skin, .skin, .person].enumerated() {
      let recipe = AdjustmentRecipe(.init(try Effect.named("noir"), scope: scope))
      let form = PreviewRenderer.Form(target: Self.size, processor: try FrameProcessor(recipe, mattes: mattes))
      #expect(renderer.render(frame(at: Int64(number) * 33), as: form) != nil)
    }
    #expect(mattes.questions.map(\.tracker) == [0, 0, 1, 1, 2])
    #expect(mattes.questions.map(\.kind) == [.person, .person, .skin, .skin, .person])
  }

  @Test("Under pressure every other frame has the matte of the one before") func period() throws {
    let (mattes, renderer) = (RampMattes(), PreviewRenderer())
    for number in 0..<7 {
      let shown = try background(
        renderer.render(frame(at: Int64(number) * 33), as: try form(mattes, period: 2)))
      #expect(shown == 0)
    }
    #expect(mattes.questions.count == 4)
  }

  @Test("After a jump nothing goes on") func jumps() throws {
    let (mattes, renderer) = (RampMattes(), PreviewRenderer())
    for time in [0, 33, 66, 5000, 5033, 10, 10] {
      _ = renderer.render(frame(at: Int64(time)), as: try form(mattes, period: 2))
    }
    #expect(mattes.questions.map(\.tracker) == [0, 0, 1, 2])
  }

  @Test("Frames are shown without their effect when people can't be told") func failure() throws {
    for mattes in [RampMattes(failingFrom: 0), RampMattes(absence: RampMattes.Failure())] {
      let renderer = PreviewRenderer()
      for number in 0..<4 {
        #expect(try background(renderer.render(frame(at: Int64(number) * 33), as: try form(mattes))) == 200)
      }
      #expect(mattes.questions.count <= 1, "it isn't tried again")
    }
  }

  @Test("Where somebody hears of it no frame is shown without its effect, until there is another one")
  func failureTold() throws {
    let mattes = RampMattes(failingFrom: 0.05)
    let renderer = PreviewRenderer()
    let told = Mutex(0)
    var form = try form(mattes)
    form.onMatteFailure = { error in told.withLock { $0 += error is RampMattes.Failure ? 1 : 100 } }
    #expect(renderer.render(frame(at: 0), as: form) != nil && renderer.presence == 1)
    for number in 2..<6 {
      #expect(renderer.render(frame(at: Int64(number) * 33), as: form) == nil && !renderer.foundDamage)
    }
    #expect(told.withLock { $0 } == 1 && renderer.presence == nil)
    // The next effect is told as well.
    form.processorNumber += 1
    #expect(renderer.render(frame(at: 250), as: form) == nil && told.withLock { $0 } == 2)
    form.processor = nil
    #expect(try background(renderer.render(frame(at: 300), as: form)) == 200)
  }

  @Test("The preview knows whether somebody is there, as long as an effect asks")
  func presence() async throws {
    let pump = PreviewPump(name: "test")
    let (news, continuation) = AsyncStream.makeStream(of: Void.self)
    pump.setFrameHandler { continuation.yield() }
    defer { pump.setFrameHandler(nil) }
    var arrivals = news.makeAsyncIterator()
    func shown(_ mattes: RampMattes?, at time: Int64) async throws -> Double? {
      let recipe = AdjustmentRecipe(.init(try Effect.named("stage")))
      pump.setProcessor(try mattes.map { try FrameProcessor(recipe, mattes: $0) })
      pump.offer(frame(at: time))
      // The last one may have been rendered once more with the new processor.
      repeat { await arrivals.next() } while pump.takeFrame()?.time != MonotonicTime(nanoseconds: time * 1_000_000)
      return pump.presence
    }
    pump.setTarget(Self.size)
    #expect(try await shown(nil, at: 1) == nil)
    #expect(try await shown(RampMattes(presence: 0.75), at: 40) == 0.75)
    #expect(try await shown(RampMattes(presence: 0), at: 2000) == 0)
    #expect(try await shown(nil, at: 2040) == nil)
  }

  @Test("The first measure against pressure takes mattes and no frames, without such an effect frames")
  func firstMeasure() async throws {
    let recipe = AdjustmentRecipe(.init(try Effect.named("stage")))
    for finds in [true, false] {
      let pump = PreviewPump(name: "test")
      let (news, continuation) = AsyncStream.makeStream(of: Void.self)
      pump.setFrameHandler { continuation.yield() }
      defer { pump.setFrameHandler(nil) }
      pump.setTarget(Self.size)
      pump.setMeasures(PressureLevel.fair.measures)
      pump.setProcessor(finds ? try FrameProcessor(recipe, mattes: RampMattes()) : nil)
      var arrivals = news.makeAsyncIterator()
      for number in 0..<30 {
        let before = pump.statistics.skipped
        pump.offer(frame(at: Int64(number) * 33))
        guard pump.statistics.skipped == before else { continue }
        await arrivals.next()
        _ = pump.takeFrame()
      }
      #expect(finds ? pump.statistics.skipped == 0 : pump.statistics.skipped >= 8, "\(pump.statistics)")
    }
  }

  @Test("The gallery finds one matte for all its pictures") func gallery() async throws {
    let mattes = RampMattes(kinds: [.person, .skin])
    let pump = PreviewPump(name: "test")
    let gallery = GalleryPump(pump: pump, mattes: mattes)
    let (news, continuation) = AsyncStream.makeStream(of: Void.self)
    gallery.setPictureHandler { continuation.yield() }
    defer { gallery.setPictureHandler(nil) }
    let settings: [AdjustmentRecipe.EffectSetting?] =
      [nil, .init(try Effect.named("noir"), scope: .skin)]
      + Effect.all.filter { $0.group == .portrait }.map { .init($0) }
    gallery.setScene(EffectGalleryScene(size: Self.size, isMirrored: false, settings: settings))
    pump.offer(frame(at: 7))
    var arrivals = news.makeAsyncIterator()
    await arrivals.next()
    #expect(gallery.takePictures().count == settings.count)
    #expect(mattes.questions.map(\.kind.rawValue).sorted() == ["person", "skin"], "each once")
    gallery.setScene(nil)
  }
}
