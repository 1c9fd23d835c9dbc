// Files and folders from elsewhere, taken into the library.

import Foundation

extension PhotoLibrary {
  /// Copies or moves pictures and movies into the library: their bytes, names and dates stay. What the library holds
  /// already, byte for byte, is passed over; also what it held before someone edited it here or made it a favourite.
  ///
  /// Every file that is reported as imported is durable. When the disk is full, what is half copied is removed and the report
  /// says so. Ends early when the task is cancelled.
  ///
  /// - Parameters:
  ///   - urls: Files, and folders with all that is in them.
  ///   - move: Whether sources go away once they are in the library.
  ///   - progress: Called on a thread of the library's.
  /// - Throws: When nothing can be imported at all: the library's folder can't be written or listed, or the index can't be
  ///   used.
  public func importAssets(
    from urls: [URL], move: Bool = false, progress: @escaping @Sendable (LibraryProgress) -> Void = { _ in }
  ) async throws(PhotoLibraryError) -> ImportReport {
    try await prepareForCapture()
    // What the library has must be known.
    try await refresh()
    let cancelled = CancellationFlag()
    return try await Blocking.run(cancelling: cancelled) { () throws(PhotoLibraryError) in
      let originals = try self.originals()
      let scanner = ImportScanner(
        disk: self.disk,
        knownFiles: { size throws(PhotoLibraryError) in
          try self.index.paths(ofSize: size).map { path throws(PhotoLibraryError) in try self.known(path) }
            + (originals[size] ?? []).map { path throws(PhotoLibraryError) in try self.known(path) }
        })
      let scan = try scanner.scanOnThisThread(
        urls, isCancelled: { cancelled.isSet },
        progress: { progress(LibraryProgress(step: .looking, done: $0.lookedAt, total: $0.found)) })
      let importer = AssetImporter(self, isMove: move)
      guard let scan else {
        importer.report.end = .cancelled
        return importer.report
      }
      try importer.run(scan, isCancelled: { cancelled.isSet }, progress: progress)
      return importer.report
    }
  }

  /// The untouched originals by their sizes, relative to the library's folder.
  private func originals() throws(PhotoLibraryError) -> [UInt64: [String]] {
    var originals: [UInt64: [String]] = [:]
    for name in try disk.contents(of: layout.originals) where !name.hasPrefix(".") {
      let path = "\(layout.originals)/\(name)"
      guard let size = disk.status(path)?.size, let relative = layout.relative(path) else { continue }
      originals[size, default: []].append(relative)
    }
    return originals
  }

  /// With the digest that the index keeps, when it is that of the file as it is now.
  private func known(_ relative: String) throws(PhotoLibraryError) -> ImportScanner.KnownFile {
    let path = layout.absolute(relative)
    let stored = try index.digest(path: relative)
    let state = disk.status(path).map { FileState($0) }
    return ImportScanner.KnownFile(path: path, digest: stored.flatMap { $0.state == state ? $0.digest : nil })
  }
}
