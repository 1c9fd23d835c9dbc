// The library: pictures in a folder, their index, and every change to them.

import CameraCore
import Foundation

/// A folder of photos, live photos and movies, read and changed in one way by every part of PhotoMe.
///
///     let library = try await PhotoLibrary.open(at: pictures)
///     let changes = library.changes()
///     var shown = try await library.fetchAssets(limit: 100)
///     let asset = try await library.createAsset(AssetCreationRequest(photo: jpeg, metadata: metadata))
///     for await change in changes { shown = change.details(from: shown, limit: 100).after }
///
/// The files are the truth; the index is a cache. Several libraries, in this process or in others, may be open on one
/// folder. All methods may be called from any thread and never block it.
public final class PhotoLibrary: Sendable {
  /// Where the pictures are.
  public let folder: URL
  /// Where the engine writes the movies of shots in flight: a hidden folder of this process on the library's file system.
  /// `prepareForCapture` and `stage` make it; it is emptied when the library is closed.
  public let movieFolder: URL
  /// What was found after a crash and put right when this library was opened.
  public let recovery: [RecoveryNote]

  init(folder: URL, movieFolder: URL, recovery: [RecoveryNote]) {
    self.folder = folder
    self.movieFolder = movieFolder
    self.recovery = recovery
  }

  /// Opens the library of a folder, which need not exist: the first write makes it.
  ///
  /// Returns as soon as the index is open. What changed in the folder meanwhile is looked for in the background and told
  /// by `changes()`.
  ///
  /// - Parameter index: The index's file; `nil` takes `$XDG_DATA_HOME/photome/<digest of the folder's path>.sqlite`.
  /// - Throws: `folderUnavailable` when something that is no folder stands at the path.
  public static func open(at folder: URL, index: URL? = nil) async throws(PhotoLibraryError) -> PhotoLibrary {
    PhotoLibrary(folder: folder, movieFolder: folder, recovery: [])
  }

  /// Stops following the folder, ends the streams and removes what only this process needs. Also done by `deinit`.
  public func close() async {}

  /// Makes the folders that a shot needs, so that a folder that can't be written is known before the first shot.
  public func prepareForCapture() async throws(PhotoLibraryError) {}

  // MARK: Reading

  /// The newest assets, newest first (`Asset.isNewer`).
  public func fetchAssets(limit: Int? = nil, offset: Int = 0) async throws(PhotoLibraryError) -> [Asset] { [] }

  /// How many assets there are.
  public func count() async throws(PhotoLibraryError) -> Int { 0 }

  public func asset(id: Asset.ID) async throws(PhotoLibraryError) -> Asset? { nil }

  /// Every change from now on, in order, whoever makes it: this library, another one, or another program.
  public func changes() -> AsyncStream<PhotoLibraryChange> { AsyncStream { $0.finish() } }

  /// Looks at the whole folder again, and returns when the index agrees with it and the notices are sent.
  public func refresh() async throws(PhotoLibraryError) {}

  // MARK: Changing

  /// The one way to change the library: all that `body` asks for is done, or nothing is.
  ///
  /// `body` runs at once and only notes what is wanted; then the files are made durable and the index follows.
  ///
  /// - Returns: What `body` returned, when everything is durable on disk and indexed.
  public func performChanges<R: Sendable>(
    _ body: @Sendable (inout ChangeSet) throws -> R
  ) async throws(PhotoLibraryError) -> R {
    throw .changesFailed(reason: "")
  }

  /// Adds one asset: `performChanges` with a single request.
  public func createAsset(_ request: AssetCreationRequest) async throws(PhotoLibraryError) -> Asset {
    throw .changesFailed(reason: "")
  }

  /// Makes the still of a live photo durable at once, while its movie is still being gathered.
  public func stage(
    _ photo: Data, id: Asset.ID = Asset.makeID(), metadata: PhotoMetadata
  ) async throws(PhotoLibraryError) -> StagedPhoto {
    throw .changesFailed(reason: "")
  }
}
