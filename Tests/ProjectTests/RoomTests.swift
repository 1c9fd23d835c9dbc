// Checks every arrow between the rooms of every Swift target.

import Testing

@Suite("Rooms")
struct RoomTests {
  static let list = RoomList(ProjectTree.file(RoomList.path)?.text ?? "")
  static let outlines = ProjectTree.swiftSources.map { (path: $0.path, outline: SwiftOutline($0.code)) }

  /// The arrows inside a target.
  static func arrows(of target: String) -> [RoomArrow] {
    let own = outlines.filter { $0.path.hasPrefix("Sources/\(target)/") }
    let others = outlines.filter { !$0.path.hasPrefix("Sources/\(target)/") }
    let foreign = others.flatMap { $0.outline.declarations.filter { $0.isPublic && $0.kind != .type }.map(\.name) }
    return RoomArrows(own, foreign: Set(foreign)).arrows()
  }

  @Test("Every folder is a listed room, and every listed room is a folder")
  func listIsComplete() throws {
    let targets = try PackageDescription.current.get().swiftTargets
    #expect(Self.list.faults(paths: ProjectTree.swiftSources.map(\.path), swiftTargets: targets) == [])
  }

  @Test("Tests lie in the rooms of their target")
  func testsLieInRooms() {
    let paths = ProjectTree.paths(under: "Tests")
    #expect(paths.contains { $0.hasPrefix("Tests/PhotoEffectsTests/Golden/") })
    #expect(Self.list.testFaults(paths: paths) == [])
  }

  @Test("Tests outside of rooms are named")
  func testFaultsAreFound() {
    let list = RoomList("photo-house\n  Cellar  the lowest\nHut\n")
    let own = ["Cellar/JarTests.swift", "Support/Jar.swift", "Golden/jar.bgr", "PhotoHouseTests.swift"]
    let others = ["Tests/HutTests/DoorTests.swift", "Tests/TestSupport/Door.swift"]
    #expect(list.testFaults(paths: own.map { "Tests/PhotoHouseTests/" + $0 } + others) == [])
    let wrong = ["Attic/BoxTests.swift", "Attic/LampTests.swift", "JarTests.swift"]
    #expect(
      list.testFaults(paths: wrong.map { "Tests/PhotoHouseTests/" + $0 }) == [
        "Tests/PhotoHouseTests/Attic is no room of photo-house",
        "Tests/PhotoHouseTests/JarTests.swift lies at its target's root, not in a room",
      ])
  }

  @Test("Arrows between rooms point down", arguments: list.targets.filter { !$0.rooms.isEmpty })
  func arrowsPointDown(_ target: RoomList.Target) {
    let arrows = Self.arrows(of: target.name)
    let between = arrows.filter { target.room(of: $0.from) != target.room(of: $0.to) }
    let backward = Self.list.backward(arrows, in: target)
    print("\(target.name): \(target.rooms.map(\.name).joined(separator: " < ")): \(between.count) arrows between rooms")
    for (files, arrows) in Dictionary(grouping: backward, by: { [$0.from, $0.to] }).sorted(by: { $0.key[0] < $1.key[0] }
    ) {
      let uses = arrows.map { "\($0.line): \($0.symbol)" }.joined(separator: ", ")
      Issue.record("\(files[0]) uses \(files[1]), a higher room (line \(uses))")
    }
  }

  @Test("Every kind of arrow is seen")
  func arrowsAreSeen() {
    let target = Sample.list.targets[0]
    let found = RoomArrows(Sample.files).arrows().map { "\($0.from.split(separator: "/")[2]):\($0.line) \($0.symbol)" }
    #expect(
      found == [
        "Attic:1 Ground", "Attic:2 Ground", "Attic:4 Ground", "Attic:7 Ground",
        // Backward ones, of every kind.
        "Cellar:2 Attic", "Cellar:3 Attic", "Cellar:3 Window", "Cellar:4 climbLadder", "Cellar:5 isHigh", "Cellar:6 <~",
        "Cellar:7 Ground", "Cellar:8 Shape",
        "Ground:3 Attic",
      ])
    let backward = Sample.list.backward(RoomArrows(Sample.files).arrows(), in: target)
    #expect(backward.count == 9)
    #expect(backward.allSatisfy { !$0.from.contains("Attic") })
  }

  @Test("Names that can mean several things are no arrows")
  func ambiguousNames() {
    let files: [(path: String, text: String)] = [
      (
        "Sources/House/Cellar/Cellar.swift",
        "struct Cellar {\n  enum Kind {}\n  var kind: Kind\n  let Attic = 1\n}\nstruct Other { var shared = 1 }"
      ),
      (
        "Sources/House/Cellar/Shelf.swift",
        "func shelf(roof: Int) {\n  _ = roof + a.shared + b.size\n  c.paint(over: 1)\n  struct Local {}\n  _ = Local()\n}"
      ),
      (
        "Sources/House/Attic/Attic.swift",
        "enum Kind {}\nstruct Local {}\nfunc roof() {}\nextension Int {\n  var shared: Int { 1 }\n  var size: Int { 1 }\n"
          + "  func paint(under: Int) {}\n  private var hidden: Int { 1 }\n}"
      ),
      ("Sources/House/Cellar/Jar.swift", "func jar() {\n  _ = a.hidden\n  _ = \"roof() \\(1)\"  // roof()\n}"),
    ]
    #expect(RoomArrows(files.map { ($0.path, SwiftOutline(SwiftCode($0.text))) }).arrows() == [])
  }

  @Test("Disagreements of list, folders and targets are named")
  func faultsAreFound() {
    let list = RoomList("# A comment\nHouse\n  Cellar  the lowest\n  Garage\nCastle\n")
    let paths = ["House/Cellar/A.swift", "House/Attic/B.swift", "House/House+Doors.swift", "House/Door.swift"]
    #expect(
      list.faults(paths: paths.map { "Sources/" + $0 }, swiftTargets: ["House", "Hut"]) == [
        "Hut is not in Sources/rooms.txt", "House/Garage is listed, but is no folder", "House/Garage has no phrase",
        "House/Attic is not in Sources/rooms.txt",
        "Sources/House/Door.swift lies at its target's root without the target's name",
        "Castle is listed, but is no Swift target",
      ])
    let command = RoomList("photo-house\n  Cellar  the lowest\n")
    let own = ["Sources/photo-house/PhotoHouse.swift", "Sources/photo-house/Cellar/A.swift"]
    #expect(command.faults(paths: own, swiftTargets: ["photo-house"]) == [])
  }
}

/// A made-up target of three rooms, in which the cellar uses everything that the rooms above it declare.
private enum Sample {
  static let list = RoomList("House\n  Cellar  one\n  Ground  two\n  Attic  three\n")

  static let files = [
    (
      "Cellar",
      """
      struct Cellar {
        let attic: Attic
        let window: Attic.Window? = nil
        func climb() { climbLadder(steps: 3) }
        var isTall: Bool { 7.isHigh }
        func order() -> Int { 1 <~ 2 }
        let ground = Ground()
        let made = Shape(lifted: 2)
      }
      """
    ),
    (
      "Ground",
      """
      struct Ground {
        static func make() -> Ground { Ground() }
        var above: Attic?
      }
      """
    ),
    (
      "Attic",
      """
      extension Ground { static let low = 0 }
      let start = Ground.make()
      infix operator <~
      struct Attic { let below: Ground; struct Window {} }
      func climbLadder(steps: Int) {}
      extension Int { var isHigh: Bool { self > 3 } }
      func <~ (a: Int, b: Int) -> Int { Ground(); return a }
      extension Shape { init(lifted: Int) {} }
      """
    ),
  ].map { (path: "Sources/House/\($0.0)/\($0.0).swift", outline: SwiftOutline(SwiftCode($0.1))) }
}
