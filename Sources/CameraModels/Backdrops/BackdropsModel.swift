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
  /// Whether a file is being read.
  public private(set) var isAdding = false

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let reader: any MovieReader
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private var adding: Task<KeptBackdrop?, Never>?

  /// - Parameter reader: Decodes movies.
  public init(library: PhotoLibrary, reader: any MovieReader, messages: MessageModel) {
    (self.library, self.reader, self.messages) = (library, reader, messages)
  }

  /// Reads the list anew: another window or program may have changed it.
  public func load() async {
    do { kept = try await library.keptBackdrops() } catch { messages.post(error.description) }
  }

  /// Keeps the picture or movie of a file as backdrop. A file that is still being read is given up for it.
  ///
  /// - Returns: `nil` when it can't be kept, which is posted, or was given up.
  public func add(_ file: URL) async -> OwnBackdrop? {
    let before = adding
    before?.cancel()
    isAdding = true
    let mine = Task { [library, reader, messages] () -> KeptBackdrop? in
      _ = await before?.value
      do {
        try Task.checkCancellation()
        let (backdrop, isCut) = try await library.keepBackdrop(of: file, reader: reader)
        try Task.checkCancellation()
        if isCut { messages.post(Self.cutNote(of: file)) }
        return backdrop
      } catch is CancellationError {
        return nil
      } catch {
        messages.post(
          localized("“\(file.lastPathComponent)” can’t be a backdrop. \(error.localizedDescription)"))
        return nil
      }
    }
    adding = mine
    let backdrop = await mine.value
    if adding == mine { (isAdding, adding) = (false, nil) }
    guard let backdrop else { return nil }
    await load()
    return OwnBackdrop(id: backdrop.id)
  }

  /// A sentence about a movie that is longer than a backdrop.
  public nonisolated static func cutNote(of file: URL) -> String {
    let seconds = Int(BackdropMovie.longest)
    return localized("The first \(seconds) seconds of “\(file.lastPathComponent)” are the backdrop.")
  }

  /// Moves a backdrop to the trash. One that pictures need stays, which is posted.
  ///
  /// - Returns: Whether it is gone.
  @discardableResult
  public func remove(_ id: KeptBackdrop.ID) async -> Bool {
    do {
      try await library.trashBackdrop(id)
    } catch {
      messages.post(error.description)
      return false
    }
    messages.post(localized("The backdrop was moved to the trash."))
    await load()
    return true
  }

  /// The pictures of an own backdrop, in memory.
  ///
  /// - Throws: `RecipeError.missingBackdrop`, or the reason why it can't be read.
  func source(of own: OwnBackdrop) async throws -> any BackdropSource {
    try await Blocking.run { [backdrops = library.backdrops] in try backdrops.source(of: own.id) }
  }

  /// A backdrop as it is behind a picture of a size, in pixels.
  ///
  /// - Returns: `nil` when it can't be read.
  public func picture(of backdrop: Backdrop, _ size: PixelSize) async -> DecodedImage? {
    await Blocking.run { [backdrops = library.backdrops] in try? backdrop.picture(of: size, from: backdrops) }
  }
}
