// The sound of live photos' windows: waited for while there is hope, and missed aloud.

import CameraCore
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct CaptureStoreSoundTests {
  private let store = CaptureStore()
  private let start = MonotonicTime.now

  init() {
    let format = TestCamera.formats[0]
    store.open(CameraSession(camera: TestCamera.device, format: format, frameRate: FrameRate(30)))
    store.setLive(true)
    store.setMicrophone(TestCamera.microphone)
  }

  /// Frames and sound of these seconds, from the start; thirty frames a second.
  private func frames(_ seconds: ClosedRange<Double>) {
    for number in Int((seconds.lowerBound * 30).rounded(.up))...Int(seconds.upperBound * 30) {
      let block = FrameBlock(count: 16) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
      let time = start + .seconds(Double(number) / 30)
      _ = store.receive(CameraFrame(time: time, size: PixelSize(width: 4, height: 4), content: .jpeg, block: block))
    }
  }

  private func sound(_ seconds: ClosedRange<Double>) {
    let (from, to) = (start + .seconds(seconds.lowerBound), start + .seconds(seconds.upperBound))
    for chunk in LivePhotoSample.chunks(from: from, to: to, 1) { store.receive(chunk) }
  }

  /// A live photo at 1.5 s.
  private func press() throws -> CaptureID {
    try #require(store.choose(pressed: start + .seconds(1.5), isLive: true)).id
  }

  private func shortfalls(_ id: CaptureID) async throws -> [CaptureShortfall] {
    try #require(await store.gather(id)).shortfalls
  }

  @Test func completeSoundIsWaitedForAndNoShortfall() async throws {
    frames(0...1.5)
    sound(0...1.5)
    let shot = try press()
    frames(1.6...3.2)
    #expect(store.isGathering)
    sound(1.5...3.2)
    #expect(!store.isGathering)
    #expect(try await shortfalls(shot) == [])
  }

  @Test func soundThatBeganLateIsNoShortfall() async throws {
    frames(0...1.5)
    sound(1...1.5)
    let shot = try press()
    sound(1.5...3.2)
    frames(1.6...3.2)
    #expect(try await shortfalls(shot) == [])
  }

  @Test func aMicrophoneThatBrokeIsNotWaitedFor() async throws {
    frames(0...1.5)
    sound(0...1.5)
    let shot = try press()
    store.setMicrophone(nil, because: "It broke.")
    frames(1.6...3.2)
    #expect(!store.isGathering)
    #expect(try await shortfalls(shot) == [.soundMissing(reason: "It broke.")])
  }

  @Test func oneThatIsOpenedAgainIsWaitedForOnceItSends() async throws {
    frames(0...1.5)
    sound(0...1.5)
    let (shot, other) = (try press(), try press())
    store.setMicrophone(nil, because: "It broke.")
    store.setMicrophone(TestCamera.microphone)
    sound(2.5...2.6)
    frames(1.6...3.2)
    #expect(store.isGathering)
    store.setMicrophone(nil, because: "It broke again.")
    #expect(!store.isGathering)
    // The first failure is the cause.
    #expect(try await shortfalls(shot) == [.soundMissing(reason: "It broke.")])
    #expect(try await shortfalls(other) == [.soundMissing(reason: "It broke.")])
  }

  @Test func oneThatIsOpenedAgainAndSendsNothingIsNot() async throws {
    frames(0...1.5)
    sound(0...1.5)
    let shot = try press()
    store.setMicrophone(nil, because: "It broke.")
    store.setMicrophone(TestCamera.microphone)
    frames(1.6...3.2)
    #expect(!store.isGathering)
    #expect(try await shortfalls(shot) == [.soundMissing(reason: "It broke.")])
  }

  @Test func oneThatFallsSilentIsWaitedForUntilThatIsNoticed() async throws {
    frames(0...1.5)
    sound(0...1.6)
    let shot = try press()
    frames(1.6...3.2)
    #expect(store.isGathering)
    store.setMicrophone(nil, because: "It fell silent.")
    #expect(!store.isGathering)
    #expect(try await shortfalls(shot) == [.soundMissing(reason: "It fell silent.")])
  }

  @Test func whatWasNotPromisedIsNoShortfall() async throws {
    store.setMicrophone(nil, because: "None was found.")
    frames(0...1.5)
    let shot = try press()
    frames(1.6...3.2)
    #expect(try await shortfalls(shot) == [])
  }

  @Test func theReasonIsSaid() throws {
    var window = try LivePhotoSample.window(count: 30, sound: 0...0.5)
    window.noteMissingSound(because: nil)
    let words = try #require(window.shortfalls.first?.description)
    #expect(words.contains("Sound is missing") && words.contains("microphone") && !words.contains(".."))
    // A few lost buffers.
    window = try LivePhotoSample.window(count: 30, sound: 0...0.8)
    window.noteMissingSound(because: nil)
    #expect(window.shortfalls == [])
  }
}
