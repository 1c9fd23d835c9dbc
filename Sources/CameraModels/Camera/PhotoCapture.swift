// One shot under way: the engine's events on one side, the library's files on the other.

import CameraCore
import EngineInterface
import Foundation
import PhotoLibrary

/// A shot from the press to the durable file. Any number may be under way; each has its own state machine, and none
/// waits for another.
///
/// The work is done off the main thread. `events` is for one reader, which sees everything up to `finished`; `saved`
/// may be awaited by anyone.
public final class PhotoCapture: Sendable {
  /// The id of the asset that this shot becomes; known from the start, so that the strip can show the shot and the
  /// asset as one thing.
  public let assetID: Asset.ID

  /// What happens to the shot; ends after `finished`, or throws.
  public let events: AsyncThrowingStream<CaptureEvent, any Error>

  private let work: Task<SavedPhoto, any Error>

  /// Chooses the frame at once, and begins.
  init(settings: PhotoSettings, service: any CameraService, library: PhotoLibrary) {
    let assetID = Asset.makeID()
    let engineEvents = service.capture(settings)
    let (events, sink) = AsyncThrowingStream.makeStream(of: CaptureEvent.self)
    self.assetID = assetID
    self.events = events
    work = Task.detached(priority: .userInitiated) {
      var shot = Shot(assetID: assetID, pressed: settings.pressed, library: library)
      do {
        let saved = try await shot.run(engineEvents) { sink.yield($0) }
        sink.yield(.finished(saved))
        sink.finish()
        return saved
      } catch {
        sink.finish(throwing: error)
        throw error
      }
    }
  }

  /// The saved photo, once it is durable.
  public var saved: SavedPhoto { get async throws { try await work.value } }

  /// Returns when the shot has ended, well or not. How it ended is told by `events` and `saved`.
  public func waitForEnd() async { _ = await work.result }
}

/// Performs what the state machine says, until the shot has ended.
private struct Shot {
  let assetID: Asset.ID
  let pressed: MonotonicTime
  let library: PhotoLibrary

  private var machine = PhotoCaptureStateMachine()
  private var resolved: ResolvedPhotoSettings?
  private var staged: StagedPhoto?
  private var movie: CapturedMovie?
  private var asset: Asset?
  private var result: Result<SavedPhoto, any Error>?

  init(assetID: Asset.ID, pressed: MonotonicTime, library: PhotoLibrary) {
    self.assetID = assetID
    self.pressed = pressed
    self.library = library
  }

  mutating func run(
    _ events: AsyncThrowingStream<CaptureEvent, any Error>, passOn: (CaptureEvent) -> Void
  ) async throws -> SavedPhoto {
    var engineError: (any Error)?
    do {
      for try await event in events {
        if case .willBegin(let resolved) = event { self.resolved = resolved }
        passOn(event)
        await perform(machine.received(event))
      }
    } catch { engineError = error }
    await perform(machine.engineEnded(error: engineError))
    // The machine ends every shot: once the engine and the disk have answered there is a result.
    guard let result else { throw CameraError.pictureFailed(message: "the camera stopped") }
    return try result.get()
  }

  /// Performs an action, then those that its outcome leads to.
  private mutating func perform(_ action: PhotoCaptureStateMachine.Action) async {
    var next = action
    while true {
      do {
        switch next {
        case .none:
          return
        case .save(let photo):
          asset = try await library.createAsset(
            AssetCreationRequest(id: assetID, photo: photo.jpeg, metadata: metadata(of: photo)))
          next = machine.saved()
        case .stage(let photo):
          staged = try await library.stage(photo.jpeg, id: assetID, metadata: metadata(of: photo))
          return
        case .commit(let movie):
          guard let staged else { return }
          asset = try await library.createAsset(AssetCreationRequest(staged: staged, movie: movie))
          self.movie = movie
          next = machine.saved()
        case .commitStill:
          guard let staged else { return }
          asset = try await library.createAsset(AssetCreationRequest(staged: staged))
          next = machine.saved()
        case .finish(let shortfall):
          result = finished(shortfall: shortfall)
          return
        case .fail(let error):
          result = .failure(error)
          return
        }
      } catch { next = machine.savingFailed(error) }
    }
  }

  private func metadata(of photo: CapturedPhoto) throws -> PhotoMetadata {
    guard let resolved else { throw CameraError.pictureFailed(message: "the camera did not say what it took") }
    return PhotoMetadata(resolved: resolved, photo: photo, software: "PhotoMe \(ProgramVersion.text)")
  }

  private func finished(shortfall: String?) -> Result<SavedPhoto, any Error> {
    guard let asset, let resolved else {
      return .failure(CameraError.pictureFailed(message: "the camera did not say what it took"))
    }
    return .success(
      SavedPhoto(
        assetID: asset.id, url: asset.url, isLive: asset.isLive, size: asset.size, resolved: resolved,
        movieDuration: movie?.duration, photoDisplayTime: movie?.photoDisplayTime, pressToSaved: .now - pressed,
        shortfall: shortfall))
  }
}
