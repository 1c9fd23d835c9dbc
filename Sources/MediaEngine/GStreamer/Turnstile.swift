// Lets so many through at a time; the others wait in the order in which they came.

/// A gate for work on `PipelineActor` that waits in the middle, where the actor itself lets others in.
@PipelineActor
final class Turnstile {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  nonisolated init(places: Int = 1) { free = places }

  /// Goes in, as soon as there is a place. `leave` must follow.
  func enter() async {
    if free > 0 {
      free -= 1
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Leaves the place to the next.
  func leave() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}
