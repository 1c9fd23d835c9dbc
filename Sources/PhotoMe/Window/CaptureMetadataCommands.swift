// The actions that change when and where pictures were taken, and their dialogs.

import CGtk
import CameraCore
import CameraModels

/// Adds the actions, keeps their states up to date, and shows the dialog while its model has one.
@MainActor final class CaptureMetadataCommands {
  private let models: Models
  private let window: MainWindow
  private let data: DataFolder
  private var dialog: CaptureMetadataDialog?
  private var observations: [ModelObservation] = []

  init(actions: Actions, models: Models, window: MainWindow, data: DataFolder) {
    (self.models, self.window, self.data) = (models, window, data)
    let (model, navigation) = (models.captureMetadata, models.navigation)
    actions.add("ask-date") { Task { await model.openDate() } }
    actions.add("ask-place") { Task { await model.openPlace() } }
    // For scripts: the text of the dialog that is shown, its buttons, and its title.
    actions.addCommand("set-adjustment") { model.setText($0) }
    actions.add("apply-adjustment") { Task { await model.apply() } }
    actions.add("remove-place") { Task { await model.removePlace() } }
    actions.add("cancel-adjustment") { model.cancel() }
    actions.addReport("adjustment-shown", text: "")
    observations = [
      ModelObservation {
        let isPossible = navigation.libraryTargetCount > 0 && model.done == nil
        for action in ["ask-date", "ask-place"] { actions.setEnabled(action, isPossible) }
        actions.setEnabled("apply-adjustment", model.canApply)
        actions.setEnabled("remove-place", model.canRemove)
        actions.setEnabled("cancel-adjustment", model.dialog != nil)
      },
      ModelObservation(of: { model.dialog }) { [weak self] kind in
        self?.show(kind)
        actions.setState("adjustment-shown", model.title)
      },
    ]
  }

  private func show(_ kind: CaptureMetadataModel.Dialog?) {
    guard (kind != nil) != (dialog != nil) else { return }
    guard let kind else {
      dialog?.close()
      dialog = nil
      return
    }
    do throws(InstallationError) {
      let dialog = try CaptureMetadataDialog(kind, model: models.captureMetadata, data: data)
      self.dialog = dialog
      dialog.present(over: window.window)
    } catch {
      models.captureMetadata.cancel()
      models.messages.post(error.description)
    }
  }
}
