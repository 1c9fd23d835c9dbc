// Nondestructive editing: the input of editors, the current edit, and the untouched original.

import CameraCore
import Foundation
import Localization
import MediaFormats

extension PhotoLibrary {
  /// The input for editing an asset.
  ///
  /// - Parameters:
  ///   - progress: Called with the part of the file that was read, 0…1, ascending; any thread. The end comes at once where
  ///     the rest of the file needn't be read.
  ///   - canHandle: Whether the editor understands an edit. If so, it gets the untouched original and the settings; if not,
  ///     the current file.
  /// - Throws: `unknownAsset` when there is none with this id, `unusableFile` when its file is damaged, `cancelled` when the
  ///   task is canceled, at once even while the disk doesn't answer, or the error of the disk.
  public func contentEditingInput(
    for id: Asset.ID, progress: (@Sendable (Double) -> Void)? = nil,
    canHandle: @escaping @Sendable (AdjustmentData) -> Bool
  ) async throws(PhotoLibraryError) -> ContentEditingInput {
    try await ReadMonitor.run(progress: progress) { monitor throws(PhotoLibraryError) in
      guard let asset = try self.index.asset(id: id) else { throw .unknownAsset(id: id) }
      let record = try RecordStore(folder: self.layout, disk: self.disk).record(id)
      guard let edit = record.edit, canHandle(edit.adjustment) else {
        return try self.editingInput(asset, at: asset.url.path, nil, video: asset.pairedVideo, monitor)
      }
      // The original of a live photo of two files has its movie where it always was.
      let video = try self.index.parts(of: id).first { $0.link?.role == .video }
      var input = try self.editingInput(
        asset, at: "\(self.layout.originals)/\(edit.original)", edit.adjustment,
        video: video.map { self.folder.appendingPathComponent($0.path, isDirectory: false) }, monitor)
      let matte = self.layout.matte(id)
      if self.disk.status(matte)?.kind == .file { input.matte = URL(fileURLWithPath: matte, isDirectory: false) }
      return input
    }
  }

  private func editingInput(
    _ asset: Asset, at path: String, _ adjustment: AdjustmentData?, video: URL?, _ monitor: ReadMonitor
  ) throws(PhotoLibraryError) -> ContentEditingInput {
    let file = try ReadableFile(path, disk: disk, monitor: monitor)
    monitor.expect(file.size)
    guard let facts = try FileFacts(file) else {
      throw .unusableFile(path: path, reason: localized("it’s no longer a complete picture"))
    }
    let isPhoto = facts.mediaType == .photo
    let head = isPhoto ? try PictureHead(file) : nil
    var paired: IndexedFile.PairedVideo?
    if isPhoto, facts.movieRange == nil, let video { paired = try pairedVideo(at: video.path, monitor) }
    var input = ContentEditingInput(
      asset: asset, url: URL(fileURLWithPath: path, isDirectory: false),
      photoRange: isPhoto ? 0..<(head?.end ?? facts.movieRange?.lowerBound ?? file.size) : nil,
      format: head?.format ?? .jpeg, isAnimated: head?.isAnimated ?? false, orientation: head?.orientation ?? 1,
      size: facts.size,
      movieRange: facts.movieRange, duration: facts.duration, photoDisplayTime: facts.photoDisplayTime,
      adjustmentData: adjustment)
    if let paired, let video {
      (input.pairedVideo, input.movieRange) = (video, 0..<paired.size)
      (input.duration, input.photoDisplayTime) = (paired.duration, paired.photoDisplayTime)
    }
    monitor.finish()
    return input
  }

  /// The movie of a live photo of two files; `nil` when it is no movie anymore.
  private func pairedVideo(
    at path: String, _ monitor: ReadMonitor
  ) throws(PhotoLibraryError) -> IndexedFile.PairedVideo? {
    let file = try ReadableFile(path, disk: disk, monitor: monitor)
    guard let facts = try FileFacts(file), facts.mediaType == .video else { return nil }
    return IndexedFile.PairedVideo(IndexedFile(path: path, facts: facts, status: file.status))
  }

  /// The current edit of an asset; `nil` for an untouched one.
  ///
  /// - Throws: `unusableFile` when its record can't be read.
  public func adjustmentData(for id: Asset.ID) async throws(PhotoLibraryError) -> AdjustmentData? {
    try await Blocking.run { () throws(PhotoLibraryError) in
      try RecordStore(folder: self.layout, disk: self.disk).record(id).edit?.adjustment
    }
  }

  /// The untouched original of an asset; its file if it wasn't edited.
  ///
  /// - Throws: `unusableFile` when its record can't be read.
  public func originalURL(of asset: Asset) async throws(PhotoLibraryError) -> URL {
    try await Blocking.run { () throws(PhotoLibraryError) in
      guard let edit = try RecordStore(folder: self.layout, disk: self.disk).record(asset.id).edit else {
        return asset.url
      }
      return URL(fileURLWithPath: "\(self.layout.originals)/\(edit.original)", isDirectory: false)
    }
  }
}
