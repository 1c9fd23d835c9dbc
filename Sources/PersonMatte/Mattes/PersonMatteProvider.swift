// People, told from the background by networks.

import CameraCore
import Foundation

/// The mattes of people, by MediaPipe's selfie segmentation.
public struct PersonMatteProvider: MatteProvider {
  private let folder: URL?

  /// - Parameter folder: Of the models.
  public init(folder: URL? = ModelFile.installedFolder) { self.folder = folder }

  public var kinds: Set<MatteKind> { [.person] }

  /// The reason why there are no mattes; `nil` when all models are installed. A processor for which XNNPACK has no code is
  /// found by `makeTracker`.
  ///
  /// Reads the files.
  public func reasonForAbsence() -> (any Error)? {
    for file in ModelFile.allCases {
      do throws(ModelError) { _ = try file.load(from: folder) } catch { return error }
    }
    return nil
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
