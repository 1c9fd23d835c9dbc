// People's own backdrops, as they are chosen.

import CameraCore
import EngineInterface
import Foundation
import Localization
import Observation
import PhotoEffects
import PhotoLibrary

/// The pictures and movies that the library keeps as backdrops, for the viewfinder and the editor.
@MainActor @Observable
public final class BackdropsModel {
  /// The latest first.
  public private(set) var kept: [KeptBackdrop] = []
  /// The part of a file that was read, 0…1, while one becomes a backdrop; `nil` while none does.
  public private(set) var progress: Double?
  /// The backdrop that was removed last.
  public private(set) var removed: KeptBackdrop.ID?

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let reader: any MovieReader
  @ObservationIgnored private var adding: Task<(backdrop: KeptBackdrop, isCut: Bool), any Error>?
  /// Where own backdrops were last.
  @ObservationIgnored private var places: [KeptBackdrop.ID: OwnBackdrop] = [:]
  /// The numbers of pictures that will need a backdrop.
  @ObservationIgnored private var users: [(KeptBackdrop.ID) -> Int] = []

  /// - Parameter reader: Decodes movies.
  public init(library: PhotoLibrary, reader: any MovieReader) { (self.library, self.reader) = (library, reader) }

  /// Reads the list anew: another window or program may have changed it. Where that fails it stays as it was: who chooses
  /// one is told.
  public func load() async {
    guard let found = try? await library.keptBackdrops(), found != kept else { return }
    kept = found
  }

  /// Keeps the picture or movie of a file as backdrop. A file that is still being read is given up for it.
  ///
  /// - Returns: The backdrop, and a sentence about a movie that is longer than a backdrop.
  /// - Throws: `CancellationError` when it was given up; the reason why it can't be kept.
  func add(_ file: URL) async throws -> (backdrop: OwnBackdrop, note: String?) {
    let before = adding
    before?.cancel()
    progress = 0
    let mine = Task { [library, reader] in
      _ = try? await before?.value
      try Task.checkCancellation()
      let added = try await library.keepBackdrop(of: file, reader: reader) { done in
        Task { @MainActor [weak self] in self?.note(progress: done) }
      }
      try Task.checkCancellation()
      return added
    }
    adding = mine
    defer { if adding == mine { (progress, adding) = (nil, nil) } }
    let (backdrop, isCut) = try await mine.value
    await load()
    guard let own = place(of: backdrop.id) else { throw RecipeError.missingBackdrop }
    return (own, isCut ? Self.cutNote(of: file) : nil)
  }

  private func note(progress done: Double) {
    if let progress, done > progress { self.progress = done }
  }

  /// Gives up the file that is being read.
  public func cancelAdding() { adding?.cancel() }

  /// A sentence about a movie that is longer than a backdrop.
  public nonisolated static func cutNote(of file: URL) -> String {
    let seconds = Int(BackdropMovie.longest)
    return localized("The first \(seconds) seconds of “\(file.lastPathComponent)” are the backdrop.")
  }

  /// “Video, November 21, 2026, 7:32 AM”: the kind, and when it was first chosen.
  public nonisolated static func title(of kept: KeptBackdrop) -> String {
    let date = kept.added.localized(Date.FormatStyle(date: .long, time: .shortened))
    return switch kept.kind {
    case .picture: localized("Picture, \(date)", comment: "A backdrop, and when it was added")
    case .movie: localized("Video, \(date)", comment: "A backdrop, and when it was added")
    }
  }

  /// A backdrop where it was last; in the middle at first.
  ///
  /// - Returns: `nil` for an id that can't be any.
  func place(of id: KeptBackdrop.ID) -> OwnBackdrop? { places[id] ?? OwnBackdrop(id: id) }

  /// A backdrop is where it shall be the next time.
  func remember(_ own: OwnBackdrop) {
    var place = own
    place.start = 0
    places[own.id] = place
  }

  // MARK: Removing

  /// - Parameter user: The number of pictures that will need a backdrop, though the library doesn't know yet.
  func addUser(_ user: @escaping (KeptBackdrop.ID) -> Int) { users.append(user) }

  /// Moves a backdrop to the trash.
  ///
  /// - Throws: `PhotoLibraryError.backdropInUse` for one that pictures need or will need, or another error.
  func remove(_ id: KeptBackdrop.ID) async throws(PhotoLibraryError) {
    let count = users.reduce(0) { $0 + $1(id) }
    guard count == 0 else { throw .backdropInUse(count: count) }
    try await library.trashBackdrop(id)
    removed = id
    await load()
  }

  // MARK: Pictures

  /// The pictures of an own backdrop, in memory.
  ///
  /// - Throws: `RecipeError.missingBackdrop`, or the reason why it can't be read.
  func source(of own: OwnBackdrop) async throws -> any BackdropSource {
    try await Blocking.run { [backdrops = library.backdrops] in try backdrops.source(of: own.id) }
  }

  /// A backdrop as it is behind a small picture of a size, in pixels.
  ///
  /// - Returns: `nil` when it can't be read.
  public func picture(of backdrop: Backdrop, _ size: PixelSize) async -> DecodedImage? {
    await Blocking.run { [beginnings = library.backdrops.beginnings] in
      try? backdrop.picture(of: size, from: beginnings)
    }
  }
}
