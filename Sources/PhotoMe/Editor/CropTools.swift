// The editor's page for cropping: aspect ratios, straightening, and resetting.

import CGtk
import CameraModels
import GtkShim
import Localization
import PhotoEffects

/// Binds the page to an `EditModel`. Rotating and flipping are actions.
@MainActor final class CropTools {
  private let model: EditModel
  private let size: GObjectRef
  private var straighten: ValueSlider?
  private var choices: ChoiceRow<CropRatio?>?
  private var observations: [ModelObservation] = []

  init(interface: Interface, model: EditModel) {
    self.model = model
    size = interface["crop_size"]
    let scale = interface["straighten_scale"]
    gtk_scale_add_mark(scale.of(GtkScale.self), 0, GTK_POS_BOTTOM, nil)
    straighten = ValueSlider(
      scale: scale, label: interface["straighten_value"], grain: 10, value: { model.recipe.geometry.straighten },
      text: { ValueSlider.signed($0, places: 1) + "°" }, set: { model.setStraighten($0) },
      reset: { model.setStraighten(0) }, released: { model.endStep() })
    let ratios: [CropRatio?] = [nil] + CropRatio.allCases
    choices = ChoiceRow(
      interface["ratio_list"], ratios.map { ($0, $0?.title ?? localized("Free", context: "aspect ratio")) },
      chosen: { model.cropRatio },
      choose: { model.select(ratio: $0) })
    interface["crop_reset"].on("clicked") { model.resetGeometry() }
    let suggest = interface["crop_suggest"]
    suggest.on("clicked") { model.suggestCrop() }
    observations = [
      ModelObservation { [size] in
        gtk_label_set_text(size.opaque, model.croppedSize.map { "\($0.width) × \($0.height)" } ?? "")
      },
      ModelObservation { gtk_widget_set_visible(suggest.widget, model.canSuggestCrop.gboolean) },
    ]
  }
}
