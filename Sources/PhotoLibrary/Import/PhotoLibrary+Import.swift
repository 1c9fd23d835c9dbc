// Importing files and folders into the library.

import CameraCore
import Foundation

extension PhotoLibrary {
  /// Copies or moves pictures and movies into the library, with their bytes, names and dates. Files that the library
  /// has already, byte for byte, are skipped; also those that it had before they were edited or made favorites.
  ///
  /// Every file that is reported as imported is durable. When the disk is full, the partly copied file is removed and
  /// the report says so. Ends early when the task is canceled.
  ///
  /// - Parameters:
  ///   - urls: Files, and folders with everything in them.
  ///   - move: Whether sources are removed once they are in the library.
  ///   - progress: Called on one of the library's threads.
  /// - Throws: When nothing can be imported at all: the library's folder can't be written or listed, or the index can't
  ///   be used.
  public func importAssets(
    from urls: [URL], move: Bool = false, progress: @escaping @Sendable (LibraryProgress) -> Void = { _ in }
  ) async throws(PhotoLibraryError) -> ImportReport {
    try await prepareForCapture()
    // The index must know what the library has.
    try await refresh()
    let cancelled = CancellationFlag()
    return try await Blocking.run(canceling: cancelled) { () throws(PhotoLibraryError) in
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
    for name in try disk.contents(of: layout.originals) where !name.isHiddenName {
      let path = "\(layout.originals)/\(name)"
      guard let size = disk.status(path)?.size, let relative = layout.relative(path) else { continue }
      originals[size, default: []].append(relative)
    }
    return originals
  }

  /// A file with its digest from the index, if that is valid for the file's current state.
  private func known(_ relative: String) throws(PhotoLibraryError) -> ImportScanner.KnownFile {
    let path = layout.absolute(relative)
    let stored = try index.digest(path: relative)
    let state = disk.status(path).map { FileState($0) }
    return ImportScanner.KnownFile(path: path, digest: stored.flatMap { $0.state == state ? $0.digest : nil })
  }
}
