// A figure: PhotoMe's own work while scrolling through a large library.

import Foundation
import PhotoLibrary

extension Bench {
  /// Opens the window's grid of a library and scrolls it with the wheel, by pages, to both ends, and by its scroll bar; each
  /// picture is seen for the first time.
  ///
  /// - Parameter index: The library's index, which nobody has open.
  func scrolling(_ library: LargeLibrary, index: URL) throws -> Figure {
    say("  scrolling the grid")
    try Self.copyIndex(index, of: library.folder, to: try desktop.data)
    var contestant = try photoMe()
    contestant.command = [contestant.command[0], "--library", library.folder.path]
    let performance = try Performance(of: contestant, on: desktop)
    defer { performance.end() }
    let screen = performance.desktop.screen
    guard waitUntil(seconds: 15, { screen.windows().first != nil }), let window = screen.windows().first else {
      throw BenchError("PhotoMe showed no window: \(performance.process.lastWords)")
    }
    let (width, height) = (1600, 1200)
    screen.place(window.id, width: width, height: height)
    // The folder is looked through by then, and the page is built.
    pass(seconds: 3)
    screen.press(key: "g")
    pass(seconds: 3)
    let grid = ScreenArea(x: width / 2, y: height / 4, width: width / 4, height: height / 2)
    let first = screen.pixels(in: grid)
    let before = allStatistics().count
    screen.point(x: width / 2, y: height / 2)
    let seconds = isQuick ? 1.0 : 4.0
    func each(_ interval: Double, for seconds: Double, _ act: (Double) -> Void) {
      let began = ContinuousClock.now
      _ = waitUntil(seconds: seconds, interval: interval) {
        act((ContinuousClock.now - began) / .seconds(seconds))
        return false
      }
    }
    each(0.008, for: seconds) { _ in screen.click(button: 5) }
    each(0.008, for: seconds / 2) { _ in screen.click(button: 4) }
    let scrolled = screen.pixels(in: grid)
    screen.press(key: "Tab")
    each(0.03, for: seconds) { _ in screen.press(key: "Next") }
    for key in ["End", "Home", "End", "Home"] {
      screen.press(key: key)
      pass(seconds: 0.5)
    }
    screen.point(x: width - 5, y: 100)
    screen.hold(true)
    each(0.016, for: seconds) { screen.point(x: width - 5, y: 100 + Int($0 * Double(height - 150))) }
    screen.hold(false)
    pass(seconds: 1.2)
    guard performance.process.isRunning else {
      throw BenchError("PhotoMe ended while its grid was scrolled: \(performance.process.lastWords)")
    }
    // The second in which it began contains earlier frames.
    let lines = Array(allStatistics().dropFirst(before + 1))
    let frames = lines.map(\.frames).reduce(0, +)
    guard let first, let scrolled, first.pixels != scrolled.pixels, frames > 30,
      let most = lines.map(\.longestOwnWork).max()
    else { throw BenchError("The grid was not scrolled: \(frames) frames.") }
    func longest(_ time: KeyPath<ProgramStatistics, Double>) -> String {
      let times = lines.map { $0[keyPath: time] }
      return
        "\(Figure.number(times.max() ?? 0)) ms, the median of the seconds' longest \(Figure.number(times.median ?? 0))"
    }
    return Figure(
      "library of \(library.count): own work for the longest frame of the grid, scrolled", value: most, unit: "ms",
      goal: .atMost(16),
      note:
        "\(frames) frames, \(width)x\(height), painted without a graphics card; wheel, pages, both ends, scroll bar; "
        + "processor time of the main thread, the longest \(longest(\.longestOwnWork)); as it passed "
        + "\(longest(\.longestOwnTime)); with GTK's layout and painting \(longest(\.longestFrameTime))")
  }

  /// Gives a program the index of a library, so that it doesn't make one at its first start.
  ///
  /// - Parameter data: The folder of that program's user data.
  static func copyIndex(_ index: URL, of library: URL, to data: URL) throws {
    let target = PhotoLibrary.defaultIndex(of: library, in: data)
    try FileManager.default.createDirectory(
      at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    // The log has what isn't in the database yet; the third file is only for those that have it open.
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: index.path + suffix) {
      try FileManager.default.copyItem(atPath: index.path + suffix, toPath: target.path + suffix)
    }
  }
}
