// Automatic enhancement in the editor: a switch that is on while its values are set.

import Foundation
import Localization
import PhotoEffects

extension EditModel {
  /// The values that were measured, and of which key photo.
  struct Measurement {
    /// The key photo's time in the movie, in seconds; `nil` for the still as taken.
    var time: Double?
    var values: AutoEnhancement
  }

  /// The measured values of the present key photo; `nil` before they are known.
  private var enhancement: AutoEnhancement? {
    measurement.flatMap { $0.time == recipe.keyPhotoTime ? $0.values : nil }
  }

  /// Whether the present settings are those of an automatic enhancement.
  public var isEnhanced: Bool { enhancement?.isApplied(to: recipe) ?? false }

  /// Sets light, color and straightening by what is measured in the original, as one step; or takes that back. When there is
  /// nothing to improve, `problem` says so.
  public func toggleEnhancement() async {
    guard state == .editing else { return }
    endStep()
    if let enhancement, enhancement.isApplied(to: recipe) {
      let before = beforeEnhancement ?? AdjustmentRecipe()
      change { $0 = enhancement.removed(from: $0, before: before) }
      return
    }
    await measure()
    guard state == .editing, let enhancement else { return }
    beforeEnhancement = recipe
    change { $0 = enhancement.applied(to: $0) }
    cropRatio = nil
    if enhancement.isNeutral { problem = localized("Auto found nothing to improve.") }
  }

  /// Measures the present key photo, unless that was done already. A failure is in `problem`.
  func measure() async {
    guard let start, enhancement == nil else { return }
    let (mine, time) = (session, recipe.keyPhotoTime)
    do {
      let values = try await AutoEnhancement.measured(start.input, at: time, in: library, reader: reader)
      if mine == session { measurement = Measurement(time: time, values: values) }
    } catch {
      if mine == session { problem = error.localizedDescription }
    }
  }
}
