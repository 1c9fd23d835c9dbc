// The picture of the architecture, compared with Package.swift.

import Foundation
import Testing

@Suite("The picture of the architecture")
struct ArchitecturePictureTests {
  static let path = "data/dev/architecture.svg"

  /// Boxes and arrows of the drawing, by the names of the targets in their `data-` attributes.
  struct Drawing {
    struct Box {
      var x, y, width, height: Double

      /// Whether a point is on the edge.
      func touches(_ point: (x: Double, y: Double)) -> Bool {
        let isBeside = point.x == x || point.x == x + width
        let isAbove = point.y == y || point.y == y + height
        return (isBeside && (y...y + height).contains(point.y)) || (isAbove && (x...x + width).contains(point.x))
      }
    }

    var boxes: [String: Box] = [:]
    /// The lines of the arrows, as `M1 2V3`.
    var lines: [HouseMap.Arrow: String] = [:]
    /// The targets that a frame passes.
    var steps: [String] = []

    init(_ svg: String) {
      for element in svg.matches(of: #/<(?:rect|path) [^>]*>/#).map({ String($0.0) }) {
        let attributes = Dictionary(
          element.matches(of: #/ ([a-z-]+)="([^"]*)"/#).map { (String($0.1), String($0.2)) }
        ) { $1 }
        func number(_ name: String) -> Double { Double(attributes[name] ?? "") ?? .nan }
        if let name = attributes["data-target"] {
          boxes[name] = Box(x: number("x"), y: number("y"), width: number("width"), height: number("height"))
        }
        if let from = attributes["data-from"], let to = attributes["data-to"] {
          lines[HouseMap.Arrow(from: from, to: to)] = attributes["d"] ?? ""
        }
        if let step = attributes["data-step"] { steps.append(step) }
      }
    }

    /// The first and the last point of a path with absolute `M`, `L`, `H` and `V`; `nil` for any other.
    static func ends(of line: String) -> (first: (x: Double, y: Double), last: (x: Double, y: Double))? {
      var points: [(x: Double, y: Double)] = []
      for part in line.matches(of: #/([A-Za-z])([0-9. ]+)/#) {
        let numbers = part.2.split(separator: " ").compactMap { Double($0) }
        switch (part.1, numbers.count, points.last) {
        case ("M", 2, nil), ("L", 2, .some): points.append((numbers[0], numbers[1]))
        case ("H", 1, let last?): points.append((numbers[0], last.y))
        case ("V", 1, let last?): points.append((last.x, numbers[0]))
        default: return nil
        }
      }
      guard points.count > 1 else { return nil }
      return (points[0], points[points.count - 1])
    }

    /// The arrows whose line doesn't begin at the one box and end at the other.
    var astray: [HouseMap.Arrow] {
      lines.filter { arrow, line in
        guard let ends = Self.ends(of: line), let from = boxes[arrow.from], let to = boxes[arrow.to] else {
          return true
        }
        return !from.touches(ends.first) || !to.touches(ends.last)
      }.map(\.key)
    }
  }

  @Test("Its targets and arrows are those of Package.swift, and each arrow leads from box to box")
  func arrows() throws {
    let drawing = Drawing(try #require(ProjectTree.file(Self.path)).text)
    let map = HouseMap(
      try PackageDescription.current.get(), manifest: try #require(ProjectTree.file("Package.swift")).text,
      rooms: RoomTests.list)
    let targets = Set(map.targets.filter { $0.type != "system" }.map(\.name))
    #expect(Set(drawing.boxes.keys) == targets)
    #expect(Set(map.arrows).subtracting(drawing.lines.keys) == [], "not in the picture")
    #expect(Set(drawing.lines.keys).subtracting(map.arrows) == [], "not in Package.swift")
    #expect(drawing.astray == [])
    #expect(drawing.steps.count > 4 && Set(drawing.steps).isSubset(of: targets))
    #expect(try #require(ProjectTree.file("README.md")).text.contains("(\(Self.path))"))
  }

  @Test("An arrow that ends beside its box is found")
  func arrowsFail() {
    let boxes = """
      <rect data-target="A" x="0" y="0" width="10" height="10" rx="2"/>
      <rect data-target="B" x="0" y="30" width="10" height="10"/>
      """
    func astray(_ line: String) -> Int {
      Drawing(boxes + "<path class=\"arrow\" data-from=\"A\" data-to=\"B\" d=\"\(line)\"/>").astray.count
    }
    #expect(astray("M5 10V30") == 0)
    #expect(astray("M10 5H20V35H10") == 0)
    #expect(astray("M5 10L8 30") == 0)
    #expect(astray("M5 10V29") == 1)
    #expect(astray("M5 30V10") == 1)
    #expect(astray("M5 10C1 2 3 4 5 30") == 1)
  }
}
