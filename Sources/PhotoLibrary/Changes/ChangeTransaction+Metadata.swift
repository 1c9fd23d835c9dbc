// The pictures of changed records: their new contents, ratings and keywords.

import Foundation

extension ChangeTransaction {
  /// The most pictures whose metadata are written anew in one step, for all of which there must be room twice.
  static let batchCount = 64
  /// The same in bytes, if it is more than one picture.
  static let batchBytes: UInt64 = 256 << 20

  /// Appends the steps of new contents, and writes the standard metadata into the files of all assets that need it.
  /// When these are more than one batch, those without other changes are left to `PhotoLibrary.finishPending`.
  mutating func prepareContents() throws(PhotoLibraryError) {
    let ids = Set(records.keys).union(contents.keys).subtracting(removedAssets).subtracting(createdIDs)
    var rewrites: [Rewrite] = []
    for id in ids.sorted() {
      guard let asset = try library.index.asset(id: id), let record = records[id] else { continue }
      switch contents[id] {
      case .original(let original, let name):
        try restore(original, of: asset, name: name)
      case .prepared(let temporary, let name):
        // It has those of its predecessor, but a reverted one may lack some.
        let change = try standardMetadata(record.before, record.after, isWhole: true)
        let isChanged = asset.mediaType == .photo && !change.isEmpty
        let source = isChanged ? try rewritten(temporary, change, of: asset) ?? temporary : temporary
        try noteRendering(source, of: id)
        try replace(asset, with: source, name: name)
      case .described(let temporary, let isOwn):
        let change = try standardMetadata(record.before, record.after, isWhole: false)
        let isChanged = asset.mediaType == .photo && !change.isEmpty
        let source = isChanged ? try rewritten(temporary, change, of: asset) ?? temporary : temporary
        if isOwn { try noteRendering(source, of: id) }
        try replace(asset, with: source, name: nil)
      case nil:
        let change = try standardMetadata(record.before, record.after, isWhole: false)
        guard asset.mediaType == .photo, !change.isEmpty, let status = disk.status(asset.url.path),
          status.kind == .file
        else { continue }
        rewrites.append(Rewrite(asset: asset, change: change, byteCount: status.size))
      }
    }
    guard rewrites.count <= Self.batchCount,
      rewrites.count <= 1 || rewrites.reduce(0, { $0 + $1.byteCount }) <= Self.batchBytes
    else {
      pendingAssets = rewrites.map(\.asset.id)
      return
    }
    for item in rewrites { try rewrite(item) }
  }

  /// Metadata of an asset's file that are to be changed.
  private struct Rewrite {
    var asset: Asset
    var change: StandardMetadataChange
    var byteCount: UInt64
  }

  private mutating func rewrite(_ item: Rewrite) throws(PhotoLibraryError) {
    let id = item.asset.id
    let current = try current(item.asset, follows: true)
    // One that another program has changed keeps counting as that program's.
    let isOwn = try records[id]?.before.edit.map { edit throws(PhotoLibraryError) in
      try isRendering(current, of: edit, id)
    }
    touched.insert(PathBytes(relative(item.asset.url.path)))
    guard let source = try rewritten(item.asset.url.path, item.change, of: item.asset) else { return }
    if isOwn == true { try noteRendering(source, of: id) }
    try replace(item.asset, with: source, name: nil)
  }

  /// Takes note of the digest of an edited picture as it will be.
  private mutating func noteRendering(_ path: String, of id: Asset.ID) throws(PhotoLibraryError) {
    guard records[id]?.after.edit != nil else { return }
    let digest = try FileDigest.sha256(of: ReadableFile(path, disk: disk))
    records[id]?.after.edit?.rendered = digest
  }

  /// - Parameter name: As below.
  private mutating func restore(_ original: String, of asset: Asset, name: String?) throws(PhotoLibraryError) {
    let parent = Disk.parent(of: asset.url.path)
    guard !canRename(from: folder.originals, to: parent) else {
      return try replace(asset, with: original, name: name)
    }
    let file = try ReadableFile(original, disk: disk)
    let temporary = temporary(for: Disk.name(of: asset.url.path), in: parent)
    try writer.write(
      Data(), tail: file, tailLength: file.size, attributes: FileAttributes(of: file, disk: disk), to: temporary)
    try replace(asset, with: temporary, name: name)
    remove(original, try FileMark(file))
  }

  /// - Parameter name: The new name of the asset's file; `nil` for its old one.
  private mutating func replace(
    _ asset: Asset, with file: String, name: String?
  ) throws(PhotoLibraryError) {
    let path = asset.url.path
    touched.insert(PathBytes(relative(path)))
    numbers[asset.id] = disk.status(file)?.number
    guard let name, let mark = looked[asset.id] else { return replace(path, with: file, over: looked[asset.id]) }
    // First the name, which must be free, and then the contents: there is always exactly one file.
    let new = "\(Disk.parent(of: path))/\(name)"
    if let raw = try raw(of: asset) {
      try move(raw, to: RawCompanion.path(beside: new), FileMark(of: raw, disk: disk))
    }
    try renameParts(of: asset, to: name)
    move(path, to: new, mark)
    replace(new, with: file, over: mark)
    touched.insert(PathBytes(relative(new)))
  }

  /// - Returns: The hidden file with the new metadata; `nil` when nothing has to, or can, be written.
  private mutating func rewritten(
    _ path: String, _ change: StandardMetadataChange, of asset: Asset
  ) throws(PhotoLibraryError) -> String? {
    let file = try ReadableFile(path, disk: disk)
    switch try MetadataRewriter.rewrite(file, change) {
    case .possible(let before, _, let bytes):
      records[asset.id]?.after.added.note(change, madeTo: before)
      guard let bytes else { return nil }
      let temporary = temporary(for: Disk.name(of: asset.url.path), in: Disk.parent(of: asset.url.path))
      try writer.write(
        bytes.parts(of: file), attributes: FileAttributes(of: file, disk: disk).forChange, to: temporary,
        flushedWith: flushes)
      return temporary
    case .impossible(let reason):
      // The record has it; other programs don't see it.
      PhotoLibrary.logger.notice("No standard metadata were written into “\(path)”: \(reason).")
      return nil
    }
  }

  /// The change of the metadata that other programs read. Only what PhotoMe added is taken back.
  ///
  /// - Parameter isWhole: Whether the file may lack what the record says already: it was reverted, or left out before.
  private mutating func standardMetadata(
    _ before: AssetRecord, _ after: AssetRecord, isWhole: Bool
  ) throws(PhotoLibraryError) -> StandardMetadataChange {
    var change = StandardMetadataChange()
    if after.isFavorite, isWhole || !before.isFavorite {
      change.rating = .favorite
    } else if !after.isFavorite, after.added.hasRating {
      change.rating = .restored(to: after.added.ratingBefore)
    }
    if after.isKeyPhoto, isWhole || !before.isKeyPhoto {
      change.burstPrimary = .set
    } else if !after.isKeyPhoto, after.added.burstPrimary {
      change.burstPrimary = .restored(to: after.added.burstPrimaryBefore)
    }
    let titlesBefore = try titles(Array(before.albums.keys), current: false)
    let titlesAfter = try titles(Array(after.albums.keys), current: true)
    change.addedSubjects = (isWhole ? titlesAfter : titlesAfter.subtracting(titlesBefore)).sorted()
    change.removedSubjects = after.added.subjects.subtracting(titlesAfter).sorted()
    return change
  }

  /// The titles of albums as keywords.
  private mutating func titles(_ ids: [AssetCollection.ID], current: Bool) throws(PhotoLibraryError) -> Set<String> {
    var titles: Set<String> = []
    for id in ids {
      _ = try collection(id)
      let title = current ? collections[id]?.after?.title : collections[id]?.before?.title
      if let title = title.map({ MetadataRewriter.cleaned($0) }), !title.isEmpty { titles.insert(title) }
    }
    return titles
  }

  // MARK: Batches

  /// Writes the list of the pictures that are left to do.
  mutating func preparePending() throws(PhotoLibraryError) {
    guard !pendingAssets.isEmpty else { return }
    let session = library.session
    let path = "\(folder.pending)/\(Journal.name(token: session.token, number: session.nextNumber()))"
    try write(PendingMetadata(assets: pendingAssets).json, to: path, nil)
    pending = relative(path)
  }

  /// Prepares the steps for the first of these assets: their files get the metadata that their records say. The caller
  /// holds `WriteLock` until they are done.
  ///
  /// - Returns: The number of assets that are done with these steps, at least 1.
  mutating func prepareBatch(of ids: ArraySlice<Asset.ID>) throws(PhotoLibraryError) -> Int {
    var byteCount: UInt64 = 0
    var done = 0
    for id in ids.prefix(Self.batchCount) {
      if let asset = try library.index.asset(id: id), asset.mediaType == .photo,
        let status = disk.status(asset.url.path), status.kind == .file
      {
        guard done == 0 || byteCount + status.size <= Self.batchBytes else { break }
        byteCount += try prepare(asset, status)
      }
      done += 1
    }
    try prepareRecords()
    try flushes.flush()
    return done
  }

  /// - Returns: The number of bytes that will be there twice.
  private mutating func prepare(_ asset: Asset, _ status: Disk.Status) throws(PhotoLibraryError) -> UInt64 {
    do throws(PhotoLibraryError) {
      let record = try record(asset.id)
      let change = try standardMetadata(record, record, isWhole: true)
      if change.isEmpty { return 0 }
      try rewrite(Rewrite(asset: asset, change: change, byteCount: status.size))
      return status.size
    } catch .changesFailed(let reason), .unusableFile(_, let reason) {
      // One picture that can't be changed, such as one that was damaged or exchanged since, must not keep the others
      // from it. The record has it; other programs don't see it.
      PhotoLibrary.logger.notice("No standard metadata were written into “\(asset.url.path)”: \(reason).")
      return 0
    }
  }
}

extension StandardMetadataChange {
  /// Whether nothing is to be changed.
  var isEmpty: Bool {
    rating == .unchanged && burstPrimary == .unchanged && addedSubjects.isEmpty && removedSubjects.isEmpty
  }
}
