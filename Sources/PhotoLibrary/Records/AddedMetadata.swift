// The standard metadata that PhotoMe added to a picture, and may take back.

import Foundation
import MediaFormats

/// The rating and the keywords in a file that are PhotoMe's and not the user's own.
///
/// A favorite gets five stars and a picture in an album gets the album's title as a keyword, so that other programs see
/// both. What was in the file before is the user's: it stays when the favorite or the album goes. Records of versions
/// that didn't note this count as if nothing had been added, except for a rating whose predecessor they know.
struct AddedMetadata: Sendable, Hashable {
  /// Whether the five stars are PhotoMe's.
  var rating = false
  /// The rating that the five stars replaced; `nil` when there was none.
  var ratingBefore: Double?
  /// The keywords that are PhotoMe's, as written.
  var subjects: Set<String> = []
  /// Whether the mark of the picture that stands for its burst is PhotoMe's.
  var burstPrimary = false
  /// The mark that it replaced; `nil` when there was none.
  var burstPrimaryBefore: String?

  /// Whether the five stars are PhotoMe's; versions that didn't note it noted only the rating before.
  var hasRating: Bool { rating || ratingBefore != nil }
}

extension AddedMetadata {
  /// The marks that say that a picture doesn't stand for its burst.
  private static let marks: Set<String> = ["0", "False", "false"]

  /// From a record, without `ratingBefore`. Untrusted input: values of a wrong type count as missing.
  init(_ values: [String: JSONValue]) {
    rating = values["rating"]?.bool ?? false
    ratingBefore = values["ratingBefore"]?.number
    subjects = Set((values["subjects"]?.array ?? []).compactMap(\.text))
    burstPrimary = values["burstPrimary"]?.bool ?? false
    // Untrusted: it becomes the value of an attribute as it is.
    burstPrimaryBefore = values["burstPrimaryBefore"]?.text.flatMap { Self.marks.contains($0) ? $0 : nil }
  }

  /// For a record, without `ratingBefore`, which has a place of its own there.
  var values: [String: JSONValue] {
    var values: [String: JSONValue] = [:]
    if rating { values["rating"] = .bool(true) }
    if burstPrimary { values["burstPrimary"] = .bool(true) }
    if let burstPrimaryBefore { values["burstPrimaryBefore"] = .text(burstPrimaryBefore) }
    if !subjects.isEmpty { values["subjects"] = .array(subjects.sorted().map { .text($0) }) }
    return values
  }

  /// Takes note of a change that was made to the file.
  ///
  /// - Parameter before: The file's metadata before the change.
  mutating func note(_ change: StandardMetadataChange, madeTo before: StandardMetadata) {
    // What another program has taken away since, and perhaps added again, is not PhotoMe's anymore.
    subjects.formIntersection(before.subjects)
    if before.rating != MetadataRewriter.favoriteRating { (rating, ratingBefore) = (false, nil) }
    switch change.rating {
    case .unchanged: break
    case .favorite:
      if before.rating != MetadataRewriter.favoriteRating { (rating, ratingBefore) = (true, before.rating) }
    case .restored: (rating, ratingBefore) = (false, nil)
    }
    if before.burstPrimary != MetadataRewriter.burstPrimary { (burstPrimary, burstPrimaryBefore) = (false, nil) }
    switch change.burstPrimary {
    case .unchanged: break
    case .set:
      if !XMPPacket.isBurstPrimary(before.burstPrimary) {
        (burstPrimary, burstPrimaryBefore) = (true, before.burstPrimary.flatMap { Self.marks.contains($0) ? $0 : nil })
      }
    case .restored: (burstPrimary, burstPrimaryBefore) = (false, nil)
    }
    let wanted = Set(change.addedSubjects.map { MetadataRewriter.cleaned($0) })
    subjects.subtract(Set(change.removedSubjects.map { MetadataRewriter.cleaned($0) }).subtracting(wanted))
    subjects.formUnion(wanted.subtracting(before.subjects).subtracting([""]))
  }
}
