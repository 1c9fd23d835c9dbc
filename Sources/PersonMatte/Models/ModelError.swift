// Errors of models.

import Foundation
import Localization

/// A reason why a model can't be used.
public enum ModelError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
  /// No such file in any of the folders.
  case notInstalled(name: String)
  /// The file is another one than it should be.
  case wrongDigest(path: String)
  /// The file can't be read.
  case unreadable(path: String, reason: String)
  /// The file ends early, or points outside itself; the offset is in bytes.
  case damaged(offset: Int)
  /// An operation, a form of one, or a kind of number that isn't among those of the known models.
  case unknown(String)
  /// A network with values of shapes that don't go together.
  case wrongShape(String)
  /// XNNPACK doesn't run it.
  case refused(status: Int)

  public var errorDescription: String? { description }

  public var description: String {
    localized(
      """
      PhotoMe can’t separate people from the background: \(reason). Reinstall PhotoMe, or run data/dev/models if you built \
      it yourself.
      """, comment: "{0} is a clause; data/dev/models is a program’s path")
  }

  /// A clause.
  var reason: String {
    switch self {
    case .notInstalled(let name): localized("the model \(name) isn’t installed")
    case .wrongDigest(let path): localized("“\(path)” is another file than the one PhotoMe knows")
    case .unreadable(let path, let reason): localized("“\(path)” can’t be read: \(reason)")
    case .damaged(let offset): localized("the model is damaged at byte \(offset)")
    case .unknown(let name): localized("the model uses “\(name)”, which isn’t supported")
    case .wrongShape(let name): localized("the sizes of “\(name)” in the model don’t go together")
    case .refused(let status): localized("XNNPACK doesn’t run the model (status \(status))")
    }
  }
}
