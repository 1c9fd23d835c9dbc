// Scanning files and folders for pictures and movies to import, and for duplicates of the library's.

import CameraCore
import Foundation
import MediaFormats

/// Finds pictures and movies, reads their metadata, and compares them with the library's by content.
///
///     let scanner = ImportScanner(knownFiles: { size in try index.files(ofSize: size) })
///     let scan = try await scanner.scan(urls) { progress in … }
///     for candidate in scan.candidates where !candidate.isDuplicate { … }
///
/// It needs memory for one entry per file and a buffer of 1 MiB, whatever the files contain.
struct ImportScanner: Sendable {
  /// A file of the library with a requested size.
  struct KnownFile: Sendable, Hashable {
    /// Absolute.
    var path: String
    /// Its SHA-256 if that is known; also that of an imported file that PhotoMe has changed since. With `nil` the file
    /// is read.
    var digest: String?
  }

  var disk = Disk()
  /// The library's files with exactly this size; also those that had it when they were imported, with their digest from
  /// then.
  var knownFiles: @Sendable (UInt64) throws(PhotoLibraryError) -> [KnownFile] = { _ throws(PhotoLibraryError) in [] }
  /// Whether every file is hashed; otherwise only those that share their size with another.
  var wantsAllDigests = true

  /// As `scanOnThisThread(_:isCancelled:progress:)`, on a thread that may block; ends when the task is canceled.
  ///
  /// - Throws: `CancellationError`, or what `knownFiles` throws.
  func scan(
    _ urls: [URL], progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
  ) async throws -> ImportScan {
    let cancelled = CancellationFlag()
    let scan = try await Blocking.run(canceling: cancelled) { () throws(PhotoLibraryError) in
      try scanOnThisThread(urls, isCancelled: { cancelled.isSet }, progress: progress)
    }
    guard let scan else { throw CancellationError() }
    return scan
  }

  /// Scans files and folders. Unusable files are listed, never thrown.
  ///
  /// - Parameters:
  ///   - urls: Files and folders; symbolic links among them are followed, those in folders are not.
  ///   - isCancelled: Checked before each file and each MiB.
  ///   - progress: Called after each file and each MiB, on this thread.
  /// - Returns: `nil` when it was canceled.
  /// - Throws: What `knownFiles` throws.
  func scanOnThisThread(
    _ urls: [URL], isCancelled: () -> Bool = { false }, progress: (ImportProgress) -> Void = { _ in }
  ) throws(PhotoLibraryError) -> ImportScan? {
    let walk = FolderWalk(
      urls, excluding: LibraryFolder.hiddenFolder, disk: disk, isCancelled: isCancelled,
      found: { progress(ImportProgress(found: $0, foundBytes: $1)) })
    guard let walk else { return nil }
    var reading = Reading(
      scanner: self, state: ImportProgress(found: walk.files.count, foundBytes: walk.byteCount))
    reading.scan.unusable = walk.problems.compactMap(UnusableImport.init)
    reading.scan.skipped = Self.skipped(walk)
    for found in walk.files {
      if isCancelled() { return nil }
      guard try reading.look(at: found, isCancelled: isCancelled, progress: progress) else { return nil }
    }
    reading.pairUp()
    reading.pairRaws()
    return reading.scan
  }
}

extension ImportScanner {
  private static func skipped(_ walk: FolderWalk) -> [ImportReport.Skipped] {
    let links = walk.problems.filter { $0.reason == .linkedFolder }
    return [
      walk.hidden.map { ImportReport.Skipped(reason: .hidden, count: walk.hiddenCount, example: $0) },
      links.first.map { ImportReport.Skipped(reason: .linkedFolder, count: links.count, example: $0.path) },
    ].compactMap(\.self)
  }

  /// The second half of a scan: opening and comparing file after file.
  private struct Reading {
    let scanner: ImportScanner
    var scan = ImportScan()
    var state: ImportProgress
    /// Earlier files of the scan by size.
    var earlier: [UInt64: SameSize] = [:]
    /// Indexes of candidates by path.
    var positions: [PathBytes: Int] = [:]
    /// The library's files by size.
    var known: [UInt64: SameSize] = [:]
    /// The files with which the current one could not be compared.
    var uncompared: [String] = []

    init(scanner: ImportScanner, state: ImportProgress) { (self.scanner, self.state) = (scanner, state) }

    /// - Returns: `false` when it was canceled.
    mutating func look(
      at found: FolderWalk.File, isCancelled: () -> Bool, progress: (ImportProgress) -> Void
    ) throws(PhotoLibraryError) -> Bool {
      let before = state.lookedAtBytes
      let outcome = open(found)
      switch outcome {
      case .unusable(let reason): scan.unusable.append(UnusableImport(path: found.path, reason: reason))
      case .nothing: break
      case .usable(let file, let facts):
        var entry = ImportFile(path: found.path, status: file.status, facts: facts)
        // Errors of the library are thrown, errors of this file are listed.
        if known[file.size] == nil { known[file.size] = SameSize(try scanner.knownFiles(file.size)) }
        do throws(PhotoLibraryError) {
          if scanner.wantsAllDigests || known[file.size]?.isEmpty == false || earlier[file.size] != nil {
            let digest = try FileDigest.sha256(of: file) { count in
              state.lookedAtBytes += UInt64(count)
              progress(state)
              return !isCancelled()
            }
            guard let digest else { return false }
            entry.digest = digest
            switch find(digest, size: file.size, isCancelled: isCancelled) {
            case .found(let path): entry.duplicateOf = path
            case .nothing: break
            case .cancelled: return false
            }
            entry.uncompared = entry.duplicateOf == nil ? uncompared : []
          }
          earlier[file.size, default: SameSize()].add(found.path, digest: entry.digest)
          positions[PathBytes(found.path)] = scan.candidates.count
          scan.candidates.append(ImportCandidate(file: entry))
        } catch {
          scan.unusable.append(UnusableImport(path: found.path, reason: .unreadable(error.description)))
        }
      }
      state.lookedAt += 1
      // A file that grew since it was found must not push the bar past its end.
      state.lookedAtBytes = before + found.size
      progress(state)
      return true
    }

    private enum Outcome {
      case usable(ReadableFile, FileFacts)
      case unusable(UnusableImport.Reason)
      /// Neither a picture nor named like one: not reported.
      case nothing
    }

    private func open(_ found: FolderWalk.File) -> Outcome {
      let name = Disk.name(of: found.path)
      let ending = FileName.ending(of: name).dropFirst().lowercased()
      let named = FileFacts.Kind(name: name)
      do throws(PhotoLibraryError) {
        let file = try ReadableFile(found.path, disk: scanner.disk)
        guard file.size > 0 else { return named != nil || found.isGiven ? .unusable(.empty) : .nothing }
        let held = try Self.kind(of: file)
        switch (named, held) {
        case (let one?, let other?) where Self.isSame(one, other):
          if let facts = try FileFacts(file) { return .usable(file, facts) }
          if try FileFacts.isRawOfShot(file) { return .unusable(.rawOfAnother) }
          guard case .movie = one else { return .unusable(.cutShort) }
          let head = try MovieHead(file)
          return .unusable(head?.hasOnlySound == true ? .soundOnly : .cutShort)
        case (_, .picture(let format)?): return .unusable(.misnamed(format.fileExtension))
        case (_, .movie(let format)?) where !Self.otherKinds.contains(ending):
          return .unusable(.misnamed(format.fileExtension))
        default:
          if Self.otherKinds.contains(ending) { return .unusable(.unknownKind(ending)) }
          return named != nil || found.isGiven ? .unusable(.noPicture) : .nothing
        }
      } catch {
        guard named != nil || found.isGiven else { return .nothing }
        return .unusable(.unreadable(error.description))
      }
    }

    /// File extensions of common pictures and movies that PhotoMe can't read. Some of the picture formats consist of
    /// boxes and begin like an MP4.
    private static let otherKinds: Set<String> = [
      "svg", "svgz", "bmp", "ico", "psd", "xcf", "jp2", "tga", "pcx", "exr", "hdr", "crw", "mrw", "x3f",
      "kdc", "dcr", "iiq", "mpg", "mpeg", "mts", "3gp", "wmv", "flv",
    ]

    /// Whether a file holds what its name says. Phones and programs name HEIC and AVIF files as it comes, and MP4 and
    /// QuickTime movies.
    private static func isSame(_ one: FileFacts.Kind, _ other: FileFacts.Kind) -> Bool {
      switch (one, other) {
      case (.picture(let one), .picture(let other)): one == other || one.isHEIF && other.isHEIF
      case (.movie(let one), .movie(let other)): one.structure == other.structure
      default: false
      }
    }

    /// The kind of a file by its first bytes.
    private static func kind(of file: ReadableFile) throws(PhotoLibraryError) -> FileFacts.Kind? {
      let format = try file.parse { file throws(FormatError) in try PictureHead.format(of: file) }
      if let format { return .picture(format) }
      return try MovieHead.format(of: file).map { .movie($0) }
    }

    // MARK: Duplicates

    private enum Search {
      case found(String)
      case nothing
      case cancelled
    }

    /// Files of one size by their digests. Cameras write files of equal size by the thousand: each is hashed once, and
    /// looking for a digest takes the same time whatever their number.
    struct SameSize {
      private var byDigest: [String: String] = [:]
      /// Not hashed yet, the first one last.
      private var unread: [String] = []
      /// Those that can't be read.
      private(set) var unreadable: [String] = []

      init() {}

      init(_ files: [KnownFile]) {
        for file in files.reversed() { add(file.path, digest: file.digest) }
      }

      var isEmpty: Bool { byDigest.isEmpty && unread.isEmpty && unreadable.isEmpty }

      mutating func add(_ path: String, digest: String?) {
        if let digest { byDigest[digest] = path } else { unread.append(path) }
      }

      /// The file with a digest, after hashing others as far as necessary.
      ///
      /// - Parameter read: Hashes a file; `nil` when it can't be read, or when the scan was canceled.
      mutating func path(
        of digest: String, isCancelled: () -> Bool, _ read: (String) -> String?
      ) -> String? {
        while byDigest[digest] == nil, let path = unread.last {
          let other = read(path)
          if isCancelled() { return nil }
          unread.removeLast()
          if let other { byDigest[other] = byDigest[other] ?? path } else { unreadable.append(path) }
        }
        return byDigest[digest]
      }
    }

    /// Looks for an identical file among those of the same size.
    private mutating func find(_ digest: String, size: UInt64, isCancelled: () -> Bool) -> Search {
      func read(_ path: String) -> String? { self.read(path, isCancelled: isCancelled) }
      var group = known[size] ?? SameSize()
      let found = group.path(of: digest, isCancelled: isCancelled, read)
      known[size] = group
      // An unreadable file is not known to be the same: this one is imported again rather than lost, and reported.
      uncompared = group.unreadable
      if let found { return .found(found) }
      if isCancelled() { return .cancelled }
      var others = earlier[size] ?? SameSize()
      let same = others.path(of: digest, isCancelled: isCancelled) { path in
        let other = read(path)
        if let position = positions[PathBytes(path)] { scan.candidates[position].file.digest = other }
        return other
      }
      if !others.isEmpty { earlier[size] = others }
      if let same { return .found(same) }
      return isCancelled() ? .cancelled : .nothing
    }

    /// - Returns: `nil` when the file can't be read, or the scan was canceled.
    private func read(_ path: String, isCancelled: () -> Bool) -> String? {
      guard let file = try? ReadableFile(path, disk: scanner.disk) else { return nil }
      return try? FileDigest.sha256(of: file) { _ in !isCancelled() }
    }

    // MARK: Pairs

    /// Combines the files of one shot: those of one name in one folder, and Apple pairs whose names or folders differ.
    mutating func pairUp() {
      var parts: [Int: [Int]] = [:]
      var taken: Set<Int> = []
      for (_, group) in Dictionary(grouping: scan.candidates.indices, by: { Self.stem(scan.candidates[$0].file.path) })
      where group.count > 1 {
        for link in FilePairs.links(among: group.map { FilePairs.File(scan.candidates[$0].file) }) {
          parts[group[link.lead], default: []].append(group[link.part])
          taken.insert(group[link.part])
        }
      }
      pairRenamed(inOneFolder: true, &parts, &taken)
      pairRenamed(inOneFolder: false, &parts, &taken)
      for (lead, others) in parts { scan.candidates[lead].parts = others.sorted().map { scan.candidates[$0].file } }
      scan.candidates = scan.candidates.enumerated().filter { !taken.contains($0.offset) }.map(\.element)
    }

    /// Apple pairs of which one file was renamed, or lies elsewhere, maybe on another disk.
    private func pairRenamed(inOneFolder: Bool, _ parts: inout [Int: [Int]], _ taken: inout Set<Int>) {
      let left = scan.candidates.indices.filter { scan.candidates[$0].file.facts.pairID != nil && !taken.contains($0) }
      let groups = Dictionary(grouping: left) { index in
        let file = scan.candidates[index].file
        return [inOneFolder ? Disk.parent(of: file.path) : "", file.facts.pairID ?? ""]
      }
      for (_, group) in groups {
        let video = group.first { scan.candidates[$0].file.facts.mediaType == .video }
        let photo = group.first { index in
          let facts = scan.candidates[index].file.facts
          let hasVideo = parts[index, default: []].contains { scan.candidates[$0].file.facts.mediaType == .video }
          return facts.mediaType == .photo && !facts.isLive && !hasVideo
        }
        guard let photo, let video else { continue }
        parts[photo, default: []].append(video)
        taken.insert(video)
      }
    }

    /// Gives photos the DNGs of their raw frames: the file of the same name in the same folder that tells the photo's id.
    /// Those whose photos aren't there can't be imported.
    mutating func pairRaws() {
      var raws: [String: [Int]] = [:]
      for (index, one) in scan.unusable.enumerated() where one.reason == .rawOfAnother {
        raws[Self.stem(one.path), default: []].append(index)
      }
      guard !raws.isEmpty else { return }
      var taken: Set<Int> = []
      for index in scan.candidates.indices where scan.candidates[index].file.facts.mediaType == .photo {
        let photo = scan.candidates[index].file
        let near = raws[Self.stem(photo.path)]?.filter { !taken.contains($0) } ?? []
        for raw in near {
          let path = scan.unusable[raw].path
          guard let status = scanner.disk.status(path),
            (try? RawCompanion.uniqueID(of: path, disk: scanner.disk)) == photo.facts.contentID
          else { continue }
          scan.candidates[index].file.raw = ImportFile.Raw(path: path, status: status)
          taken.insert(raw)
          break
        }
      }
      scan.unusable = scan.unusable.enumerated().filter { !taken.contains($0.offset) }.map(\.element)
    }

    /// The path without the file extension, ignoring the case of the name, which cameras and users write as they like.
    private static func stem(_ path: String) -> String { Disk.parent(of: path) + "/" + FilePairs.stem(of: path) }
  }
}

extension FilePairs.File {
  fileprivate init(_ file: ImportFile) {
    let facts = file.facts
    self.init(
      path: file.path, mediaType: facts.mediaType, isLive: facts.isLive, isEdited: false,
      created: facts.created.milliseconds, duration: facts.duration, pairID: facts.pairID)
  }
}
