// Figures: the first page of a folder of mixed pictures, which no program has seen before.

import Foundation

extension Bench {
  /// In pixels, of the windows that show the folder.
  private static let folderWindow = (width: 1600, height: 1200)
  /// In pixels: gThumb's and the grid's pictures are about as large.
  private static let folderThumbnail = 256
  /// Pictures of a first page.
  private static let firstPage = 40
  /// Starts of each program with no index and no thumbnails, and again: their medians count.
  private static let rounds = 3
  /// The page is there once nothing has changed for this long, in seconds.
  private static let stillness = 2.5

  /// From the start of a program to the last change of its first page, with no index and no thumbnails, and again with
  /// those of the first time. Beside it gThumb, and libvips on the pictures of one page.
  func measureFolder(of given: Int? = nil) throws -> [Figure] {
    let count = given ?? (isQuick ? 500 : 5000)
    say("The first page of a folder of \(count) mixed pictures")
    say("  making the pictures")
    let mixed = try MixedFolder(in: folder.appendingPathComponent("mixed"), count: count)
    var contestant = try photoMe()
    contestant.command = [contestant.command[0], "--library", mixed.url.path]
    var gthumb = Contestant(name: "gThumb", command: ["gthumb", mixed.url.path], package: "gthumb")
    // Nothing but its grid.
    gthumb.files[".config/glib-2.0/settings/keyfile"] =
      "[org/gnome/gthumb/browser]\nstartup-location='\(mixed.url.absoluteString)'\nthumbnail-size=256\n"
    var (first, again, peerFirst, peerAgain): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    var note: String?
    for _ in 0..<(isQuick ? 1 : Self.rounds) {
      try forgetFolder()
      first.append(try firstPage(of: contestant, opensGrid: true))
      again.append(try firstPage(of: contestant, opensGrid: true))
      try forgetFolder()
      let peer = ifAvailable("gThumb") {
        [try firstPage(of: gthumb, opensGrid: false), try firstPage(of: gthumb, opensGrid: false)]
      }
      note = peer.note
      if let times = peer.result { (peerFirst, peerAgain) = (peerFirst + [times[0]], peerAgain + [times[1]]) }
    }
    let floor = ifAvailable("libvips") {
      let output = folder.appendingPathComponent("vips").path
      try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
      return try CommandRun(
        ["vipsthumbnail", "--size", "\(Self.folderThumbnail)", "-o", "\(output)/%s.jpg"] + mixed.newest(Self.firstPage),
        in: folder
      ).seconds
    }
    let library = ifAvailable("photomectl") { try listing(mixed.url) }
    let vips = floor.result.map { "libvips alone makes \(Self.firstPage) of them in \(Figure.number($0)) s" }
    let listed = library.result.map { "photomectl takes \(Figure.number($0)) s to know the whole folder" }
    return [
      Figure(
        "folder of \(mixed.count) mixed pictures, seen for the first time: start → first page", value: first.median,
        unit: "s",
        peer: peerFirst.median, peerName: gthumb.name, peerCommand: "gthumb FOLDER", goal: .ratio(atMost: 1),
        note: [note, vips ?? floor.note, listed].compactMap(\.self).joined(separator: "; ")),
      Figure(
        "folder of \(mixed.count) mixed pictures, again: start → first page", value: again.median, unit: "s",
        peer: peerAgain.median,
        peerName: gthumb.name, peerCommand: "gthumb FOLDER", goal: .ratio(atMost: 1)),
    ]
  }

  /// Removes what programs have kept of the folder.
  private func forgetFolder() throws {
    let home = try desktop.folder.appendingPathComponent("home")
    for path in [".cache/thumbnails", ".cache/photome", ".local/share/photome", ".cache/gthumb"] {
      try? FileManager.default.removeItem(at: home.appendingPathComponent(path))
    }
  }

  /// Seconds until nothing changes in the part of the window that every program shows its pictures in.
  private func firstPage(of contestant: Contestant, opensGrid: Bool) throws -> Double {
    let screen = try desktop.screen
    let began = ContinuousClock.now
    let performance = try Performance(of: contestant, on: desktop)
    defer { performance.end() }
    guard waitUntil(seconds: 30, { screen.windows().first != nil }), let window = screen.windows().first else {
      throw BenchError("\(contestant.name) showed no window: \(performance.process.lastWords)")
    }
    let (width, height) = Self.folderWindow
    screen.place(window.id, width: width, height: height)
    if opensGrid {
      let command = [
        "gdbus", "call", "--session", "--dest", "io.github.photome.PhotoMe", "--object-path",
        "/io/github/photome/PhotoMe", "--method", "org.gtk.Actions.Activate", "open-library", "[]", "{}",
      ]
      guard waitUntil(seconds: 30, { self.answer(command) != nil }) else {
        throw BenchError("PhotoMe didn't open its library: \(performance.process.lastWords)")
      }
    }
    let area = ScreenArea(x: width * 2 / 5, y: height / 5, width: width / 2, height: height * 3 / 5)
    let empty = screen.pixels(in: area)?.pixels
    var (last, lastChange) = (empty, ContinuousClock.now)
    // Rooms without pictures have few colors.
    var hasPictures = false
    let isStill = waitUntil(seconds: 600, interval: 0.03) {
      guard performance.process.isRunning else { return true }
      let now = screen.pixels(in: area)?.pixels
      if let now, now != last { (last, lastChange, hasPictures) = (now, .now, hasPictures || Set(now).count > 1000) }
      return hasPictures && (ContinuousClock.now - lastChange) / .seconds(1) > Self.stillness
    }
    guard isStill, performance.process.isRunning else {
      throw BenchError("\(contestant.name) showed no pictures: \(performance.process.lastWords)")
    }
    return (lastChange - began) / .seconds(1)
  }

  private func answer(_ command: [String]) -> String? { try? desktop.output(of: command) }

  /// Seconds until the command line knows every picture of a folder that it sees for the first time.
  private func listing(_ library: URL) throws -> Double {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let command = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("photomectl").path
    guard ChildProcess.exists(command) else { throw BenchError("photomectl is not built") }
    try forgetFolder()
    let began = ContinuousClock.now
    guard try desktop.output(of: [command, "library", "list", "--library", library.path]) != nil else {
      throw BenchError("photomectl failed")
    }
    return (ContinuousClock.now - began) / .seconds(1)
  }
}
