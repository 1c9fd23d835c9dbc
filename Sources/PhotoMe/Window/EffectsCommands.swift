// The actions of the viewfinder's effects, for the button, the key and D-Bus.

import CameraModels
import Foundation
import PhotoEffects

/// Adds the actions and keeps their states up to date.
@MainActor final class EffectsCommands {
  private var observations: [ModelObservation] = []

  init(actions: Actions, model: EffectsModel, window: MainWindow, messages: MessageModel) {
    actions.addSwitch("effects", isOn: false) { model.toggle() }
    // The parameter is the effect's identifier; an empty one is none.
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
    // The parameter is the name of an `EffectScope`.
    actions.addChoice("effect-scope", chosen: EffectScope.everywhere.rawValue) { name in
      do { model.setScope(try EffectScope(named: name)) } catch { messages.post(error.localizedDescription) }
    }
    // The parameter is the name of a `Backdrop`, or the path of a file that becomes one.
    actions.addChoice("effect-backdrop", chosen: "") { name in
      if name.hasPrefix("/") {
        Task { await model.addBackdrop(URL(fileURLWithPath: name)) }
        return
      }
      do { model.setBackdrop(try Backdrop(named: name)) } catch { messages.post(error.localizedDescription) }
    }
    // States for scripts: how many tiles of the page show a picture, and how many shots still wait for their effect.
    for report in ["effect-pictures", "effects-waiting"] { actions.addReport(report, text: "0") }
    window.effectPicturesChanged = { actions.setState("effect-pictures", "\($0)") }
    observations = [
      ModelObservation {
        actions.setState("effects", model.isOpen)
        actions.setEnabled("effects", model.isAvailable && model.rest == nil)
      },
      ModelObservation { actions.setState("effect", model.setting?.effect.identifier ?? "") },
      ModelObservation {
        actions.setEnabled("effect-strength", model.setting != nil)
        actions.setEnabled("effect-scope", model.setting?.effect.hasScope == true)
        actions.setEnabled("effect-backdrop", model.setting?.effect.hasBackdrop == true)
        actions.setState("effect-backdrop", model.setting?.backdrop?.name ?? "")
        actions.setState("effect-scope", (model.setting?.scope ?? .everywhere).rawValue)
      },
      ModelObservation { actions.setState("effects-waiting", "\(model.shots.waiting.count)") },
    ]
  }
}
