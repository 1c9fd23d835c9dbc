// The actions of the viewfinder's effects, as the button, the key and D-Bus call them.

import CameraModels
import Foundation
import PhotoEffects

/// Adds the actions and keeps their states in step with the model.
@MainActor final class EffectsCommands {
  private var observations: [ModelObservation] = []

  init(actions: Actions, model: EffectsModel, window: MainWindow, messages: MessageModel) {
    actions.addSwitch("effects", isOn: false) { model.toggle() }
    // By its identifier; an empty text is none.
    actions.addChoice("effect", chosen: "") { name in
      do { model.choose(name.isEmpty ? nil : try Effect.named(name)) } catch {
        messages.post(error.localizedDescription)
      }
    }
    actions.addCommand("effect-strength") { text in
      guard let value = Double(text) else { return }
      model.setIntensity(value)
      model.intensityWasSet()
    }
    // What scripts read: how many tiles of the page have a picture, and how many shots are still to get their effect.
    for report in ["effect-pictures", "effects-waiting"] { actions.addReport(report, text: "0") }
    window.effectPicturesChanged = { actions.setState("effect-pictures", "\($0)") }
    observations = [
      ModelObservation {
        actions.setState("effects", model.isOpen)
        actions.setEnabled("effects", model.isAvailable)
      },
      ModelObservation { actions.setState("effect", model.setting?.effect.identifier ?? "") },
      ModelObservation { actions.setEnabled("effect-strength", model.setting != nil) },
      ModelObservation { actions.setState("effects-waiting", "\(model.shots.waiting.count)") },
    ]
  }
}
