// QR codes: read from a picture, and found in the camera's while somebody wants to know.

import CameraCore
import EngineInterface
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct CodeScannerTests {
  /// A picture with the test camera's code.
  private func picture(module: Int, isMirrored: Bool = false) -> (luma: [UInt8], size: PixelSize) {
    let side = TestCode.sideCount * module
    var luma = [UInt8](repeating: 0, count: side * side)
    for y in 0..<side {
      for x in 0..<side {
        let column = isMirrored ? side - 1 - x : x
        luma[y * side + x] = TestCode.isDark(column / module, y / module) ? 30 : 220
      }
    }
    return (luma, PixelSize(width: side, height: side))
  }

  @Test(arguments: [3, 4, 9]) func aCodeIsRead(module: Int) throws {
    let reader = try #require(CodeReader())
    let picture = picture(module: module)
    #expect(picture.luma.withUnsafeBytes { reader.read($0, size: picture.size) } == TestCode.text)
    let plain = [UInt8](repeating: 128, count: picture.size.area)
    #expect(plain.withUnsafeBytes { reader.read($0, size: picture.size) } == nil)
    #expect(plain.withUnsafeBytes { reader.read($0, size: PixelSize(width: 9999, height: 9999)) } == nil, "too short")
  }

  /// The whole view of a large screen is looked at in a smaller size.
  @Test(arguments: [PixelSize(width: 3840, height: 2160), PixelSize(width: 640, height: 480)])
  func largeViewsAreLookedAtInASmallerSize(view: PixelSize) throws {
    let code = picture(module: 12)
    let size = code.size.width > view.width ? code.size : view
    var pixels = [UInt32](repeating: 0xff80_8080, count: size.area)
    for y in 0..<code.size.height {
      for x in 0..<code.size.width {
        pixels[y * size.width + x] = 0xff00_0000 | UInt32(code.luma[y * code.size.width + x]) * 0x01_0101
      }
    }
    let (luma, small) = pixels.withUnsafeBytes { CodeScanner.luma(of: $0, size) }
    #expect(luma.count == small.area && max(small.width, small.height) <= CodeScanner.longestSide)
    #expect(2 * max(small.width, small.height) >= min(max(size.width, size.height), CodeScanner.longestSide))
    let reader = try #require(CodeReader())
    #expect(luma.withUnsafeBytes { reader.read($0, size: small) } == TestCode.text)
  }

  @Test func aCodeHasLeftAfterFourMissesOrWhenNothingIsLookedAt() {
    func instant(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }
    var sight = CodeSight()
    func look(_ code: String?, _ milliseconds: Int64) -> Bool { sight.looked(at: code, time: instant(milliseconds)) }
    #expect(sight.isDue(at: instant(0)))
    #expect(look("a", 10))
    #expect(sight.code == "a")
    #expect(!sight.isDue(at: instant(300)) && sight.isDue(at: instant(310)))
    #expect(!look("a", 310))
    #expect(look("b", 620))
    // One blurred frame, and then nothing is shown anymore.
    for miss in 1..<CodeSight.patience {
      #expect(!look(nil, 620 + 310 * Int64(miss)))
      #expect(sight.code == "b")
    }
    func wait(_ milliseconds: Int64) -> Bool { sight.waited(until: instant(milliseconds)) }
    #expect(!wait(4000))
    #expect(sight.code == "b")
    #expect(wait(4050))
    #expect(sight.code == nil)
    #expect(!wait(9000))
    #expect(look("b", 9000))
    for miss in 1...CodeSight.patience {
      #expect(look(nil, 9000 + 310 * Int64(miss)) == (miss == CodeSight.patience))
    }
  }

  /// A frame with the code, as a camera that sends raw video has it.
  private func frame(at time: MonotonicTime = MonotonicTime(nanoseconds: 1_000_000_000)) -> CameraFrame {
    let (luma, size) = picture(module: 4)
    return CameraFrame(
      time: time, size: size,
      content: .raw(RawLayout(name: "GRAY8", size: size, strides: [size.width], offsets: [0])),
      block: FrameBlock(count: luma.count) { $0.copyBytes(from: luma) })
  }

  /// Time that stands still until the test lets it go on, and the work that waits for it.
  private final class ManualTime: Sendable {
    struct Wait: Sendable {
      var span: TimeSpan
      var work: @Sendable () -> Void
    }

    let waits = AsyncStream.makeStream(of: Wait.self)
    private let present = Mutex(MonotonicTime(nanoseconds: 0))

    var now: MonotonicTime {
      @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
      get { present.withLock { $0 } }
    }

    @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
    func pass(_ span: TimeSpan) { present.withLock { $0 = $0 + span } }
  }

  @Test func theCodeInViewIsToldAlsoInAMirroredViewfinder() async throws {
    let pump = PreviewPump(name: "codes")
    let time = ManualTime()
    let scanner = CodeScanner(
      pump: pump, clock: { time.now }, later: { time.waits.continuation.yield(.init(span: $0, work: $1)) })
    pump.setTarget(PixelSize(width: 400, height: 400))
    pump.setMirrored(true)
    var codes = scanner.codes().makeAsyncIterator()
    pump.offer(frame())
    #expect(await codes.next() == .some(TestCode.text))
    // Nothing is shown anymore: after a while nobody can tell whether the code is still there.
    pump.setTarget(nil)
    var waits = time.waits.stream.makeAsyncIterator()
    let wait = try #require(await waits.next())
    #expect(wait.span == CodeSight.memory)
    time.pass(CodeSight.memory - .milliseconds(1))
    wait.work()
    var others = scanner.codes().makeAsyncIterator()
    #expect(await others.next() == .some(TestCode.text), "it is remembered for as long")
    time.pass(.milliseconds(1))
    wait.work()
    #expect(await codes.next() == .some(nil))
    #expect(await others.next() == .some(nil))
    withExtendedLifetime(scanner) {}
  }

  @Test("A computer that hardly keeps up looks at a frame a second; one that doesn't, at none")
  func pressure() async {
    let pump = PreviewPump(name: "pressed codes")
    let looks = Mutex(0)
    pump.setTarget(PixelSize(width: 200, height: 200))
    pump.setInspector { _, _ in looks.withLock { $0 += 1 } }
    var number: Int64 = 0
    /// Three seconds of eight frames each, one after the other.
    func looksOfThreeSeconds(_ level: PressureLevel) async -> Int {
      pump.setMeasures(level.measures)
      let before = looks.withLock { $0 }
      for _ in 0..<24 {
        let converted = pump.statistics.converted
        pump.offer(frame(at: MonotonicTime(nanoseconds: 1_000_000_000 + number * 125_000_000)))
        number += 1
        _ = await eventually { pump.statistics.converted > converted }
      }
      return looks.withLock { $0 } - before
    }
    #expect(await looksOfThreeSeconds(.nominal) == 24)
    #expect(await looksOfThreeSeconds(.fair) == 24)
    #expect(await looksOfThreeSeconds(.serious) == 3)
    #expect(await looksOfThreeSeconds(.critical) == 0)
    #expect(await looksOfThreeSeconds(.nominal) == 24)
  }
}
