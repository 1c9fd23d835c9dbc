// The shutter's options in the built program: series of photos, composition guides, mirrored files.

import Foundation
import Testing

@testable import PhotoMe

@Suite("The shutter's options in the window", .serialized, .timeLimit(.minutes(30)))
struct CaptureOptionsWindowTests {
  @Test("A series takes photos until it is stopped, and says how many")
  func series() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    try await photoMe.activate("interval", "5")
    try await photoMe.wait(for: "interval", "5")
    #expect(try await photoMe.isEnabled("stop-interval") == false)
    try await photoMe.activate("press-shutter")
    // On a busy machine there may be more by the time that anybody asks.
    try await photoMe.wait(for: "series") { (Int($0.prefix { $0.isNumber }) ?? 0) >= 2 }
    try await photoMe.activate("stop-interval")
    try await photoMe.wait(for: "series", "")
    try await photoMe.wait(for: "stop-interval", enabled: false)
    try await photoMe.wait(for: "message") { $0.contains("photos taken.") }
    try await photoMe.wait(for: "activity", "0")
    let message = try #require(try await photoMe.state(of: "message"))
    let count = try #require(Int(message.prefix { $0.isNumber }))
    #expect(count >= 2 && session.pictures.count == count, "\(message)")
    // Single photos again.
    try await photoMe.activate("interval", "0")
    try await photoMe.wait(for: "interval", "0")
    try await photoMe.activate("press-shutter")
    try await photoMe.wait(for: "pictures", "\(count + 1)")
    #expect(try await photoMe.state(of: "series") == "")
    try await session.end()
  }

  @Test("The guides' lines are on the screen while they are chosen, and never in a file")
  func guides() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    /// The upright line of a cross: bright from top to bottom, and darker beside it.
    func line(_ screen: Screenshot) -> Int? {
      func isBright(_ x: Int) -> Bool {
        stride(from: 120, to: 480, by: 8).allSatisfy { y in
          guard let color = screen.pixel(x: x, y: y) else { return false }
          return min(color >> 16, color >> 8 & 0xFF, color & 0xFF) >= 0xB0
        }
      }
      return (440..<520).first { isBright($0) && !isBright($0 - 6) && !isBright($0 + 6) }
    }
    #expect(try await photoMe.state(of: "guides") == "off")
    #expect(line(try session.desktop.screenshot()) == nil)
    try await photoMe.activate("guides", "cross")
    try await photoMe.wait(for: "guides", "cross")
    _ = try await session.find(line)
    try await photoMe.activate("guides", "square")
    try await photoMe.wait(for: "guides", "square")
    try await session.findNo(line)
    try await photoMe.activate("guides", "no such guide")
    #expect(try await photoMe.state(of: "guides") == "square")
    try await photoMe.activate("guides", "off")
    try await photoMe.wait(for: "guides", "off")
    try await session.end()
  }

  @Test("Files are mirrored where that is chosen, and not where the viewfinder alone is")
  func mirror() async throws {
    let session = try await PhotoMeSession()
    let photoMe = session.photoMe
    for (count, choice, order) in [
      (1, "viewfinder", StillPicture.BarOrder.plain), (2, "files", .mirrored), (3, "nothing", .plain),
    ] {
      try await photoMe.activate("mirror", choice)
      try await photoMe.wait(for: "mirror", choice)
      let before = Set(session.pictures)
      try await photoMe.activate("take-photo")
      try await photoMe.wait(for: "pictures", "\(count)")
      try await photoMe.wait(for: "activity", "0")
      let made = session.pictures.filter { !before.contains($0) }
      #expect(made.count == 1)
      #expect(try StillPicture(#require(made.first)).barOrder == order, "\(choice)")
    }
    try await session.end()
  }
}
