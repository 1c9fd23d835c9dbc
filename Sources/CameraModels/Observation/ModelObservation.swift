// Repeated observation of models: a closure that runs again whenever what it read has changed.

import Observation

/// A subscription to observable models, which ends when this object is released.
///
///     observation = ModelObservation { label.text = model.title }
@MainActor public final class ModelObservation {
  /// Reads the models, and returns what is to be done with the result.
  private let read: @MainActor () -> @MainActor () -> Void

  /// Runs `update` now, and again soon after each change of an observable property that it read. Changes within one turn
  /// of the main loop are handled together. For updates that only show what they read.
  public convenience init(_ update: @escaping @MainActor () -> Void) {
    self.init(of: update, do: {})
  }

  /// Calls `act` with the value that `read` returns, now and again soon after each change of an observable property that
  /// `read` read. What `act` reads isn't observed, so that it may change models without triggering itself.
  public init<Value>(of read: @escaping @MainActor () -> Value, do act: @escaping @MainActor (Value) -> Void) {
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
      // Called before the value changes, and only once: read and observe again after the change.
      Task { @MainActor in self?.run() }
    }
    act()
  }
}
