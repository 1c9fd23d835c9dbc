// The library's pictures in the desktop's trash, as the page “Recently Deleted” lists them.

import Foundation
import Observation
import PhotoLibrary

/// Lists the pictures in the trash, and follows what any program does there while the page is open.
@MainActor @Observable
public final class RecentlyDeletedModel {
  /// What was deleted last comes first.
  public private(set) var pictures: [TrashedPicture] = []
  /// Whether the trash has been read since the page was opened.
  public private(set) var isRead = false
  /// The reason that the trash can't be read; `nil` while it can.
  public private(set) var failure: String?

  /// Called when the list was read.
  @ObservationIgnored var changed: (() -> Void)?
  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let lock: HiddenLock?
  @ObservationIgnored private var following: [Task<Void, Never>] = []
  @ObservationIgnored private var reading: Task<Void, Never>?
  @ObservationIgnored private var mustRead = false
  @ObservationIgnored private var byID: [Asset.ID: TrashedPicture] = [:]

  init(library: PhotoLibrary, lock: HiddenLock?) { (self.library, self.lock) = (library, lock) }

  deinit { for task in following { task.cancel() } }

  /// The pictures as assets for the grid. Their ids are the paths in the trash, as several files there can hold the
  /// same picture, and they count as hidden, so that nothing of them is left among the desktop's thumbnails. Those that
  /// were hidden when they were deleted are left out while hidden pictures are locked.
  var assets: [Asset] {
    let leavesHiddenOut = lock?.isClosed == true
    return pictures.filter { !(leavesHiddenOut && $0.asset.isHidden) }.map { picture in
      var asset = picture.asset
      (asset.id, asset.isHidden) = (picture.id, true)
      return asset
    }
  }

  /// The picture behind an asset of `assets`; `nil` when it is no longer in the trash.
  public func picture(_ id: Asset.ID) -> TrashedPicture? { byID[id] }

  /// Reads the trash, and follows it until `stop`. Returns when the list is read.
  func follow() async {
    if following.isEmpty {
      let (emptied, changes) = (library.trashChanges(), library.changes())
      following = [
        Task { [weak self] in for await _ in emptied { await self?.read() } },
        // A picture that was restored may be the reason that another one has an id of its own.
        Task { [weak self] in for await _ in changes { await self?.read() } },
      ]
    }
    await read()
  }

  func stop() {
    for task in following { task.cancel() }
    following = []
    (pictures, byID) = ([], [:])
    isRead = false
  }

  /// Reads the trash again. Calls during the reading are answered by one more reading.
  private func read() async {
    mustRead = true
    if reading == nil {
      reading = Task { [weak self] in
        while let self, self.mustRead {
          self.mustRead = false
          await self.readOnce()
        }
        self?.reading = nil
      }
    }
    await reading?.value
  }

  private func readOnce() async {
    do {
      let pictures = try await library.trashedPictures()
      // The page was left in the meantime.
      guard !following.isEmpty else { return }
      if failure != nil { failure = nil }
      if pictures != self.pictures {
        self.pictures = pictures
        byID = Dictionary(pictures.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      }
    } catch {
      guard !following.isEmpty else { return }
      failure = error.description
    }
    if !isRead { isRead = true }
    changed?()
  }
}
