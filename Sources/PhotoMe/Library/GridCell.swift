// One cell of the grid: which picture it shows, and the loading of it.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import PhotoLibrary

/// A cell that GTK uses for one place after another.
@MainActor final class GridCell {
  /// The least side of a cell, in pixels.
  static let side: Int32 = 148

  /// A `PmThumbnail`.
  let thumbnail: GObjectRef
  /// Whether it stands for a place now.
  var isBound = false
  private(set) var asset: Asset?
  /// The size that was asked for, in device pixels; `nil` when nothing was.
  private var loadedSide: Int?
  private var loading: Task<Void, Never>?
  private let listItem: UnsafeMutableRawPointer

  /// - Parameter listItem: The `GtkListItem` that owns this cell.
  init(listItem: UnsafeMutableRawPointer) {
    self.listItem = listItem
    thumbnail = GObjectRef(retaining: pm_thumbnail_new(Self.side))
    gtk_list_item_set_child(OpaquePointer(listItem), thumbnail.widget)
  }

  deinit { loading?.cancel() }

  /// Where it stands in the list now.
  var place: Int { Int(gtk_list_item_get_position(OpaquePointer(listItem))) }

  /// Forgets its picture.
  func clear() {
    isBound = false
    asset = nil
    rest()
    pm_thumbnail_set_marks(thumbnail.opaque, PmThumbnailMarks(0))
    pm_thumbnail_set_texts(thumbnail.opaque, nil, nil)
  }

  /// Shows what the model says about its place. Cheap when nothing has changed.
  func update(_ model: LibraryModel) {
    let place = place
    let new = model.list.asset(at: place)
    if new != asset {
      let isSamePicture = new?.id == asset?.id && new?.modified == asset?.modified
      asset = new
      if !isSamePicture { rest() }
      // The grid's own child is what a screen reader stops at; GTK 4.8 gives it no name (4.12 has a property for it).
      let row = gtk_widget_get_parent(thumbnail.widget) ?? thumbnail.widget
      pm_set_accessible_label(row, new.map(PictureInfo.spokenName) ?? "Picture")
    }
    let length = asset.flatMap { $0.mediaType == .video ? $0.duration.map(PictureInfo.clock) : nil }
    pm_thumbnail_set_texts(thumbnail.opaque, model.titleOfDay(beginningAt: place), length)
    mark(model)
  }

  /// Shows the marks alone.
  func mark(_ model: LibraryModel) {
    var marks: UInt32 = 0
    if let asset {
      if asset.isLive { marks |= PM_THUMBNAIL_LIVE.rawValue }
      if asset.isFavorite { marks |= PM_THUMBNAIL_FAVORITE.rawValue }
      if asset.mediaType == .video { marks |= PM_THUMBNAIL_MOVIE.rawValue }
      if loadedSide != nil, loading == nil { marks |= PM_THUMBNAIL_BROKEN.rawValue }
    }
    if model.isSelecting {
      marks |= PM_THUMBNAIL_SELECTABLE.rawValue
      if model.selection.contains(place) { marks |= PM_THUMBNAIL_SELECTED.rawValue }
    }
    pm_thumbnail_set_marks(thumbnail.opaque, PmThumbnailMarks(marks))
  }

  /// The side of its picture in device pixels, in steps: a window that is dragged wider needs no new pictures each time.
  var pictureSide: Int {
    let width = Int(gtk_widget_get_width(thumbnail.widget)) * Int(gtk_widget_get_scale_factor(thumbnail.widget))
    return (max(width, Int(Self.side)) + Self.sideStep - 1) / Self.sideStep * Self.sideStep
  }

  private static let sideStep = 64

  /// Asks for the picture, unless it is there or on its way.
  func load(_ model: LibraryModel) {
    guard let asset else { return }
    let side = pictureSide
    if let loadedSide, side <= loadedSide { return }
    loading?.cancel()
    loadedSide = side
    loading = Task { [weak self] in
      do {
        for try await result in model.thumbnails(of: asset, size: PixelSize(width: side, height: side)) {
          guard !Task.isCancelled else { return }
          self?.show(result)
        }
      } catch {
        // The cell shows that there is no picture; opening it tells why.
      }
      guard !Task.isCancelled, let self else { return }
      loading = nil
      mark(model)
    }
  }

  /// Lets go of its picture: nobody sees this cell.
  func rest() {
    guard loadedSide != nil else { return }
    loading?.cancel()
    loading = nil
    loadedSide = nil
    pm_thumbnail_set_texture(thumbnail.opaque, nil)
  }

  private func show(_ result: ImageResult) {
    // A rough picture never takes the place of the right one.
    guard !(result.isDegraded && pm_thumbnail_get_texture(thumbnail.opaque) != nil) else { return }
    let texture = result.image.texture()
    pm_thumbnail_set_texture(thumbnail.opaque, texture?.opaque)
  }
}
