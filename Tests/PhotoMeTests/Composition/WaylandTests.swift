// The program under a Wayland compositor, by cairo and by GL, and on a screen of twice the pixels.

import CameraCore
import Foundation
import MediaEngine
import Testing

@testable import PhotoMe

@Suite(
  "Wayland", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: WaylandDesktop.isPossible, "sway or grim is not installed"))
struct WaylandTests {
  /// A way of showing the window.
  struct Screen: CustomTestStringConvertible {
    var scale: Int
    var renderer: String

    var testDescription: String { "\(scale)× by \(renderer)" }

    /// Twice the pixels by GL is left out: without a GPU, Mesa takes most of a second for such a frame, and no press is
    /// remembered for as long.
    static let all =
      [Screen(scale: 1, renderer: "cairo"), Screen(scale: 2, renderer: "cairo")]
      + (WaylandDesktop.hasGL ? [Screen(scale: 1, renderer: "gl")] : [])
  }

  /// The middle of the shutter, in the layout's pixels: the only white disc below the picture.
  private func shutter(of session: WaylandSession) async throws -> (x: Int, y: Int) {
    let scale = session.desktop.scale
    return try await session.find { screen in
      let x = screen.width / 2
      var column = 0..<0
      for y in stride(from: screen.height - 1, to: screen.height * 2 / 3, by: -1) {
        let isWhite = screen.pixel(x: x, y: y) == 0xffffff
        if isWhite { column = column.isEmpty ? y..<y + 1 : y..<column.upperBound }
        if !isWhite, column.count > 20 * scale { return (x / scale, (column.lowerBound + column.count / 2) / scale) }
        if !isWhite { column = 0..<0 }
      }
      return nil
    }
  }

  @Test("The photo is the frame that was on screen at the press", arguments: Screen.all)
  func frameOnScreen(screen: Screen) async throws {
    let session = try await WaylandSession(scale: screen.scale, renderer: screen.renderer, rate: 30)
    let (desktop, scale) = (session.desktop, screen.scale)
    let row = try await session.find { $0.findFrameNumber()?.row }
    let shutter = try await shutter(of: session)
    // The bar alone: a small screenshot is a quick one.
    let bar = ScreenPart(x: 0, y: max(0, row / scale - 15), width: WaylandDesktop.size.width, height: 16)
    let number = { (capture: ScreenCapture) in capture.findFrameNumber()?.number }
    let pointer = try VirtualPointer(on: desktop)
    // The button has to be entered before it can be pressed. A program that hasn't got the new pointer yet doesn't see it
    // move, and a press would be lost.
    var moves = 0
    _ = try await session.find { capture in
      moves += 1
      do { try pointer.move(x: shutter.x - moves % 2, y: shutter.y) } catch { Issue.record(error) }
      return capture.pixel(x: shutter.x * scale, y: shutter.y * scale) != 0xffffff ? true : nil
    }
    // Whoever presses while the camera has stopped sending gets its next frame, and not the old one on the screen. On a
    // busy machine the test camera falls behind by as much.
    let (memory, rate) = (EngineLimits().staleFrame, FrameRate(30))
    var (count, onScreen) = (0, 0)
    while onScreen < 4, count < 40 {
      // A screenshot shows what the compositor has, and a screen what it had at the last refresh.
      let earlier = try await session.find(in: bar, number)
      _ = try await session.find(in: bar, number)
      let pressed = MonotonicTime.now
      try pointer.click()
      let after = try await session.find(in: bar, number)
      count += 1
      try await session.photoMe.wait(for: "pictures", "\(count)")
      let photo = try #require(session.pictures.last)
      let taken = try #require(try WaylandSession.frameNumber(in: photo))
      let newest = TestCamera.frameNumber(at: pressed - memory, rate: rate)
      if taken > after, Int64(earlier) <= newest { continue }
      #expect((earlier...after).contains(taken), "\(photo.lastPathComponent)")
      onScreen += 1
    }
    #expect(onScreen == 4, "of \(count)")
    try await session.end()
  }

  @Test(
    "Twice the pixels by GL: the viewfinder moves, and a photo is taken from it",
    .enabled(if: WaylandDesktop.hasGL, "Mesa's software renderer is not installed"))
  func largeGL() async throws {
    let session = try await WaylandSession(scale: 2, renderer: "gl")
    let first = try await session.find { $0.findFrameNumber()?.number }
    _ = try await session.find { screen in
      screen.findFrameNumber().flatMap { $0.number > first ? $0.number : nil }
    }
    try await session.photoMe.activate("take-photo")
    try await session.photoMe.wait(for: "pictures", "1")
    let photo = try #require(session.pictures.last)
    #expect(try #require(try WaylandSession.frameNumber(in: photo)) >= first)
    try await session.end()
  }

  @Test("A live photo")
  func live() async throws {
    let session = try await WaylandSession()
    try await session.photoMe.activate("toggle-live")
    try await session.photoMe.wait(for: "toggle-live", "true")
    try await session.photoMe.activate("take-photo")
    try await session.photoMe.wait(for: "pictures", "1")
    try await session.photoMe.wait(for: "activity", "0")
    #expect(session.pictures.map { $0.lastPathComponent.hasSuffix(".MP.jpg") } == [true])
    try await session.end()
  }

  @Test(
    "The camera is closed while nothing of the window is shown, and comes back with it",
    arguments: [("workspace 2", "workspace 1"), ("move scratchpad", "scratchpad show; floating disable")])
  func hidden(hide: String, show: String) async throws {
    let session = try await WaylandSession()
    // The window has been seen.
    _ = try await session.find { $0.findFrameNumber() }
    try await session.desktop.command(hide)
    try await session.photoMe.wait(for: "status", "suspended")
    try await session.desktop.command(show)
    try await session.photoMe.wait(for: "status", "running")
    _ = try await session.find { $0.findFrameNumber() }
    try await session.end()
  }

  @Test("The page of effects has four pictures side by side, whatever the scale is", arguments: [1, 2])
  func effects(scale: Int) async throws {
    let session = try await WaylandSession(scale: scale)
    try await session.photoMe.activate("effects")
    try await session.photoMe.wait(for: "effect-pictures") { Int($0) ?? 0 > 4 }
    // Over the first row of pictures, the view is black between them.
    _ = try await session.find { screen in
      let isRow = (60 * scale..<200 * scale).contains { y in
        screen.runs(inRow: y, { $0 != 0 }).filter { $0.count > 150 * scale && $0.count < 300 * scale }.count == 4
      }
      return isRow ? true : nil
    }
    try await session.end()
  }
}
