// The order of albums and folders of albums, by the positions in their records.

import Foundation
import Localization

extension ChangeTransaction {
  /// Between two positions: there is room for others.
  private static let gap: Int64 = 1000

  /// What is in a folder, or at the top, in the order in which it is listed, with what this block has changed so far.
  func members(of list: CollectionList.ID?) throws(PhotoLibraryError) -> [CollectionOrder.Member] {
    let stored =
      try library.index.lists().map { CollectionOrder.Member($0) }
      + library.index.albums().map { CollectionOrder.Member($0) }
    let read = collections.compactMap { id, record in record.after.map { CollectionOrder.Member(id, $0) } }
    return CollectionOrder(stored.filter { collections[$0.id] == nil } + read).members(of: list)
  }

  /// The position behind all in a folder, or at the top; `nil` where they are listed by title.
  mutating func endPosition(in list: CollectionList.ID?, for id: String) throws(PhotoLibraryError) -> Int64? {
    // All albums and folders are read once for a block that adds many.
    let found: Int64?
    if let known = lastPositions[list] {
      found = known
    } else {
      found = try members(of: list).filter { $0.id != id }.compactMap(\.position).max()
    }
    lastPositions[list] = .some(found)
    guard let last = found else { return nil }
    // Untrusted input: a record can hold any number.
    return last.addingReportingOverflow(Self.gap).overflow ? last : last + Self.gap
  }

  mutating func arrange(
    _ id: String, in place: CollectionPlace, before next: String?
  ) throws(PhotoLibraryError) {
    guard var moved = try collection(id) else { throw .unknownCollection(id: id) }
    try checkPlace(place, of: id)
    guard id != next else { return }
    let rest = try members(of: place.parent).filter { $0.id != id }
    var index = rest.count
    if let next {
      guard let found = rest.firstIndex(where: { $0.id == next }) else {
        guard let other = try collection(next) else { throw .unknownCollection(id: next) }
        throw .changesFailed(reason: localized("“\(other.title)” is in another folder"))
      }
      index = found
    }
    moved.parent = place.parent
    moved.position = Self.position(at: index, of: rest)
    set(moved, of: id)
    guard moved.position == nil else { return }
    let ids = rest.map(\.id)
    for (number, id) in (ids[..<index] + [id] + ids[index...]).enumerated() {
      try setPosition(Int64(number + 1) * Self.gap, of: id)
    }
  }

  mutating func sortByTitle(in place: CollectionPlace) throws(PhotoLibraryError) {
    if let list = place.parent, try collection(list)?.kind != .folder { throw .unknownCollection(id: list) }
    for member in try members(of: place.parent) { try setPosition(nil, of: member.id) }
  }

  /// A position between two neighbors; `nil` when all need new ones.
  private static func position(at index: Int, of rest: [CollectionOrder.Member]) -> Int64? {
    let (before, after) = (index > 0 ? rest[index - 1] : nil, index < rest.count ? rest[index] : nil)
    switch (before?.position, after?.position) {
    case (let low?, let high?):
      let (room, isTooMuch) = high.subtractingReportingOverflow(low)
      return !isTooMuch && room > 1 ? low + room / 2 : nil
    case (let low?, nil) where after == nil:
      let (position, isTooMuch) = low.addingReportingOverflow(gap)
      return isTooMuch ? nil : position
    case (nil, let high?) where before == nil:
      let (position, isTooMuch) = high.subtractingReportingOverflow(gap)
      return isTooMuch ? nil : position
    default: return nil
    }
  }

  private mutating func setPosition(_ position: Int64?, of id: String) throws(PhotoLibraryError) {
    // Another program may have deleted it.
    guard var record = try collection(id) else { return }
    record.position = position
    set(record, of: id)
  }
}
