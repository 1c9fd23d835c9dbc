// How the library is changed: files first, made durable, then the index.

import CameraCore
import Foundation

extension PhotoLibrary {
  /// Makes the folders that a shot needs, so that a folder that can't be written is known before the first shot.
  public func prepareForCapture() async throws(PhotoLibraryError) {
    try await Blocking.run { () throws(PhotoLibraryError) in
      try self.session.begin()
    }
  }

  /// The one way to change the library: all that `body` asks for is done, or nothing is.
  ///
  /// `body` runs at once and only notes what is wanted; then the files are made durable and the index follows. When
  /// the process is killed meanwhile, each asset is there whole or not at all.
  ///
  /// - Returns: What `body` returned, when everything is durable on disk and indexed.
  public func performChanges<R: Sendable>(
    _ body: @Sendable (inout ChangeSet) throws -> R
  ) async throws(PhotoLibraryError) -> R {
    var changes = ChangeSet()
    let result: R
    do { result = try body(&changes) } catch let error as PhotoLibraryError {
      throw error
    } catch {
      throw .changesFailed(reason: error.localizedDescription)
    }
    _ = try await perform(changes)
    return result
  }

  /// Adds one asset: `performChanges` with a single request.
  public func createAsset(_ request: AssetCreationRequest) async throws(PhotoLibraryError) -> Asset {
    var changes = ChangeSet()
    changes.create(request)
    guard let asset = try await perform(changes).first else {
      throw .changesFailed(reason: "the picture was saved, and then removed by another program")
    }
    return asset
  }

  /// Makes the still of a live photo durable at once, while its movie is still being gathered.
  ///
  /// - Parameters:
  ///   - photo: A JPEG from SOI to EOI.
  ///   - id: The id that the asset will have.
  public func stage(
    _ photo: Data, id: Asset.ID = Asset.makeID(), metadata: PhotoMetadata
  ) async throws(PhotoLibraryError) -> StagedPhoto {
    try await Blocking.run { () throws(PhotoLibraryError) in
      let jpeg = try PhotoAssembly.photo(jpeg: photo, metadata: metadata, id: id)
      try self.session.begin()
      let name = "\(LibraryFolder.stem(metadata))_\(id).jpg"
      let path = "\(self.session.path)/\(name)"
      let temporary = "\(self.session.path)/\(self.temporaryName(for: name))"
      try FileWriter(folder: self.layout, disk: self.disk).write(jpeg, to: temporary)
      do throws(PhotoLibraryError) {
        _ = try self.disk.renameNew(temporary, to: path)
      } catch {
        unlink(temporary)
        throw error
      }
      try self.disk.synchronizeFolder(self.session.path)
      return StagedPhoto(id: id, path: path, jpeg: jpeg, metadata: metadata)
    }
  }

  /// - Returns: The new assets, without those that were gone again at once.
  private func perform(_ changes: ChangeSet) async throws(PhotoLibraryError) -> [Asset] {
    try await Blocking.run { () throws(PhotoLibraryError) in
      try self.session.begin()
      let paths = try CreationTransaction(library: self).perform(changes.creations)
      let relative = paths.compactMap { self.layout.relative($0) }
      do throws(PhotoLibraryError) {
        try self.reconciler.look(at: relative)
      } catch {
        // The pictures are safe; the index is a cache, and is looked after in the background.
        Self.logger.error("\(error.description)")
        self.reconciler.lookAtAll()
      }
      return paths.compactMap { self.asset(at: $0) }
    }
  }

  func temporaryName(for name: String) -> String {
    LibraryFolder.temporaryName(for: name, token: session.token, number: session.nextNumber())
  }

  /// What the file says, which is what the index says.
  private func asset(at path: String) -> Asset? {
    guard let relative = layout.relative(path), let file = try? ReadableFile(path, disk: disk),
      let facts = try? FileFacts(file)
    else { return nil }
    return IndexedFile(path: relative, facts: facts, status: file.status).asset(in: folder)
  }
}

/// The files of one transaction: first all of them durable under hidden names, then all of them shown.
private struct CreationTransaction {
  let library: PhotoLibrary

  private struct Prepared {
    var temporary: String
    var month: String
    var stem: String
    var isLive: Bool
    /// Removed when all is done.
    var movie: String?
    var staged: String?
  }

  private var disk: Disk { library.disk }
  private var writer: FileWriter { FileWriter(folder: library.layout, disk: library.disk) }

  /// - Returns: The final paths.
  func perform(_ creations: [ChangeSet.Creation]) throws(PhotoLibraryError) -> [String] {
    var prepared: [Prepared] = []
    var published: [String] = []
    do throws(PhotoLibraryError) {
      for creation in creations { prepared.append(try prepare(creation)) }
      for file in prepared {
        published.append(
          try writer.publish(file.temporary, month: file.month, stem: file.stem, isLive: file.isLive))
      }
      for parent in Set(published.map { Disk.parent(of: $0) }) { try disk.synchronizeFolder(parent) }
    } catch {
      for path in published { unlink(path) }
      for file in prepared { unlink(file.temporary) }
      throw error
    }
    for path in prepared.flatMap({ [$0.movie, $0.staged] }).compactMap({ $0 }) {
      do throws(PhotoLibraryError) { try disk.remove(path) } catch {
        // The shot is saved; what is left of it is cleared at the next start.
        PhotoLibrary.logger.warning("\(error.description)")
      }
    }
    return published
  }

  /// Writes one file durably under a hidden name in its month's folder.
  private func prepare(_ creation: ChangeSet.Creation) throws(PhotoLibraryError) -> Prepared {
    let request = creation.request
    let metadata = request.metadata
    var jpeg: Data
    var staged: String?
    switch request.still {
    case .jpeg(let photo, _):
      jpeg = try PhotoAssembly.photo(jpeg: photo, metadata: metadata, id: creation.id)
    case .staged(let photo):
      jpeg = photo.jpeg
      staged = photo.path
    }
    var movie: ReadableFile?
    if let path = request.pairedVideo?.path {
      let file = try ReadableFile(path, disk: disk)
      guard try MP4Head.begins(in: file, at: 0) else {
        throw .unusableFile(path: path, reason: "it is no MP4 movie")
      }
      jpeg = try PhotoAssembly.livePhoto(
        photo: jpeg, movieLength: file.size, photoDisplayTime: metadata.photoDisplayTime)
      movie = file
    }
    let month = LibraryFolder.month(metadata)
    let stem = LibraryFolder.stem(metadata)
    let name = library.temporaryName(for: stem)
    let temporary = "\(library.layout.absolute(month))/\(name)"
    try writer.write(jpeg, tail: movie, tailLength: movie?.size ?? 0, to: temporary)
    return Prepared(
      temporary: temporary, month: month, stem: stem, isLive: movie != nil,
      movie: request.shouldMoveFile ? movie?.path : nil, staged: staged)
  }
}
