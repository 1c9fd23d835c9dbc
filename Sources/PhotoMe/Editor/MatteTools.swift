// The editor's page for correcting the person's matte: the brush, and what is shown.

import CGtk
import CameraModels
import GtkShim
import Localization
import PhotoEffects

/// Binds the page to an `EditModel`. It is there while the effect needs to know where the person is.
@MainActor final class MatteTools {
  private let model: EditModel
  private let page: GObjectRef
  private let shown: GObjectRef
  private let reset: GObjectRef
  private let note: GObjectRef
  private var choices: ChoiceRow<MatteStroke.Mode>?
  private var size: ValueSlider?
  private var observation: ModelObservation?
  private var isFollowing = false

  init(interface: Interface, model: EditModel) {
    self.model = model
    page = interface["matte_page"]
    shown = interface["matte_shown"]
    reset = interface["matte_reset"]
    note = interface["matte_note"]
    choices = ChoiceRow(
      interface["brush_list"],
      [
        (.add, localized("Add to Person", comment: "What a brush does")),
        (.remove, localized("Remove From Person", comment: "What a brush does")),
      ],
      chosen: { model.brush.mode }, choose: { model.setBrush($0) })
    size = ValueSlider(
      scale: interface["brush_scale"], label: interface["brush_value"], value: { model.brush.size },
      text: ValueSlider.percent, set: { model.setBrushSize($0) }, reset: {}, released: {})
    shown.on("toggled") { [weak self] in
      guard let self, !isFollowing else { return }
      model.showMatte(gtk_toggle_button_get_active(shown.of(GtkToggleButton.self)) != 0)
    }
    reset.on("clicked") { model.resetMatte() }
    observation = ModelObservation { [weak self] in self?.follow() }
  }

  private func follow() {
    gtk_stack_page_set_visible(page.opaque, model.canCorrectMatte.gboolean)
    gtk_widget_set_sensitive(reset.widget, (!model.recipe.matteStrokes.isEmpty).gboolean)
    gtk_widget_set_visible(note.widget, model.hasMovie.gboolean)
    isFollowing = true
    gtk_toggle_button_set_active(shown.of(GtkToggleButton.self), model.showsMatte.gboolean)
    isFollowing = false
  }
}
