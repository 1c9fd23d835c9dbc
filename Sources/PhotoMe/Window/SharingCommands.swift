// The actions that hand pictures to other programs, to a printer, and to the desktop.

import CGtk
import CameraModels
import Foundation

/// Adds the actions, and keeps their states up to date.
@MainActor final class SharingCommands {
  private let sharing: PictureSharing
  private let printing: PicturePrinting
  private var observations: [ModelObservation] = []

  init(actions: Actions, models: Models, window: MainWindow) {
    let sharing = PictureSharing(window: window.window, messages: models.messages)
    let printing = PicturePrinting(window: window.window, model: models.printing)
    (self.sharing, self.printing) = (sharing, printing)
    models.sharing.desktop = PortalSharing(window: window.window) { sharing.openWith($0) }
    let (navigation, model, printer) = (models.navigation, models.sharing, models.printing)
    actions.add("copy") { Task { await sharing.copy(await navigation.memberTargets()) } }
    actions.add("open-with") { Task { sharing.openWith(await navigation.targets().map(\.url)) } }
    actions.add("show-in-files") { Task { sharing.showInFiles(await navigation.targets().map(\.url)) } }
    // The parameter is a path; for the buttons of messages.
    actions.addCommand("show-file") { path in sharing.showInFiles([URL(fileURLWithPath: path)]) }
    actions.add("send-email") { Task { await model.sendByEmail() } }
    actions.add("set-background") { Task { await model.setAsBackground() } }
    actions.add("print") { Task { if let job = await printer.job() { printing.print(job) } } }
    // For scripts: prints into a PDF file; and the state of the last job.
    actions.addCommand("print-to-file") { path in
      Task { if let job = await printer.job() { printing.print(job, into: URL(fileURLWithPath: path)) } }
    }
    actions.addReport("printing", text: "")
    printing.stateChanged = { actions.setState("printing", $0) }
    observations = [
      ModelObservation {
        for action in ["copy", "open-with", "show-in-files", "send-email", "print", "print-to-file"] {
          actions.setEnabled(action, navigation.targetCount > 0)
        }
      },
      ModelObservation { actions.setEnabled("set-background", navigation.isTargetPhoto) },
    ]
  }
}
