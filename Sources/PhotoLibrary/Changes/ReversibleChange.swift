// What a change did to records, so that it can be taken back.

import Foundation

/// The marks, albums and folders that one change has changed, before and after it.
///
/// It is tied to ids, so it holds after a restart and while pictures are renamed or in the trash. Pictures that were
/// added, removed or edited aren't in it.
public struct ReversibleChange: Sendable, Hashable, Codable {
  /// A mark before and after.
  struct Mark: Sendable, Hashable, Codable {
    var before: Bool
    var after: Bool
  }

  /// The time at which a picture was added to an album, in milliseconds since 1970; `nil` when it isn't in it.
  struct Membership: Sendable, Hashable, Codable {
    var before: Int64?
    var after: Int64?
  }

  /// What was changed of one picture.
  struct AssetChange: Sendable, Hashable, Codable {
    var favorite: Mark?
    var hidden: Mark?
    var keyPhoto: Mark?
    var albums: [AssetCollection.ID: Membership] = [:]

    init(_ before: AssetRecord, _ after: AssetRecord) {
      if before.isFavorite != after.isFavorite { favorite = Mark(before: before.isFavorite, after: after.isFavorite) }
      if before.isHidden != after.isHidden { hidden = Mark(before: before.isHidden, after: after.isHidden) }
      if before.isKeyPhoto != after.isKeyPhoto {
        keyPhoto = Mark(before: before.isKeyPhoto, after: after.isKeyPhoto)
      }
      for id in Set(before.albums.keys).union(after.albums.keys) where before.albums[id] != after.albums[id] {
        albums[id] = Membership(before: before.albums[id], after: after.albums[id])
      }
    }

    var isEmpty: Bool { favorite == nil && hidden == nil && keyPhoto == nil && albums.isEmpty }
  }

  /// The record of an album or a folder as JSON; `nil` when there is none.
  struct CollectionChange: Sendable, Hashable, Codable {
    var before: String?
    var after: String?
  }

  var assets: [Asset.ID: AssetChange] = [:]
  var collections: [String: CollectionChange] = [:]

  init() {}

  /// Whether nothing was changed.
  public var isEmpty: Bool { assets.isEmpty && collections.isEmpty }

  /// The number of pictures, albums and folders in it, by which its size can be limited.
  public var count: Int { assets.count + collections.count }

  /// Whether reversing it would show pictures that are hidden now.
  public var hidesPictures: Bool { assets.values.contains { $0.hidden?.after == true } }
}

/// The outcome of reversing a change.
public struct Reversal: Sendable, Hashable {
  /// What was changed; reversing that makes the original change again. Empty when there was nothing left to reverse.
  public var change = ReversibleChange()
  /// The number of pictures, albums and folders that don't exist anymore.
  public var missing = 0
  /// The number of those that were changed again since, which stay as they are now.
  public var overridden = 0
}
