// People, told from the background by networks.

import CameraCore
import Foundation

/// The mattes of people, by MediaPipe's selfie segmentation, and of their skin, by its color.
public struct PersonMatteProvider: MatteProvider {
  private let folder: URL?

  /// - Parameter folder: Of the models.
  public init(folder: URL? = ModelFile.installedFolder) { self.folder = folder }

  public var kinds: Set<MatteKind> { [.person, .skin] }

  /// A processor for which XNNPACK has no code is among the reasons. Takes some milliseconds.
  public func reasonForAbsence() -> (any Error)? {
    do {
      for quality in [MatteQuality.live, .still] { _ = try makeTracker(.person, quality: quality) }
      return nil
    } catch { return error }
  }

  /// - Throws: `ModelError`, also for a kind that isn't told apart.
  public func makeTracker(_ kind: MatteKind, quality: MatteQuality) throws -> any MatteTracker {
    guard kinds.contains(kind) else { throw ModelError.unknown(kind.rawValue) }
    let person = try personTracker(quality)
    return kind == .skin ? try SkinTracker(person, isStill: quality == .still, folder: folder) : person
  }

  private func personTracker(_ quality: MatteQuality) throws(ModelError) -> PersonTracker {
    switch quality {
    case .live: try PersonTracker(isLive: true, guide: .gray, folder: folder)
    case .movie: try PersonTracker(isLive: true, guide: .color, folder: folder)
    case .still: try PersonTracker(isLive: false, guide: .color, folder: folder)
    }
  }
}
