// The budget of memory over everything that holds frames, with a camera of 4K Motion JPEG at 60 frames a second. Without a
// camera: frames are put in by hand.

import CameraCore
import Foundation
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct CaptureStoreMemoryTests {
  private static let size = PixelSize(width: 3840, height: 2160)
  private static let rate = FrameRate(60)
  private static let start = MonotonicTime(nanoseconds: 9_000_000_000)
  /// Of one frame.
  private static let byteCount = 1_200_000

  private static func time(_ number: Int) -> MonotonicTime {
    start + TimeSpan(nanoseconds: Int64(number) * 1_000_000_000 / 60)
  }

  /// A store of an open camera, with Live on.
  private func store() -> CaptureStore {
    let format = CameraFormat(encoding: .motionJPEG, size: Self.size, frameRates: [Self.rate])
    let store = CaptureStore()
    store.open(CameraSession(camera: TestCamera.device, format: format, frameRate: Self.rate))
    store.setLive(true)
    return store
  }

  /// Puts frames in, and holds the bytes of all frames against the limit after each.
  private func feed(_ range: Range<Int>, to store: CaptureStore, byteCount: Int = byteCount) {
    for number in range {
      let block = FrameBlock(count: byteCount) { _ in }
      block.charge(to: store.budget)
      let frame = CameraFrame(time: Self.time(number), size: Self.size, content: .jpeg, block: block)
      #expect(store.receive(frame))
      store.markShown(frame, at: Self.time(number))
      #expect(store.budget.byteCount <= CaptureStore.totalLimit, "frame \(number)")
    }
  }

  @Test("Two overlapping live photos stay within the budget, with fewer frames and their whole length")
  func twoOverlapping() async throws {
    let store = store()
    feed(0..<91, to: store)
    let first = try #require(store.choose(pressed: Self.time(90), isLive: true))
    feed(91..<175, to: store)
    let second = try #require(store.choose(pressed: Self.time(174), isLive: true))
    feed(175..<270, to: store)
    for id in [first.id, second.id] {
      let window = try #require(await store.gather(id))
      // The ring is limited to half of the pre-roll's bytes.
      #expect(window.shortfalls.last == .fewerFrames)
      #expect(window.shortfalls.dropLast().allSatisfy { if case .beginsLateForSize = $0 { true } else { false } })
      let times = window.frames.map(\.time)
      #expect(try #require(times.last) - #require(times.first) > .seconds(2.2))
      // No worse than needed: 15 a second.
      #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 < .milliseconds(70) })
      #expect(times.contains(window.still.time))
    }
  }

  @Test("30 presses in a second, while nothing is written: each has its photo, and what a movie lacks is said")
  func thirtyPresses() async throws {
    let store = store()
    feed(0..<91, to: store)
    var choices: [CaptureStore.Choice] = []
    for press in 0..<30 {
      choices.append(try #require(store.choose(pressed: Self.time(90 + 2 * press), isLive: true)))
      feed(91 + 2 * press..<93 + 2 * press, to: store)
    }
    feed(151..<250, to: store)
    #expect(Set(choices.map(\.frame.time)).count == 30)
    var windows: [LiveWindow] = []
    for choice in choices { windows.append(try #require(await store.gather(choice.id))) }
    #expect(windows.allSatisfy { $0.isGivenUp || $0.shortfalls.contains(.fewerFrames) })
    #expect(windows.contains { !$0.isGivenUp })
  }

  @Test("Pressing on and on while nothing is written ends in photos without movies, and movies come back afterwards")
  func onAndOn() async throws {
    let store = store()
    feed(0..<91, to: store)
    var tickets: [WaitingWindows.Ticket] = []
    var number = 91
    var givenUp: [WaitingWindows.Ticket] = []
    for _ in 0..<40 {
      let choice = try #require(store.choose(pressed: Self.time(number - 1), isLive: true))
      feed(number..<number + 100, to: store)
      number += 100
      let window = try #require(await store.gather(choice.id))
      let ticket = store.windows.add(window)
      if window.isGivenUp { givenUp.append(ticket) }
      tickets.append(ticket)
    }
    let plain = try #require(givenUp.first)
    #expect(throws: CameraError.movieFailed(message: "too many others are waiting to be saved")) {
      _ = try store.windows.begin(plain)
    }
    // The first ones keep what was promised, with fewer frames.
    let first = try store.windows.begin(try #require(tickets.first))
    #expect(first.frames.count >= 9 && first.window.shortfalls.contains(.fewerFrames))
    for ticket in tickets { store.windows.remove(ticket) }
    feed(number..<number + 1, to: store)
    let next = try #require(store.choose(pressed: Self.time(number), isLive: true))
    feed(number + 1..<number + 100, to: store)
    #expect(try #require(await store.gather(next.id)).isGivenUp == false)
    withExtendedLifetime(first) {}
  }

  @Test("Frames of a movie that is being written are left out as well, and it says so")
  func beingWritten() async throws {
    let store = store()
    feed(0..<91, to: store)
    let choice = try #require(store.choose(pressed: Self.time(90), isLive: true))
    feed(91..<190, to: store)
    let ticket = store.windows.add(try #require(await store.gather(choice.id)))
    let frames = try store.windows.begin(ticket).frames
    let count = frames.heldTimes.count
    #expect(count == frames.count)
    _ = try #require(store.choose(pressed: Self.time(189), isLive: true))
    feed(190..<400, to: store)
    #expect(frames.heldTimes.count < count && frames.lacksSome)
    #expect(frames.frame(0) != nil && frames.frame(frames.count - 1) != nil)
    store.windows.remove(ticket)
  }

  @Test("A live photo soon after the ring was thinned or cut short says so, and doesn't blame the camera")
  func afterRelief() async throws {
    let store = store()
    feed(0..<91, to: store)
    // What is being saved takes nearly all of the memory for an instant.
    var pictures: FrameBlock? = FrameBlock(count: CaptureStore.totalLimit - 20 * Self.byteCount) { _ in }
    pictures?.charge(to: store.budget)
    let block = FrameBlock(count: Self.byteCount) { _ in }
    block.charge(to: store.budget)
    #expect(store.receive(CameraFrame(time: Self.time(91), size: Self.size, content: .jpeg, block: block)))
    pictures = nil
    feed(92..<94, to: store)
    let soon = try #require(store.choose(pressed: Self.time(93), isLive: true))
    feed(94..<250, to: store)
    // Not kept: its frames would take the memory of the next one's.
    let shortfalls = try #require(await store.gather(soon.id)).shortfalls
    #expect(shortfalls.contains { if case .beginsLateForMemory = $0 { true } else { false } })
    #expect(!shortfalls.contains { if case .cameraPaused = $0 { true } else { false } })
    let later = try #require(store.choose(pressed: Self.time(249), isLive: true))
    feed(250..<345, to: store)
    let whole = try #require(await store.gather(later.id))
    // One of this size and rate is thinned by itself.
    #expect(!whole.shortfalls.contains { if case .beginsLateForMemory = $0 { true } else { false } })
  }

  @Test("Frames around a shot are free once they are averaged, however long the shot is being saved")
  func companionsAreFree() throws {
    let store = store()
    store.setKeepsCompanions(true)
    feed(0..<60, to: store)
    let choice = try #require(store.choose(pressed: Self.time(59), isLive: false, companions: 7))
    let copy = choice
    #expect(choice.companions.count == 7)
    store.close()
    // Those, and the shot's own.
    #expect(store.budget.byteCount == 8 * Self.byteCount)
    #expect(copy.companions.take().count == 7)
    #expect(store.budget.byteCount == Self.byteCount)
    withExtendedLifetime(choice) {}
  }

  @Test("A movie that was given up doesn't wait for its turn to be written")
  func givenUpAtOnce() async throws {
    let store = store()
    let writer = LivePhotoWriter(limits: EngineLimits(), waiting: store.windows)
    feed(0..<91, to: store)
    let choice = try #require(store.choose(pressed: Self.time(90), isLive: true))
    feed(91..<190, to: store)
    var window = try #require(await store.gather(choice.id))
    window.giveUp()
    for _ in 0..<LivePhotoWriter.placeCount { await writer.gate.enter() }
    defer { for _ in 0..<LivePhotoWriter.placeCount { writer.gate.leave() } }
    let folder = FileManager.default.temporaryDirectory
    do throws(CameraError) {
      _ = try await writer.write(window, into: folder)
      Issue.record("It was written.")
    } catch {
      #expect(error == .movieFailed(message: "too many others are waiting to be saved"))
    }
  }

  @Test("Of large sensors, a frame is taken that still has the sensor's own beside it")
  func largeSensors() throws {
    let format = CameraFormat(encoding: .bayer("rggb"), size: Self.size, frameRates: [Self.rate])
    let store = CaptureStore()
    store.open(CameraSession(camera: TestCamera.device, format: format, frameRate: Self.rate, savesRaw: true))
    let layout = BayerLayout(pattern: .rggb, bits: 16)
    for number in 0..<6 {
      let block = FrameBlock(count: 2 * Self.size.area) { _ in }
      let raw = try #require(
        BayerFrame(layout: layout, size: Self.size, stride: 2 * Self.size.width, transfer: .linear, block: block))
      let frame = CameraFrame(
        time: Self.time(number), size: Self.size, content: .jpeg, block: FrameBlock(count: 9) { _ in })
      #expect(store.receive(frame, raw: raw))
      if number == 1 { store.markShown(frame, at: Self.time(number)) }
    }
    // What is on screen is older than all that are kept: a newer one from before the press is taken, which has its own. Two
    // frames later that is still there.
    let choice = try #require(store.choose(pressed: Self.time(3), isLive: false))
    #expect(choice.frame.time == Self.time(3) && choice.raw != nil)
    // Photos of a burst are saved without it, so they don't hold it.
    let photo = try #require(store.choose(pressed: Self.time(5), isLive: false, isNew: true))
    #expect(photo.frame.time > Self.time(3) && photo.raw == nil)
  }

  @Test("Where even the ring has no room, a press is refused, in words")
  func refused() async throws {
    let store = store()
    feed(0..<10, to: store)
    let pictures = FrameBlock(count: CaptureStore.totalLimit / 8 * 9) { _ in }
    pictures.charge(to: store.budget)
    let frame = CameraFrame(
      time: Self.time(10), size: Self.size, content: .jpeg, block: FrameBlock(count: Self.byteCount) { _ in })
    frame.block.charge(to: store.budget)
    #expect(store.receive(frame))
    #expect(store.ringByteCount == Self.byteCount)
    #expect(store.choose(pressed: Self.time(10), isLive: false) == nil)
    await #expect(throws: CameraError.tooManyShots) { try await store.nextChoice(isLive: false) }
    withExtendedLifetime(pictures) {}
  }
}
