// People, told from the background by networks.

import CameraCore
import Foundation

/// The mattes of people, by MediaPipe's selfie segmentation.
public struct PersonMatteProvider: MatteProvider {
  private let folder: URL?

  /// - Parameter folder: Of the models.
  public init(folder: URL? = ModelFile.installedFolder) { self.folder = folder }

  public var kinds: Set<MatteKind> { [.person] }

  /// A processor for which XNNPACK has no code is among the reasons. Takes some milliseconds.
  public func reasonForAbsence() -> (any Error)? {
    do {
      for quality in [MatteQuality.live, .still] { _ = try makeTracker(.person, quality: quality) }
      return nil
    } catch { return error }
  }

  /// - Throws: `ModelError`, also for another kind than `person`.
  public func makeTracker(_ kind: MatteKind, quality: MatteQuality) throws -> any MatteTracker {
    guard kind == .person else { throw ModelError.unknown(kind.rawValue) }
    switch quality {
    case .live: return try PersonTracker(isLive: true, guide: .gray, folder: folder)
    case .movie: return try PersonTracker(isLive: true, guide: .color, folder: folder)
    case .still: return try PersonTracker(isLive: false, guide: .color, folder: folder)
    }
  }
}
