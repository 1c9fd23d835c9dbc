// State machine of one shot, from the press to the saved file.

import Localization

/// Decides what to do next with a shot, so that every path ends exactly once, finished or failed, and no picture that was
/// taken is lost on the way. It performs nothing itself.
///
///     waitingForFrame ─ willBegin → waitingForPhoto ─ photo ─┬ not live → saving ──────────────────────── saved → ended
///                                                            └ live → staging ─ staged → waitingForMovie
///                                  waitingForMovie ─┬ movie ────────────── → joining ──────────────────── saved → ended
///                                                   └ no movie             → saving ↖ joining failed
///
/// A photo whose still may improve is staged as well, live or not. The better still, or the one in the format that was asked
/// for, replaces the staged one; without one, or if that fails, the first is kept, and another format is said.
///
/// The states carry what the shot has so far; `Staged` names a still in its staging place, and `Asset` the final file,
/// in the library's own types. An event that doesn't fit the state changes nothing and returns `none`: the engine sends
/// each event once, and what comes after a failure has nothing left to do.
public struct PhotoCaptureStateMachine<Staged: Sendable, Asset: Sendable>: Sendable {
  enum State: Sendable {
    /// The frame isn't chosen yet.
    case waitingForFrame
    /// The frame is chosen; its JPEG is being made.
    case waitingForPhoto(ResolvedPhotoSettings)
    /// The still of a live photo is on its way to the staging place; `arrived` is what became of its movie meanwhile.
    case staging(ResolvedPhotoSettings, arrived: MovieOutcome?)
    /// A better still is replacing the staged one.
    case improving(ResolvedPhotoSettings, Staged, CapturedPhoto, arrived: MovieOutcome?)
    /// The still is safe in the staging place; its movie is still rolling or being written.
    case waitingForMovie(ResolvedPhotoSettings, Staged)
    /// The library is joining the staged still and its movie.
    case joining(ResolvedPhotoSettings, Staged, CapturedMovie)
    /// The library is writing the final file of a photo, or of a still alone.
    case saving(ResolvedPhotoSettings, shortfall: String?)
    case ended(Result<Outcome, any Error>)
  }

  enum MovieOutcome: Sendable {
    case movie(CapturedMovie)
    /// - reason: `nil` where none was wanted.
    case missing(reason: String?)
  }

  /// A shot that ended well.
  public struct Outcome: Sendable {
    public var asset: Asset
    public var resolved: ResolvedPhotoSettings
    /// `nil` when the file is a still alone.
    public var movie: CapturedMovie?
    /// The part that could not be had, and why.
    public var shortfall: String?
    /// The frames that the still was made of.
    public var frameCount = 1
  }

  /// The task of the machine's owner.
  public enum Action: Sendable {
    case none
    /// Write the photo to its final place, then call `saved` or `savingFailed`.
    case save(CapturedPhoto, ResolvedPhotoSettings)
    /// Put the still of a live photo into the staging place, then call `staged` or `savingFailed`.
    case stage(CapturedPhoto, ResolvedPhotoSettings)
    /// Put a better still into the place of the staged one, then call `staged` or `savingFailed`.
    case restage(Staged, CapturedPhoto)
    /// Write the staged still and the movie to their final place, then call `saved` or `savingFailed`.
    case commit(Staged, CapturedMovie)
    /// Write the staged still alone to its final place, then call `saved` or `savingFailed`. First remove the movie that
    /// could not be joined to it, which may have taken the room.
    case commitStill(Staged, removing: CapturedMovie?)
    /// Remove the movie of a shot that has failed; nothing else would until the next start.
    case remove(CapturedMovie)
  }

  private var state = State.waitingForFrame
  /// The frames that the staged still was made of.
  private var frameCount = 1
  /// The format of the staged still.
  private var format = PhotoFormat.jpeg
  /// What the staged still lacks, in a sentence; `nil` for nothing.
  private var stillShortfall: String?

  public init() {}

  /// The outcome of the shot; `nil` before its end. A shot ends once the engine has ended and the disk has answered every action.
  /// When it failed, what was staged is kept for recovery.
  public var result: Result<Outcome, any Error>? {
    if case .ended(let result) = state { result } else { nil }
  }

  /// The engine sent an event.
  public mutating func received(_ event: CaptureEvent) -> Action {
    switch (state, event) {
    case (.waitingForFrame, .willBegin(let resolved)):
      state = .waitingForPhoto(resolved)
      return .none
    case (.waitingForPhoto(let resolved), .photo(let photo)):
      (format, stillShortfall) = (photo.format, photo.shortfall)
      let isStaged = resolved.isLive || resolved.mayImprove
      state = isStaged ? .staging(resolved, arrived: nil) : .saving(resolved, shortfall: nil)
      return isStaged ? .stage(photo, resolved) : .save(photo, resolved)
    case (.waitingForMovie(let resolved, let staged), .improved(let photo)):
      state = .improving(resolved, staged, photo, arrived: nil)
      return .restage(staged, photo)
    case (.improving(let resolved, let staged, let photo, nil), .movie(let movie)):
      state = .improving(resolved, staged, photo, arrived: .movie(movie))
      return .none
    case (.staging(let resolved, nil), .movie(let movie)):
      state = .staging(resolved, arrived: .movie(movie))
      return .none
    case (.waitingForMovie(let resolved, let staged), .movie(let movie)):
      return join(resolved, staged, movie)
    case (.ended(.failure), .movie(let movie)):
      return .remove(movie)
    default:
      return .none
    }
  }

  /// The engine has no more events; `error` says why when it gave up.
  public mutating func engineEnded(error: (any Error)?) -> Action {
    let reason = { (resolved: ResolvedPhotoSettings) -> String? in
      guard resolved.isLive else { return nil }
      return error.map { "\($0)" } ?? localized("The camera stopped before the video was made.")
    }
    switch state {
    case .waitingForFrame, .waitingForPhoto:
      let failure = error ?? CameraError.pictureFailed(message: localized("the camera stopped too early"))
      state = .ended(.failure(failure))
      return .none
    case .staging(let resolved, nil):
      state = .staging(resolved, arrived: .missing(reason: reason(resolved)))
      return .none
    case .improving(let resolved, let staged, let photo, nil):
      state = .improving(resolved, staged, photo, arrived: .missing(reason: reason(resolved)))
      return .none
    case .waitingForMovie(let resolved, let staged):
      return saveStill(resolved, staged, reason: reason(resolved))
    case .staging, .improving, .joining, .saving, .ended:
      return .none
    }
  }

  /// The still is safe in the staging place.
  public mutating func staged(_ staged: Staged) -> Action {
    switch state {
    case .staging(let resolved, let arrived):
      return goOn(resolved, staged, arrived)
    case .improving(let resolved, _, let photo, let arrived):
      (frameCount, format, stillShortfall) = (photo.frameCount, photo.format, photo.shortfall)
      return goOn(resolved, staged, arrived)
    case .waitingForFrame, .waitingForPhoto, .waitingForMovie, .joining, .saving, .ended:
      return .none
    }
  }

  /// The still is staged; the shot goes on with what has become of its movie.
  private mutating func goOn(
    _ resolved: ResolvedPhotoSettings, _ staged: Staged, _ arrived: MovieOutcome?
  ) -> Action {
    switch arrived {
    case nil:
      state = .waitingForMovie(resolved, staged)
      return .none
    case .movie(let movie):
      return join(resolved, staged, movie)
    case .missing(let reason):
      return saveStill(resolved, staged, reason: reason)
    }
  }

  /// The final file is durable.
  public mutating func saved(_ asset: Asset) -> Action {
    switch state {
    case .joining(let resolved, _, let movie):
      let shortfalls = [stillShortfall].compactMap(\.self) + movie.shortfalls.map(\.description)
      let shortfall = shortfalls.isEmpty ? nil : shortfalls.joined(separator: " ")
      state = .ended(
        .success(
          Outcome(
            asset: asset, resolved: resolved, movie: movie, shortfall: shortfall, frameCount: frameCount)))
    case .saving(let resolved, let missing):
      let shortfalls = [stillShortfall, missing].compactMap(\.self)
      let shortfall = shortfalls.isEmpty ? nil : shortfalls.joined(separator: " ")
      state = .ended(
        .success(
          Outcome(
            asset: asset, resolved: resolved, movie: nil, shortfall: shortfall, frameCount: frameCount)))
    case .waitingForFrame, .waitingForPhoto, .staging, .improving, .waitingForMovie, .ended:
      break
    }
    return .none
  }

  /// The still could not be staged, or the final file not be written.
  public mutating func savingFailed(_ error: any Error) -> Action {
    switch state {
    case .joining(let resolved, let staged, let movie):
      // There may be no room for the movie; the still is on disk already.
      return saveStill(
        resolved, staged, removing: movie,
        reason: localized(
          "The video of the live photo couldn’t be saved. \(String(describing: error))", comment: "{0} is a sentence"))
    case .improving(let resolved, let staged, let photo, let arrived):
      // The first still is safe.
      if photo.format != format {
        stillShortfall = localized(
          "The photo was saved as \(format.name) instead of \(photo.format.name). \(String(describing: error))",
          comment: "{0} and {1} are formats; {2} is a sentence")
      }
      return goOn(resolved, staged, arrived)
    case .staging(_, .movie(let movie)):
      state = .ended(.failure(error))
      return .remove(movie)
    case .staging, .saving:
      state = .ended(.failure(error))
      return .none
    case .waitingForFrame, .waitingForPhoto, .waitingForMovie, .ended:
      return .none
    }
  }

  private mutating func join(_ resolved: ResolvedPhotoSettings, _ staged: Staged, _ movie: CapturedMovie) -> Action {
    state = .joining(resolved, staged, movie)
    return .commit(staged, movie)
  }

  private mutating func saveStill(
    _ resolved: ResolvedPhotoSettings, _ staged: Staged, removing movie: CapturedMovie? = nil, reason: String?
  ) -> Action {
    state = .saving(resolved, shortfall: reason)
    return .commitStill(staged, removing: movie)
  }
}
