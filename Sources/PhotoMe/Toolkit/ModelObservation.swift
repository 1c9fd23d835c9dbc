// Widgets that follow their models: what a closure reads is watched, and the closure runs again when it changes.

import Observation

/// A bond between a model and the widgets that show it. It ends when this object goes away.
@MainActor final class ModelObservation {
  private let update: @MainActor () -> Void

  /// Runs `update` now, and again soon after each change of an observable property that it read. Changes in one turn of
  /// the main loop are one run.
  init(_ update: @escaping @MainActor () -> Void) {
    self.update = update
    run()
  }

  private func run() {
    withObservationTracking {
      update()
    } onChange: { [weak self] in
      // Called before the value changes, and only once: read it, and watch again, when the change is done.
      Task { @MainActor in self?.run() }
    }
  }
}
