// The list of rooms, `Sources/rooms.txt`.

import Testing

/// The rooms of each target, lowest first.
struct RoomList: Sendable {
  struct Room: Sendable, Equatable {
    var name: String
    /// Its purpose, in one phrase.
    var phrase: String
  }

  struct Target: Sendable, Equatable, CustomTestStringConvertible {
    var name: String
    /// Empty when the whole target is one room.
    var rooms: [Room] = []

    var testDescription: String { name }

    /// The room of a file of this target: its folder, or "" at the target's root.
    func room(of path: String) -> String {
      let parts = path.split(separator: "/")
      return parts.count > 3 ? String(parts[2]) : ""
    }

    /// The height of a room in the list; the root is above all rooms. `nil` for a folder that isn't listed.
    func height(of room: String) -> Int? {
      room.isEmpty ? rooms.count : rooms.firstIndex { $0.name == room }
    }
  }

  static let path = "Sources/rooms.txt"

  var targets: [Target] = []

  /// A line without indentation names a target, an indented one a room and its phrase; `#` begins a comment.
  init(_ text: String) {
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ", maxSplits: 1)
      guard let name = words.first.map(String.init) else { continue }
      let phrase = words.count > 1 ? String(words[1].drop { $0 == " " }) : ""
      if line.hasPrefix(" "), !targets.isEmpty {
        targets[targets.count - 1].rooms.append(Room(name: name, phrase: phrase))
      } else {
        targets.append(Target(name: name))
      }
    }
  }

  func target(_ name: String) -> Target? { targets.first { $0.name == name } }

  /// Disagreements between the list, the folders and the targets of the package; empty when there are none.
  ///
  /// - Parameters:
  ///   - paths: Of all Swift files under Sources.
  ///   - swiftTargets: The package's Swift targets, tests left out.
  func faults(paths: [String], swiftTargets: [String]) -> [String] {
    var faults: [String] = []
    for name in swiftTargets where target(name) == nil { faults.append("\(name) is not in \(Self.path)") }
    for target in targets {
      let files = paths.filter { $0.hasPrefix("Sources/\(target.name)/") }
      guard swiftTargets.contains(target.name), !files.isEmpty else {
        faults.append("\(target.name) is listed, but is no Swift target")
        continue
      }
      let names = target.rooms.map(\.name)
      if Set(names).count < names.count { faults.append("\(target.name) lists a room twice") }
      let present = Set(files.map(target.room))
      for name in names where !present.contains(name) {
        faults.append("\(target.name)/\(name) is listed, but is no folder")
      }
      for room in target.rooms where room.phrase.isEmpty { faults.append("\(target.name)/\(room.name) has no phrase") }
      if names.isEmpty { continue }
      for name in present.subtracting(names).sorted() where !name.isEmpty {
        faults.append("\(target.name)/\(name) is not in \(Self.path)")
      }
      for path in files where target.room(of: path).isEmpty && !carries(path, target.name) {
        faults.append("\(path) lies at its target's root without the target's name")
      }
    }
    return faults
  }

  /// Folders of tests that aren't rooms: helpers, files of earlier versions, approved pictures.
  static let testFolders: Set = ["Support", "Frozen", "Golden"]

  /// Tests that lie outside the rooms of their target; empty when there are none.
  ///
  /// - Parameter paths: Of all files under Tests.
  func testFaults(paths: [String]) -> [String] {
    var faults: [String] = []
    for path in paths {
      let parts = path.split(separator: "/").map(String.init)
      guard parts.count > 2,
        let target = targets.first(where: { Self.plain($0.name) + "tests" == Self.plain(parts[1]) }),
        !target.rooms.isEmpty
      else { continue }
      if parts.count == 3 {
        if !carries(path, parts[1]) { faults.append("\(path) lies at its target's root, not in a room") }
      } else if target.height(of: parts[2]) == nil, !Self.testFolders.contains(parts[2]) {
        let fault = "\(parts[0])/\(parts[1])/\(parts[2]) is no room of \(target.name)"
        if !faults.contains(fault) { faults.append(fault) }
      }
    }
    return faults
  }

  /// A target's name without case and punctuation.
  private static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

  /// Whether a file is called after the target: `PhotomeCtl.swift` and `PhotomeCtl+Main.swift` after `photomectl`.
  private func carries(_ path: String, _ target: String) -> Bool {
    let name = path.split(separator: "/").last?.split { $0 == "." || $0 == "+" }.first ?? ""
    return name.lowercased() == Self.plain(target)
  }

  /// The arrows that point to a higher room.
  func backward(_ arrows: [RoomArrow], in target: Target) -> [RoomArrow] {
    arrows.filter { arrow in
      guard let from = target.height(of: target.room(of: arrow.from)),
        let to = target.height(of: target.room(of: arrow.to))
      else { return false }
      return from < to
    }
  }
}
