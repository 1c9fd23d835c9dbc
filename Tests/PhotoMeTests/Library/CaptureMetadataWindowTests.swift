// The dialogs of date and place, and the order of an album, in the running program.

import Foundation
import TestSupport
import Testing

@testable import PhotoMe

@Suite("Dates, places and orders", .serialized, .timeLimit(.minutes(30)))
struct CaptureMetadataWindowTests {
  @Test("The dialogs change the selected pictures, close by Escape, and their changes are undone")
  func dialogs() async throws {
    let session = try await PhotoMeSession()
    try await session.takePhotos(2)
    let photoMe = session.photoMe
    try await photoMe.activate("open-library")
    try await photoMe.wait(for: "listed", "2")
    try await photoMe.activate("select-all")
    try await photoMe.wait(for: "ask-date", enabled: true)
    let title = "Adjust Date and Time"
    try await photoMe.activate("ask-date")
    try await photoMe.wait(for: "adjustment-shown", title)
    try await session.input.focus(title)
    try await session.input.press("Escape")
    try await photoMe.wait(for: "adjustment-shown", "")
    try await session.input.focus(PhotoMeSession.mainWindow)
    let before = try session.pictures.map { try Data(contentsOf: $0) }
    try await photoMe.activate("ask-date")
    try await photoMe.wait(for: "adjustment-shown", title)
    try await photoMe.activate("set-adjustment", "2020-05-06 07:08:09")
    try await photoMe.wait(for: "apply-adjustment", enabled: true)
    try await photoMe.activate("apply-adjustment")
    try await photoMe.wait(for: "message", "Dates of 2 items changed")
    try await photoMe.activate("select-all")
    try await photoMe.activate("ask-place")
    try await photoMe.wait(for: "adjustment-shown", "Adjust Place")
    try await photoMe.activate("set-adjustment", "46.948, 7.447")
    try await photoMe.wait(for: "apply-adjustment", enabled: true)
    try await photoMe.activate("apply-adjustment")
    try await photoMe.wait(for: "message", "Places of 2 items changed")
    try await photoMe.activate("undo")
    try await photoMe.wait(for: "message", "Undone: Adjusting Place of 2 Items")
    try await photoMe.activate("undo")
    try await photoMe.wait(for: "message", "Undone: Adjusting Date of 2 Items")
    #expect(try session.pictures.map { try Data(contentsOf: $0) } == before)
    try await session.end()
  }

  @Test(
    "The details have buttons that open the dialogs, and one that adds a place",
    .enabled(if: AccessibilityBus.isInstalled, "at-spi2-core is not installed"))
  func buttons() async throws {
    let reader = try await AccessibleSession()
    let photoMe = reader.photoMe
    try await reader.session.takePhotos(1)
    try await photoMe.activate("open-selected")
    try await photoMe.wait(for: "page-shown", "viewer")
    try await photoMe.activate("show-info")
    try await photoMe.wait(for: "show-info", "true")
    try await reader.press(.button, "Adjust Date and Time")
    try await photoMe.wait(for: "adjustment-shown", "Adjust Date and Time")
    try await photoMe.activate("cancel-adjustment")
    try await photoMe.wait(for: "adjustment-shown", "")
    try await reader.press(.button, "Add Place")
    try await photoMe.wait(for: "adjustment-shown", "Adjust Place")
    try await photoMe.activate("set-adjustment", "46.948, 7.447")
    try await photoMe.wait(for: "apply-adjustment", enabled: true)
    try await photoMe.activate("apply-adjustment")
    try await reader.find(.label, "46.9480° N, 7.4470° E")
    try await reader.press(.button, "Adjust Place")
    try await photoMe.wait(for: "adjustment-shown", "Adjust Place")
    try await photoMe.activate("cancel-adjustment")
    try await photoMe.wait(for: "adjustment-shown", "")
    try await reader.end()
  }

  @Test("A picture of an album is moved, which then has an order of its own, and is its cover")
  func order() async throws {
    let session = try await PhotoMeSession()
    try await session.takePhotos(3)
    let photoMe = session.photoMe
    try await photoMe.activate("open-library")
    try await photoMe.wait(for: "listed", "3")
    try await photoMe.activate("select-all")
    try await photoMe.wait(for: "selected", "3")
    try await photoMe.activate("new-album", "Sea")
    try await photoMe.wait(for: "albums", "1")
    let file = try #require(
      try FileManager.default.contentsOfDirectory(
        atPath: session.library.appendingPathComponent(".photome/albums").path
      ).first { $0.hasSuffix(".json") })
    try await photoMe.activate("select-collection", String(file.dropLast(5)))
    try await photoMe.wait(for: "own-order", enabled: true)
    try await photoMe.wait(for: "own-order", "false")
    let record = try #require(
      try FileManager.default.contentsOfDirectory(
        atPath: session.library.appendingPathComponent(".photome/assets").path
      ).first { $0.hasSuffix(".json") })
    try await photoMe.activate("selecting")
    try await photoMe.activate("select", String(record.dropLast(5)))
    try await photoMe.wait(for: "selected", "1")
    // Whatever its place is, one of both is possible.
    try await photoMe.activate("move-earlier")
    try await photoMe.activate("move-later")
    try await photoMe.wait(for: "own-order", "true")
    try await photoMe.activate("own-order")
    try await photoMe.wait(for: "own-order", "false")
    try await photoMe.activate("select", String(record.dropLast(5)))
    try await photoMe.wait(for: "use-as-cover", enabled: true)
    try await photoMe.activate("use-as-cover")
    try await photoMe.wait(for: "message", "Cover of “Sea” changed")
    try await session.end()
  }
}
