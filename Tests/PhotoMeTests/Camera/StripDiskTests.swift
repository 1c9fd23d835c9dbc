// The strip of a library whose disk goes and comes back.

import CGtk
import Foundation
import TestSupport
import Testing

@testable import PhotoMe

@Suite(
  "The strip of a library on a disk of its own", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: InputDriver.isInstalled, "xdotool is not installed"),
  .enabled(if: Command.canMount, "only root may mount a disk"))
struct StripDiskTests {
  /// More than the strip reads at first.
  private static let count = 230

  /// A disk in memory that is mounted at another place as well, from which it can be taken away.
  private struct Disk {
    let own: URL
    let place: URL

    init(in folder: URL, at place: URL) throws {
      (own, self.place) = (folder.appendingPathComponent("disk", isDirectory: true), place)
      for folder in [own, place] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      try #require(mount("tmpfs", own.path, "tmpfs", 0, "size=8m") == 0)
    }

    func plugIn() throws { try #require(mount(own.path, place.path, nil, UInt(MS_BIND), nil) == 0) }

    func pull() throws { try #require(umount2(place.path, Int32(MNT_DETACH)) == 0) }

    func end() { for folder in [place, own] { _ = umount2(folder.path, Int32(MNT_DETACH)) } }
  }

  /// Writes pictures of one color each. The latest have the last names: a scan takes those first, so that the strip never
  /// shows the oldest before it gets there.
  private static func write(to folder: URL) throws {
    let side = 64
    for number in 0..<count {
      let color: [UInt8] = [230, 0, UInt8(number), 255]
      let pixels = [UInt8]((0..<side * side).flatMap { _ in color })
      let bytes = try #require(g_bytes_new(pixels, gsize(pixels.count)))
      defer { g_bytes_unref(bytes) }
      let texture = try #require(
        gdk_memory_texture_new(Int32(side), Int32(side), GDK_MEMORY_R8G8B8A8, bytes, gsize(side * 4)))
      defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
      let file = folder.appendingPathComponent("\(1000 + number).png")
      try #require(gdk_texture_save_to_png(texture, file.path) != 0)
      let date = Date(timeIntervalSince1970: 1_700_000_000 + Double(number))
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
    }
  }

  /// The middle of the first of these pictures on the screen.
  private static func picture(_ screen: Screenshot) -> ScreenPoint? {
    for y in stride(from: 480, to: 720, by: 8) {
      let runs = screen.runs(inRow: y) { ($0 >> 16) > 215 && ($0 >> 16) < 245 && ($0 >> 8) & 0xFF < 30 }
      if let run = runs.first(where: { $0.count >= 60 }) { return ScreenPoint(x: run.lowerBound + 30, y: y + 24) }
    }
    return nil
  }

  @Test("Pictures that couldn't be read are shown once the disk is back")
  func disk() async throws {
    var made: Disk?
    defer { made?.end() }
    let session = try await PhotoMeSession { desktop in
      let disk = try Disk(in: desktop.folder, at: desktop.folder.appendingPathComponent("pictures", isDirectory: true))
      made = disk
      try Self.write(to: disk.own)
      try disk.plugIn()
    }
    let disk = try #require(made)
    try await session.photoMe.wait(for: "pictures") { (Int($0) ?? 0) >= 200 }
    let point = try await session.find(Self.picture)
    try disk.pull()
    // The words about the disk slide in, which moves the strip.
    _ = try await session.find { screen in Self.picture(screen).flatMap { $0.y < point.y - 16 ? $0 : nil } }
    // The last pictures are read when the strip gets there.
    var turns = 0
    while let place = Self.picture(try session.desktop.screenshot()) {
      try #require(turns < 100, "The strip doesn't get to pictures that weren't read before")
      try await session.input.turnWheel(.down, by: 20, at: place)
      #expect(try await session.photoMe.state(of: "status") != nil)
      turns += 1
    }
    try disk.plugIn()
    _ = try await session.find(Self.picture)
    try await session.end()
  }
}
