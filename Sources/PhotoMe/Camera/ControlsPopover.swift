// The popover with the controls of the camera, in groups.

import CGtk
import CameraCore
import CameraModels
import GtkShim

/// Shows the controls that the camera has. The rows are built once the camera has run for a while: at its start there is no
/// time for them, and a popover that gets them while it opens has the wrong size at first.
@MainActor final class ControlsPopover {
  /// What the rows are built for; values change without new rows.
  private struct Shape: Equatable {
    var title: String
    var controls: [CameraControl]

    init(_ group: ControlsModel.Group) {
      title = group.title
      controls = group.controls.map { control in
        var plain = control
        (plain.value, plain.state) = (control.defaultValue, [])
        return plain
      }
    }
  }

  /// From the camera's start until the rows are built, in milliseconds.
  private static let patience: UInt32 = 700

  private let model: ControlsModel
  private let button: GObjectRef
  private let groups: GObjectRef
  private let remark: GObjectRef
  private var rows: [ControlRow] = []
  private var shown: [Shape] = []
  private var isOpen = false
  /// Runs until the rows are built.
  private var timer: UInt32?
  private var observations: [ModelObservation] = []

  /// Called when the popover was opened or closed.
  var shownChanged: ((_ isShown: Bool) -> Void)?

  init(interface: Interface, model: ControlsModel) {
    self.model = model
    button = interface["controls_button"]
    groups = interface["controls_groups"]
    remark = interface["controls_remark"]
    let (popover, reset) = (interface["controls_popover"], interface["controls_reset"])
    popover.on("map") { [weak self] in self?.opened() }
    popover.on("unmap") { [weak self] in self?.isOpen = false }
    popover.whenClosed { [weak self] in self?.shownChanged?(false) }
    observations = [
      ModelObservation(of: { model.groups }) { [weak self] in self?.follow($0) },
      ModelObservation(of: { model.failure }) { [weak self] failure in
        guard let self else { return }
        gtk_label_set_text(remark.opaque, failure?.displayed ?? "")
        gtk_widget_set_visible(remark.widget, (failure != nil).gboolean)
      },
      ModelObservation(of: { model.canReset }) { gtk_widget_set_sensitive(reset.widget, $0.gboolean) },
    ]
  }

  /// Opens the popover.
  func show() { gtk_menu_button_popup(button.opaque) }

  private func opened() {
    isOpen = true
    shownChanged?(true)
    build(model.groups)
    // The camera may have changed some by itself, of which not every driver tells.
    model.refresh()
  }

  private func follow(_ present: [ControlsModel.Group]) {
    gtk_widget_set_sensitive(button.widget, (!present.isEmpty).gboolean)
    if isOpen { return build(present) }
    guard timer == nil, present.map(Shape.init) != shown else { return }
    timer = MainLoop.after(milliseconds: Self.patience) { [weak self] in
      guard let self else { return }
      timer = nil
      build(model.groups)
    }
  }

  private func build(_ present: [ControlsModel.Group]) {
    let shapes = present.map(Shape.init)
    guard shapes != shown else { return }
    shown = shapes
    let box = groups.of(GtkBox.self)
    while let old = gtk_widget_get_first_child(groups.widget) { gtk_box_remove(box, old) }
    rows = []
    for group in present {
      guard let label = gtk_label_new(group.title) else { continue }
      let heading = GObjectRef(retaining: label)
      gtk_label_set_xalign(heading.opaque, 0)
      gtk_widget_add_css_class(heading.widget, "heading")
      gtk_box_append(box, heading.widget)
      for control in group.controls {
        guard let row = ControlRow(control, model: model) else { continue }
        gtk_box_append(box, row.root.widget)
        rows.append(row)
      }
    }
  }
}
