// The bar over a file that isn't in the library.

import CGtk
import CameraModels

/// Says that the viewer's item isn't in the library, and offers to add it. The buttons are bound to actions.
@MainActor final class OutsideBar {
  private var observation: ModelObservation?

  init(interface: Interface, model: ViewerModel) {
    let (bar, favorite) = (interface["viewer_outside"], interface["viewer_favorite"])
    observation = ModelObservation(of: { model.isOutside }) { isOutside in
      gtk_revealer_set_reveal_child(bar.opaque, isOutside.gboolean)
      // What can't be done with it makes no room for what can.
      gtk_widget_set_visible(favorite.widget, (!isOutside).gboolean)
    }
  }
}
