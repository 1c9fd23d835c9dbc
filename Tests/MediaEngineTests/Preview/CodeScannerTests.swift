// QR codes: read from a picture, and found in the camera's while somebody wants to know.

import CameraCore
import EngineInterface
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
    #expect(!wait(3000))
    #expect(sight.code == "b")
    #expect(wait(3050))
    #expect(sight.code == nil)
    #expect(!wait(9000))
    #expect(look("b", 9000))
    for miss in 1...CodeSight.patience {
      #expect(look(nil, 9000 + 310 * Int64(miss)) == (miss == CodeSight.patience))
    }
  }

  /// A frame with the code, as a camera that sends raw video has it.
  private func frame(_ number: Int64) -> CameraFrame {
    let (luma, size) = picture(module: 4)
    return CameraFrame(
      time: MonotonicTime(nanoseconds: 1_000_000_000 + number * 33_000_000), size: size,
      content: .raw(RawLayout(name: "GRAY8", size: size, strides: [size.width], offsets: [0])),
      block: FrameBlock(count: luma.count) { $0.copyBytes(from: luma) })
  }

  @Test func theCodeInViewIsToldAlsoInAMirroredViewfinder() async throws {
    let pump = PreviewPump(name: "codes")
    let scanner = CodeScanner(pump: pump)
    pump.setTarget(PixelSize(width: 400, height: 400))
    pump.setMirrored(true)
    let feed = Task {
      var number: Int64 = 0
      while !Task.isCancelled {
        pump.offer(frame(number))
        number += 1
        try? await Task.sleep(nanoseconds: 20_000_000)
      }
    }
    defer { feed.cancel() }
    var seen: String?
    for await code in scanner.codes() {
      seen = code
      break
    }
    #expect(seen == TestCode.text)
    // Nothing is shown anymore: nobody can tell whether the code is still there.
    var isGone = false
    for await code in scanner.codes() {
      if code != nil { pump.setTarget(nil) } else { isGone = true }
      if isGone { break }
    }
    #expect(isGone)
  }
}
