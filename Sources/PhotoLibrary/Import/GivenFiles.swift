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
  /// The files that belong to pictures outside of the library, by their IDs: the video of an Apple pair, a camera's raw file,
  /// and the DNG of a raw frame. They are imported together.
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
      let others = candidate.parts.map(\.path) + [file.raw?.path].compactMap(\.self)
      guard !others.isEmpty else { continue }
      given.companions[file.path] = others.map { URL(fileURLWithPath: $0, isDirectory: false) }
    }
    given.pictures = try await assets(of: files)
    given.folderPictures = try await assets(of: inFolders)
    return given
  }

  private func isFolder(_ url: URL) -> Bool {
    Disk.resolved(url.standardizedFileURL.path).flatMap { disk.status($0) }?.kind == .folder
  }

  /// The assets of the files that were found.
  private func assets(of scan: ImportScan) async throws(PhotoLibraryError) -> [Asset] {
    var (assets, isRefreshed): ([Asset], Bool) = ([], false)
    for candidate in scan.candidates {
      let file = candidate.file
      // Whoever asked doesn't want the answer anymore.
      if Task.isCancelled { return [] }
      let url = URL(fileURLWithPath: file.path, isDirectory: false)
      guard relativePath(of: url) != nil else {
        assets.append(Asset(outside: candidate, at: url))
        continue
      }
      var own = try await asset(at: url)
      if own == nil, !isRefreshed {
        // Another program may have just put it there.
        try await refresh()
        isRefreshed = true
        own = try await asset(at: url)
      }
      assets.append(own ?? Asset(outside: candidate, at: url))
    }
    return assets
  }
}

extension Asset {
  /// The asset of a file outside of the library. The marks of a burst are left out: only the library has its other
  /// pictures.
  init(outside candidate: ImportCandidate, at url: URL) {
    let file = candidate.file
    let video = candidate.parts.first { $0.facts.mediaType == .video }
    let paired = video.map { IndexedFile.PairedVideo(IndexedFile(path: $0.path, facts: $0.facts, status: $0.status)) }
    let facts = file.facts
    self.init(
      id: file.path, url: url, mediaType: facts.mediaType, isLive: facts.isLive || paired != nil,
      created: Date(millisecondsSince1970: facts.created.milliseconds), utcOffset: facts.created.utcOffset,
      size: facts.size, duration: paired.map(\.duration) ?? facts.duration,
      photoDisplayTime: facts.mediaType == .photo ? paired.map(\.photoDisplayTime) ?? facts.photoDisplayTime : nil,
      movieRange: paired.map { 0..<$0.size } ?? facts.movieRange, fileSize: file.status.size,
      modified: Date(timeIntervalSince1970: Double(file.status.modified) / 1e9),
      changed: Date(timeIntervalSince1970: Double(file.status.changed) / 1e9), cameraName: facts.cameraName,
      location: facts.location)
    pairedVideo = paired.map { URL(fileURLWithPath: $0.path, isDirectory: false) }
  }
}
