// The password prompt for hidden pictures, by polkit.

import CameraModels
import GtkShim
import Localization

/// Asks through polkit, with an action of PhotoMe's own that wants the user's password each time. Its policy file is
/// `data/io.github.photome.PhotoMe.policy`.
@MainActor final class PolkitPrompt: PasswordPrompt {
  /// The action's id in the policy file.
  static let action = "io.github.photome.PhotoMe.show-hidden"

  func ask() async -> PasswordAnswer {
    await withCheckedContinuation { continuation in
      let answered: (PmPasswordAnswer) -> Void = { continuation.resume(returning: Self.answer($0)) }
      pm_password_prompt(Self.action, answeredTrampoline, HandlerBox.retained(answered))
    }
  }

  private static func answer(_ answer: PmPasswordAnswer) -> PasswordAnswer {
    switch answer {
    case PM_PASSWORD_GRANTED: .granted
    case PM_PASSWORD_REFUSED: .refused
    case PM_PASSWORD_DISMISSED: .dismissed
    case PM_PASSWORD_NO_ACTION: .unavailable(reason: localized("PhotoMe’s polkit policy file isn’t installed"))
    case PM_PASSWORD_NO_AGENT: .unavailable(reason: localized("no app on this desktop shows password prompts"))
    default: .unavailable(reason: localized("the system’s authorization service (polkit) can’t be reached"))
    }
  }
}

/// `void (answer, data)`, on the main thread, once
private let answeredTrampoline: @convention(c) (PmPasswordAnswer, UnsafeMutableRawPointer?) -> Void = { answer, data in
  let handler: HandlerBox<(PmPasswordAnswer) -> Void>? = .from(data)
  ownWork { handler?.handler(answer) }
  releaseHandlerBox(data)
}
