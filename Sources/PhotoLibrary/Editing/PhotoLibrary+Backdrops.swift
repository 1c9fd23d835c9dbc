// Keeping people's own backdrops in the library.

import CameraCore
import Foundation
import Localization
import PhotoEffects

extension PhotoLibrary {
  /// A kept picture fits into it, in pixels.
  public static let largestBackdrop = PixelSize(width: 4096, height: 4096)
  private static let backdropQuality: Int32 = 92

  /// The kept backdrops, the latest first.
  ///
  /// - Throws: The error of the disk.
  public func keptBackdrops() async throws(PhotoLibraryError) -> [KeptBackdrop] {
    try await Blocking.run { () throws(PhotoLibraryError) in
      let path = self.layout.backdrops
      guard self.disk.status(path) != nil else { return [] }
      return try self.disk.contents(of: path).compactMap { name in
        guard let (id, kind) = LibraryFolder.backdrop(name), let status = self.disk.status("\(path)/\(name)"),
          status.kind == .file
        else { return nil }
        return self.kept(id, kind, status)
      }.sorted { ($0.added, $0.id) > ($1.added, $1.id) }
    }
  }

  private func kept(_ id: String, _ kind: KeptBackdrop.Kind, _ status: Disk.Status?) -> KeptBackdrop {
    KeptBackdrop(
      id: id, kind: kind, url: URL(fileURLWithPath: layout.backdrop(id, kind), isDirectory: false),
      added: status.map { Date(millisecondsSince1970: $0.modified / 1_000_000) } ?? now())
  }

  /// Keeps a picture as backdrop. The same one is kept once.
  ///
  /// - Parameters:
  ///   - picture: Upright and in the colors of the screen, at most as large as `largestBackdrop`.
  ///   - mode: Who may read it, as in the mode of a file.
  /// - Throws: `unusableFile` without memory for it, `changesFailed` after `close`, or the error of the disk.
  @discardableResult
  public func keepBackdrop(
    _ picture: DecodedImage, mode: mode_t = 0o666
  ) async throws(PhotoLibraryError) -> KeptBackdrop {
    try await Blocking.run { () throws(PhotoLibraryError) in
      guard let jpeg = ScaledJPEG.encode(picture, quality: Self.backdropQuality, hasFullColors: false) else {
        throw .unusableFile(
          path: localized("The backdrop"), reason: localized("there isn’t enough memory to save it"))
      }
      return try self.keep(jpeg, .picture, mode)
    }
  }

  /// Keeps a movie as backdrop. The same one is kept once.
  ///
  /// - Parameter mode: Who may read it, as in the mode of a file.
  /// - Throws: `unusableFile` for a movie without frames, `changesFailed` after `close`, or the error of the disk.
  @discardableResult
  public func keepBackdrop(
    _ movie: BackdropMovie, mode: mode_t = 0o666
  ) async throws(PhotoLibraryError) -> KeptBackdrop {
    try await Blocking.run { () throws(PhotoLibraryError) in
      let data = movie.data
      guard !data.isEmpty else {
        throw .unusableFile(path: localized("The backdrop"), reason: localized("it has no frames"))
      }
      return try self.keep(data, .movie, mode)
    }
  }

  /// Its name tells its content, so that it can't become another one, and is there as a whole or not at all.
  private func keep(
    _ data: Data, _ kind: KeptBackdrop.Kind, _ mode: mode_t
  ) throws(PhotoLibraryError) -> KeptBackdrop {
    let id = AssetIdentity.digest(data)
    return try session.write { () throws(PhotoLibraryError) in
      try reconciler.checkPresence()
      let path = layout.backdrop(id, kind)
      if let status = disk.status(path), status.kind == .file, status.size == UInt64(data.count),
        AssetIdentity.digest(try ReadableFile(path, disk: disk).data(at: 0, count: data.count)) == id
      {
        return kept(id, kind, status)
      }
      try disk.makeFolder(layout.backdrops)
      let temporary = "\(session.path)/" + session.temporaryName(for: Disk.name(of: path))
      try FileWriter(disk: disk).write(
        [.bytes(data)] as [FilePart], mode: mode & 0o666 | 0o600, to: temporary, makesFolder: false)
      do throws(PhotoLibraryError) {
        // What is there is damaged.
        if try !disk.renameNew(temporary, to: path) { try disk.replace(path, with: temporary) }
        try disk.synchronizeFolder(layout.backdrops)
      } catch {
        disk.discard(temporary)
        throw error
      }
      return kept(id, kind, disk.status(path))
    }
  }

  /// Moves a kept backdrop to the desktop's trash, unless an edit needs it.
  ///
  /// - Throws: `backdropInUse` while pictures of the library have it, also deleted ones; `trashUnavailable` where there is no
  ///   trash, or the error of the disk.
  public func trashBackdrop(_ id: String) async throws(PhotoLibraryError) {
    try await Blocking.run { () throws(PhotoLibraryError) in
      let paths = KeptBackdrop.Kind.allCases.map { self.layout.backdrop(id, $0) }
        .filter { self.disk.status($0)?.kind == .file }
      guard !paths.isEmpty else { return }
      // Without the lock: others needn't wait until all records are read. An edit that gets the backdrop meanwhile finds
      // that it isn't there, or brings it back.
      let count = try self.countEdits(with: id)
      guard count == 0 else { throw .backdropInUse(count: count) }
      try self.session.write { () throws(PhotoLibraryError) in
        let lock = try self.reconciler.lock(self.journals)
        defer { lock.keep() }
        try self.orphanedRecords.moveFilesToTrash(paths)
      }
      self.backdrops.forget(id)
    }
  }

  /// The number of pictures, also of deleted ones, whose edits have a backdrop. An edit that can't be read can't be made
  /// again, whatever it needs.
  private func countEdits(with id: String) throws(PhotoLibraryError) -> Int {
    let store = RecordStore(folder: layout, disk: disk)
    guard disk.status(layout.records) != nil else { return 0 }
    return try disk.contents(of: layout.records).count { name in
      guard let asset = LibraryFolder.recordID(name), let edit = try? store.record(asset).edit,
        edit.adjustment.formatIdentifier == AdjustmentRecipe.formatIdentifier
      else { return false }
      return edit.adjustment.data.range(of: Data(id.utf8)) != nil
    }
  }

  /// Puts a backdrop that is still in memory back into its place, after another program has removed it.
  ///
  /// - Throws: `RecipeError.missingBackdrop` when it isn't in memory, or the error of the disk.
  public func ensureBackdrop(_ id: String) async throws {
    try await Blocking.run { [self] in
      guard !backdrops.isKept(id) else { return }
      guard let (data, kind) = backdrops.remembered(id) else { throw RecipeError.missingBackdrop }
      _ = try keep(data, kind, 0o600)
    }
  }
}
