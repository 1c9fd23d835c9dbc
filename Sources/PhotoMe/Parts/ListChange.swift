// The difference between two lists of IDs, as a single splice of a `GtkStringList`.

import CGtk

/// The range in which two lists differ.
///
/// Pictures are inserted at the front and removed here and there, so a single range is as good as the smallest
/// difference, and found in one pass:
///
///     ListChange(from: ["b", "c"], to: ["a", "b", "c"])  // position 0, removes 0, inserts ["a"]
struct ListChange: Equatable {
  var position: Int
  var removedCount: Int
  var inserted: [String]

  /// `nil` when the lists are equal.
  init?(from old: [String], to new: [String]) {
    guard old != new else { return nil }
    let shorter = min(old.count, new.count)
    var prefix = 0
    while prefix < shorter, old[prefix] == new[prefix] { prefix += 1 }
    var suffix = 0
    while suffix < shorter - prefix, old[old.count - 1 - suffix] == new[new.count - 1 - suffix] { suffix += 1 }
    position = prefix
    removedCount = old.count - prefix - suffix
    inserted = Array(new[prefix..<(new.count - suffix)])
  }
}

@MainActor extension GObjectRef {
  /// Applies a change to this `GtkStringList`.
  func splice(_ change: ListChange) {
    withCStrings(change.inserted) {
      gtk_string_list_splice(opaque, UInt32(change.position), UInt32(change.removedCount), $0)
    }
  }
}
