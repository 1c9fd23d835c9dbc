// The actions of import and export, and the export dialog.

import CGtk
import CameraCore
import CameraModels
import Foundation
import Localization

/// Adds the actions, keeps their states up to date, and shows the export dialog while its model is open.
@MainActor final class TransferCommands {
  private let models: Models
  private let window: MainWindow
  private let data: DataFolder
  private let chooser: FolderChooser
  private var dialog: ExportDialog?
  private var observations: [ModelObservation] = []

  init(actions: Actions, models: Models, window: MainWindow, data: DataFolder) {
    (self.models, self.window, self.data) = (models, window, data)
    chooser = FolderChooser(window: window.window)
    addImport(actions)
    addExport(actions)
    let (navigation, transfers) = (models.navigation, models.transfers)
    let queue = models.editor.queue
    // The bar shows one thing at a time.
    actions.add("cancel-transfer") { transfers.progress == nil ? queue.cancelAll() : transfers.cancel() }
    actions.addReport("transfer", text: "")
    observations = [
      ModelObservation {
        actions.setState("transfer", transfers.progress?.title ?? "")
        actions.setEnabled("cancel-transfer", transfers.progress != nil || queue.activity != nil)
      },
      ModelObservation {
        for action in ["ask-export", "export", "send-to"] { actions.setEnabled(action, navigation.targetCount > 0) }
      },
      ModelObservation(of: { [export = models.export] in export.isOpen ? export.title : "" }) { [weak self] title in
        self?.show(!title.isEmpty)
        actions.setState("export-shown", title)
      },
    ]
  }

  /// The actions with a path are for scripts.
  private func addImport(_ actions: Actions) {
    let (transfers, chooser) = (models.transfers, chooser)
    actions.add("ask-import") {
      chooser.askImport(folders: false) { files in Task { await transfers.importFiles(files) } }
    }
    actions.add("ask-import-folder") {
      chooser.askImport(folders: true) { folders in Task { await transfers.importFiles(folders) } }
    }
    actions.addCommand("import") { path in Task { await transfers.importFiles([URL(fileURLWithPath: path)]) } }
  }

  /// For scripts: an export in a format and into a folder; use of a row of the dialog, by its ID in the layout; and the dialog's
  /// title while it is shown.
  private func addExport(_ actions: Actions) {
    let (navigation, transfers, export, messages) =
      (models.navigation, models.transfers, models.export, models.messages)
    actions.add("ask-export") { Task { await export.open() } }
    actions.add("send-to") { Task { await export.open(for: .sending) } }
    actions.add("cancel-export") { export.cancel() }
    actions.addCommand("export") { id, path in
      guard let choice = ExportChoice.named(id) else {
        return messages.post(localized("There is no export format “\(id)”.", comment: "{0} is an ID, for scripts"))
      }
      let folder = URL(fileURLWithPath: path, isDirectory: true)
      Task { await transfers.export(await navigation.targets(), as: choice.form, choice.options(), into: folder) }
    }
    actions.addCommand("export-folder") { path in
      Task { await export.choose(folder: URL(fileURLWithPath: path, isDirectory: true)) }
    }
    actions.addCommand("use-export") { [weak self] row, value in
      guard self?.dialog?.use(row, value) != true else { return }
      messages.post(
        localized("The export option “\(row)” can’t be changed now.", comment: "{0} is the name of a row, for scripts"))
    }
    actions.addReport("export-shown", text: "")
  }

  private func show(_ isShown: Bool) {
    guard isShown != (dialog != nil) else { return }
    guard isShown else {
      dialog?.close()
      dialog = nil
      return
    }
    do throws(InstallationError) {
      let dialog = try ExportDialog(model: models.export, data: data)
      self.dialog = dialog
      dialog.present(over: window.window)
    } catch {
      models.messages.post(error.description)
      models.export.cancel()
    }
  }
}
