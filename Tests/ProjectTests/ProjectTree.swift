// The project's files.

import Foundation
import Testing

/// A text file of the project.
struct ProjectFile: Sendable, CustomTestStringConvertible {
  /// From the project's folder, for example `Sources/CameraCore/Frames/CameraFrame.swift`.
  let path: String
  let text: String
  /// Of a Swift file, its code and comments; empty for other files.
  let code: SwiftCode

  init(path: String, text: String) {
    self.path = path
    self.text = text
    code = SwiftCode(path.hasSuffix(".swift") ? text : "")
  }

  /// The last part of the path.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }
  /// The name up to its last dot.
  var stem: String { name.split(separator: ".").dropLast().joined(separator: ".") }
  /// The part after the last dot.
  var suffix: String { name.contains(".") ? String(name.split(separator: ".").last ?? "") : "" }
  /// The target's folder, for files under Sources and Tests.
  var target: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

  var testDescription: String { path }
}

/// The project's folder and its files.
enum ProjectTree {
  /// The folder that holds Package.swift.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The text files under these folders or files, sorted; hidden ones and those that are not UTF-8 are left out.
  static func files(under places: String..., suffixes: Set<String>? = nil) -> [ProjectFile] {
    var paths: [String] = []
    for place in places {
      let url = root.appendingPathComponent(place)
      if let inside = FileManager.default.enumerator(
        at: url, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
      {
        for case let file as URL in inside { paths.append(file.path) }
      }
      paths.append(url.path)
    }
    return paths.sorted().compactMap { path in
      guard suffixes == nil || suffixes?.contains((path as NSString).pathExtension) == true,
        let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8)
      else { return nil }
      return ProjectFile(path: String(path.dropFirst(root.path.count + 1)), text: text)
    }
  }

  /// The paths of all files under a folder, sorted; hidden ones are left out.
  static func paths(under place: String) -> [String] {
    let url = root.appendingPathComponent(place)
    guard
      let inside = FileManager.default.enumerator(
        at: url, includingPropertiesForKeys: [.isDirectoryKey], options: .skipsHiddenFiles)
    else { return [] }
    let files = inside.compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath }
    return files.map { String($0.path.dropFirst(root.path.count + 1)) }.sorted()
  }

  /// One text file; `nil` when there is none.
  static func file(_ path: String) -> ProjectFile? { files(under: path).first { $0.path == path } }

  /// Every Swift file of the targets and their tests.
  static let swiftFiles = files(under: "Sources", "Tests", suffixes: ["swift"])
  /// Every Swift file of the targets.
  static let swiftSources = swiftFiles.filter { $0.path.hasPrefix("Sources/") }
  /// Every C file of the shims and the system libraries.
  static let cSources = files(under: "Sources", suffixes: ["c", "h"])
}
