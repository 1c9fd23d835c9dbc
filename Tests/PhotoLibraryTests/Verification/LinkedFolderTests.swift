// Folders of the library's own that somebody has replaced by something else.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct LinkedFolderTests {
  @Test(arguments: ["assets", "albums", "originals", "journal", "kept"], [true, false])
  func aLinkInThePlaceOfAFolderIsSaid(name: String, isLink: Bool) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    _ = try await library.shoot()
    let path = "\(scratch.pictures.path)/.photome/\(name)"
    try? FileManager.default.removeItem(atPath: path)
    if isLink {
      let outside = "\(scratch.path)/outside"
      try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
    } else {
      try scratch.put(Data(), ".photome/\(name)")
    }
    let found = try await library.verify()
    #expect(found.problems.map(\.path) == [path] && found.problems.first?.kind == .folderUnreadable, "\(found)")
    await library.close()
  }
}
