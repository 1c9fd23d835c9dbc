// The steps of one `performChanges` block. Everything that can fail for lack of space or permission is done before the
// first step.

import CameraCore
import Foundation
import MediaFormats

/// Prepares one block: files are written durably under hidden names; the steps then rename them.
struct ChangeTransaction {
  let library: PhotoLibrary
  var steps: [JournalStep] = []
  /// The indexes of the steps that add assets.
  var creationSteps: [Int] = []
  /// The hidden files that were prepared.
  var temporaries: [String] = []
  /// The files to remove on success: moved sources, staged stills.
  var leftovers: [String] = []
  /// The files to index afterwards, relative to the library's folder.
  var touched: Set<String> = []
  var trashed: [TrashedAsset] = []
  /// The assets that this block adds.
  var createdIDs: Set<Asset.ID> = []

  /// The file, relative to the library's folder, that lists the pictures whose metadata are written later; `nil` when
  /// all are written by this block.
  var pending: String?
  /// The pictures in that list.
  var pendingAssets: [Asset.ID] = []

  var records: [Asset.ID: (before: AssetRecord, after: AssetRecord)] = [:]
  var collections: [String: (before: CollectionRecord?, after: CollectionRecord?)] = [:]
  /// The new contents of assets.
  var contents: [Asset.ID: Content] = [:]
  var removedAssets: Set<Asset.ID> = []

  /// New contents of an asset's file.
  enum Content {
    /// A new file under a hidden name.
    ///
    /// - name: The file's new name; `nil` for its old one.
    case prepared(String, name: String?)
    /// The untouched original, into which no metadata is written.
    ///
    /// - name: As above.
    case original(String, name: String?)
  }

  var folder: LibraryFolder { library.layout }
  var disk: Disk { library.disk }
  var writer: FileWriter { FileWriter(disk: disk) }
  private var store: RecordStore { RecordStore(folder: folder, disk: disk) }

  init(_ library: PhotoLibrary) { self.library = library }

  /// Prepares all steps. The caller holds `WriteLock` until they are done, unless there are only creations.
  ///
  /// - Parameter isCancelled: Checked while files are copied.
  /// - Throws: `cancelled`, `unknownAsset`, `unknownCollection`, or the error of a file or the disk.
  mutating func prepare(
    _ changes: ChangeSet, isCancelled: () -> Bool = { false }
  ) throws(PhotoLibraryError) {
    createdIDs = Set(changes.creations.map(\.id))
    for creation in changes.creations { try prepare(creation, isCancelled: isCancelled) }
    for change in changes.changes {
      switch change {
      case .asset(let request): try self.change(request)
      case .trash(let id): try trash(id)
      case .restore(let asset): try restore(asset)
      case .delete(let id): try delete(id)
      case .createCollection(let id, let kind, let title, let place):
        try createCollection(id, kind, title: title, place)
      case .album(let request): try self.change(request)
      case .list(let request): try self.change(request)
      case .deleteCollection(let id, let kind): try deleteCollection(id, kind)
      }
    }
    try prepareContents()
    try prepareRecords()
    try preparePending()
  }

  /// Removes the hidden files that were not renamed: all of them after a failure, intermediate ones otherwise.
  func clear() {
    for path in temporaries { disk.discard(path) }
  }

  /// The records that were changed, relative to the library's folder.
  var touchedRecords: [String] {
    records.filter { $0.value.before != $0.value.after }.map { "\(LibraryFolder.recordFolder)/\($0.key).json" }
      + collections.filter { $0.value.before != $0.value.after }.map { "\(LibraryFolder.albumFolder)/\($0.key).json" }
  }

  /// The path of a hidden file in a folder.
  mutating func temporary(for name: String, in parent: String) -> String {
    let path = "\(parent)/\(library.session.temporaryName(for: name))"
    temporaries.append(path)
    return path
  }

  // MARK: Records

  mutating func record(_ id: Asset.ID) throws(PhotoLibraryError) -> AssetRecord {
    if let known = records[id] { return known.after }
    let record = try store.record(id)
    records[id] = (record, record)
    return record
  }

  mutating func set(_ record: AssetRecord, of id: Asset.ID) { records[id]?.after = record }

  mutating func collection(_ id: String) throws(PhotoLibraryError) -> CollectionRecord? {
    if let known = collections[id] { return known.after }
    let collection = AssetIdentity.isID(id) ? try store.collection(id) : nil
    collections[id] = (collection, collection)
    return collection
  }

  mutating func set(_ collection: CollectionRecord?, of id: String) { collections[id]?.after = collection }

  mutating func prepareRecords() throws(PhotoLibraryError) {
    for (id, record) in records.sorted(by: { $0.key < $1.key }) where record.before != record.after {
      try write(record.after.isEmpty ? nil : record.after.json, to: folder.record(id))
    }
    for (id, record) in collections.sorted(by: { $0.key < $1.key }) where record.before != record.after {
      try write(record.after?.json, to: folder.album(id))
    }
  }

  mutating func write(_ json: Data?, to path: String) throws(PhotoLibraryError) {
    guard let json else {
      if let status = disk.status(path) {
        steps.append(.remove(path: folder.relative(path) ?? path, number: status.number))
      }
      return
    }
    let parent = Disk.parent(of: path)
    try disk.makeFolder(parent)
    let temporary = temporary(for: Disk.name(of: path), in: library.session.path)
    try writer.write(json, to: temporary)
    steps.append(.replace(temporary: relative(temporary), path: relative(path)))
  }

  /// The time of adding an asset to an album now, in milliseconds: that of the clock, but always after those of the
  /// album's members, also when the clock was set back.
  func nextAdditionTime(in album: AssetCollection.ID) throws(PhotoLibraryError) -> Int64 {
    let now = library.now().millisecondsSince1970
    let known = try library.index.lastAdded(to: album)
    guard let last = ([known] + records.values.map { $0.after.albums[album] }).compactMap(\.self).max() else {
      return now
    }
    // Untrusted input: a record can hold any number.
    return last < Int64.max >> 1 ? max(now, last + 1) : now
  }

  func relative(_ path: String) -> String { folder.relative(path) ?? path }

  // MARK: Assets

  /// An asset whose file exists.
  func asset(_ id: Asset.ID) throws(PhotoLibraryError) -> Asset {
    guard let asset = try library.index.asset(id: id), disk.status(asset.url.path)?.kind == .file else {
      throw .unknownAsset(id: id)
    }
    return asset
  }

  private mutating func change(_ request: AssetChangeRequest) throws(PhotoLibraryError) {
    let asset = try asset(request.id)
    var record = try record(request.id)
    if let isFavorite = request.isFavorite { record.isFavorite = isFavorite }
    if let isHidden = request.isHidden { record.isHidden = isHidden }
    set(record, of: request.id)
    if let output = request.contentEditingOutput { try edit(asset, output) }
    if request.revertsToOriginal { try revert(asset) }
  }

  private mutating func edit(_ asset: Asset, _ output: ContentEditingOutput) throws(PhotoLibraryError) {
    let path = asset.url.path
    let current = try ReadableFile(path, disk: disk)
    let attributes = try FileAttributes(of: current, disk: disk)
    var record = try record(asset.id)
    let before = record.edit
    if before == nil {
      let name = asset.id + LibraryFolder.fileExtension(ofOriginal: asset)
      try keepOriginal(current, attributes, as: name)
      record.edit = .init(adjustment: output.adjustmentData, original: name, added: record.added)
    } else {
      record.edit?.adjustment = output.adjustmentData
    }
    let original = try before.map { edit throws(PhotoLibraryError) in
      try ReadableFile("\(folder.originals)/\(edit.original)", disk: disk)
    }
    var jpeg = Data()
    if asset.mediaType == .photo {
      let edited = try EditedPicture(
        output, current: current, original: original ?? current, before: before?.placement, id: asset.id)
      jpeg = edited.jpeg
      record.edit?.placement = edited.placement
    }
    set(record, of: asset.id)
    var (movie, suffix): (ReadableFile?, Data) = (nil, Data())
    if let video = output.pairedVideo {
      let file = try ReadableFile(video.path, disk: disk)
      guard try MP4Head.begins(in: file, at: 0) else {
        throw .unusableFile(path: video.path, reason: "it isn't an MP4 movie")
      }
      switch asset.mediaType {
      case .photo:
        jpeg = try PhotoAssembly.livePhoto(
          photo: jpeg, movieLength: file.size, photoDisplayTime: output.photoDisplayTime)
      case .video: suffix = MovieIdentity.box(asset.id)
      }
      movie = file
      if output.shouldMoveFile { leftovers.append(video.path) }
    } else if asset.mediaType == .video {
      throw .unusableFile(path: path, reason: "its edit has no movie")
    }
    let temporary = temporary(for: asset.url.lastPathComponent, in: Disk.parent(of: path))
    try writer.write(
      jpeg, tail: movie, tailLength: movie?.size ?? 0, suffix: suffix, attributes: attributes, to: temporary)
    let name = try newName(of: asset, isLive: movie != nil)
    contents[asset.id] = .prepared(temporary, name: name)
  }

  /// Keeps a durable copy of the untouched file, with its attributes: a private picture has a private original.
  private mutating func keepOriginal(
    _ file: ReadableFile, _ attributes: FileAttributes, as name: String
  ) throws(PhotoLibraryError) {
    try disk.makeFolder(folder.originals)
    let temporary = temporary(for: name, in: library.session.path)
    try writer.write(Data(), tail: file, tailLength: file.size, attributes: attributes, to: temporary)
    steps.append(.replace(temporary: relative(temporary), path: relative("\(folder.originals)/\(name)")))
  }

  private mutating func revert(_ asset: Asset) throws(PhotoLibraryError) {
    var record = try record(asset.id)
    guard let edit = record.edit else { return }
    let original = "\(folder.originals)/\(edit.original)"
    guard disk.status(original)?.kind == .file else { throw .fileMissing(path: original) }
    // Who may read the picture was perhaps changed since it was edited; its times are the original's.
    let attributes = try FileAttributes(of: ReadableFile(asset.url.path, disk: disk), disk: disk)
    try attributes.apply(to: ReadableFile(original, disk: disk), disk: disk)
    let name = try newName(of: asset, isLive: true)
    record = try self.record(asset.id)
    record.edit = nil
    // As it was noted when the original was set aside. Older versions didn't, and left this as it is.
    if let added = edit.added { record.added = added }
    set(record, of: asset.id)
    contents[asset.id] = .original(original, name: name)
  }

  private mutating func delete(_ id: Asset.ID) throws(PhotoLibraryError) {
    let asset = try asset(id)
    let record = try record(id)
    for path in [asset.url.path] + (record.edit.map { ["\(folder.originals)/\($0.original)"] } ?? []) {
      if let status = disk.status(path) { steps.append(.remove(path: relative(path), number: status.number)) }
    }
    set(AssetRecord(), of: id)
    removedAssets.insert(id)
    touched.insert(relative(asset.url.path))
  }
}
