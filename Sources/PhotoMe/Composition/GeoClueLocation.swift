// The computer's location, from GeoClue or the desktop's portal.

import CameraCore
import CameraModels
import GtkShim
import PhotoLibrary

/// Asks GeoClue, or the portal in a sandbox.
@MainActor final class GeoClueLocation: LocationSource {
  private let desktopID: String
  private var search: OpaquePointer?

  /// - Parameter desktopID: The program's, by which the desktop remembers permissions.
  init(desktopID: String) { self.desktopID = desktopID }

  func start(_ tell: @escaping (LocationNotice) -> Void) {
    stop()
    let told: (PmLocationNotice) -> Void = { notice in
      if let notice = Self.notice(notice) { tell(notice) }
    }
    let isInSandbox = Sandbox.current != nil
    search = pm_location_start(
      desktopID, isInSandbox.gboolean, toldTrampoline, HandlerBox.retained(told), releaseHandlerBox)
  }

  func stop() {
    search.map { pm_location_stop($0) }
    search = nil
  }

  /// - Returns: `nil` for coordinates that can't be.
  private static func notice(_ notice: PmLocationNotice) -> LocationNotice? {
    switch notice.state {
    case PM_LOCATION_FOUND:
      GeoLocation(latitude: notice.latitude, longitude: notice.longitude)
        .map { .found($0, accuracy: notice.accuracy > 0 ? notice.accuracy : nil) }
    case PM_LOCATION_REFUSED: .refused
    default: .unavailable
    }
  }
}

/// `void (notice, data)`, on the main thread
private let toldTrampoline: @convention(c) (PmLocationNotice, UnsafeMutableRawPointer?) -> Void = { notice, data in
  let handler: HandlerBox<(PmLocationNotice) -> Void>? = .from(data)
  ownWork { handler?.handler(notice) }
}
