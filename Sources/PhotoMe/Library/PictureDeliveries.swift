// The delivery of thumbnails from the threads that make them to the cells that show them.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import PhotoLibrary
import Synchronization

/// A cell that shows a picture once it is ready.
@MainActor protocol PictureReceiver: AnyObject, Sendable {
  /// Takes the picture of a request; `nil` when no more will come.
  func receive(_ picture: PictureDeliveries.Picture?, of request: Int)
}

/// Requests the pictures of cells, and delivers them on demand.
///
/// Pictures are decoded and turned into textures on other threads; the main thread only assigns them.
@MainActor final class PictureDeliveries {
  private struct Delivery: Sendable {
    let cell: any PictureReceiver
    /// The number of the cell's request.
    let request: Int
    /// `nil` when no more will come.
    let picture: Picture?
  }

  /// A picture as a texture.
  struct Picture: @unchecked Sendable {
    // Sendable: a texture is immutable once it is made, and GObject counts references atomically.
    let texture: GObjectRef?
    let isDegraded: Bool
  }

  /// The pictures that have arrived, oldest first.
  private final class Box: Sendable {
    let deliveries = Mutex<[Delivery]>([])

    @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
    func append(_ delivery: Delivery) { deliveries.withLock { $0.append(delivery) } }
  }

  private let box = Box()
  private let arrived: Wakeup

  /// - Parameter arrived: Called when there is something to deliver.
  init(arrived: @escaping () -> Void) { self.arrived = Wakeup(priority: G_PRIORITY_DEFAULT, arrived) }

  /// Has a picture made and delivered to a cell, a rough one first.
  ///
  /// - Returns: A task; canceling it ends the request.
  func request(
    _ asset: Asset, side: Int, from model: LibraryModel, for cell: any PictureReceiver, request: Int
  ) -> Task<Void, Never> {
    let (box, arrived) = (box, arrived)
    let pictures = model.thumbnails(of: asset, size: PixelSize(width: side, height: side))
    return Task.detached(priority: .userInitiated) { [weak cell] in
      func send(_ picture: Picture?) {
        guard !Task.isCancelled, let cell else { return }
        box.append(Delivery(cell: cell, request: request, picture: picture))
        arrived.signal()
      }
      do {
        for try await result in pictures {
          send(Picture(texture: result.image.texture(), isDegraded: result.isDegraded))
        }
      } catch {
        // The cell shows a placeholder; opening the picture reports the reason.
      }
      send(nil)
    }
  }

  /// Delivers what has arrived, as much as there is time for.
  ///
  /// - Returns: Whether there is more.
  func deliver(within share: FrameShare) -> Bool {
    var rest = box.deliveries.withLock { deliveries in
      defer { deliveries = [] }
      return deliveries
    }[...]
    while !share.isSpent, let next = rest.popFirst() { next.cell.receive(next.picture, of: next.request) }
    guard !rest.isEmpty else { return false }
    box.deliveries.withLock { $0.insert(contentsOf: rest, at: 0) }
    return true
  }
}
