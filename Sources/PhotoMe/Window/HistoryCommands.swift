// The actions of the history, of the page “Recently Deleted”, and of the lock on hidden pictures.

import CGtk
import CameraModels
import Foundation

/// Adds the actions, keeps their states up to date, and asks before anything is deleted for good.
@MainActor final class HistoryCommands {
  private let dialogs: Dialogs
  private var observations: [ModelObservation] = []

  init(actions: Actions, models: Models, window: MainWindow) {
    dialogs = Dialogs(window: window.window)
    let (history, deleted, lock) = (models.history, models.deleted, models.hiddenLock)
    actions.add("undo") { Task { await history.undo() } }
    actions.add("redo") { Task { await history.redo() } }
    // The parameter is an entry's id, for the buttons of messages.
    actions.addCommand("undo-entry") { id in Task { await history.undo(id) } }
    actions.addCommand("redo-entry") { id in Task { await history.redo(id) } }
    actions.add("restore-deleted") { Task { await deleted.restore() } }
    actions.add("ask-delete-permanently") { deleted.askToDelete() }
    // Answers the pending confirmation, for scripts.
    actions.add("delete-permanently") { Task { await deleted.deletePending() } }
    actions.addSwitch("lock-hidden", isOn: lock.isOn) { Task { await lock.setOn(!lock.isOn) } }
    actions.add("unlock-hidden") { Task { await lock.unlock() } }
    // States for scripts: the names of the next steps in both directions, and whether the lock is closed.
    for report in ["undo-title", "redo-title", "hidden-lock"] { actions.addReport(report, text: "") }
    observations = [
      ModelObservation {
        actions.setEnabled("undo", history.canUndo)
        actions.setEnabled("redo", history.canRedo)
        actions.setState("undo-title", history.canUndo ? history.undoTitle : "")
        actions.setState("redo-title", history.canRedo ? history.redoTitle : "")
      },
      ModelObservation {
        for action in ["restore-deleted", "ask-delete-permanently"] {
          actions.setEnabled(action, deleted.targetCount > 0)
        }
        actions.setEnabled("delete-permanently", !deleted.pending.isEmpty)
      },
      ModelObservation {
        actions.setState("lock-hidden", lock.isOn)
        actions.setEnabled("unlock-hidden", lock.isClosed && !lock.isAsking)
        actions.setState("hidden-lock", lock.isClosed ? "closed" : lock.isOn ? "open" : "off")
      },
      ModelObservation(of: { deleted.question }) { [weak self] question in
        // It may have been answered by a script.
        guard let self else { return }
        guard let question else { return dialogs.close() }
        dialogs.ask(question, then: { Task { await deleted.deletePending() } }, otherwise: { deleted.keepPending() })
      },
    ]
  }
}
