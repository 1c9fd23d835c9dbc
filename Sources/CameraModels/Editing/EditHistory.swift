// Undo and redo for recipes.

import PhotoEffects

/// A recipe with its past and its future.
///
///     var history = EditHistory(AdjustmentRecipe())
///     history.change(to: warm, step: "warmth")
///     history.change(to: warmer, step: "warmth")  // the same drag of a slider: the same step
///     history.undo()                              // the first recipe again
struct EditHistory: Equatable {
  /// The current recipe.
  private(set) var present: AdjustmentRecipe
  private var past: [AdjustmentRecipe] = []
  private var future: [AdjustmentRecipe] = []
  /// The name of the step that is still open.
  private var openStep: String?

  /// The maximum number of steps that can be undone.
  static let limit = 500

  init(_ recipe: AdjustmentRecipe) { present = recipe }

  var canUndo: Bool { !past.isEmpty }
  var canRedo: Bool { !future.isEmpty }

  /// Changes the current recipe. What was undone before can't be redone after that.
  ///
  /// - Parameter step: Consecutive changes of the same name form one step until `endStep`; `nil` is always a new step.
  mutating func change(to recipe: AdjustmentRecipe, step: String? = nil) {
    guard recipe != present else { return }
    if step == nil || step != openStep {
      endStep()
      past.append(present)
      if past.count > Self.limit { past.removeFirst() }
      openStep = step
    }
    present = recipe
    future = []
  }

  /// Ends the open step. A drag that ended where it began leaves none.
  mutating func endStep() {
    guard openStep != nil else { return }
    openStep = nil
    if past.last == present { past.removeLast() }
  }

  mutating func undo() {
    endStep()
    guard let before = past.popLast() else { return }
    future.append(present)
    present = before
  }

  mutating func redo() {
    endStep()
    guard let next = future.popLast() else { return }
    past.append(present)
    present = next
  }
}
