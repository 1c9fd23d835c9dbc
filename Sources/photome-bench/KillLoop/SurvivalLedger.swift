// The required state of a library after its processes were killed, from their notes.

import Foundation

/// Knows for each asset, and each album, what is certain and what was under way.
struct SurvivalLedger {
  typealias Facts = SurvivalNote.Facts

  /// The state that was noted as done, or found by the last check.
  private(set) var certain: [String: Facts] = [:]
  /// Operations that were started and never reported as done.
  private(set) var open: [SurvivalNote] = []
  /// The number of completed operations of each kind.
  private(set) var done: [String: Int] = [:]
  /// The number of operations whose note was lost to a kill.
  private(set) var interrupted = (before: 0, after: 0)

  /// Adds the notes of one process, in order.
  mutating func take(_ notes: [SurvivalNote]) {
    var begun: [Int: SurvivalNote] = [:]
    for note in notes {
      begun[note.number] = note.isDone ? nil : note
      guard note.isDone else { continue }
      done[note.work, default: 0] += 1
      for (id, facts) in note.facts { certain[id, default: [:]].merge(facts) { $1 } }
    }
    open += begun.values.sorted { $0.number < $1.number }
  }

  /// Compares the library with the notes, and takes its state as certain from now on.
  ///
  /// - Parameter found: Every asset and album in the library, with all facts; and those of `certain` that are gone.
  /// - Returns: The disagreements.
  mutating func compare(with found: [String: Facts]) -> [String] {
    var faults: [String] = []
    var possible = certain.mapValues { [$0] }
    for note in open {
      var (isBefore, isAfter) = (true, true)
      for (id, facts) in note.facts {
        let before = certain[id] ?? [.there: "no"]
        let after = before.merging(facts) { $1 }
        possible[id, default: [before]].append(after)
        isBefore = isBefore && Self.matches(before, found[id])
        isAfter = isAfter && Self.matches(after, found[id])
      }
      if !isBefore, !isAfter { faults.append("“\(note.work)” is done by half.") }
      if isAfter { interrupted.after += 1 } else { interrupted.before += 1 }
    }
    for (id, choices) in possible.sorted(by: { $0.key < $1.key }) {
      if let match = choices.first(where: { Self.matches($0, found[id]) }) {
        certain[id] = match.merging(found[id] ?? [:]) { $1 }
      } else {
        let expected = choices.map(Self.text).joined(separator: " or ")
        faults.append("\(id) is \(Self.text(found[id] ?? [:])) instead of \(expected).")
      }
    }
    for (id, facts) in found where certain[id] == nil { certain[id] = facts }
    open = []
    return faults
  }

  private static func matches(_ expected: Facts, _ found: Facts?) -> Bool {
    let found = found ?? [.there: "no"]
    // Of what is gone, only where it is can be seen.
    let visible: [SurvivalNote.Fact] = expected[.there] == "no" ? [.there, .trashed] : SurvivalNote.Fact.allCases
    return visible.allSatisfy { fact in
      guard let value = expected[fact] else { return true }
      return (found[fact] ?? (fact == .trashed ? "no" : "")) == value
    }
  }

  private static func text(_ facts: Facts) -> String {
    "(" + facts.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", ") + ")"
  }
}
