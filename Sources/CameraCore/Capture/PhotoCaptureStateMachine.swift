// The life of one shot as a state machine: what each event leads to. It performs nothing itself.

/// Says what to do next with a shot, so that every path ends in exactly one of finished or failed, and no picture that
/// was taken is lost on the way.
///
///     waitingForFrame ─ willBegin → waitingForPhoto ─ photo ─┬ not live → saving ─ saved → ended
///                                                            └ live → waitingForMovie ─ movie → joining ─ saved → ended
///                                                                           └ the movie, or joining, fails → saving
public struct PhotoCaptureStateMachine: Sendable {
  enum State: Sendable {
    /// The frame isn't chosen yet.
    case waitingForFrame
    /// The frame is chosen; its JPEG is being made.
    case waitingForPhoto(ResolvedPhotoSettings)
    /// The still of a live photo is safe in the staging place; its movie is still rolling or being written.
    case waitingForMovie
    /// The library is joining the staged still and its movie.
    case joining
    /// The library is writing the final file of a photo, or of a still alone.
    case saving(shortfall: String?)
    case ended
  }

  /// What the owner of the machine must do.
  public enum Action: Sendable {
    case none
    /// Write the photo to its final place, then call `saved` or `savingFailed`.
    case save(CapturedPhoto)
    /// Make the still of a live photo safe while the movie is rolling.
    case stage(CapturedPhoto)
    /// Write the staged still and the movie to their final place, then call `saved` or `savingFailed`.
    case commit(CapturedMovie)
    /// Write the staged still alone to its final place; the text says what is missing. Then call `saved` or
    /// `savingFailed`.
    case commitStill(shortfall: String)
    /// End the shot well.
    case finish(shortfall: String?)
    /// End the shot with this error. What was staged is kept for recovery.
    case fail(any Error)
  }

  private var state = State.waitingForFrame

  public init() {}

  /// Whether the shot has ended, well or not.
  public var hasEnded: Bool {
    if case .ended = state { true } else { false }
  }

  /// The engine sent an event.
  public mutating func received(_ event: CaptureEvent) -> Action {
    switch (state, event) {
    case (.waitingForFrame, .willBegin(let resolved)):
      state = .waitingForPhoto(resolved)
      return .none
    case (.waitingForPhoto(let resolved), .photo(let photo)):
      state = resolved.isLive ? .waitingForMovie : .saving(shortfall: nil)
      return resolved.isLive ? .stage(photo) : .save(photo)
    case (.waitingForMovie, .movie(let movie)):
      state = .joining
      return .commit(movie)
    default:
      return .none
    }
  }

  /// The engine has no more events; `error` says why when it gave up.
  public mutating func engineEnded(error: (any Error)?) -> Action {
    switch state {
    case .waitingForFrame, .waitingForPhoto:
      state = .ended
      return .fail(error ?? CameraError.pictureFailed(message: "the camera stopped before the picture was made"))
    case .waitingForMovie:
      let reason = error.map { "\($0)" } ?? "the camera stopped before the movie was made"
      state = .saving(shortfall: reason)
      return .commitStill(shortfall: reason)
    case .joining, .saving, .ended:
      return .none
    }
  }

  /// The still could not be staged, or the final file not be written.
  public mutating func savingFailed(_ error: any Error) -> Action {
    switch state {
    case .ended:
      return .none
    case .joining:
      // There may be no room for the movie; the still is on disk already.
      let reason = "The movie of the live photo could not be saved. \(error)"
      state = .saving(shortfall: reason)
      return .commitStill(shortfall: reason)
    case .waitingForFrame, .waitingForPhoto, .waitingForMovie, .saving:
      state = .ended
      return .fail(error)
    }
  }

  /// The final file is durable.
  public mutating func saved() -> Action {
    switch state {
    case .joining:
      state = .ended
      return .finish(shortfall: nil)
    case .saving(let shortfall):
      state = .ended
      return .finish(shortfall: shortfall)
    case .waitingForFrame, .waitingForPhoto, .waitingForMovie, .ended:
      return .none
    }
  }
}
