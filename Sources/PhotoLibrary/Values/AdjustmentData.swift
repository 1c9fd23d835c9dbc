// What was done to a picture, in a form that reopens.

import Foundation

/// The description of an edit: which program's format, which version of it, and the settings themselves.
///
/// Whoever understands the format and version can reopen the edit with its settings; everyone else gets the rendered
/// picture.
public struct AdjustmentData: Sendable, Hashable, Codable {
  /// Reverse domain name notation: `io.github.photome.recipe`.
  public var formatIdentifier: String
  public var formatVersion: String
  /// The settings, as the format has them.
  public var data: Data

  public init(formatIdentifier: String, formatVersion: String, data: Data) {
    self.formatIdentifier = formatIdentifier
    self.formatVersion = formatVersion
    self.data = data
  }
}
