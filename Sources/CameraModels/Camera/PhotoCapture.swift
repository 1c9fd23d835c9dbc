// A shot in progress, from the engine's events to the library's files.

import CameraCore
import EngineInterface
import Foundation
import Localization
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

  /// The events of the shot; ends after `finished`, or throws.
  public let events: AsyncThrowingStream<CaptureEvent, any Error>

  private let work: Task<SavedPhoto, any Error>

  /// Chooses the frame at once, and begins.
  ///
  /// - Parameter location: The place that the picture gets; `nil` for none.
  init(settings: PhotoSettings, service: any CameraService, library: PhotoLibrary, location: GeoLocation? = nil) {
    let assetID = Asset.makeID()
    let engineEvents = service.capture(settings)
    let (events, sink) = AsyncThrowingStream.makeStream(of: CaptureEvent.self)
    self.assetID = assetID
    self.events = events
    work = Task.detached(priority: .userInitiated) {
      var shot = Shot(assetID: assetID, settings: settings, location: location, library: library)
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
  ///
  /// - Throws: `CameraError` when there is no picture, `PhotoLibraryError` when it can't be saved.
  public var saved: SavedPhoto { get async throws { try await work.value } }

  /// Returns when the shot has ended, well or not. How it ended is told by `events` and `saved`.
  public func waitForEnd() async { _ = await work.result }
}

/// Performs the state machine's actions until the shot has ended.
private struct Shot {
  let assetID: Asset.ID
  let settings: PhotoSettings
  let location: GeoLocation?
  let library: PhotoLibrary

  private var machine = PhotoCaptureStateMachine<StagedPhoto, Asset>()

  init(assetID: Asset.ID, settings: PhotoSettings, location: GeoLocation?, library: PhotoLibrary) {
    self.assetID = assetID
    self.settings = settings
    self.location = location
    self.library = library
  }

  mutating func run(
    _ events: AsyncThrowingStream<CaptureEvent, any Error>, passOn: (CaptureEvent) -> Void
  ) async throws -> SavedPhoto {
    var engineError: (any Error)?
    do {
      for try await event in events {
        passOn(event)
        await perform(machine.received(event))
      }
    } catch { engineError = error }
    await perform(machine.engineEnded(error: engineError))
    // The machine ends every shot whose engine has ended and whose disk has answered. A fault in that costs this shot, not
    // the program; a still that was staged by then is recovered at the next start.
    guard let result = machine.result else {
      throw CameraError.pictureFailed(
        message: localized("it’s unknown whether it was saved. If it was, it will appear when PhotoMe starts again"))
    }
    return await saved(try result.get())
  }

  /// Performs an action, then those that its outcome leads to.
  private mutating func perform(_ action: PhotoCaptureStateMachine<StagedPhoto, Asset>.Action) async {
    var next = action
    while true {
      do {
        switch next {
        case .none:
          return
        case .save(let photo, let resolved):
          next = machine.saved(
            try await library.createAsset(
              request(of: photo, resolved)))
        case .stage(let photo, let resolved):
          next = machine.staged(
            try await library.stage(
              photo.data, id: assetID, metadata: metadata(of: photo, resolved), rawFrame: photo.raw))
        case .restage(let staged, let photo):
          next = machine.staged(try await library.restage(staged, with: photo.data))
        case .commit(let staged, let movie):
          next = machine.saved(try await library.createAsset(AssetCreationRequest(staged: staged, movie: movie)))
        case .commitStill(let staged, let movie):
          if let movie { Self.remove(movie) }
          next = machine.saved(try await library.createAsset(AssetCreationRequest(staged: staged)))
        case .remove(let movie):
          return Self.remove(movie)
        }
      } catch { next = machine.savingFailed(error) }
    }
  }

  /// What can't be removed is left to the next start.
  private static func remove(_ movie: CapturedMovie) { try? FileManager.default.removeItem(at: movie.url) }

  private func request(of photo: CapturedPhoto, _ resolved: ResolvedPhotoSettings) -> AssetCreationRequest {
    var request = AssetCreationRequest(id: assetID, photo: photo.data, metadata: metadata(of: photo, resolved))
    // The photos of a burst are too many for the sensor's own frames.
    request.rawFrame = settings.isOfBurst ? nil : photo.raw
    return request
  }

  private func metadata(of photo: CapturedPhoto, _ resolved: ResolvedPhotoSettings) -> PhotoMetadata {
    PhotoMetadata(
      resolved: resolved, photo: photo, software: "PhotoMe \(ProgramVersion.text)", location: location,
      burstID: settings.group?.id)
  }

  private func saved(_ outcome: PhotoCaptureStateMachine<StagedPhoto, Asset>.Outcome) async -> SavedPhoto {
    let asset = outcome.asset
    let elapsed = MonotonicTime.now - settings.pressed
    let raw = await library.rawFile(of: asset)
    let missingRaw =
      outcome.resolved.wantsRaw && raw == nil ? localized("The photo was saved without its DNG file.") : nil
    let shortfalls = [outcome.shortfall, missingRaw].compactMap(\.self)
    return SavedPhoto(
      assetID: asset.id, url: asset.url, rawURL: raw, isLive: asset.isLive,
      size: asset.size, resolved: outcome.resolved,
      movieDuration: outcome.movie?.duration, photoDisplayTime: outcome.movie?.photoDisplayTime,
      pressToSaved: elapsed, shortfall: shortfalls.isEmpty ? nil : shortfalls.joined(separator: " "),
      frameCount: outcome.frameCount)
  }
}
