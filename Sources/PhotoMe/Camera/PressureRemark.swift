// The line over the viewfinder that says what is left out when the computer can't keep up. It fades after some seconds.

import CGtk
import CameraModels
import GtkShim

/// Follows a `PressureModel`.
@MainActor final class PressureRemark {
  private let revealer: GObjectRef
  private let label: GObjectRef
  private var observation: ModelObservation?

  init(interface: Interface, model: PressureModel) {
    revealer = interface["pressure_remark"]
    label = interface["pressure_label"]
    observation = ModelObservation(of: { model.isRemarkNew ? model.remark : nil }) { [weak self] in self?.show($0) }
  }

  private func show(_ remark: String?) {
    // What was said last stays while the line fades.
    if let remark { gtk_label_set_text(label.opaque, remark) }
    gtk_revealer_set_reveal_child(revealer.opaque, (remark != nil).gboolean)
  }
}
