// What one `performChanges` block asks for.

import Foundation

/// Stands for an asset that the block makes.
public struct AssetPlaceholder: Sendable, Hashable, Identifiable {
  /// Final, except for a file that is taken over as it is and has an id of its own: see `Asset.ID`.
  public let id: Asset.ID
}

/// Stands for an album or a folder of albums that the block makes; its id is final.
public struct CollectionPlaceholder: Sendable, Hashable, Identifiable {
  public let id: AssetCollection.ID
}

/// Changes one asset.
public struct AssetChangeRequest: Sendable {
  public let id: Asset.ID
  /// `nil` leaves it as it is; likewise below.
  public var isFavorite: Bool?
  public var isHidden: Bool?
  /// Shows another picture from now on. The untouched original is kept.
  public var contentEditingOutput: ContentEditingOutput?
  /// Shows the untouched original again, byte for byte.
  public var revertsToOriginal = false

  public init(
    for id: Asset.ID, isFavorite: Bool? = nil, isHidden: Bool? = nil, contentEditingOutput: ContentEditingOutput? = nil
  ) {
    self.id = id
    self.isFavorite = isFavorite
    self.isHidden = isHidden
    self.contentEditingOutput = contentEditingOutput
  }

  /// Takes an edit back.
  public static func revert(_ id: Asset.ID) -> AssetChangeRequest {
    var request = AssetChangeRequest(for: id)
    request.revertsToOriginal = true
    return request
  }
}

/// Changes an album.
public struct AssetCollectionChangeRequest: Sendable {
  public let id: AssetCollection.ID
  /// `nil` leaves it as it is.
  public var title: String?
  public var addedAssets: [Asset.ID]
  public var removedAssets: [Asset.ID]
  /// Puts the album into another folder, or to the top; `nil` leaves it where it is.
  public var place: CollectionPlace?

  public init(
    for id: AssetCollection.ID, title: String? = nil, addAssets: [Asset.ID] = [], removeAssets: [Asset.ID] = [],
    place: CollectionPlace? = nil
  ) {
    self.id = id
    self.title = title
    addedAssets = addAssets
    removedAssets = removeAssets
    self.place = place
  }
}

/// Changes a folder of albums.
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

/// The changes of one `performChanges` block, in order. Nothing happens before the block has returned.
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
    case createCollection(id: String, kind: CollectionRecord.Kind, title: String, place: CollectionPlace)
    case album(AssetCollectionChangeRequest)
    case list(CollectionListChangeRequest)
    case deleteCollection(String, kind: CollectionRecord.Kind)
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

  /// Moves assets to the desktop's Trash. `PhotoLibrary.trash` also says where they went.
  public mutating func trash(_ assets: [Asset.ID]) { changes += assets.map { .trash($0) } }

  /// Brings assets back from the Trash.
  public mutating func restore(_ assets: [TrashedAsset]) { changes += assets.map { .restore($0) } }

  /// Deletes assets for good, their originals and all that is known of them.
  public mutating func deletePermanently(_ assets: [Asset.ID]) { changes += assets.map { .delete($0) } }

  /// Makes an album.
  @discardableResult
  public mutating func createAlbum(title: String, in place: CollectionPlace = .top) -> CollectionPlaceholder {
    let id = AssetIdentity.makeID()
    changes.append(.createCollection(id: id, kind: .album, title: title, place: place))
    return CollectionPlaceholder(id: id)
  }

  public mutating func change(_ request: AssetCollectionChangeRequest) { changes.append(.album(request)) }

  /// Deletes albums. Their assets stay.
  public mutating func deleteAlbums(_ albums: [AssetCollection.ID]) {
    changes += albums.map { .deleteCollection($0, kind: .album) }
  }

  /// Makes a folder of albums.
  @discardableResult
  public mutating func createList(title: String, in place: CollectionPlace = .top) -> CollectionPlaceholder {
    let id = AssetIdentity.makeID()
    changes.append(.createCollection(id: id, kind: .folder, title: title, place: place))
    return CollectionPlaceholder(id: id)
  }

  public mutating func change(_ request: CollectionListChangeRequest) { changes.append(.list(request)) }

  /// Deletes folders of albums. What is in them moves up to where they were.
  public mutating func deleteLists(_ lists: [CollectionList.ID]) {
    changes += lists.map { .deleteCollection($0, kind: .folder) }
  }
}
