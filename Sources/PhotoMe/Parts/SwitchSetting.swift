// A switch that follows a model.

import CGtk
import CameraModels

/// Binds a `GtkSwitch` to a Boolean of a model. What the user switches counts only when the model follows.
@MainActor final class SwitchSetting {
  private var isFollowing = false
  private var observation: ModelObservation?

  /// - Parameters:
  ///   - isOn: Reads the state; called again when the model changes, as is `isEnabled`.
  ///   - set: The user switched.
  init(
    _ button: GObjectRef, isOn: @escaping () -> Bool, isEnabled: @escaping () -> Bool = { true },
    set: @escaping (Bool) -> Void
  ) {
    button.onChange(of: "active") { [weak self, unowned button] in
      guard let self, !isFollowing else { return }
      let wanted = gtk_switch_get_active(button.opaque) != 0
      guard wanted != isOn() else { return }
      set(wanted)
    }
    observation = ModelObservation { [weak self] in
      let (isOn, isEnabled) = (isOn(), isEnabled())
      self?.isFollowing = true
      gtk_switch_set_active(button.opaque, isOn.gboolean)
      gtk_widget_set_sensitive(button.widget, isEnabled.gboolean)
      self?.isFollowing = false
    }
  }
}
