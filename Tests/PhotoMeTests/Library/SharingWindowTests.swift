// Export, printing, emails and the background in the running program.

import Foundation
import TestSupport
import Testing

@testable import PhotoMe

@Suite("Sharing", .serialized, .timeLimit(.minutes(30)))
struct SharingWindowTests {
  /// The program with photos that are selected in the library.
  private func session(photos: Int, _ prepare: (TestDesktop) throws -> Void = { _ in }) async throws -> PhotoMeSession {
    let session = try await PhotoMeSession(prepare: prepare)
    try await session.takePhotos(photos)
    try await session.photoMe.activate("open-library")
    try await session.photoMe.wait(for: "listed", "\(photos)")
    try await session.photoMe.activate("select-all")
    try await session.photoMe.wait(for: "ask-export", enabled: true)
    return session
  }

  private func address(of desktop: TestDesktop) throws -> String {
    try #require(desktop.environment["DBUS_SESSION_BUS_ADDRESS"])
  }

  @Test("The export dialog closes by Escape, exports by its button, and the copy is shown in the file manager")
  func export() async throws {
    var made: SimulatedSharingDesktop?
    let session = try await session(photos: 2) {
      made = try SimulatedSharingDesktop(address: try address(of: $0), hasPortal: false)
    }
    let photoMe = session.photoMe
    let title = "Export 2 Items"
    try await photoMe.activate("ask-export")
    try await photoMe.wait(for: "export-shown", title)
    try await session.input.focus(title)
    try await session.input.press("Escape")
    try await photoMe.wait(for: "export-shown", "")
    try await session.input.focus(PhotoMeSession.mainWindow)

    try await photoMe.activate("ask-export")
    try await photoMe.wait(for: "export-shown", title)
    let folder = session.desktop.folder.appendingPathComponent("out")
    try await photoMe.activate("use-export", "export_format", "2")
    try await photoMe.activate("use-export", "export_location", "on")
    try await photoMe.activate("export-folder", folder.path)
    try await photoMe.activate("use-export", "export_accept", "press")
    try await photoMe.wait(for: "message", "2 items exported to “out”.")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count == 2 && names.allSatisfy { $0.hasSuffix(".png") }, "\(names)")
    try await photoMe.activate("export", "hologram", folder.path)
    try await photoMe.wait(for: "message", "There is no export format “hologram”.")
    let file = folder.appendingPathComponent(try #require(names.first))
    try await photoMe.activate("show-file", file.path)
    var calls = try #require(made?.calls.makeAsyncIterator())
    let call = try #require(await calls.next())
    #expect(call.member == "ShowItems" && call.arguments.contains(file.absoluteString))
    // Without a portal, both say what can be done instead.
    try await photoMe.activate("send-email")
    try await photoMe.wait(for: "message") { $0.contains("can’t start emails") }
    try await session.end()
    withExtendedLifetime(made) {}
  }

  @Test("The portal gets the pictures for an email and for the background")
  func portal() async throws {
    var made: SimulatedSharingDesktop?
    let session = try await session(photos: 2) { made = try SimulatedSharingDesktop(address: try address(of: $0)) }
    let photoMe = session.photoMe
    var calls = try #require(made?.calls.makeAsyncIterator())
    #expect(try await photoMe.isEnabled("set-background") == false)
    try await photoMe.activate("send-email")
    let email = try #require(await calls.next())
    #expect(email.member == "ComposeEmail" && email.arguments.contains("'x11:"), "\(email.arguments)")
    let pictures = try session.pictures.map { try Data(contentsOf: $0) }
    #expect(Set(email.files) == Set(pictures) && email.files.count == 2)

    let photo = try #require(session.pictures.last)
    try await photoMe.activate("close-library")
    try await photoMe.activate("open-selected")
    try await photoMe.wait(for: "viewing", photo.path)
    try await photoMe.wait(for: "set-background", enabled: true)
    try await photoMe.activate("set-background")
    let background = try #require(await calls.next())
    #expect(background.member == "SetWallpaperFile" && background.arguments.contains("'show-preview': <true>"))
    #expect(background.files == [try Data(contentsOf: photo)])
    try await photoMe.wait(for: "message", "“\(photo.lastPathComponent)” set as the background")
    try await session.end()
    withExtendedLifetime(made) {}
  }

  /// What follows each occurrence of a text in a PDF file.
  private func texts(after mark: String, in data: Data) -> [String] {
    var (found, rest) = ([String](), data)
    while let range = rest.range(of: Data(mark.utf8)) {
      found.append(String(decoding: rest[range.upperBound...].prefix(50), as: UTF8.self))
      rest = rest[range.upperBound...]
    }
    return found
  }

  @Test("Copies that were sent more than a day ago are removed at the start")
  func oldCopies() async throws {
    var sent: URL?
    let session = try await PhotoMeSession { desktop in
      let copies = desktop.folder.appendingPathComponent("home/cache/photome/sent/earlier")
      try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
      try Data("jpeg".utf8).write(to: copies.appendingPathComponent("IMG.jpg"))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -25 * 3600)], ofItemAtPath: copies.path)
      sent = copies
    }
    let folder = try #require(sent)
    // Nothing tells when it is done; the suite's time limit ends it.
    while FileManager.default.fileExists(atPath: folder.path) {
      try Task.checkCancellation()
      #expect(try await session.photoMe.state(of: "status") != nil)
    }
    try await session.end()
  }

  @Test("Pictures are printed one on a page, and a printer that fails is said")
  func printing() async throws {
    let session = try await session(photos: 2)
    let photoMe = session.photoMe
    let file = session.desktop.folder.appendingPathComponent("print.pdf")
    try await photoMe.activate("print-to-file", file.path)
    try await photoMe.wait(for: "printing", "printed")
    let data = try Data(contentsOf: file)
    #expect(data.starts(with: Data("%PDF-".utf8)))
    // “/MediaBox [ 0 0 842 595 ]”: pictures of a webcam are wide, and so are their pages.
    let boxes = texts(after: "/MediaBox [", in: data).map { $0.split(separator: " ").compactMap { Double($0) } }
    #expect(boxes.count == 2 && boxes.allSatisfy { $0.count >= 4 && $0[2] > $0[3] }, "\(boxes)")
    #expect(texts(after: "/Subtype /Image", in: data).count == 2)

    try await photoMe.activate("print-to-file", "/nonexistent/print.pdf")
    try await photoMe.wait(for: "printing", "failed")
    try await photoMe.wait(for: "message") { $0.hasPrefix("Nothing was printed. ") }
    try await session.end()
  }

  @Test("Only desktops that show the background of GNOME's settings have it changed there")
  func settings() {
    for name in ["GNOME", "ubuntu:GNOME", "Budgie:GNOME", "GNOME-Flashback:GNOME", "Unity", "Pantheon"] {
      #expect(PortalSharing.readsGNOMESettings(["XDG_CURRENT_DESKTOP": name]), "\(name)")
    }
    for name in ["KDE", "sway", "XFCE", ""] {
      #expect(!PortalSharing.readsGNOMESettings(["XDG_CURRENT_DESKTOP": name]), "\(name)")
    }
    #expect(!PortalSharing.readsGNOMESettings([:]))
  }
}
