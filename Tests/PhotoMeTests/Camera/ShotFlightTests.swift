// The way of a new shot into the strip, and the pictures that cells keep.

import CGtk
import Testing

@testable import PhotoMe

@Suite("The flight of a shot")
@MainActor struct ShotFlightTests {
  private let finder = graphene_rect_t(
    origin: graphene_point_t(x: 0, y: 50), size: graphene_size_t(width: 960, height: 540))
  private let cell = graphene_rect_t(
    origin: graphene_point_t(x: 12, y: 598), size: graphene_size_t(width: 72, height: 72))

  @Test("It starts as the viewfinder’s picture and ends as the thumbnail")
  func ends() {
    let first = ShotFlight.position(from: finder, to: cell, progress: -0.1)
    #expect(first.origin.y == 50 && first.size.width == 960)
    let last = ShotFlight.position(from: finder, to: cell, progress: 1.2)
    #expect(last.origin.x == 12 && last.origin.y == 598 && last.size.width == 72 && last.size.height == 72)
  }

  @Test("It slows down on its way, and never turns back")
  func slowsDown() {
    let widths = (0...10).map {
      ShotFlight.position(from: finder, to: cell, progress: Double($0) / 10).size.width
    }
    let steps = zip(widths, widths.dropFirst()).map { $0 - $1 }
    #expect(steps.allSatisfy { $0 > 0 })
    #expect(zip(steps, steps.dropFirst()).allSatisfy { $0 > $1 })
  }

  @Test("The pictures of the cells that were shown last are kept, and no others")
  func recent() throws {
    let recent = RecentPictures()
    func picture() throws -> GObjectRef { GObjectRef(adopting: try #require(gtk_string_object_new("picture"))) }
    for index in 0..<100 { recent["\(index)"] = try picture() }
    #expect(recent["99"] != nil && recent["52"] != nil)
    #expect(recent["51"] == nil && recent["0"] == nil)
    // One that is shown again stays.
    recent["52"] = try picture()
    recent["100"] = try picture()
    #expect(recent["52"] != nil && recent["53"] == nil)
  }
}
