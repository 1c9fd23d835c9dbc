// The models' files: absent ones and others in their place.

import Foundation
import Testing

@testable import PersonMatte

@Suite struct ModelFileTests {
  @Test func anAbsentModelIsSaid() throws {
    #expect(throws: ModelError.notInstalled(name: ModelFile.faces.rawValue)) { try ModelFile.faces.load(from: nil) }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-none-\(UUID().uuidString)")
    #expect(throws: ModelError.notInstalled(name: ModelFile.faces.rawValue)) { try ModelFile.faces.load(from: folder) }
  }

  @Test func anotherFileIsRefused() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-models-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent(ModelFile.selfie.rawValue)
    try Data("TFL3".utf8).write(to: file)
    #expect(throws: ModelError.wrongDigest(path: file.path)) { try ModelFile.selfie.load(from: folder) }
  }

  /// Source: FIPS 180-4, the example “abc”.
  @Test func digest() {
    #expect(
      ModelFile.digest(of: Data("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}
