// A slider with its value as text: follows the model, resets on double-click, and ends its step when released.

import CGtk
import CameraModels
import Foundation
import GtkShim
import Localization

/// Binds a `GtkScale` and a label to a number of a model.
@MainActor final class ValueSlider {
  private let scale: GObjectRef
  private let adjustment: GObjectRef
  private var observation: ModelObservation?

  /// - Parameters:
  ///   - grain: The number of steps from 0 to 1.
  ///   - value: Reads the number; called again when the model changes.
  ///   - text: Formats the number.
  ///   - set: The user moved the slider.
  ///   - reset: The user wants the neutral value back.
  ///   - released: The slider was released.
  init(
    scale: GObjectRef, label: GObjectRef, grain: Double = 100, value: @escaping () -> Double,
    text: @escaping (Double) -> String,
    set: @escaping (Double) -> Void, reset: @escaping () -> Void, released: @escaping () -> Void
  ) {
    self.scale = scale
    adjustment = GObjectRef(retaining: gtk_range_get_adjustment(scale.of(GtkRange.self)))
    scale.onValue("change-value") { value in
      // A slider's pixel corresponds to a number with many decimal places.
      set((value * grain).rounded() / grain)
      return false
    }
    scale.onRelease(released)
    scale.onDoubleClick(reset)
    observation = ModelObservation { [adjustment] in
      let now = value()
      gtk_adjustment_set_value(adjustment.of(GtkAdjustment.self), now)
      gtk_label_set_text(label.opaque, text(now))
      pm_set_accessible_value_text(scale.widget, text(now))
      pm_set_accessible_description(scale.widget, text(now))
    }
  }

  /// An integer with its sign; 0 without one.
  static func signed(_ value: Double) -> String {
    signed(value, places: 0)
  }

  /// A number with its sign and some decimal places; 0 without a sign.
  static func signed(_ value: Double, places: Int) -> String {
    let scale = pow(10, Double(places))
    // Rounded first: what rounds to zero has no sign, as zero itself.
    let rounded = (abs(value) * scale).rounded() / scale
    let text = rounded.localized(decimals: places...places)
    guard rounded != 0 else { return text }
    return (value > 0 ? "+" : "−") + text
  }

  /// A part of 1 in percent.
  static func percent(_ part: Double) -> String {
    part.formatted(.percent.precision(.fractionLength(0)).locale(.forNumbers))
  }
}
