// The description of an edit, from which it can be reopened.

import Foundation
import PhotoEffects

/// The description of an edit: the identifier of the format, its version, and the settings themselves.
///
/// A program that understands the format and version can reopen the edit with its settings; all others get the rendered
/// picture.
public struct AdjustmentData: Sendable, Hashable, Codable {
  /// Reverse domain name notation: `io.github.photome.recipe`.
  public var formatIdentifier: String
  public var formatVersion: String
  /// The settings, in the format's own encoding.
  public var data: Data

  public init(formatIdentifier: String, formatVersion: String, data: Data) {
    self.formatIdentifier = formatIdentifier
    self.formatVersion = formatVersion
    self.data = data
  }
}

extension AdjustmentRecipe {
  /// The recipe in an edit of PhotoMe.
  ///
  /// - Throws: A `RecipeError` for another program's or a newer version's, and for one that can't be read.
  public init(_ adjustment: AdjustmentData) throws {
    try self.init(
      formatIdentifier: adjustment.formatIdentifier, formatVersion: adjustment.formatVersion, data: adjustment.data)
  }
}
