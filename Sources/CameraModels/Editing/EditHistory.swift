// The steps of an edit, so that each can be taken back and done again.

import PhotoEffects

/// A recipe with its past and its future.
///
///     var history = EditHistory(AdjustmentRecipe())
///     history.change(to: warm, step: "warmth")
///     history.change(to: warmer, step: "warmth")  // the same drag of a slider: the same step
///     history.undo()                              // the first recipe again
struct EditHistory: Equatable {
  /// What is there now.
  private(set) var present: AdjustmentRecipe
  private var past: [AdjustmentRecipe] = []
  private var future: [AdjustmentRecipe] = []
  /// The name of the step that goes on until it is ended.
  private var openStep: String?

  /// How many steps can be taken back.
  static let limit = 500

  init(_ recipe: AdjustmentRecipe) { present = recipe }

  var canUndo: Bool { !past.isEmpty }
  var canRedo: Bool { !future.isEmpty }

  /// Makes another recipe the present one. What was taken back before can't be done again after that.
  ///
  /// - Parameter step: Changes of the same name that follow each other are one step until `endStep`; `nil` is a step of its
  ///   own.
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

  /// The slider was let go. A drag that ended where it began is no step.
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
