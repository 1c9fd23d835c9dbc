// Importing files into the library, one transaction per file, without duplicates.

import Foundation
import Localization

/// One import, after the scan.
///
/// Each file is a transaction of its own, which also checks whether another process has imported the same file since: a
/// file that was reported as imported is durable, and two simultaneous imports of one folder import each file once.
final class AssetImporter {
  let library: PhotoLibrary
  let isMove: Bool
  var report = ImportReport()
  /// The assets of this import by their source paths.
  private var assets: [PathBytes: Asset] = [:]
  private var digests: [LibraryIndex.StoredDigest] = []
  /// The files that could not be read to be compared with the current one.
  private var uncompared: Set<String> = []

  private var disk: Disk { library.disk }
  private var index: LibraryIndex { library.index }
  private var layout: LibraryFolder { library.layout }

  private static let digestBatch = 64

  init(_ library: PhotoLibrary, isMove: Bool) {
    self.library = library
    self.isMove = isMove
  }

  /// Imports the files of a scan.
  ///
  /// - Parameter progress: Called after each file.
  func run(
    _ scan: ImportScan, isCancelled: () -> Bool, progress: (LibraryProgress) -> Void
  ) throws(PhotoLibraryError) {
    report.skipped = scan.skipped
    report.refused = scan.unusable.map { ImportReport.Refused(path: $0.path, description: $0.description) }
    var state = LibraryProgress(step: .importing, done: 0, total: scan.candidates.count)
    progress(state)
    for candidate in scan.candidates {
      let file = candidate.file
      if isCancelled() {
        report.end = .cancelled
        break
      }
      do throws(PhotoLibraryError) {
        try take(file, candidate.parts, isCancelled: isCancelled)
      } catch .cancelled {
        report.end = .cancelled
        break
      } catch {
        let sources = [file.path] + candidate.parts.map(\.path)
        guard !Self.isOfTheLibrary(error) || Self.path(of: error).map(sources.contains) == true else {
          report.end = .stopped(error)
          break
        }
        refuse(file, error.description)
      }
      state.done += 1
      progress(state)
    }
    flush()
  }

  private func refuse(_ file: ImportFile, _ reason: String) {
    report.refused.append(ImportReport.Refused(path: file.path, description: reason))
  }

  /// Whether an error would meet every other file, too. Any other is a line in the report: the next file may come in.
  private static func isOfTheLibrary(_ error: PhotoLibraryError) -> Bool {
    switch error {
    case .diskFull, .readOnly, .folderUnavailable, .libraryAbsent, .index, .changesFailed, .unfinishedChange,
      .cancelled:
      true
    case .fileMissing, .inputOutput, .unusableFile, .decoderFailed, .exportFailed, .changesUnknown, .unknownAsset,
      .unknownCollection,
      .trashUnavailable, .extensionFailed, .backdropInUse, .changedMeanwhile:
      false
    }
  }

  /// The file that an error concerns; `nil` when it concerns the library.
  private static func path(of error: PhotoLibraryError) -> String? {
    switch error {
    case .fileMissing(let path), .unusableFile(let path, _), .decoderFailed(let path, _), .inputOutput(_, let path, _),
      .folderUnavailable(let path, _):
      path
    default: nil
    }
  }

  /// - Parameters:
  ///   - parts: The other files of the same shot.
  ///   - other: A file of the same shot in the library.
  private func take(
    _ file: ImportFile, _ parts: [ImportFile], beside other: URL? = nil, isCancelled: () -> Bool
  ) throws(PhotoLibraryError) {
    uncompared = Set(file.uncompared)
    if let asset = try known(file) {
      try note(file, asset)
      // What is missing of the shot comes to its picture, where they find each other.
      for part in parts where try known(part) == nil {
        try take(part, [], beside: asset.url, isCancelled: isCancelled)
      }
      return
    }
    var other = other
    var (new, others): ([ImportFile], [ImportFile]) = ([], [])
    for part in parts {
      guard let asset = try known(part) else {
        new.append(part)
        continue
      }
      others.append(part)
      // One that has a picture already is not to be had.
      if part.facts.mediaType == .video, asset.mediaType == .video { other = asset.url }
    }
    let known = uncompared.union(new.flatMap(\.uncompared))
    for part in others { try take(part, [], isCancelled: isCancelled) }
    uncompared = known
    let parts = new
    var fault = try IntegrityCheck.damage(of: ReadableFile(file.path, disk: disk), facts: file.facts)
      .map { $0.sentence(about: Disk.name(of: file.path)) }
    for part in parts where fault == nil {
      fault = try IntegrityCheck.damage(of: ReadableFile(part.path, disk: disk), facts: part.facts)
        .map { $0.sentence(about: Disk.name(of: part.path)) }
    }
    guard
      let changing =
        ([(file.path, file.status)] + parts.map { ($0.path, $0.status) }
        + [file.raw.map { ($0.path, $0.status) }].compactMap(\.self)).first(where: { disk.status($0.0) != $0.1 })
    else { return try add(file, parts, beside: other, fault: fault, isCancelled: isCancelled) }
    refuse(file, localized("Another app is changing “\(changing.0)”. Import the file again when it’s done."))
  }

  /// The asset of a file that the library has already.
  private func known(_ file: ImportFile) throws(PhotoLibraryError) -> Asset? {
    if let duplicate = file.duplicateOf, let asset = try asset(at: duplicate) { return asset }
    return try changedAsset(holding: file)
  }

  private func add(
    _ file: ImportFile, _ parts: [ImportFile], beside other: URL?, fault: String?, isCancelled: () -> Bool
  ) throws(PhotoLibraryError) {
    let url = URL(fileURLWithPath: file.path, isDirectory: false)
    var changes = ChangeSet()
    var request = AssetCreationRequest(file: url)
    request.rawFile = file.raw.map { URL(fileURLWithPath: $0.path, isDirectory: false) }
    request.neighbor = other
    request.parts = parts.map { URL(fileURLWithPath: $0.path, isDirectory: false) }
    changes.create(request)
    let taken = try library.session.write { () throws(PhotoLibraryError) -> PhotoLibrary.Outcome? in
      try library.locked { () throws(PhotoLibraryError) in
        if let known = try arrived(file) {
          try note(file, known)
          return nil
        }
        return try library.performLocked(changes, isCancelled: isCancelled)
      }
    }
    guard let outcome = taken else { return }
    guard let created = outcome.created.first, let relative = layout.relative(created.url.path) else {
      throw outcome.unread
        ?? .unusableFile(path: file.path, reason: localized("it was imported, but another app removed it"))
    }
    // A copy of an existing picture has an id of its own, which the index knows.
    let asset = try index.asset(path: relative) ?? created
    assets[PathBytes(file.path)] = asset
    note(file.digest, of: file, at: relative)
    let rows = parts.isEmpty ? [] : try index.parts(of: asset.id)
    for part in parts {
      assets[PathBytes(part.path)] = asset
      if let row = rows.first(where: { $0.contentID == part.facts.contentID }) {
        note(part.digest, of: part, at: row.path)
      }
    }
    // Another process that imports the same files needs them.
    if digests.count >= Self.digestBatch { flush() }
    report.imported.append(
      ImportReport.Imported(
        source: url, asset: asset, keptSource: isMove ? remove(file, parts) : nil, uncompared: uncompared.sorted(),
        fault: fault))
  }

  private func note(_ digest: String?, of file: ImportFile, at path: String) {
    guard let digest, let status = disk.status(layout.absolute(path)), status.size == file.status.size else { return }
    digests.append(.init(path: path, state: FileState(status), digest: digest))
  }

  private func flush() {
    do throws(PhotoLibraryError) { try index.store(digests) } catch {
      // The next verification computes them.
      PhotoLibrary.logger.warning("\(error.description)")
    }
    digests = []
  }

  /// - Returns: The reason why the source still exists.
  private func remove(_ file: ImportFile, _ parts: [ImportFile]) -> String? {
    guard disk.status(file.path) == file.status else { return localized("it was changed in the meantime") }
    do throws(PhotoLibraryError) {
      if let raw = file.raw {
        guard disk.status(raw.path) == raw.status else { return localized("its DNG file was changed in the meantime") }
        try disk.remove(raw.path)
      }
      for part in parts {
        guard disk.status(part.path) == part.status else {
          return localized("“\(Disk.name(of: part.path))” was changed in the meantime")
        }
        try disk.remove(part.path)
      }
      try disk.remove(file.path)
      return nil
    } catch {
      return error.description
    }
  }

  // MARK: Duplicates

  private func note(_ file: ImportFile, _ asset: Asset) throws(PhotoLibraryError) {
    if let raw = file.raw, let path = layout.relative(asset.url.path),
      try index.raw(of: asset.id, at: path, in: layout, disk: disk) == nil
    {
      report.refused.append(
        ImportReport.Refused(
          path: raw.path,
          description: localized(
            """
            “\(raw.path)” wasn’t imported because its photo is already in the library without it.
            """)))
    }
    report.duplicates.append(
      ImportReport.Duplicate(
        source: URL(fileURLWithPath: file.path, isDirectory: false), assetID: asset.id, url: asset.url))
  }

  /// - Parameter path: Of a file of the library, an original, or an earlier source.
  /// - Returns: `nil` when that file has no asset anymore, so that another one like it is no duplicate.
  private func asset(at path: String) throws(PhotoLibraryError) -> Asset? {
    var asset = assets[PathBytes(path)]
    if asset == nil, let relative = layout.relative(path) {
      if relative.begins(with: LibraryFolder.hiddenFolder + "/") {
        asset = try LibraryFolder.originalID(Disk.name(of: relative)).flatMap {
          id throws(PhotoLibraryError) in try index.asset(id: id)
        }
      } else {
        asset = try index.asset(path: relative)
      }
    }
    return asset
  }

  /// An identical file that was added to the library since the scan.
  private func arrived(_ file: ImportFile) throws(PhotoLibraryError) -> Asset? {
    for candidate in try known(as: file) where candidate.fileSize == file.status.size {
      let path = layout.absolute(candidate.path)
      let isKnown = try compare(file, with: path) { known throws(PhotoLibraryError) in
        try isSame(ReadableFile(file.path, disk: disk), [.file(known, 0..<known.size)])
      }
      if isKnown { return candidate.asset(in: layout.url) }
    }
    return nil
  }

  /// The files of the library with the same content, as this version or an earlier one knows it.
  private func known(as file: ImportFile) throws(PhotoLibraryError) -> [IndexedFile] {
    let same = try index.files(contentID: file.facts.contentID)
    return try file.facts.formerContentID.map { former throws(PhotoLibraryError) in
      same + (try index.files(contentID: former))
    } ?? same
  }

  /// Compares a file with one of the library.
  ///
  /// An unreadable file is not known to be the same: this one is imported again rather than lost, and the report says
  /// what it could not be compared with.
  private func compare(
    _ file: ImportFile, with path: String, _ isSame: (ReadableFile) throws(PhotoLibraryError) -> Bool
  ) throws(PhotoLibraryError) -> Bool {
    do throws(PhotoLibraryError) {
      return try isSame(ReadableFile(path, disk: disk))
    } catch {
      if Self.path(of: error) == file.path { throw error }
      if error != .fileMissing(path: path) { uncompared.insert(path) }
      return false
    }
  }

  /// The asset that was imported from the same file and was changed since: by a favorite's rating, album titles, or an
  /// edit.
  private func changedAsset(holding file: ImportFile) throws(PhotoLibraryError) -> Asset? {
    let store = RecordStore(folder: layout, disk: disk)
    for candidate in try known(as: file) {
      let record: AssetRecord
      do throws(PhotoLibraryError) { record = try store.record(candidate.id) } catch {
        uncompared.insert(layout.record(candidate.id))
        continue
      }
      if record.isEmpty { continue }
      let path = layout.absolute(candidate.path)
      let original = record.edit.map { "\(layout.originals)/\($0.original)" }
      var possible = [(path, record.added)]
      if let original { possible.append((original, record.edit?.added ?? record.added)) }
      // Records of versions that didn't note what they added: everything, as they took it back.
      if !record.added.rating, record.added.subjects.isEmpty, record.edit?.added == nil {
        let all = allThatMayBeAdded(by: record, store)
        possible += ([path] + [original].compactMap(\.self)).map { ($0, all) }
      }
      for (path, added) in possible {
        if try isSame(file, asBeforeChangesOf: path, added) { return candidate.asset(in: layout.url) }
      }
    }
    return nil
  }

  private func allThatMayBeAdded(by record: AssetRecord, _ store: RecordStore) -> AddedMetadata {
    var added = AddedMetadata(rating: true, ratingBefore: record.added.ratingBefore)
    for id in record.albums.keys {
      do throws(PhotoLibraryError) {
        if let title = try store.collection(id)?.title { added.subjects.insert(title) }
      } catch {
        uncompared.insert(layout.album(id))
      }
    }
    return added
  }

  /// Whether a file of the library equals the given one when what PhotoMe added to its metadata is removed.
  private func isSame(
    _ file: ImportFile, asBeforeChangesOf path: String, _ added: AddedMetadata
  ) throws(PhotoLibraryError) -> Bool {
    let change = StandardMetadataChange(
      rating: added.hasRating ? .restored(to: added.ratingBefore) : .unchanged,
      burstPrimary: added.burstPrimary ? .restored(to: added.burstPrimaryBefore) : .unchanged,
      removedSubjects: added.subjects.sorted())
    return try compare(file, with: path) { changed throws(PhotoLibraryError) in
      guard case .possible(_, _, let bytes) = try MetadataRewriter.rewrite(changed, change) else { return false }
      let parts = bytes?.parts(of: changed) ?? [.file(changed, 0..<changed.size)]
      return try isSame(ReadableFile(file.path, disk: disk), parts)
    }
  }

  /// In bytes.
  private static let pieceLength = 1 << 18

  /// Whether a file consists of these parts.
  private func isSame(_ file: ReadableFile, _ parts: [FilePart]) throws(PhotoLibraryError) -> Bool {
    guard file.size == parts.byteCount else { return false }
    var offset: UInt64 = 0
    for part in parts {
      switch part {
      case .bytes(let bytes):
        guard try file.data(at: offset, count: bytes.count) == bytes else { return false }
      case .file(let other, let range):
        var done: UInt64 = 0
        while done < part.count {
          let count = Int(min(UInt64(Self.pieceLength), part.count - done))
          let piece = try file.data(at: offset + done, count: count)
          guard piece.count == count, try other.data(at: range.lowerBound + done, count: count) == piece else {
            return false
          }
          done += UInt64(count)
        }
      }
      offset += part.count
    }
    return true
  }
}
