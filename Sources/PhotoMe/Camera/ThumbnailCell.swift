// A cell of the strip: the thumbnail, the badge of live photos, videos and bursts, and a spinner while the picture is being saved.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import Localization
import PhotoLibrary

/// A cell, which the list view reuses for one picture after another.
@MainActor final class ThumbnailCell {
  /// The side of a thumbnail in the layout's pixels.
  static let side = 72

  let root: GObjectRef
  private(set) var item: StripItem?

  private let picture: GObjectRef
  private let broken: GObjectRef
  private let liveMark: GObjectRef
  private let count: GObjectRef
  private let spinner: GObjectRef
  private let progress: GObjectRef
  private let cancel: GObjectRef
  private var loading: Task<Void, Never>?
  private var hasPicture = false

  /// Called with the first picture of a shot that is still being saved: a `GdkTexture`.
  var shotArrived: ((_ picture: GObjectRef) -> Void)?
  /// Called with the ID of the picture whose edit is no longer to be saved.
  var cancelled: ((Asset.ID) -> Void)?
  /// The pictures that the strip's cells have shown last.
  private let recent: RecentPictures

  /// - Parameter layout: The path of the `.ui` file.
  init(layout: String, recent: RecentPictures) throws(InstallationError) {
    self.recent = recent
    let interface = try Interface(layout)
    root = interface["cell"]
    picture = interface["picture"]
    broken = interface["broken"]
    liveMark = interface["live_mark"]
    count = interface["count"]
    spinner = interface["spinner"]
    progress = interface["progress"]
    cancel = interface["cancel"]
    cancel.on("clicked") { [weak self] in
      if let self, let id = item?.asset?.id { cancelled?(id) }
    }
  }

  /// Shows how far the edit of the picture is that is being saved.
  ///
  /// - Parameter all: By the pictures' IDs, 0…1.
  func show(progress all: [Asset.ID: Double]) {
    let done = item?.asset.flatMap { all[$0.id] }
    for widget in [progress, cancel] { gtk_widget_set_visible(widget.widget, (done != nil).gboolean) }
    if let done { gtk_progress_bar_set_fraction(progress.opaque, done) }
  }

  deinit { loading?.cancel() }

  /// Shows a picture, or nothing. The present image of a picture stays until the better one is ready.
  func show(_ new: StripItem?, model: ThumbnailStripModel) {
    guard new != item else { return }
    let isSamePicture = new?.id == item?.id
    item = new
    loading?.cancel()
    loading = nil
    if !isSamePicture {
      // GTK gives all pictures other cells when a new one comes before them: none may go dark for that.
      let known = new.flatMap { recent[$0.id] }
      hasPicture = known != nil
      gtk_picture_set_paintable(picture.opaque, known?.opaque)
      gtk_widget_set_visible(broken.widget, false.gboolean)
    }
    guard let new else { return }
    let isVideo = new.asset?.mediaType == .video
    let isBurst = new.count > 1
    gtk_image_set_from_icon_name(
      liveMark.opaque,
      isBurst ? "photome-burst-symbolic" : isVideo ? "media-playback-start-symbolic" : "photome-live-symbolic")
    gtk_widget_set_visible(liveMark.widget, (new.isLive || isVideo || isBurst).gboolean)
    gtk_label_set_text(count.opaque, isBurst ? new.count.localized : "")
    gtk_widget_set_visible(count.widget, isBurst.gboolean)
    gtk_widget_set_visible(spinner.widget, (new.asset == nil).gboolean)
    // Screen readers stop at the list's own row, which GTK 4.8 leaves unnamed (4.12 has a property for it).
    pm_set_accessible_label(gtk_widget_get_parent(root.widget) ?? root.widget, new.spokenName)
    // The picture of a shot is there, and flies to its place.
    if new.asset == nil { load(model) }
  }

  /// Requests the picture, unless it is there or on its way.
  func load(_ model: ThumbnailStripModel) {
    guard let item, loading == nil else { return }
    let scale = Int(gtk_widget_get_scale_factor(root.widget))
    // Wide enough that a 16:9 picture covers the square.
    let size = PixelSize(width: Self.side * 16 / 9 * scale, height: Self.side * scale)
    loading = Task { [weak self] in
      let image = await model.image(for: item, size: size)
      guard !Task.isCancelled else { return }
      self?.show(image)
    }
  }

  /// Requests the picture once more if it couldn't be read.
  func loadAgain(_ model: ThumbnailStripModel) {
    guard let item, gtk_widget_get_visible(broken.widget) != 0 else { return }
    self.item = nil
    show(item, model: model)
    load(model)
  }

  private func show(_ image: DecodedImage?) {
    let texture = image?.texture()
    // The rough thumbnail of a shot is better than none.
    if texture != nil || item?.asset != nil {
      gtk_picture_set_paintable(picture.opaque, texture?.opaque)
      if let item { recent[item.id] = texture }
    }
    if let texture, !hasPicture {
      hasPicture = true
      if item?.asset == nil { shotArrived?(texture) }
    }
    gtk_widget_set_visible(broken.widget, (texture == nil && item?.asset != nil).gboolean)
  }
}

/// A few pictures by the IDs of their strip items, for cells that show a picture which another cell has shown before.
@MainActor final class RecentPictures {
  /// More than the visible ones of a wide window.
  private static let most = 48

  private var pictures: [String: GObjectRef] = [:]
  /// The IDs, the oldest first.
  private var order: [String] = []

  /// A `GdkPaintable`.
  subscript(id: String) -> GObjectRef? {
    get { pictures[id] }
    set {
      if let at = order.firstIndex(of: id) { order.remove(at: at) }
      pictures[id] = newValue
      if newValue != nil { order.append(id) }
      if order.count > Self.most { pictures[order.removeFirst()] = nil }
    }
  }
}
