// The actions of the shutter's options, for the popover beside it, keys and D-Bus.

import CGtk
import CameraModels
import Foundation
import Localization

/// Adds the actions, and keeps their states and the popover's button up to date.
@MainActor final class CaptureCommands {
  private var observations: [ModelObservation] = []
  private var codeObservation: ModelObservation?

  init(actions: Actions, camera: CameraModel, codes: CodeModel, window: MainWindow) {
    addCodes(actions, camera, codes, window)
    // The parameter is in seconds.
    actions.addChoice("countdown", chosen: "\(camera.delay.seconds)") { text in
      Int(text).flatMap(ShutterDelay.init).map(camera.setDelay)
    }
    actions.add("cycle-countdown") { camera.cycleDelay() }
    actions.add("cancel-countdown") { camera.countdown.cancel() }
    actions.addChoice("mirror", chosen: camera.mirror.rawValue) { name in
      MirrorChoice(rawValue: name).map(camera.setMirror)
    }
    actions.addChoice("flash", chosen: camera.flashMode.rawValue) { name in
      FlashMode(rawValue: name).map(camera.setFlashMode)
    }
    actions.addChoice("guides", chosen: camera.guides.rawValue) { name in
      CompositionGuide(rawValue: name).map(camera.setGuides)
    }
    // A state for scripts: how often the window was white.
    actions.addReport("flashes", text: "0")
    // The parameters are in seconds and in photos.
    actions.addChoice("interval", chosen: "\(camera.interval.seconds)") { text in
      Int(text).flatMap(ShotInterval.init).map(camera.setInterval)
    }
    actions.addChoice("interval-count", chosen: "\(camera.intervalCount.rawValue)") { text in
      Int(text).flatMap(ShotCount.init).map(camera.setIntervalCount)
    }
    actions.addChoice("booth", chosen: camera.boothChoice.rawValue) { name in
      BoothChoice(rawValue: name).map(camera.setBooth)
    }
    actions.add("stop-interval") { camera.stopSeries() }
    // A state for scripts: the photos of the series that is being taken.
    actions.addReport("series", text: "")
    // For scripts: what holding the shutter does, and a state with the photos of the burst that is being taken.
    actions.addSwitch("burst", isOn: false) {
      Task { await camera.toggleBurst() }
    }
    actions.addReport("burst-count", text: "")
    // A state for scripts: the seconds that remain.
    actions.addReport("counting", text: "")
    observations = [
      ModelObservation { actions.setState("countdown", "\(camera.delay.seconds)") },
      ModelObservation { actions.setState("mirror", camera.mirror.rawValue) },
      ModelObservation { actions.setState("flash", camera.flashMode.rawValue) },
      ModelObservation { actions.setState("guides", camera.guides.rawValue) },
      ModelObservation {
        actions.setState("interval", "\(camera.interval.seconds)")
        actions.setState("interval-count", "\(camera.intervalCount.rawValue)")
        actions.setState("booth", camera.boothChoice.rawValue)
        actions.setState("series", camera.seriesText ?? "")
        actions.setEnabled("stop-interval", camera.seriesText != nil)
      },
      ModelObservation {
        actions.setState("burst", camera.burst.isRunning)
        actions.setState("burst-count", camera.burst.count.map { "\($0)" } ?? "")
      },
      ModelObservation { actions.setState("flashes", "\(camera.flash.litCount)") },
      ModelObservation {
        actions.setState("counting", camera.countdown.remaining.map { "\($0)" } ?? "")
        actions.setEnabled("cancel-countdown", camera.countdown.isRunning)
      },
    ]
  }

  /// The QR code in the viewfinder. Nothing is opened but by this action.
  private func addCodes(_ actions: Actions, _ camera: CameraModel, _ codes: CodeModel, _ window: MainWindow) {
    actions.addSwitch("look-for-codes", isOn: camera.looksForCodes) { camera.setLooksForCodes(!camera.looksForCodes) }
    actions.add("open-code") { [weak window] in
      guard let link = codes.code?.link, let window else { return }
      codes.dismiss()
      URL(string: link)?.openInItsProgram(over: window.window) { camera.messages.post($0) }
    }
    actions.add("copy-code") { [weak window] in
      guard let code = codes.code, let window else { return }
      gdk_clipboard_set_text(gtk_widget_get_clipboard(window.window.widget), code.copied)
      codes.dismiss()
      camera.messages.post(localized("Copied to clipboard"))
    }
    // A state for scripts: the first line of the code that is offered.
    actions.addReport("code", text: "")
    codeObservation = ModelObservation {
      actions.setState("code", codes.code?.title ?? "")
      actions.setState("look-for-codes", camera.looksForCodes)
      actions.setEnabled("open-code", codes.code?.link != nil)
      actions.setEnabled("copy-code", codes.code != nil)
    }
  }
}
