// Widgets that follow their models: what a closure reads is watched, and the closure runs again when it changes.

import Observation

/// A bond between a model and what follows it. It ends when this object goes away.
@MainActor final class ModelObservation {
  /// Reads the model, and returns what is to be done with what was read.
  private let read: @MainActor () -> @MainActor () -> Void

  /// Runs `update` now, and again soon after each change of an observable property that it read. Changes in one turn of
  /// the main loop are one run. For updates that only show what they read.
  convenience init(_ update: @escaping @MainActor () -> Void) {
    self.init(of: update, do: {})
  }

  /// Calls `act` with what `read` returns, now and again soon after each change of an observable property that `read`
  /// read. What `act` reads isn't watched, so that it may change models without calling itself.
  init<Value>(of read: @escaping @MainActor () -> Value, do act: @escaping @MainActor (Value) -> Void) {
    self.read = {
      let value = read()
      return { act(value) }
    }
    run()
  }

  private func run() {
    let act = withObservationTracking {
      read()
    } onChange: { [weak self] in
      // Called before the value changes, and only once: read it, and watch again, when the change is done.
      Task { @MainActor in self?.run() }
    }
    act()
  }
}
