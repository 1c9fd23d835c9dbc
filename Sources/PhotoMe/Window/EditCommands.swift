// The editor's actions, for buttons, menus, keys and D-Bus, and its window.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import PhotoEffects

/// Adds the actions, keeps their states up to date, and shows the window while a picture is edited.
@MainActor final class EditCommands {
  private let actions: Actions
  private let models: Models
  private let mainWindow: MainWindow
  private let data: DataFolder
  private var editor: Editor?
  private var observations: [ModelObservation] = []

  init(actions: Actions, models: Models, window: MainWindow, data: DataFolder) {
    self.actions = actions
    self.models = models
    mainWindow = window
    self.data = data
    addActions()
    addReports()
  }

  /// The editor's window while there is one.
  var window: GObjectRef? { editor?.window }

  private func addActions() {
    let model = models.editor
    actions.add("edit") { [navigation = models.navigation] in Task { await navigation.edit() } }
    actions.add("edit-cancel") { model.cancel() }
    actions.add("edit-done") { model.save() }
    // The parameter is the picture's ID.
    actions.addCommand("edit-again") { [navigation = models.navigation] id in
      Task { await navigation.editAgain(id) }
    }
    actions.add("edit-undo") { model.undo() }
    actions.add("edit-redo") { model.redo() }
    actions.addSwitch("edit-auto", isOn: false) { Task { await model.toggleEnhancement() } }
    actions.add("edit-revert") { model.askRevert() }
    actions.add("edit-copy") { model.copyEdits() }
    actions.add("edit-paste") { model.pasteEdits() }
    actions.add("edit-turn-left") { model.turnLeft() }
    actions.add("edit-turn-right") { model.turnRight() }
    actions.add("edit-flip") { model.flip() }
    // The parameter is the extension's ID.
    actions.addCommand("edit-with") { id in Task { await model.edit(with: id) } }
    addPresets()
    // Answers the pending confirmation, for scripts.
    actions.add("edit-confirm") { Task { await model.confirm() } }
    actions.add("edit-dismiss") { model.dismiss() }
    actions.addChoice("edit-tab", chosen: "") { name in
      if let tab = EditModel.Tab(rawValue: name) { model.select(tab: tab) }
    }
    // The parameter is the effect's identifier; an empty one is none.
    actions.addChoice("edit-effect", chosen: "") { [messages = models.messages] name in
      do { model.select(effect: name.isEmpty ? nil : try Effect.named(name)) } catch {
        messages.post(error.localizedDescription)
      }
    }
    // The parameter is the name of an `EffectScope`.
    actions.addChoice("edit-scope", chosen: EffectScope.everywhere.rawValue) { [messages = models.messages] name in
      do { model.setScope(try EffectScope(named: name)) } catch { messages.post(error.localizedDescription) }
    }
    // The parameter is the name of a `Backdrop`, or the path of a file that becomes one.
    actions.addChoice("edit-backdrop", chosen: "") { [messages = models.messages] name in
      if name.hasPrefix("/") {
        Task { await model.addBackdrop(URL(fileURLWithPath: name)) }
        return
      }
      do { model.setBackdrop(try Backdrop(named: name)) } catch { messages.post(error.localizedDescription) }
    }
    actions.addCommand("edit-strength") { text in
      if let value = Double(text) { model.setIntensity(value) }
    }
    actions.addCommand("edit-adjust") { [messages = models.messages] name, text in
      do {
        let field = try Adjustments.field(named: name)
        if let value = Double(text) { model.set(field, to: value) }
      } catch { messages.post(error.localizedDescription) }
    }
  }

  /// Presets, by name. The actions with a path are for scripts.
  private func addPresets() {
    let model = models.editor
    actions.addCommand("edit-preset") { model.apply(preset: $0) }
    actions.addCommand("save-preset") { model.savePreset($0) }
    actions.addCommand("delete-preset") { model.deletePreset($0) }
    actions.addCommand("import-preset") { model.importPreset(URL(fileURLWithPath: $0)) }
    actions.addCommand("export-preset") { name, path in model.exportPreset(name, to: URL(fileURLWithPath: path)) }
    actions.add("ask-preset") { [weak self] in self?.editor?.askPreset() }
    actions.add("ask-import-preset") { [weak self] in self?.editor?.askImportPreset() }
    actions.addCommand("ask-export-preset") { [weak self] in self?.editor?.askExportPreset($0) }
    actions.addCommand("ask-delete-preset") { [weak self] in self?.editor?.askDeletePreset($0) }
    actions.addReport("edit-presets", text: "")
  }

  /// States for scripts: the editor's state, its recipe, the pending confirmation, and the last problem.
  private func addReports() {
    let (model, actions) = (models.editor, actions)
    for report in ["edit-state", "edit-recipe", "edit-asking", "edit-problem", "edits-saving"] {
      actions.addReport(report, text: "")
    }
    let navigation = models.navigation
    observations = [
      ModelObservation { actions.setState("edit-state", model.state.reportName) },
      ModelObservation {
        actions.setState(
          "edit-recipe", model.asset == nil ? "" : (try? String(decoding: model.recipe.data(), as: UTF8.self)) ?? "")
      },
      // The number of pictures whose edits are being saved.
      ModelObservation { actions.setState("edits-saving", "\(model.queue.progress.count)") },
      ModelObservation { actions.setState("edit-asking", model.asking?.rawValue ?? "") },
      ModelObservation {
        let failure: String? = if case .failed(let text) = model.state { text } else { nil }
        actions.setState("edit-problem", failure ?? model.problem ?? model.preview.failure ?? "")
      },
      ModelObservation { actions.setState("edit-tab", model.asset == nil ? "" : model.tab.rawValue) },
      ModelObservation { actions.setState("edit-auto", model.isEnhanced) },
      ModelObservation {
        actions.setState("edit-effect", model.recipe.effect?.effect.identifier ?? "")
        actions.setState("edit-backdrop", model.recipe.effect?.backdrop?.name ?? "")
        actions.setEnabled(
          "edit-backdrop", model.state == .editing && model.recipe.effect?.effect.hasBackdrop == true)
        actions.setState("edit-scope", (model.recipe.effect?.scope ?? .everywhere).rawValue)
        actions.setEnabled("edit-scope", model.state == .editing && model.recipe.effect?.effect.hasScope == true)
      },
      ModelObservation {
        let isEditing = model.state == .editing
        for action in [
          "edit-done", "edit-auto", "edit-copy", "edit-turn-left", "edit-turn-right", "edit-flip", "edit-tab",
          "edit-effect",
          "edit-strength", "edit-adjust", "edit-with",
        ] { actions.setEnabled(action, isEditing) }
        actions.setEnabled("edit-undo", model.canUndo)
        actions.setEnabled("edit-redo", model.canRedo)
        actions.setEnabled("edit-paste", model.canPaste)
        actions.setEnabled("edit-revert", model.canRevert)
        actions.setEnabled("edit-cancel", model.state != .closed && model.state != .reverting)
      },
      ModelObservation {
        let isEditing = model.state == .editing
        for action in ["edit-preset", "import-preset", "ask-import-preset"] { actions.setEnabled(action, isEditing) }
        for action in ["save-preset", "ask-preset"] { actions.setEnabled(action, model.canSavePreset) }
      },
      ModelObservation {
        actions.setState("edit-presets", model.presets.presets.map(\.name).joined(separator: "\n"))
      },
      ModelObservation { actions.setEnabled("edit", navigation.canEdit) },
      ModelObservation(of: { model.state == .closed }) { [weak self] in self?.show(!$0) },
    ]
  }

  private func show(_ isShown: Bool) {
    guard isShown != (editor != nil) else { return }
    guard isShown else {
      editor?.close()
      editor = nil
      return
    }
    do throws(InstallationError) {
      let editor = try Editor(data: data, model: models.editor, parent: mainWindow.window)
      self.editor = editor
      editor.present()
    } catch {
      models.messages.post(error.description)
      models.editor.cancel()
    }
  }
}

extension EditModel.State {
  /// The state's name on D-Bus: the state of the action `edit-state`.
  var reportName: String {
    switch self {
    case .closed: "closed"
    case .opening: "opening"
    case .failed: "failed"
    case .editing: "editing"
    case .saving: "saving"
    case .reverting: "reverting"
    }
  }
}
