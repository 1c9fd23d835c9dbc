// README's map of the targets and their rooms, generated from Package.swift and the list of rooms.

/// A Mermaid diagram of the Swift targets and shims, each with its rooms, and a list of the C libraries below them.
struct HouseMap {
  static let begin = "<!-- Generated map: PHOTOME_WRITE_MAP=1 data/dev/test --filter MapTests writes it anew. -->"
  static let end = "<!-- End of the generated map. -->"

  let targets: [PackageDescription.Target]
  /// The first sentence of each target's comment in Package.swift.
  let comments: [String: String]
  let rooms: RoomList

  /// - Parameter manifest: The text of Package.swift.
  init(_ package: PackageDescription, manifest: String, rooms: RoomList) {
    targets = package.targets.filter { !$0.isForTests }
    comments = PackageDescription.targetComments(in: manifest).mapValues(Self.firstSentence)
    self.rooms = rooms
  }

  /// A dependency that no other one brings along.
  struct Arrow: Hashable {
    var from: String
    var to: String
  }

  /// The arrows between Swift targets and shims, those of the highest first.
  var arrows: [Arrow] {
    targets.reversed().filter { $0.type != "system" }.flatMap { target in
      directDependencies(of: target.name).map { Arrow(from: target.name, to: $0) }
    }
  }

  /// The text between the marks.
  var markdown: String {
    let drawn = targets.filter { $0.type != "system" }
    var lines = ["```mermaid", "flowchart TD"]
    // Highest first, as the arrows point.
    for target in drawn.reversed() { lines.append("  \(id(target.name))[\"\(label(target.name))\"]") }
    for arrow in arrows { lines.append("  \(id(arrow.from)) --> \(id(arrow.to))") }
    lines += ["```", "", "C libraries, each a module map and an umbrella header:", ""]
    for target in targets where target.type == "system" {
      lines.append("- `\(target.name)`: \(comments[target.name] ?? "")")
    }
    return lines.joined(separator: "\n")
  }

  /// A README with this map between its marks; `nil` when it has no marks.
  func writing(into readme: String) -> String? {
    guard let start = readme.firstRange(of: Self.begin), let stop = readme.firstRange(of: Self.end),
      start.upperBound < stop.lowerBound
    else { return nil }
    return readme[..<start.upperBound] + "\n\n" + markdown + "\n\n" + readme[stop.lowerBound...]
  }

  private func label(_ name: String) -> String {
    let rooms = (rooms.target(name)?.rooms ?? []).map { "<b>\($0.name)</b>: \($0.phrase)" }
    let title = "<b>\(name)</b><br/>\(comments[name] ?? "")"
    return ([title] + rooms).joined(separator: "<br/>").replacing("\"", with: "#quot;")
  }

  private func id(_ name: String) -> String { name.replacing("-", with: "_") }

  /// The drawn dependencies of a target without those that another one of them brings along.
  private func directDependencies(of name: String) -> [String] {
    let all = drawnDependencies(of: name)
    return all.filter { one in !all.contains { $0 != one && reaches(from: $0, one) } }
  }

  private func drawnDependencies(of name: String) -> [String] {
    let drawn = Set(targets.filter { $0.type != "system" }.map(\.name))
    return targets.first { $0.name == name }?.dependencyNames.filter(drawn.contains) ?? []
  }

  private func reaches(from name: String, _ other: String) -> Bool {
    drawnDependencies(of: name).contains { $0 == other || reaches(from: $0, other) }
  }

  /// Without the full stop and backticks.
  private static func firstSentence(_ comment: String) -> String {
    let end = comment.firstRange(of: ". ")?.lowerBound ?? comment.endIndex
    var sentence = String(comment[..<end].filter { $0 != "`" })
    if sentence.hasSuffix(".") { sentence.removeLast() }
    return sentence
  }
}
