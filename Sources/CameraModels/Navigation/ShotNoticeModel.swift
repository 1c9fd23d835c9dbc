// Desktop notifications about photos that were taken while nobody looked at the window.

import CameraCore
import Foundation
import Localization
import Observation
import PhotoLibrary

/// Notifies of a photo that the countdown, a series or the photo booth took while the window was out of sight: hidden,
/// minimized, or another program's in front. The notification goes when the window is looked at.
@MainActor @Observable
public final class ShotNoticeModel {
  /// A notification, which replaces the one before.
  public struct Notice: Hashable, Sendable {
    public let title: String
    public let body: String
    /// The photo.
    public let id: Asset.ID
    /// Whether it only replaces one that was seen to arrive, as the later photos of a series do.
    public let isQuiet: Bool
  }

  /// `nil` while there is nothing to notify of.
  public private(set) var notice: Notice?

  /// The longest side of the thumbnail, in pixels.
  public nonisolated static let thumbnailSide = 256

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let images: ImageManager
  @ObservationIgnored private let viewer: ViewerModel
  @ObservationIgnored private let strip: ThumbnailStripModel
  @ObservationIgnored private let navigation: NavigationModel
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private var observations: [ModelObservation] = []
  @ObservationIgnored private var last: TimedShot?
  /// Whether a window of the program has the keyboard's focus.
  private var isWindowActive = true

  /// - Parameter images: Makes the thumbnail.
  public init(
    camera: CameraModel, library: PhotoLibrary, images: ImageManager, viewer: ViewerModel, strip: ThumbnailStripModel,
    navigation: NavigationModel, messages: MessageModel
  ) {
    (self.library, self.images, self.viewer, self.strip) = (library, images, viewer, strip)
    (self.navigation, self.messages) = (navigation, messages)
    observations = [
      ModelObservation(of: { camera.timedShot }) { [weak self] in self?.taken($0) },
      ModelObservation(of: { [weak self] in self?.isInSight ?? true }) { [weak self] in
        if $0 { self?.notice = nil }
      },
    ]
  }

  private var isInSight: Bool { isWindowActive && !navigation.isWindowHidden }

  /// A window of the program was activated, or another program's.
  public func setWindowActive(_ isActive: Bool) {
    if isActive != isWindowActive { isWindowActive = isActive }
  }

  private func taken(_ shot: TimedShot?) {
    guard let shot, shot != last else { return }
    last = shot
    guard !isInSight else { return }
    let title =
      shot.count == 1
      ? localized("Photo taken")
      : localized("\(shot.count) photo taken", plural: "\(shot.count) photos taken", count: shot.count)
    notice = Notice(title: title, body: shot.url.lastPathComponent, id: shot.id, isQuiet: notice != nil)
  }

  /// The thumbnail of a notification's photo; `nil` when it can't be read anymore.
  public func thumbnail(of notice: Notice) async -> DecodedImage? {
    let side = PixelSize(width: Self.thumbnailSide, height: Self.thumbnailSide)
    do {
      guard let asset = try await library.asset(id: notice.id) else { return nil }
      return try await images.image(for: asset, targetSize: side)
    } catch {
      // The notification says the same without it; opening the photo reports the reason.
      return nil
    }
  }

  /// Shows the photo of a notification in the viewer. A message says when it is gone.
  public func show(_ id: Asset.ID) async {
    do {
      guard let asset = try await library.asset(id: id), !asset.isHidden else {
        return messages.post(localized("The photo is no longer in the library."))
      }
      viewer.open(asset, in: strip)
    } catch { messages.post(error.description) }
  }
}
