// The way of pictures from the threads that make them to the cells that show them.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import PhotoLibrary
import Synchronization

/// A cell that shows a picture once it has been made.
@MainActor protocol PictureReceiver: AnyObject, Sendable {
  /// Takes the picture of a request; `nil` when no more will come.
  func receive(_ picture: PictureDeliveries.Picture?, of request: Int)
}

/// Asks for the pictures of cells, and hands them over when it is told to.
///
/// Pictures are made, and turned into what GTK paints, on other threads; the main thread only puts them in their places.
@MainActor final class PictureDeliveries {
  private struct Delivery: Sendable {
    let cell: any PictureReceiver
    /// Which of the cell's requests it answers.
    let request: Int
    /// `nil` when nothing more will come.
    let picture: Picture?
  }

  /// A picture as GTK paints it.
  struct Picture: @unchecked Sendable {
    // Sendable: a texture is not changed any more once it is made, and GObject counts references atomically.
    let texture: GObjectRef?
    let isDegraded: Bool
  }

  /// What has arrived, oldest first.
  private final class Box: Sendable {
    let deliveries = Mutex<[Delivery]>([])
  }

  private let box = Box()
  private let arrived: Wakeup

  /// - Parameter arrived: Called when there is something to be handed over.
  init(arrived: @escaping () -> Void) { self.arrived = Wakeup(priority: G_PRIORITY_DEFAULT, arrived) }

  /// Has a picture made and handed to a cell, a rough one first.
  ///
  /// - Returns: Ends the request when it is cancelled.
  func request(
    _ asset: Asset, side: Int, from model: LibraryModel, for cell: any PictureReceiver, request: Int
  ) -> Task<Void, Never> {
    let (box, arrived) = (box, arrived)
    let pictures = model.thumbnails(of: asset, size: PixelSize(width: side, height: side))
    return Task.detached(priority: .userInitiated) { [weak cell] in
      func send(_ picture: Picture?) {
        guard !Task.isCancelled, let cell else { return }
        box.deliveries.withLock { $0.append(Delivery(cell: cell, request: request, picture: picture)) }
        arrived.signal()
      }
      do {
        for try await result in pictures {
          send(Picture(texture: result.image.texture(), isDegraded: result.isDegraded))
        }
      } catch {
        // The cell shows that there is no picture; opening it tells why.
      }
      send(nil)
    }
  }

  /// Hands over what has arrived, as much as there is time for.
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
