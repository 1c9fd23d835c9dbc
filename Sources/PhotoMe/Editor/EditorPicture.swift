// The editor's large picture: the still or the playing movie, the original while it is compared, and over it the crop or
// the brush.

import CGtk
import CameraCore
import CameraModels
import EngineInterface
import GtkShim

/// Shows an `EditPreview`.
@MainActor final class EditorPicture {
  /// The margin around the picture while it is cropped, so that handles at its edges can be grabbed, in the layout's
  /// pixels.
  private static let cropMargin: Int32 = 18

  private let model: EditModel
  private let view: GObjectRef
  private let area: GObjectRef
  private let canvas: GObjectRef
  private let original: GObjectRef
  private let crop: CropOverlay
  private let brush: BrushOverlay
  private var feed: PreviewFeed?
  private var shownPlayback: (any MoviePlayback)?
  private var size = PixelSize(width: 0, height: 0)
  private var observations: [ModelObservation] = []

  init(interface: Interface, model: EditModel) {
    self.model = model
    view = interface["editor_picture"]
    area = interface["crop_area"]
    original = interface["editor_original"]
    canvas = interface["brush_area"]
    crop = CropOverlay(area: area, view: view, model: model)
    brush = BrushOverlay(area: canvas, view: view, model: model)
    view.onSize("resized") { [weak self] in self?.resized($0, $1) }
    view.on("painted") { [weak self] in
      self?.feed?.painted()
      self?.crop.redraw()
      self?.brush.redraw()
    }
    view.onTimes("shown") { [weak self] in self?.feed?.shown(time: $0, since: $1) }
    let press = GObjectRef(adopting: gtk_gesture_click_new())
    press.onPress("pressed") { _ in model.showOriginal(true) }
    press.onPress("released") { _ in model.showOriginal(false) }
    press.onPointer("cancel") { _ in model.showOriginal(false) }
    view.addController(press)
    observations = [
      ModelObservation { [weak self] in self?.followPicture() },
      ModelObservation { [weak self] in self?.followTab() },
      ModelObservation { [original] in
        gtk_revealer_set_reveal_child(original.opaque, model.isShowingOriginal.gboolean)
      },
      ModelObservation { [view] in
        if let asset = model.asset { pm_set_accessible_label(view.widget, PictureInfo.spokenName(of: asset)) }
      },
    ]
  }

  /// Ends the feed.
  func stop() {
    feed?.stop()
    feed = nil
  }

  /// Gives the keyboard focus to the crop.
  func focusCrop() { gtk_widget_grab_focus(area.widget) }

  /// Gives the keyboard focus to the brush.
  func focusBrush() { gtk_widget_grab_focus(canvas.widget) }

  private func resized(_ width: Int, _ height: Int) {
    size = PixelSize(width: width, height: height)
    if width > 0 { model.preview.setSize(size) }
    feed?.resized(width: width, height: height)
    crop.redraw()
    brush.redraw()
  }

  private func followPicture() {
    let (playback, image) = (model.preview.playback, model.preview.image)
    if playback !== shownPlayback {
      stop()
      shownPlayback = playback
      if let playback {
        let feed = PreviewFeed(view: view, source: playback.preview)
        feed.resized(width: size.width, height: size.height)
        self.feed = feed
      }
    }
    // The last picture stays until there is another one.
    if playback == nil, let image { view.showImage(image) }
  }

  private func followTab() {
    let isCropping = model.tab == .crop
    gtk_widget_set_visible(area.widget, isCropping.gboolean)
    gtk_widget_set_visible(canvas.widget, (model.tab == .matte).gboolean)
    let margin = isCropping ? Self.cropMargin : 0
    gtk_widget_set_margin_top(view.widget, margin)
    gtk_widget_set_margin_bottom(view.widget, margin)
    gtk_widget_set_margin_start(view.widget, margin)
    gtk_widget_set_margin_end(view.widget, margin)
  }
}
