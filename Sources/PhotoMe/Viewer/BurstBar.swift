// The bar of a burst over its picture in the viewer: walking its pictures, the best shot, the key photo, keeping only one.

import CGtk
import CameraModels
import GtkShim

/// Follows a `BurstReview`. The buttons are bound to actions.
@MainActor final class BurstBar {
  private let bar: GObjectRef
  private let title: GObjectRef
  private let best: GObjectRef
  private let key: GObjectRef
  private let showButton: GObjectRef
  private let makeKeyButton: GObjectRef
  private let burst: BurstReview
  private var observation: ModelObservation?

  init(interface: Interface, burst: BurstReview) {
    self.burst = burst
    bar = interface["viewer_burst"]
    title = interface["viewer_burst_title"]
    best = interface["viewer_burst_best"]
    key = interface["viewer_burst_key"]
    showButton = interface["viewer_burst_show"]
    makeKeyButton = interface["viewer_burst_make_key"]
    observation = ModelObservation { [weak self] in self?.follow() }
  }

  private func follow() {
    gtk_widget_set_visible(bar.widget, (burst.title != nil).gboolean)
    gtk_label_set_text(title.opaque, burst.title ?? "")
    gtk_widget_set_visible(best.widget, burst.showsBest.gboolean)
    gtk_widget_set_tooltip_text(best.widget, burst.bestReason)
    gtk_widget_set_visible(key.widget, burst.showsKey.gboolean)
    gtk_widget_set_visible(makeKeyButton.widget, (!burst.showsKey).gboolean)
    gtk_widget_set_visible(showButton.widget, (burst.bestID != nil && !burst.showsBest).gboolean)
  }
}
