// The editor's preview: the newest change wins, movies loop, and thumbnails show the current picture.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import PhotoLibrary
import TestSupport
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct EditPreviewTests {
  private func colors(_ image: DecodedImage) -> [UInt32] {
    image.block.withUnsafeBytes { bytes in
      (0..<image.size.area).map { index in
        let at = index / image.size.width * image.stride + index % image.size.width * 4
        return bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self) & 0xff_ffff
      }
    }
  }

  // MARK: The still

  @Test func whatIsSeenIsTheNewestRecipe() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.open()
    let plain = try #require(model.preview.image)
    #expect(plain.size == PixelSize(width: 64, height: 48))
    for value in 1...30 { model.set(Adjustments.fields[0], to: Double(value) / 30) }
    model.select(effect: try Effect.named("noir"))
    await model.preview.finished()
    let image = try #require(model.preview.image)
    let expected = try FrameProcessor(model.recipe).render(
      plain, kind: .still, time: 0, fullSize: plain.size, scratch: EffectScratch())
    #expect(colors(image) == colors(expected))
    #expect(colors(image) != colors(plain))
    try await bench.end()
    #expect(model.preview.image == nil && model.preview.failure == nil)
  }

  @Test func whatCannotBeDecodedIsSaid() async throws {
    let bench = try await EditBench()
    let url = bench.library.folder.appendingPathComponent("broken.jpg")
    try Data("no picture".utf8).write(to: url)
    bench.set { $0.url = url }
    await bench.open()
    #expect(bench.model.preview.image == nil)
    #expect(bench.model.preview.failure?.contains("broken.jpg") == true)
    try await bench.end()
  }

  @Test func aCropIsDrawnOverTheWholePicture() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.open()
    model.select(tab: .crop)
    model.drag(.right, from: .full, x: -0.5, y: 0)
    await model.preview.finished()
    #expect(model.preview.image?.size == PixelSize(width: 64, height: 48))
    model.select(tab: .adjust)
    await model.preview.finished()
    #expect(model.preview.image?.size == PixelSize(width: 32, height: 48))
    model.select(tab: .live)
    #expect(model.tab == .adjust, "there is no movie")
    try await bench.end()
  }

  @Test func transparentPartsAreWhiteWhateverTheEffect() async throws {
    let size = PixelSize(width: 4, height: 1)
    let white = FrameBlock(count: 4 * size.area) { bytes in for index in bytes.indices { bytes[index] = 255 } }
    var picture = EditingImage(image: DecodedImage(size: size, stride: 16, block: white), fullSize: size)
    picture.alpha = AlphaPlane(
      size: size, block: FrameBlock(count: 4) { bytes in for index in 0..<4 { bytes[index] = index < 2 ? 255 : 0 } })
    let worker = PreviewWorker(threadCount: 1)
    var recipe = AdjustmentRecipe(.init(try Effect.named("x-ray")))
    recipe.geometry.isFlipped = true
    for image in [
      try await worker.render(recipe, of: picture, time: 0), try await worker.thumbnail(recipe, of: picture),
    ] {
      let bytes = image.block.bytes
      // White has become dark, and nothing has stayed nothing.
      #expect(bytes[0] == 255 && bytes[4] == 255)
      #expect(bytes[8] < 100 && bytes[12] < 100)
    }
  }

  // MARK: The movie

  @Test func aMovieGoesRoundWithTheEdit() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.openLive()
    let player = try #require(bench.library.players.players.last)
    #expect(model.preview.playback != nil && player.isMuted)
    #expect(player.screen.recipe == nil, "nothing is changed yet")
    var passes = player.began.makeAsyncIterator()
    _ = await passes.next()
    model.select(effect: Effect.all[0])
    #expect(player.screen.recipe?.effect?.effect == Effect.all[0])
    model.showOriginal(true)
    #expect(player.screen.recipe == nil)
    model.showOriginal(false)
    #expect(player.screen.recipe?.effect?.effect == Effect.all[0])
    // It starts over at its end.
    player.say(position: 1)
    await ModelBench.until { model.preview.position == 1 }
    player.stop()
    #expect(await passes.next() != nil)
    #expect(model.preview.playback != nil)
    model.select(tab: .crop)
    #expect(model.preview.playback == nil, "a crop is set on what stands still")
    await model.preview.finished()
    #expect(model.preview.image != nil)
    try await bench.end()
  }

  @Test func aMovieWaitsWhereTheDesktopStandsStill() async throws {
    let bench = try await EditBench()
    let model = bench.model
    model.preview.startsMovies = false
    await bench.openLive()
    let player = try #require(bench.library.players.players.last)
    #expect(model.preview.isHeld && player.orders.isPaused, "it shows its first picture")
    // Another tab and another effect don't start it either; the person does.
    model.select(tab: .adjust)
    model.select(effect: Effect.all[0])
    #expect(model.preview.isHeld && player.orders.isPaused)
    model.togglePlaying()
    #expect(!model.preview.isHeld && !player.orders.isPaused)
    try await bench.end()
  }

  @Test func aTrimmedMovieStaysInItsPart() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.openLive()
    let player = try #require(bench.library.players.players.last)
    #expect(model.trimText == "Duration: 3.0 s")
    model.setTrimEnd(2)
    model.setTrimStart(1)
    #expect(model.recipe.trim == .init(start: 1, end: 2))
    #expect(model.trimText == "1.0 s of 3.0 s")
    #expect(model.preview.isHeld && player.orders.isPaused && player.orders.seeks.last == 1, "it shows where")
    model.togglePlaying()
    #expect(!player.orders.isPaused)
    player.say(position: 1.5)
    await ModelBench.until { model.preview.position == 1.5 }
    player.say(position: 2.01)
    await ModelBench.until { model.preview.position == 2.01 }
    #expect(player.orders.seeks.last == 1)
    // The whole range is no trim.
    model.setTrimStart(-1)
    model.setTrimEnd(7)
    #expect(model.recipe.trim == nil)
    model.setTrimStart(2.95)
    #expect(model.recipe.trim == .init(start: 3 - EditModel.leastLength, end: 3), "something is left")
    try await bench.end()
  }

  @Test func aBounceGoesBackToItsStart() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.openLive()
    let player = try #require(bench.library.players.players.last)
    let (frames, frame) = AsyncStream.makeStream(of: Void.self)
    model.preview.frameTime = {
      for await _ in frames { return }
      throw CancellationError()
    }
    model.select(style: .bounce)
    player.say(position: 2)
    await ModelBench.until { model.preview.position == 2 }
    #expect(!player.orders.isPaused)
    // Backward by way of earlier and earlier frames, and forward again.
    player.say(position: 2.95)
    await ModelBench.until { model.preview.position == 2.95 }
    #expect(player.orders.isPaused)
    for _ in 0..<10 { frame.yield() }
    await ModelBench.until { model.preview.position < 2.65 }
    #expect(player.orders.isPaused && !model.preview.isHeld)
    for _ in 0..<79 { frame.yield() }
    await ModelBench.until { model.preview.position == 0 }
    #expect(!player.orders.isPaused)
    let seeks = player.orders.seeks.drop { $0 == 0 }
    #expect(seeks.count > 80 && seeks.last == 0 && zip(seeks, seeks.dropFirst()).allSatisfy { $0 > $1 })
    // Who pauses on the way back stays where it is.
    player.say(position: 2.95)
    await ModelBench.until { model.preview.position == 2.95 }
    #expect(player.orders.isPaused)
    model.togglePlaying()
    #expect(model.preview.isHeld && player.orders.isPaused)
    let position = model.preview.position
    model.togglePlaying()
    #expect(!player.orders.isPaused && model.preview.position == position)
    // Who wants no bounce anymore goes on forward.
    player.say(position: 2.96)
    await ModelBench.until { model.preview.position == 2.96 }
    #expect(player.orders.isPaused)
    model.select(style: .loop)
    #expect(!player.orders.isPaused)
    try await bench.end()
  }

  @Test func aMovieWithoutPicturesGivesWayToTheStill() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.openLive()
    let player = try #require(bench.library.players.players.last)
    var passes = player.began.makeAsyncIterator()
    _ = await passes.next()
    player.stop()
    await ModelBench.until { model.preview.failure != nil }
    #expect(model.preview.playback == nil)
    await model.preview.finished()
    #expect(model.preview.image != nil && model.preview.failure != nil)
    try await bench.end()
  }

  @Test func whyAMovieHasNoSoundIsSaidWhereItIsToBeHeard() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.openLive()
    bench.library.players.players.last?.say(silence: "The sound server doesn't answer.")
    bench.library.players.players.last?.say(position: 0.5)
    await ModelBench.until { model.preview.position == 0.5 }
    #expect(model.preview.silence == nil, "it is muted here")
    model.select(tab: .live)
    let player = try #require(bench.library.players.players.last)
    player.say(silence: "The sound server doesn't answer.")
    player.say(position: 1)
    await ModelBench.until { model.preview.silence != nil }
    #expect(model.preview.silence == "The sound server doesn't answer." && model.preview.playback != nil)
    model.dismissProblem()
    player.say(position: 1.5)
    await ModelBench.until { model.preview.position == 1.5 }
    #expect(model.preview.silence == nil, "it was read")
    try await bench.end()
  }

  @Test func soundIsHeardOnlyWhereItIsDecidedAbout() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.openLive()
    model.select(tab: .live)
    #expect(bench.library.players.players.last?.isMuted == false)
    model.setMuted(true)
    #expect(bench.library.players.players.last?.isMuted == true)
    model.setMuted(false)
    model.select(style: .loop)
    #expect(bench.library.players.players.last?.isMuted == true, "a loop has no sound of its own")
    try await bench.end()
  }

  @Test func theKeyPhotoIsTheStill() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.openLive()
    #expect(model.keyPhotoTime == 1.5)
    model.setKeyPhoto(at: 0.7)
    #expect(model.recipe.keyPhotoTime == 0.7)
    model.select(tab: .crop)
    await model.preview.finished()
    let image = try #require(model.preview.image)
    #expect(Set(colors(image)) == [0x46_4646], "the frame of that time")
    // The key photo must be inside the trim; close to the original still it is that still.
    model.setTrimStart(1)
    #expect(model.recipe.keyPhotoTime == 1)
    #expect(throws: Never.self) { try model.recipe.validate() }
    model.setKeyPhoto(at: 1.505)
    #expect(model.recipe.keyPhotoTime == nil)
    try await bench.end()
  }

  @Test func aLongExposureIsTheAverageOfFrames() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.openLive()
    model.setTrimEnd(2)
    model.select(style: .longExposure)
    #expect(model.preview.playback == nil)
    await model.preview.finished()
    // Frames are as bright as their time. Light is averaged, not numbers.
    func light(_ number: Double) -> Double { pow((number / 255 + 0.055) / 1.055, 2.4) }
    let times = (0..<FrameAverage.count).map { 200 * (Double($0) + 0.5) / Double(FrameAverage.count) }
    let mean = times.map { light($0.rounded()) }.reduce(0, +) / Double(times.count)
    let number = (1.055 * pow(mean, 1 / 2.4) - 0.055) * 255
    let image = try #require(model.preview.image)
    let color = try #require(colors(image).first)
    #expect(abs(Double(color & 0xff) - number) <= 1 && number > 104)
    try await bench.end()
  }

  // MARK: Thumbnails

  @Test func thumbnailsAreOfThisPictureWithItsAdjustments() async throws {
    let bench = try await EditBench(mattes: RampMattes())
    let model = bench.model
    await bench.open()
    model.thumbnails.setVisible(["x-ray"])
    await ModelBench.until { !model.thumbnails.images.isEmpty }
    await model.thumbnails.finished()
    #expect(model.thumbnails.images.count == Effect.all.count + 1)
    let plain = try #require(model.thumbnails.images[EffectThumbnails.original])
    #expect(plain.size == PixelSize(width: 64, height: 48))
    let noir = try #require(model.thumbnails.images["noir"])
    var recipe = AdjustmentRecipe()
    recipe.effect = .init(try Effect.named("noir"))
    let expected = try FrameProcessor(recipe).render(
      plain, kind: .still, time: 0, fullSize: plain.size, scratch: EffectScratch())
    #expect(colors(noir) == colors(expected))
    // Another effect leaves them alone, a rotation doesn't.
    model.select(effect: Effect.all[3])
    #expect(model.thumbnails.images["noir"]?.block === noir.block)
    model.turnLeft()
    await model.thumbnails.finished()
    #expect(model.thumbnails.images["noir"]?.size == PixelSize(width: 48, height: 64))
    try await bench.end()
    #expect(model.thumbnails.images.isEmpty)
  }

  @Test func drawingsAreCoarserInTheStripAsInTheGallery() async throws {
    let size = PixelSize(width: 64, height: 48)
    let block = FrameBlock(count: size.area * 4) { bytes in
      for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index / 4 * 3 + index / 256 * 5) }
    }
    let picture = EditingImage(
      image: DecodedImage(size: size, stride: size.width * 4, block: block),
      fullSize: PixelSize(width: 1280, height: 960))
    let thumbnails = EffectThumbnails()
    thumbnails.open(picture, recipe: AdjustmentRecipe())
    await thumbnails.finished()
    let halftone = try #require(thumbnails.images["halftone"])
    let processor = try FrameProcessor(AdjustmentRecipe(.init(try Effect.named("halftone"))))
    let context = processor.thumbnailContext(of: size, fullSize: picture.fullSize)
    #expect(context.patternScale > 1)
    let expected = try processor.render(picture.image, context: context, scratch: EffectScratch())
    #expect(colors(halftone) == colors(expected))
    // It is finer as it will be saved.
    let saved = try processor.render(
      picture.image, kind: .still, time: 0, fullSize: picture.fullSize, scratch: EffectScratch())
    #expect(colors(halftone) != colors(saved))
  }

  @Test func theStripHasFramesOfTheWholeMovie() async throws {
    let strip = MovieStrip(reader: ScriptedFrames())
    strip.open(MovieSource(url: URL(fileURLWithPath: "/nonexistent.mp4"), byteRange: 0..<1), duration: 2)
    await strip.finished()
    #expect(strip.frames.count == MovieStrip.count)
    #expect(
      strip.frames.compactMap { $0.map { colors($0)[0] & 0xff } } == [10, 30, 50, 70, 90, 110, 130, 150, 170, 190])
    strip.close()
    #expect(strip.frames.isEmpty)
  }
}
