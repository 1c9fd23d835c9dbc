// The reason why effects that need to know where people are can't be used.

import CameraCore
import Foundation
import Localization
import PhotoEffects

/// Says why the person can't be told from the background, and what can be done.
enum MatteAbsence {
  /// - Parameter mattes: `nil` where nobody tells.
  /// - Returns: A sentence for people; `nil` when there are mattes.
  static func text(of mattes: (any MatteProvider)?) -> String? {
    guard let mattes else { return RecipeError.noMattes.description }
    guard let reason = mattes.reasonForAbsence() else { return nil }
    return localized(
      """
      The person can’t be told from the background: \("\(reason)".asClause). Install the package of PhotoMe again, or run \
      data/dev/models in its source code.
      """, comment: "{0} is a clause; data/dev/models is a program’s path")
  }
}
