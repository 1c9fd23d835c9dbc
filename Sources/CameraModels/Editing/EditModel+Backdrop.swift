// The backdrop of the editor's effect.

import PhotoEffects

extension EditModel: BackdropChoosing {
  public var chosenBackdrop: Backdrop? { recipe.effect?.backdrop }
  public var backdropSession: Int { session }

  /// A drag is one step.
  public func moveBackdrop(to position: OwnBackdrop.Position) {
    guard case .own(var own) = recipe.effect?.backdrop else { return }
    own.position = position
    backdrop = .own(own)
    change(step: "backdrop") { $0.effect?.backdrop = .own(own) }
  }

  public func endMovingBackdrop() { endStep() }
  public func tellOfBackdrop(_ text: String) { problem = text }
}
