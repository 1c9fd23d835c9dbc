// Package.swift as SwiftPM reads it, and the comments that SwiftPM does not read.

import Foundation
import TestSupport

/// The part of `swift package dump-package` that the tests look at.
struct PackageDescription: Decodable {
  struct Target: Decodable {
    var name: String
    /// `regular`, `executable`, `system` or `test`.
    var type: String
    var dependencies: [Dependency]
    /// Where it lies, when that isn't said by its name.
    var path: String?

    /// Tests, and what only tests are built on.
    var isForTests: Bool { type == "test" || path?.hasPrefix("Tests/") == true }

    /// The names of targets and products that the target depends on.
    var dependencyNames: [String] { dependencies.map(\.name) }
  }

  /// A dependency: an object with one key for its kind, and an array whose first element is the name.
  struct Dependency: Decodable {
    var name: String

    private struct Kind: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Kind.self)
      guard let kind = container.allKeys.first else { throw CommandFailure(output: "a dependency without a kind") }
      var list = try container.nestedUnkeyedContainer(forKey: kind)
      name = try list.decode(String.self)
    }
  }

  var targets: [Target]

  /// Asks SwiftPM, in a scratch folder of its own: the usual one is locked while tests run.
  static func read() throws -> Self {
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("photome-dump-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let result = try Command.run(
      "swift",
      ["package", "--package-path", ProjectTree.root.path, "--scratch-path", scratch.path, "dump-package"],
      at: ProjectTree.root)
    guard result.status == 0 else { throw CommandFailure(output: result.output + result.errors) }
    return try JSONDecoder().decode(Self.self, from: Data(result.output.utf8))
  }

  /// The lines of a manifest that declare a target or a package and have no comment above them.
  static func uncommentedDeclarations(in manifest: String) -> [String] {
    let lines = manifest.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    return lines.indices.filter { index in
      lines[index].firstMatch(of: #/^\.(target|executableTarget|systemLibrary|testTarget|package|executable)\(/#) != nil
        && !(index > 0 && lines[index - 1].hasPrefix("//"))
    }.map { "line \($0 + 1): \(lines[$0])" }
  }
}
