// Sandboxes by their signs.

import CameraCore
import Foundation
import Testing

@Suite struct SandboxTests {
  @Test("Flatpak has a file in the topmost folder, Snap an environment variable")
  func signs() throws {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("photome-root-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: root) }
    #expect(Sandbox(environment: [:], root: root.path + "/") == nil)
    #expect(Sandbox(environment: ["SNAP": ""], root: root.path + "/") == nil)
    #expect(Sandbox(environment: ["SNAP": "/snap/photome/1"], root: root.path + "/") == .snap)
    try Data().write(to: root.appendingPathComponent(".flatpak-info"))
    #expect(Sandbox(environment: [:], root: root.path + "/") == .flatpak)
  }
}
