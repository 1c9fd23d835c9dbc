// Package.swift as SwiftPM reads it, and its comments, which SwiftPM doesn't read.

import Foundation
import TestSupport

/// The part of `swift package dump-package` that the tests read.
struct PackageDescription: Decodable, Sendable {
  struct Target: Decodable, Sendable {
    var name: String
    /// `regular`, `executable`, `system` or `test`.
    var type: String
    var dependencies: [Dependency]
    /// The folder, unless it follows from the name.
    var path: String?

    /// Whether it is a test target or a helper of tests.
    var isForTests: Bool { type == "test" || path?.hasPrefix("Tests/") == true }

    /// The names of targets and products that the target depends on.
    var dependencyNames: [String] { dependencies.map(\.name) }
  }

  /// A dependency: an object with one key for its kind, and an array whose first element is the name.
  struct Dependency: Decodable, Sendable {
    var name: String

    private struct Kind: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(name: String) { self.name = name }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Kind.self)
      guard let kind = container.allKeys.first else { throw CommandFailure(output: "a dependency without a kind") }
      var list = try container.nestedUnkeyedContainer(forKey: kind)
      name = try list.decode(String.self)
    }
  }

  /// In the order of Package.swift, lowest first.
  var targets: [Target]

  func target(_ name: String) -> Target? { targets.first { $0.name == name } }

  /// The targets with Swift files under Sources, in the order of Package.swift.
  var swiftTargets: [String] {
    let names = Set(ProjectTree.swiftSources.map(\.target))
    return targets.filter { !$0.isForTests && names.contains($0.name) }.map(\.name)
  }

  /// The project's own Package.swift, read once.
  static let current = Result { try read() }

  /// Asks SwiftPM, in a scratch folder of its own: the usual one is locked while tests run.
  private static func read() throws -> Self {
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("photome-dump-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let result = try Command.run(
      "swift",
      ["package", "--package-path", ProjectTree.root.path, "--scratch-path", scratch.path, "dump-package"],
      at: ProjectTree.root)
    guard result.status == 0 else { throw CommandFailure(output: result.output + result.errors) }
    return try JSONDecoder().decode(Self.self, from: Data(result.output.utf8))
  }

  /// Pattern of a line that declares a target, a package or a product.
  private static var declaration: Regex<(Substring, Substring)> {
    #/^\.(target|executableTarget|systemLibrary|testTarget|package|executable)\(/#
  }

  /// The lines of a manifest that declare a target or a package and have no comment above them.
  static func uncommentedDeclarations(in manifest: String) -> [String] {
    let lines = lines(of: manifest)
    return lines.indices.filter { index in
      lines[index].firstMatch(of: declaration) != nil && !(index > 0 && lines[index - 1].hasPrefix("//"))
    }.map { "line \($0 + 1): \(lines[$0])" }
  }

  /// The comment above each target, by the target's name.
  static func targetComments(in manifest: String) -> [String: String] {
    let lines = lines(of: manifest)
    var comments: [String: String] = [:]
    for index in lines.indices where lines[index].firstMatch(of: declaration) != nil {
      let named = lines[index...].prefix(2).compactMap { $0.firstMatch(of: #/\bname: "([^"]+)"/#)?.1 }.first
      let above = lines[..<index].reversed().prefix { $0.hasPrefix("//") }.reversed()
      if let named { comments[String(named)] = above.map { $0.drop { "/ ".contains($0) } }.joined(separator: " ") }
    }
    return comments
  }

  private static func lines(of manifest: String) -> [String] {
    manifest.split(separator: "\n", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
  }
}
