// The contents that a foreign editor cares for, from its notes.

import Foundation

/// Knows for each picture of the editor the digest that must still be somewhere.
struct ForeignLedger {
  private var certain: [String: String] = [:]
  /// Works that were begun and never reported as done.
  private var open: [SurvivalNote] = []

  /// Whether it cares for anything, and so has to be asked.
  var isEmpty: Bool { certain.isEmpty && open.isEmpty }

  /// Adds the notes of one process, in order.
  mutating func take(_ notes: [SurvivalNote]) {
    var begun: [Int: SurvivalNote] = [:]
    for note in notes {
      begun[note.number] = note.isDone ? nil : note
      guard note.isDone else { continue }
      for (key, facts) in note.facts { certain[key] = facts[.there] == "no" ? nil : facts[.picture] }
    }
    open += begun.values.sorted { $0.number < $1.number }
  }

  /// Compares the pictures that are there with the notes, and takes them as certain from now on.
  ///
  /// - Parameter found: The digests of all whole pictures in the library, its hidden folders and the Trash.
  /// - Returns: What is lost.
  mutating func compare(with found: Set<String>) -> [String] {
    for (key, facts) in open.flatMap(\.facts) {
      // Killed within its own work: either of both, and nothing of what it was destroying.
      if facts[.there] == "no" {
        if let digest = certain[key], !found.contains(digest) { certain[key] = nil }
      } else if let digest = facts[.picture], found.contains(digest) {
        certain[key] = digest
      }
    }
    open = []
    let lost = certain.filter { !found.contains($0.value) }
    for key in lost.keys { certain[key] = nil }
    return lost.sorted { $0.key < $1.key }.map { "\($0.key), as another program wrote it (\($0.value)), is nowhere." }
  }
}
