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

  /// When and where a picture was taken, before and after it, with the bytes that were overwritten.
  struct Capture: Sendable, Hashable, Codable {
    var before: CaptureMetadata
    var after: CaptureMetadata
    /// By the role of the file in the asset; without those of which too much was changed.
    var files: [String: FileReversal] = [:]
  }

  /// What was changed of one picture.
  struct AssetChange: Sendable, Hashable, Codable {
    var favorite: Mark?
    var hidden: Mark?
    var keyPhoto: Mark?
    var albums: [AssetCollection.ID: Membership] = [:]
    var capture: Capture?

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

    var isEmpty: Bool {
      favorite == nil && hidden == nil && keyPhoto == nil && albums.isEmpty && capture == nil
    }
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
  public var count: Int {
    assets.count + collections.count
      + assets.values.reduce(0) { count, asset in
        count + (asset.capture?.files.values.reduce(0) { $0 + $1.byteCount } ?? 0) / Self.bytesPerID
      }
  }

  /// In bytes: what an id takes in a file.
  private static let bytesPerID = 64

  /// Adds a change of other pictures.
  mutating func formUnion(_ other: ReversibleChange) {
    assets.merge(other.assets) { _, new in new }
    collections.merge(other.collections) { _, new in new }
  }

  /// Changes of few files each, where files have to be written anew.
  ///
  /// - Parameter count: How many of some pictures are changed at once.
  func batches(_ count: ([Asset.ID]) -> Int) -> [ReversibleChange] {
    var written = assets.filter { $0.value.capture != nil }.keys.sorted()[...]
    var batches: [ReversibleChange] = []
    var rest = self
    while !written.isEmpty {
      var batch = ReversibleChange()
      for id in written.prefix(max(1, count(Array(written)))) { batch.assets[id] = rest.assets.removeValue(forKey: id) }
      written = written.dropFirst(batch.assets.count)
      batches.append(batch)
    }
    // Mostly nothing has to be written anew, or all fits into one.
    guard batches.count > 1 else { return [self] }
    return rest.isEmpty ? batches : batches + [rest]
  }

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
