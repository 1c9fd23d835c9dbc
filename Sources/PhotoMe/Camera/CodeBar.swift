// The QR code in the viewfinder, in a bar at its edge.

import CGtk
import CameraModels
import GtkShim

/// Follows a `CodeModel`. The buttons are bound to actions.
@MainActor final class CodeBar {
  private let bar: GObjectRef
  private let title: GObjectRef
  private let detail: GObjectRef
  private let openButton: GObjectRef
  private let copyButton: GObjectRef
  private var observation: ModelObservation?

  /// - Parameter countdown: Its button for canceling has the bar's place while it runs.
  init(interface: Interface, model: CodeModel, countdown: CountdownModel) {
    bar = interface["code_bar"]
    title = interface["code_title"]
    detail = interface["code_detail"]
    openButton = interface["code_open"]
    copyButton = interface["code_copy"]
    observation = ModelObservation(of: { countdown.isRunning ? nil : model.code }) { [weak self] in self?.show($0) }
  }

  private func show(_ code: RecognizedCode?) {
    gtk_revealer_set_reveal_child(bar.opaque, (code != nil).gboolean)
    // A bar that can't be seen must not take clicks from the viewfinder; what was said last stays while it fades.
    gtk_widget_set_can_target(bar.widget, (code != nil).gboolean)
    guard let code else { return }
    gtk_label_set_text(title.opaque, code.title)
    gtk_label_set_text(detail.opaque, code.detail)
    gtk_widget_set_tooltip_text(detail.widget, code.detail)
    gtk_widget_set_visible(openButton.widget, (code.link != nil).gboolean)
    gtk_button_set_label(copyButton.of(GtkButton.self), code.copyTitle)
  }
}
