// The actions on files that were given to the program, and the question before an import.

import CGtk
import CameraModels
import Foundation
import Localization

/// Follows an `OpeningModel`.
@MainActor final class OpeningCommands {
  private let model: OpeningModel
  private let dialogs: Dialogs
  private var observations: [ModelObservation] = []

  init(actions: Actions, models: Models, window: MainWindow) {
    let (model, viewer) = (models.opening, models.viewer)
    self.model = model
    dialogs = Dialogs(window: window.window)
    actions.add("add-to-library") { Task { await model.addToLibrary() } }
    actions.add("edit-as-copy") { Task { await model.editCopy() } }
    // The parameter is a path. The answers, and the question as a state, are for scripts as well.
    actions.addCommand("open-file") { path in Task { await model.open([URL(fileURLWithPath: path)]) } }
    actions.addCommand("drop-file") { path, album in
      let file = URL(fileURLWithPath: path)
      Task { await album.isEmpty ? model.drop([file]) : model.drop([file], onAlbum: album) }
    }
    actions.addChoice("answer-opening", chosen: "") { [weak self] in self?.answer($0) }
    observations = [
      ModelObservation {
        for action in ["add-to-library", "edit-as-copy"] { actions.setEnabled(action, viewer.isOutside) }
      },
      ModelObservation {
        actions.setState("answer-opening", model.isSearching ? Self.searchTitle : model.request?.title ?? "")
      },
      ModelObservation(of: { (model.request, model.isSearching) }) { [weak self] in self?.show($0, isSearching: $1) },
    ]
  }

  private static var searchTitle: String { localized("Looking for Photos and Videos") }

  private func show(_ request: OpeningModel.Request?, isSearching: Bool) {
    dialogs.close()
    if let request { dialogs.askImport(request) { [weak self] in self?.answer($0) } }
    if isSearching { dialogs.showWork(Self.searchTitle) { [model] in model.dismiss() } }
  }

  private func answer(_ answer: String) {
    switch answer {
    case "import": Task { [model] in await model.importRequested() }
    case "view": Task { [model] in await model.viewRequested() }
    default: model.dismiss()
    }
  }
}
