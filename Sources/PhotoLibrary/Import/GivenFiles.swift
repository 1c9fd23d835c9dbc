// Files and folders that were given to the program, and what they hold.

import CameraCore
import Foundation
import Localization

/// The outcome of `PhotoLibrary.look(at:)`.
public struct GivenFiles: Sendable, Equatable {
  /// The pictures and movies that were given one by one, in their order.
  public internal(set) var pictures: [Asset] = []
  /// The given files outside of the library that can be imported, those that belong to pictures among them.
  public internal(set) var files: [URL] = []
  /// The files that belong to pictures and movies outside of the library, by their IDs: the other half of an Apple pair, and
  /// the DNG of a raw frame. They are imported together.
  public internal(set) var companions: [Asset.ID: [URL]] = [:]
  /// The folders that were given.
  public internal(set) var folders: [URL] = []
  /// The pictures and movies in these folders, by name.
  public internal(set) var folderPictures: [Asset] = []
  /// The given files that can't be shown. What is in folders and isn't a picture isn't listed.
  public internal(set) var refused: [ImportReport.Refused] = []

  /// All pictures and movies: assets of the library, and of files outside of it.
  public var all: [Asset] { pictures + folderPictures }
}

extension PhotoLibrary {
  /// Finds the pictures and movies in files and folders, without importing anything.
  ///
  /// - Returns: Assets: those of the library where the files are its own, others with `Asset.isOutside`.
  /// - Throws: When the library's index can't be used, or its folder can't be listed.
  public func look(at urls: [URL]) async throws(PhotoLibraryError) -> GivenFiles {
    let cancelled = CancellationFlag()
    var given = GivenFiles()
    let (files, inFolders, folders) = try await Blocking.run(canceling: cancelled) {
      () throws(PhotoLibraryError) -> (ImportScan, ImportScan, [URL]) in
      let folders = urls.filter { self.isFolder($0) }
      let scanner = ImportScanner(disk: self.disk, wantsAllDigests: false)
      func scan(_ urls: [URL]) throws(PhotoLibraryError) -> ImportScan {
        try scanner.scanOnThisThread(urls, isCancelled: { cancelled.isSet }) ?? ImportScan()
      }
      return (try scan(urls.filter { !folders.contains($0) }), try scan(folders), folders)
    }
    given.folders = folders
    // A folder that can't be opened was given as well.
    let names = Set(folders.compactMap { Disk.resolved($0.standardizedFileURL.path) })
    given.refused = (files.unusable + inFolders.unusable.filter { names.contains($0.path) })
      .map { ImportReport.Refused(path: $0.path, description: $0.description) }
    let refused = Set(given.refused.map(\.path))
    given.files = urls.filter { url in
      !folders.contains(url) && relativePath(of: url) == nil
        && Disk.resolved(url.standardizedFileURL.path).map(refused.contains) == false
    }
    for candidate in files.candidates + inFolders.candidates {
      let file = candidate.file
      let others = [candidate.pairedVideo?.path, file.raw?.path].compactMap { $0 }
      guard !others.isEmpty else { continue }
      given.companions[file.path] = others.map { URL(fileURLWithPath: $0, isDirectory: false) }
      if let video = candidate.pairedVideo {
        given.companions[video.path] = [URL(fileURLWithPath: file.path, isDirectory: false)]
      }
    }
    given.pictures = try await assets(of: files)
    given.folderPictures = try await assets(of: inFolders)
    return given
  }

  private func isFolder(_ url: URL) -> Bool {
    Disk.resolved(url.standardizedFileURL.path).flatMap { disk.status($0) }?.kind == .folder
  }

  /// The assets of the files that were found. Both files of an Apple pair are listed.
  private func assets(of scan: ImportScan) async throws(PhotoLibraryError) -> [Asset] {
    let files = scan.candidates.flatMap { [$0.file] + ($0.pairedVideo.map { [$0] } ?? []) }
    var (assets, isRefreshed): ([Asset], Bool) = ([], false)
    for file in files {
      // Whoever asked doesn't want the answer anymore.
      if Task.isCancelled { return [] }
      let url = URL(fileURLWithPath: file.path, isDirectory: false)
      guard relativePath(of: url) != nil else {
        assets.append(Asset(outside: file, at: url))
        continue
      }
      var own = try await asset(at: url)
      if own == nil, !isRefreshed {
        // Another program may have just put it there.
        try await refresh()
        isRefreshed = true
        own = try await asset(at: url)
      }
      assets.append(own ?? Asset(outside: file, at: url))
    }
    return assets
  }
}

extension Asset {
  /// The asset of a file outside of the library. The marks of a burst are left out: only the library has its other
  /// pictures.
  init(outside file: ImportFile, at url: URL) {
    let facts = file.facts
    self.init(
      id: file.path, url: url, mediaType: facts.mediaType, isLive: facts.isLive,
      created: Date(millisecondsSince1970: facts.created.milliseconds), utcOffset: facts.created.utcOffset,
      size: facts.size, duration: facts.duration, photoDisplayTime: facts.photoDisplayTime,
      movieRange: facts.movieRange, fileSize: file.status.size,
      modified: Date(timeIntervalSince1970: Double(file.status.modified) / 1e9),
      changed: Date(timeIntervalSince1970: Double(file.status.changed) / 1e9), cameraName: facts.cameraName,
      location: facts.location)
  }
}
