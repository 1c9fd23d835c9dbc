// The steps of one `performChanges` block. Everything that can fail for lack of space or permission is done before the
// first step.

import CameraCore
import Foundation
import Localization
import MediaFormats

/// Prepares one block: files are written durably under hidden names; the steps then rename them.
struct ChangeTransaction {
  let library: PhotoLibrary
  var steps: [JournalStep] = []
  /// The indexes of the steps that add assets.
  var creationSteps: [Int] = []
  /// The hidden files that were prepared.
  var temporaries: [String] = []
  /// Makes records and rewritten pictures durable, of which there may be thousands.
  let flushes: FlushGroup
  /// The files to remove on success: moved sources, staged stills.
  var leftovers: [String] = []
  /// The files to index afterwards, relative to the library's folder.
  var touched: Set<PathBytes> = []
  var trashed: [TrashedAsset] = []
  /// The names that are used in the trash.
  var trashedPaths: Set<PathBytes> = []
  /// The assets that this block removes: the paths in the trash, or `nil` for those that are deleted for good.
  var removals: [Asset.ID: String?] = [:]
  /// The assets in the trash that this block deletes for good.
  var forgotten: Set<Asset.ID> = []
  /// What could not be reversed; `reversible` has what was.
  var reversal = Reversal()
  /// The steps that keep a version of another program, and the pictures that they belong to.
  var keptSteps: [(step: Int, original: URL)] = []
  /// The edited pictures whose XMP packets had to be left out, and the reasons.
  var lostPackets: [(url: URL, reason: String)] = []
  /// The edited pictures that are without the gain maps of their originals.
  var lostGainMaps: [URL] = []
  /// Edited pictures that are white where their originals are transparent.
  var lostTransparency: [URL] = []
  /// The assets that this block adds.
  var createdIDs: Set<Asset.ID> = []

  /// A record as it was read, as it will be, and the marks of its file.
  typealias Changed<R> = (before: R, after: R, mark: FileMark?)
  var records: [Asset.ID: Changed<AssetRecord>] = [:]
  var collections: [String: Changed<CollectionRecord?>] = [:]
  /// The last position in each folder, as far as it was asked for; `nil` where they are listed by title.
  var lastPositions: [CollectionList.ID?: Int64?] = [:]
  /// The new contents of assets.
  var contents: [Asset.ID: Content] = [:]
  var removedAssets: Set<Asset.ID> = []
  /// The files of assets as they were looked at.
  var looked: [Asset.ID: FileMark] = [:]

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
    /// A file under a hidden name that differs in its own metadata only.
    ///
    /// - isOwn: Whether it is an edit as PhotoMe has written it.
    case described(String, isOwn: Bool)
  }

  /// The file, relative to the library's folder, that lists the pictures whose metadata are written later; `nil` when
  /// all are written by this block.
  var pending: String?
  /// The pictures in that list.
  var pendingAssets: [Asset.ID] = []
  /// The DNGs in the trash, once they were looked for.
  var trashedRaws: TrashedRaws?
  /// The files that this block moves out of the trash.
  var leaving: Set<PathBytes> = []
  /// The same for the files that are parts of others' assets.
  var trashedPairs: TrashedPairs?
  /// The inode numbers of the files that replace those of assets.
  var numbers: [Asset.ID: UInt64] = [:]
  /// What was changed of when and where pictures were taken.
  var captures: [Asset.ID: ReversibleChange.Capture] = [:]

  var folder: LibraryFolder { library.layout }
  var disk: Disk { library.disk }
  var writer: FileWriter { FileWriter(disk: disk) }
  private var store: RecordStore { RecordStore(folder: folder, disk: disk) }

  init(_ library: PhotoLibrary) {
    self.library = library
    flushes = FlushGroup(disk: library.disk)
  }

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
      case .deleteTrashed(let assets): try delete(assets)
      case .reverse(let change): try reverse(change)
      case .createCollection(let id, let kind, let title, let place, let search):
        try createCollection(id, kind, title: title, place, search: search)
      case .album(let request): try self.change(request)
      case .list(let request): try self.change(request)
      case .deleteCollection(let id, let kind): try deleteCollection(id, kind)
      case .arrange(let id, let place, let next): try arrange(id, in: place, before: next)
      case .sortByTitle(let place): try sortByTitle(in: place)
      }
    }
    try prepareContents()
    try prepareRecords()
    try preparePending()
    try flushes.flush()
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
    let path = folder.record(id)
    let file = try store.marked(path)
    let record = try file.map { file throws(PhotoLibraryError) in try AssetRecord(json: file.data, path: path) }
    records[id] = (record ?? AssetRecord(), record ?? AssetRecord(), file?.mark)
    return record ?? AssetRecord()
  }

  mutating func set(_ record: AssetRecord, of id: Asset.ID) { records[id]?.after = record }

  mutating func collection(_ id: String) throws(PhotoLibraryError) -> CollectionRecord? {
    if let known = collections[id] { return known.after }
    let path = folder.album(id)
    let file = AssetIdentity.isID(id) ? try store.marked(path) : nil
    let collection = try file.map { file throws(PhotoLibraryError) in
      try CollectionRecord(json: file.data, path: path)
    }
    collections[id] = (collection, collection, file?.mark)
    return collection
  }

  mutating func set(_ collection: CollectionRecord?, of id: String) {
    let former = collections[id]?.after
    collections[id]?.after = collection
    if former?.parent == collection?.parent, former?.position == collection?.position, collection != nil { return }
    if let former, former.position != nil { lastPositions[former.parent] = nil }
    if let collection, let position = collection.position, let last = lastPositions[collection.parent] {
      lastPositions[collection.parent] = .some(max(last ?? position, position))
    }
  }

  mutating func prepareRecords() throws(PhotoLibraryError) {
    for (id, record) in records.sorted(by: { $0.key < $1.key }) where record.before != record.after {
      let after = record.after.isEmpty ? nil : try bound(record.before, record.after, of: id)
      try write(after?.json, to: folder.record(id), record.mark)
    }
    for (id, record) in collections.sorted(by: { $0.key < $1.key }) where record.before != record.after {
      try write(record.after?.json, to: folder.album(id), record.mark)
    }
  }

  /// A record that names the file of its asset. An edited file has the asset's own id as its content's; what is kept is
  /// that of the original, which a revert brings back.
  private func bound(
    _ before: AssetRecord, _ after: AssetRecord, of id: Asset.ID
  ) throws(PhotoLibraryError) -> AssetRecord {
    guard let file = try library.index.file(id: id) else { return after }
    var after = after
    let original = before.edit == nil ? nil : before.file?.content
    after.file = AssetRecord.File(
      path: file.path, content: original ?? file.contentID,
      number: numbers[id] ?? disk.status(folder.absolute(file.path))?.number)
    return after
  }

  mutating func write(_ json: Data?, to path: String, _ mark: FileMark?) throws(PhotoLibraryError) {
    guard let json else {
      if let mark { remove(path, mark) }
      return
    }
    let parent = Disk.parent(of: path)
    try disk.makeFolder(parent)
    let temporary = temporary(for: Disk.name(of: path), in: library.session.path)
    try writer.write(json, to: temporary, flushedWith: flushes)
    replace(path, with: temporary, over: mark)
  }

  // MARK: Steps

  /// - Parameter mark: Of the file that was looked at; `nil` when there was none.
  mutating func replace(_ path: String, with temporary: String, over mark: FileMark?) {
    steps.append(
      .replace(temporary: relative(temporary), path: relative(path), over: mark.map { .file($0) } ?? .nothing))
  }

  mutating func move(_ from: String, to: String, _ mark: FileMark) {
    steps.append(.move(from: relative(from), to: relative(to), number: mark.number, file: mark))
  }

  mutating func remove(_ path: String, _ mark: FileMark) {
    steps.append(.remove(path: relative(path), number: mark.number, file: mark))
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

  /// Whether files can be renamed from a folder to another one, which isn't so across mount points. A folder that isn't
  /// there is as the one above it.
  func canRename(from folder: String, to other: String) -> Bool {
    guard let one = Disk.nearestFolder(to: folder), let two = Disk.nearestFolder(to: other) else { return true }
    let volumes = library.desktopTrash.volumes
    return volumes.top(of: one) == volumes.top(of: two)
  }

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
    if let isKeyPhoto = request.isKeyPhoto { record.isKeyPhoto = isKeyPhoto }
    set(record, of: request.id)
    if let isHidden = request.isHidden { try hideParts(of: request.id, isHidden) }
    if let output = request.contentEditingOutput { try edit(asset, output) }
    if request.revertsToOriginal { try revert(asset) }
    if request.changesCaptureMetadata { try changeCaptureMetadata(request, of: asset) }
  }

  private mutating func edit(_ asset: Asset, _ output: ContentEditingOutput) throws(PhotoLibraryError) {
    let path = asset.url.path
    let current = try current(asset)
    let attributes = try FileAttributes(of: current, disk: disk).forChange
    var record = try record(asset.id)
    let before = record.edit
    let original: ReadableFile?
    if let before {
      original = try ReadableFile("\(folder.originals)/\(before.original)", disk: disk)
      try keepForeignVersion(current, of: asset, before)
      record.edit?.adjustment = output.adjustmentData
    } else {
      let name: String
      (name, original) = try keepOriginal(current, of: asset)
      record.edit = .init(
        adjustment: output.adjustmentData, original: name, added: original == nil ? record.added : nil)
    }
    var picture = Data()
    var others = FurtherPictures(matte: output.mattes?.rendered)
    if asset.mediaType == .photo {
      let edited = try EditedPicture(
        output, current: current, original: original ?? current, before: before?.placement, id: asset.id)
      (picture, others.gainMap) = (edited.data, edited.gainMap)
      record.edit?.placement = edited.placement
      if let reason = edited.lostPacket { lostPackets.append((asset.url, reason)) }
      if edited.losesGainMap { lostGainMaps.append(asset.url) }
      if edited.losesTransparency { lostTransparency.append(asset.url) }
    }
    // Where the record was lost, the edit was made of a rendering, and so was its matte; that of another frame is no help for
    // the next edit.
    var isOfOriginal = before != nil || original == nil
    if case .movie = output.photoOrigin { isOfOriginal = false }
    if !(output.keepsMatte && output.mattes == nil && isOfOriginal) {
      try keepMatte(isOfOriginal ? output.mattes?.found : nil, of: asset.id, as: current)
    }
    set(record, of: asset.id)
    var parts: [FilePart] = []
    if let video = output.pairedVideo {
      let file = try ReadableFile(video.path, disk: disk)
      guard try MP4Head.begins(in: file, at: 0) else {
        throw .unusableFile(path: video.path, reason: localized("it isn’t an MP4 video"))
      }
      switch asset.mediaType {
      case .photo:
        picture = try PhotoAssembly.livePhoto(
          photo: picture, movieLength: file.size, photoDisplayTime: output.photoDisplayTime)
        parts = [.file(file, 0..<file.size)]
      case .video:
        parts = try EditedMoviePacket(file, current: current).parts + [.bytes(MovieIdentity.box(asset.id))]
      }
      if output.shouldMoveFile { leftovers.append(video.path) }
    } else if asset.mediaType == .video {
      throw .unusableFile(path: path, reason: localized("its edited version has no video"))
    }
    if asset.mediaType == .photo {
      let whole = try others.attached(to: picture)
      picture = whole.picture
      if whole.losesGainMap { lostGainMaps.append(asset.url) }
    }
    let temporary = temporary(for: Disk.name(of: path), in: Disk.parent(of: path))
    try writer.write([.bytes(picture)] + parts, attributes: attributes, to: temporary)
    let name = try newName(of: asset, isLive: output.pairedVideo != nil)
    contents[asset.id] = .prepared(temporary, name: name)
  }
}
