// A cell of the grid: its asset, its picture, and the request for the picture.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import Localization
import PhotoLibrary

/// A cell, which GTK reuses for one asset after another.
@MainActor final class GridCell: PictureReceiver {
  /// The minimum side of a cell, in pixels.
  static let side: Int32 = 148

  /// A `PmThumbnail`.
  let thumbnail: GObjectRef
  /// Whether the cell is bound to an index.
  var isBound = false
  private(set) var asset: Asset?
  /// The index, and the list's revision, that the cell shows; `nil` when it shows nothing.
  private var shown: (index: Int, revision: Int)?
  /// Whether the accessible name is set.
  private var isNamed = false
  /// The requested size in device pixels; `nil` without a request.
  private var loadedSide: Int?
  private var loading: Task<Void, Never>?
  /// Counts the requests.
  private var request = 0
  /// Whether the asset has no picture.
  private var isBroken = false
  private let listItem: UnsafeMutableRawPointer

  /// - Parameter listItem: The `GtkListItem` that owns this cell.
  init(listItem: UnsafeMutableRawPointer) {
    self.listItem = listItem
    thumbnail = GObjectRef(retaining: pm_thumbnail_new(Self.side))
    gtk_list_item_set_child(OpaquePointer(listItem), thumbnail.widget)
  }

  deinit { loading?.cancel() }

  /// The present index of the cell's list item.
  var index: Int { Int(gtk_list_item_get_position(OpaquePointer(listItem))) }

  /// Binds the cell to an index, and forgets what it showed before.
  func bind() {
    isBound = true
    guard asset != nil || shown != nil else { return }
    asset = nil
    shown = nil
    rest()
    pm_thumbnail_set_marks(thumbnail.opaque, PmThumbnailMarks(0))
    pm_thumbnail_set_progress(thumbnail.opaque, -1)
    pm_thumbnail_set_texts(thumbnail.opaque, nil, nil)
  }

  /// Shows the asset at the cell's index.
  ///
  /// - Returns: Whether it shows something new. Assets that haven't been read yet are shown in a later call.
  @discardableResult
  func update(_ model: LibraryModel) -> Bool {
    let (index, revision) = (index, model.list.revision)
    if let shown, shown == (index, revision) { return false }
    let new = model.list.assetIfRead(at: index)
    // The old asset stays until a different one is known.
    if new == nil, asset != nil { return false }
    // Whether a day begins here is known only when the previous asset has been read, too.
    let isComplete = new != nil && (index == 0 || model.list.assetIfRead(at: index - 1) != nil)
    shown = isComplete ? (index, revision) : nil
    if new != asset {
      let isSamePicture = new?.id == asset?.id && new?.changed == asset?.changed
      asset = new
      isNamed = false
      if !isSamePicture { rest() }
    }
    pm_thumbnail_set_texts(thumbnail.opaque, model.titleOfDay(beginningAt: index), asset.flatMap(Self.note))
    mark(model)
    return isComplete
  }

  /// The text at the bottom: the number of pictures of a burst, the duration of a video.
  private static func note(_ asset: Asset) -> String? {
    if asset.representsBurst { return asset.groupCount.localized }
    return asset.mediaType == .video ? asset.duration.map(PictureInfo.clock) : nil
  }

  /// Updates the marks alone.
  func mark(_ model: LibraryModel) {
    var marks: UInt32 = 0
    if let asset {
      if asset.representsBurst { marks |= PM_THUMBNAIL_BURST.rawValue }
      if asset.isLive { marks |= PM_THUMBNAIL_LIVE.rawValue }
      if asset.isFavorite { marks |= PM_THUMBNAIL_FAVORITE.rawValue }
      if asset.mediaType == .video { marks |= PM_THUMBNAIL_MOVIE.rawValue }
      if isBroken { marks |= PM_THUMBNAIL_BROKEN.rawValue }
    }
    if model.isSelecting {
      marks |= PM_THUMBNAIL_SELECTABLE.rawValue
      if model.selection.contains(index) { marks |= PM_THUMBNAIL_SELECTED.rawValue }
    }
    pm_thumbnail_set_marks(thumbnail.opaque, PmThumbnailMarks(marks))
  }

  /// Shows how far the edit of the picture is that is being saved.
  ///
  /// - Parameter progress: By the pictures' IDs, 0…1.
  func show(progress: [Asset.ID: Double]) {
    pm_thumbnail_set_progress(thumbnail.opaque, asset.flatMap { progress[$0.id] } ?? -1)
  }

  /// The side of the picture in device pixels, rounded up: a window that is being resized needs no new pictures each
  /// time.
  var pictureSide: Int {
    let width = Int(gtk_widget_get_width(thumbnail.widget)) * Int(gtk_widget_get_scale_factor(thumbnail.widget))
    return (max(width, Int(Self.side)) + Self.sideStep - 1) / Self.sideStep * Self.sideStep
  }

  private static let sideStep = 64

  /// Requests the picture, unless it is there or on its way.
  ///
  /// - Returns: Whether there was anything to do.
  @discardableResult
  func load(_ model: LibraryModel, _ deliveries: PictureDeliveries) -> Bool {
    guard let asset else { return false }
    if !isNamed {
      // Screen readers stop at the grid's own child, which GTK 4.8 leaves unnamed (4.12 has a property for it).
      pm_set_accessible_label(
        gtk_widget_get_parent(thumbnail.widget) ?? thumbnail.widget, model.spokenName(of: asset))
      isNamed = true
    }
    let side = pictureSide
    if let loadedSide, side <= loadedSide { return false }
    loading?.cancel()
    loadedSide = side
    request += 1
    isBroken = false
    loading = deliveries.request(asset, side: side, from: model, for: self, request: request)
    return true
  }

  /// Shows the picture of a request.
  ///
  /// - Parameter picture: `nil` when no more will come.
  func receive(_ picture: PictureDeliveries.Picture?, of request: Int) {
    guard request == self.request, loading != nil else { return }
    guard let picture else {
      loading = nil
      if pm_thumbnail_get_texture(thumbnail.opaque) == nil {
        isBroken = true
        pm_thumbnail_set_marks(
          thumbnail.opaque,
          PmThumbnailMarks(pm_thumbnail_get_marks(thumbnail.opaque).rawValue | PM_THUMBNAIL_BROKEN.rawValue))
      }
      return
    }
    // A rough picture never replaces the final one.
    guard !(picture.isDegraded && pm_thumbnail_get_texture(thumbnail.opaque) != nil) else { return }
    pm_thumbnail_set_texture(thumbnail.opaque, picture.texture?.opaque)
  }

  /// Forgets that the picture couldn't be made.
  func loadAgain() {
    guard isBroken else { return }
    rest()
    pm_thumbnail_set_marks(
      thumbnail.opaque,
      PmThumbnailMarks(pm_thumbnail_get_marks(thumbnail.opaque).rawValue & ~PM_THUMBNAIL_BROKEN.rawValue))
  }

  /// Releases the picture: the cell is far from the visible part.
  func rest() {
    guard loadedSide != nil else { return }
    loading?.cancel()
    loading = nil
    loadedSide = nil
    isBroken = false
    pm_thumbnail_set_texture(thumbnail.opaque, nil)
  }
}
