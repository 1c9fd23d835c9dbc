// Verifying a library: every file to its last byte, every record, and the index against both.

import Foundation
import Localization
import Synchronization

/// One verification. Changes by other programs meanwhile are not problems: whatever seems wrong is checked again after
/// updating the index, while other processes can't change records.
///
/// Silent corruption is found by the SHA-256 of each whole file. It is kept in the index with the file's size,
/// modification time and status-change time; if these three are unchanged and the bytes are not, the disk has lost
/// data. The digest is recorded by the first verification after a file was written; imports do so at once.
final class LibraryVerifier {
  typealias Problem = LibraryVerification.Problem

  let library: PhotoLibrary
  let isCancelled: () -> Bool
  var found = LibraryVerification()
  private let progress: (LibraryProgress) -> Void
  private var done = 0
  private var total = 0
  /// Digests that are not yet in the index.
  private var digests: [LibraryIndex.StoredDigest] = []
  /// The outcome for the current file, which counts once although the file may be read twice.
  var outcome = FileOutcome()

  /// The result of reading one file, apart from problems.
  struct FileOutcome {
    var bytes: UInt64 = 0
    var unchanged = 0
    var digest: LibraryIndex.StoredDigest?
    /// The same of the DNG beside it.
    var rawDigest: LibraryIndex.StoredDigest?
    /// What is worth a line when the file is read for the first time; a sentence.
    var note: String?
  }

  var folder: LibraryFolder { library.layout }
  var disk: Disk { library.disk }
  var index: LibraryIndex { library.index }
  var store: RecordStore { RecordStore(folder: folder, disk: disk) }

  /// The number of rows or digests at a time.
  private static let batch = 256

  init(
    _ library: PhotoLibrary, isCancelled: @escaping () -> Bool, progress: @escaping (LibraryProgress) -> Void
  ) {
    self.library = library
    self.isCancelled = isCancelled
    self.progress = progress
  }

  /// Checks everything. The index has just been brought up to date.
  func run() throws(PhotoLibraryError) {
    if let damage = try index.damage() {
      let path = index.url?.path ?? localized("in memory")
      found.problems.append(
        Problem(
          kind: .indexDamaged, path: path, reason: localized("The library’s index “\(path)” is damaged (\(damage))."),
          advice: localized("Run “\(Advice.rebuildCommand)”. Your photos and videos aren’t affected.")))
    }
    let recordNames = try disk.contents(of: folder.records).sorted()
    let originalNames = try disk.contents(of: folder.originals).filter { !$0.isHiddenName }.sorted()
    let matteNames = try disk.contents(of: folder.mattes).filter { LibraryFolder.matteID($0) != nil }.sorted()
    let backdropNames = try disk.contents(of: folder.backdrops).filter { LibraryFolder.backdrop($0) != nil }.sorted()
    total =
      try index.count() + recordNames.count + originalNames.count + matteNames.count + backdropNames.count
    tell()
    guard try checkAssets(), try checkRecords(recordNames), try checkOriginals(originalNames),
      try checkMattes(matteNames), try checkBackdrops(backdropNames), try checkAlbums()
    else { return }
    try checkFolders()
    checkHidden()
    try checkDepartures()
    try checkFormerDisks()
    found.skippedFolders = FolderListing.skipped(of: folder, disk: disk)
    try flush()
    try index.clearDigests { self.disk.status(self.folder.absolute($0)) != nil }
    found.problems.sort { $0.path == $1.path ? $0.kind.rawValue < $1.kind.rawValue : $0.path < $1.path }
    found.notes.sort()
    found.isComplete = true
  }

  /// Counts one more file or record.
  ///
  /// - Returns: `false` when the verification was canceled.
  func step() -> Bool {
    done += 1
    tell()
    return !isCancelled()
  }

  private func tell() { progress(LibraryProgress(step: .checking, done: done, total: max(done, total))) }

  // MARK: Assets

  private func checkAssets() throws(PhotoLibraryError) -> Bool {
    var last: Int64 = 0
    while true {
      let files = try index.files(after: last, count: Self.batch)
      guard let end = files.last?.number else { return true }
      for file in files {
        let problems = try confirmed { () throws(PhotoLibraryError) in
          try library.reconciler.reindex([file.path])
        } _: { () throws(PhotoLibraryError) in
          // A file that was removed or renamed meanwhile has no row anymore.
          try index.file(path: file.path).map { row throws(PhotoLibraryError) in try check(row) } ?? []
        }
        guard let problems else { return false }
        switch (file.mediaType, isLive: file.movieRange != nil || file.video != nil) {
        // It is counted with the asset that it is a part of.
        case _ where file.link != nil: break
        case (.video, _): found.videos += 1
        case (.photo, false): found.photos += 1
        case (.photo, true):
          found.photos += 1
          found.livePhotos += 1
        }
        found.problems += problems
        take(outcome)
        guard step() else { return false }
      }
      last = end
    }
  }

  /// Checks once, and if something is wrong a second time, after `refresh` and while no other process changes records.
  ///
  /// - Returns: `nil` when it was canceled.
  func confirmed(
    _ refresh: () throws(PhotoLibraryError) -> Void, _ check: () throws(PhotoLibraryError) -> [Problem]?
  ) throws(PhotoLibraryError) -> [Problem]? {
    outcome = FileOutcome()
    guard let first = try check() else { return nil }
    if first.isEmpty { return [] }
    func again() throws(PhotoLibraryError) -> [Problem]? {
      try refresh()
      outcome = FileOutcome()
      return try check()
    }
    // In a read-only folder no other process changes anything either.
    let lock = { () throws(PhotoLibraryError) in try self.library.reconciler.lock(self.library.journals) }
    guard let second = WriteLock.holding(lock, again) else { return try again() }
    return try second.get()
  }

  private func check(_ row: IndexedFile) throws(PhotoLibraryError) -> [Problem]? {
    let path = folder.absolute(row.path)
    func problem(_ kind: Problem.Kind, _ reason: String, _ advice: String) -> [Problem] {
      [Problem(kind: kind, path: path, assetID: row.id, reason: reason, advice: advice)]
    }
    let isEdited = row.isEdited
    do throws(PhotoLibraryError) {
      let file = try ReadableFile(path, disk: disk)
      guard let facts = try FileFacts(file) else {
        return problem(
          .noPicture, localized("“\(path)” is no longer a photo or video."), Advice.broken(isEdited: isEdited))
      }
      var problems: [Problem] = []
      if disagrees(row, facts, file.status) {
        problems += problem(
          .indexDisagrees, Self.disagreement(path), Advice.rebuild)
      }
      guard let reading = try read(file, facts: facts, path: row.path) else { return nil }
      problems += reading.flatMap { problem($0.kind, $0.reason, Advice.broken(isEdited: isEdited)) }
      guard row.mediaType == .photo,
        let raw = try library.index.raw(of: row.id, at: row.path, in: folder, disk: disk)
      else { return problems }
      guard let found = try checkRaw(raw, of: row.id) else { return nil }
      return problems + found
    } catch {
      if case .fileMissing = error {
        return problem(
          .missing, localized("“\(path)” is in the index but not in the folder."),
          localized("Run “\(Advice.rebuildCommand)”, and look in the Trash."))
      }
      return problem(.unreadable, Self.unreadable(path, error), Advice.unreadable)
    }
  }

  private func disagrees(_ row: IndexedFile, _ facts: FileFacts, _ status: Disk.Status) -> Bool {
    var expected = IndexedFile(path: row.path, facts: facts, status: status)
    expected.number = row.number
    // Who had an id keeps it, whatever the file's content is now.
    expected.id = row.id
    if facts.holds(row.contentID) { expected.contentID = row.contentID }
    // Rows of earlier versions lack these, and inode numbers change on some file systems.
    (expected.inode, expected.isDated) = (row.inode, row.isDated)
    (expected.isElsewhere, expected.diskID) = (row.isElsewhere, row.diskID)
    // These come from the record, which is checked by itself.
    (expected.isFavorite, expected.isHidden, expected.isEdited) = (row.isFavorite, row.isHidden, row.isEdited)
    // In rows of earlier versions the file hasn't told yet.
    (expected.isKeyPhoto, expected.isBurstPrimary) = (row.isKeyPhoto, row.isBurstPrimary)
    expected.isSheet = row.isSheet
    expected.pairID = expected.pairID ?? row.pairID
    return expected != row.alone
  }

  // MARK: Bytes

  struct FileProblem {
    var kind: Problem.Kind
    var reason: String
  }

  /// Reads a file to its end.
  ///
  /// - Parameter path: Relative to the library's folder.
  /// - Returns: `nil` when it was canceled.
  func read(
    _ file: ReadableFile, facts: FileFacts, path: String
  ) throws(PhotoLibraryError) -> [FileProblem]? {
    var problems: [FileProblem] = []
    if let damage = try IntegrityCheck.damage(of: file, facts: facts) {
      switch damage {
      case .cutShort: problems.append(FileProblem(kind: .cutShort, reason: damage.sentence(about: file.path)))
      case .damaged: problems.append(FileProblem(kind: .damaged, reason: damage.sentence(about: file.path)))
      case .movieMissing: problems.append(FileProblem(kind: .movieMissing, reason: damage.sentence(about: file.path)))
      case .movieDamaged: problems.append(FileProblem(kind: .movieDamaged, reason: damage.sentence(about: file.path)))
      case .movieRemoved: outcome.note = damage.sentence(about: file.path)
      }
    }
    guard let digest = try FileDigest.sha256(of: file, goesOn: { _ in !isCancelled() }) else { return nil }
    outcome.bytes = file.size
    let state = FileState(file.status)
    // It was written to while it was read: the next verification records it.
    guard disk.status(file.path).map({ FileState($0) }) == state else { return problems }
    if let known = try index.digest(path: path), known.state == state {
      if known.digest == digest {
        outcome.unchanged = 1
      } else {
        problems.append(
          FileProblem(
            kind: .silentlyChanged,
            reason: Self.silentChange(file.path)))
      }
    } else {
      outcome.digest = LibraryIndex.StoredDigest(path: path, state: state, digest: digest)
    }
    return problems
  }

  func take(_ outcome: FileOutcome) {
    found.bytes += outcome.bytes
    found.unchanged += outcome.unchanged
    if let digest = outcome.digest {
      found.noted += 1
      if let note = outcome.note { found.notes.append(note) }
      digests.append(digest)
    }
    if let digest = outcome.rawDigest { digests.append(digest) }
    if digests.count >= Self.batch { tryFlush() }
  }

  /// Digests that can't be stored now are recorded by the next verification.
  private func tryFlush() {
    do throws(PhotoLibraryError) { try flush() } catch { PhotoLibrary.logger.warning("\(error.description)") }
  }

  private func flush() throws(PhotoLibraryError) {
    defer { digests = [] }
    try index.store(digests)
  }
}
