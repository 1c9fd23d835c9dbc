// The requests of one `performChanges` block.

import Foundation

/// Identifies an asset that the block adds.
public struct AssetPlaceholder: Sendable, Hashable, Identifiable {
  /// Final, except for an imported file that has an id of its own: see `Asset.ID`.
  public let id: Asset.ID
}

/// Identifies an album or a folder of albums that the block creates; its id is final.
public struct CollectionPlaceholder: Sendable, Hashable, Identifiable {
  public let id: AssetCollection.ID
}

/// A request to change one asset.
public struct AssetChangeRequest: Sendable {
  public let id: Asset.ID
  /// `nil` leaves it unchanged; likewise below.
  public var isFavorite: Bool?
  public var isHidden: Bool?
  /// Whether it stands for its burst. `ChangeSet.setKeyPhoto` changes the others of the burst as well.
  public var isKeyPhoto: Bool?
  /// Replaces the picture. The untouched original is kept.
  public var contentEditingOutput: ContentEditingOutput?
  /// Restores the untouched original byte for byte.
  public var revertsToOriginal = false
  /// When it was taken. The date, the time zone and the place are in the file's own metadata, and change in all files of the
  /// asset alike.
  public var creationDate: Date?
  /// The time zone in which it was taken; the instant stays, and other local times are shown.
  public var timeZone: TimeZone?
  public var location: PlaceChange?

  /// The change of the place where a picture was taken.
  public enum PlaceChange: Sendable, Hashable {
    case removed
    case set(GeoLocation)
  }

  var changesCaptureMetadata: Bool { creationDate != nil || timeZone != nil || location != nil }

  public init(
    for id: Asset.ID, isFavorite: Bool? = nil, isHidden: Bool? = nil, isKeyPhoto: Bool? = nil,
    creationDate: Date? = nil, timeZone: TimeZone? = nil, location: PlaceChange? = nil,
    contentEditingOutput: ContentEditingOutput? = nil
  ) {
    (self.creationDate, self.timeZone, self.location) = (creationDate, timeZone, location)
    self.id = id
    self.isFavorite = isFavorite
    self.isHidden = isHidden
    self.isKeyPhoto = isKeyPhoto
    self.contentEditingOutput = contentEditingOutput
  }

  /// A request to undo all edits.
  public static func revert(_ id: Asset.ID) -> AssetChangeRequest {
    var request = AssetChangeRequest(for: id)
    request.revertsToOriginal = true
    return request
  }
}

/// A request to change an album.
public struct AssetCollectionChangeRequest: Sendable {
  public let id: AssetCollection.ID
  /// `nil` leaves it unchanged.
  public var title: String?
  public var addedAssets: [Asset.ID]
  public var removedAssets: [Asset.ID]
  /// Moves the album to another folder, or to the top; `nil` leaves it where it is.
  public var place: CollectionPlace?
  /// The new search of an album that has one's results.
  public var search: String?
  /// Whether the album is in an order of its own; otherwise the newest come first.
  public var isOrdered: Bool?
  /// The picture that stands for the album.
  public var cover: Cover?
  /// The new places of pictures in the album, which has an order of its own from then on.
  public var move: Move?

  /// The picture that stands for an album.
  public enum Cover: Sendable, Hashable {
    /// The first.
    case usual
    case asset(Asset.ID)
  }

  /// Pictures of an album that get other places in its order.
  public struct Move: Sendable, Hashable {
    /// They get the order that they have here.
    public var assets: [Asset.ID]
    /// The picture of the album before which they come; `nil` for the end.
    public var next: Asset.ID?

    public init(_ assets: [Asset.ID], before next: Asset.ID?) { (self.assets, self.next) = (assets, next) }
  }

  public init(
    for id: AssetCollection.ID, title: String? = nil, addAssets: [Asset.ID] = [], removeAssets: [Asset.ID] = [],
    place: CollectionPlace? = nil, search: String? = nil, isOrdered: Bool? = nil, cover: Cover? = nil,
    move: Move? = nil
  ) {
    self.search = search
    (self.isOrdered, self.cover, self.move) = (isOrdered, cover, move)
    self.id = id
    self.title = title
    addedAssets = addAssets
    removedAssets = removeAssets
    self.place = place
  }
}

/// A request to change a folder of albums.
public struct CollectionListChangeRequest: Sendable {
  public let id: CollectionList.ID
  public var title: String?
  public var place: CollectionPlace?

  public init(for id: CollectionList.ID, title: String? = nil, place: CollectionPlace? = nil) {
    self.id = id
    self.title = title
    self.place = place
  }
}

/// The requests of one `performChanges` block, in order. Nothing happens before the block has returned.
public struct ChangeSet: Sendable {
  struct Creation: Sendable {
    var id: Asset.ID
    var request: AssetCreationRequest
  }

  enum Change: Sendable {
    case asset(AssetChangeRequest)
    case trash(Asset.ID)
    case restore(TrashedAsset)
    case delete(Asset.ID)
    case deleteTrashed([TrashedAsset])
    case reverse(ReversibleChange)
    case createCollection(
      id: String, kind: CollectionRecord.Kind, title: String, place: CollectionPlace, search: String? = nil)
    case album(AssetCollectionChangeRequest)
    case list(CollectionListChangeRequest)
    case deleteCollection(String, kind: CollectionRecord.Kind)
    case arrange(String, place: CollectionPlace, next: String?)
    case sortByTitle(CollectionPlace)
  }

  private(set) var creations: [Creation] = []
  private(set) var changes: [Change] = []

  /// Adds an asset.
  @discardableResult
  public mutating func create(_ request: AssetCreationRequest) -> AssetPlaceholder {
    let id = request.id ?? Asset.makeID()
    creations.append(Creation(id: id, request: request))
    return AssetPlaceholder(id: id)
  }

  public mutating func change(_ request: AssetChangeRequest) { changes.append(.asset(request)) }

  /// Makes a picture the one that stands for its burst, and none of the others.
  ///
  /// - Parameter frames: All pictures of the burst.
  public mutating func setKeyPhoto(_ id: Asset.ID, of frames: [Asset]) {
    for frame in frames where frame.isPicked && frame.id != id {
      change(AssetChangeRequest(for: frame.id, isKeyPhoto: false))
    }
    change(AssetChangeRequest(for: id, isKeyPhoto: true))
  }

  /// Moves assets to the desktop's trash. `PhotoLibrary.trash` also returns where they went.
  public mutating func trash(_ assets: [Asset.ID]) { changes += assets.map { .trash($0) } }

  /// Restores assets from the trash.
  public mutating func restore(_ assets: [TrashedAsset]) { changes += assets.map { .restore($0) } }

  /// Deletes assets permanently, with their originals and records.
  public mutating func deletePermanently(_ assets: [Asset.ID]) { changes += assets.map { .delete($0) } }

  /// Deletes assets in the trash permanently, with their originals and records. Those that are no longer in the trash
  /// are skipped. `PhotoLibrary.deletePermanently` also checks that they are gone.
  public mutating func deletePermanently(_ assets: [TrashedAsset]) { changes.append(.deleteTrashed(assets)) }

  /// Takes an earlier change back; `PhotoLibrary.reverse` also returns what could not be.
  public mutating func reverse(_ change: ReversibleChange) { changes.append(.reverse(change)) }

  /// Creates an album.
  @discardableResult
  public mutating func createAlbum(title: String, in place: CollectionPlace = .top) -> CollectionPlaceholder {
    let id = AssetIdentity.makeID()
    changes.append(.createCollection(id: id, kind: .album, title: title, place: place))
    return CollectionPlaceholder(id: id)
  }

  /// Creates an album that has what a search finds, at any time.
  ///
  /// - Parameter search: As `FetchOptions.text`.
  @discardableResult
  public mutating func createAlbum(
    title: String, search: String, in place: CollectionPlace = .top
  ) -> CollectionPlaceholder {
    let id = AssetIdentity.makeID()
    changes.append(.createCollection(id: id, kind: .album, title: title, place: place, search: search))
    return CollectionPlaceholder(id: id)
  }

  public mutating func change(_ request: AssetCollectionChangeRequest) { changes.append(.album(request)) }

  /// Deletes albums. Their assets stay.
  public mutating func deleteAlbums(_ albums: [AssetCollection.ID]) {
    changes += albums.map { .deleteCollection($0, kind: .album) }
  }

  /// Creates a folder of albums.
  @discardableResult
  public mutating func createList(title: String, in place: CollectionPlace = .top) -> CollectionPlaceholder {
    let id = AssetIdentity.makeID()
    changes.append(.createCollection(id: id, kind: .folder, title: title, place: place))
    return CollectionPlaceholder(id: id)
  }

  public mutating func change(_ request: CollectionListChangeRequest) { changes.append(.list(request)) }

  /// Deletes folders of albums. Their contents move up to the enclosing folder.
  public mutating func deleteLists(_ lists: [CollectionList.ID]) {
    changes += lists.map { .deleteCollection($0, kind: .folder) }
  }

  /// Puts an album or a folder of albums before another one, and into its folder if it is in another. What is in that folder
  /// is listed in this order from then on: see `CollectionOrder`.
  ///
  /// - Parameters:
  ///   - place: The folder in which both are afterwards.
  ///   - next: An album or a folder; `nil` for the end.
  public mutating func arrange(_ id: String, in place: CollectionPlace = .top, before next: String?) {
    changes.append(.arrange(id, place: place, next: next))
  }

  /// Lists what is in a folder of albums, or at the top, by title again.
  public mutating func sortByTitle(in place: CollectionPlace = .top) { changes.append(.sortByTitle(place)) }
}
