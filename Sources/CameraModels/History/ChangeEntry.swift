// One change of the history: its name, and the values from which it is undone.

import Foundation
import PhotoEffects
import PhotoLibrary

/// A change that can be undone.
///
/// It holds values and ids, no closures: it can be saved, and is checked against the library when it is undone.
public struct ChangeEntry: Codable, Hashable, Sendable, Identifiable {
  public typealias ID = String

  /// What was done, and the values from before.
  public enum Content: Codable, Hashable, Sendable {
    /// Marks, albums and folders.
    case records(ReversibleChange)
    /// Pictures were moved to the trash.
    case trashed([TrashedAsset])
    /// Pictures were added or restored: to undo it, they are moved to the trash.
    case added([Asset.ID])
    /// A picture was edited or reverted.
    case edited(EditChange)
    /// Several pictures were edited or reverted at once.
    case severalEdited([EditChange])
  }

  public let id: ID
  public var name: ChangeName
  public var date: Date
  public var content: Content

  public init(name: ChangeName, date: Date, content: Content) {
    id = UUID().uuidString
    (self.name, self.date, self.content) = (name, date, content)
  }

  /// The number of ids in it, by which the size of a history is limited.
  var weight: Int {
    switch content {
    case .records(let change): change.count
    case .trashed(let assets): assets.count
    case .added(let ids): ids.count
    case .edited: 1
    case .severalEdited(let changes): changes.count
    }
  }

  /// Whether undoing it shows pictures that are hidden.
  var showsHiddenPictures: Bool {
    if case .records(let change) = content { change.hidesPictures } else { false }
  }
}

/// The edit of one picture before and after a change; `nil` for the untouched original.
public struct EditChange: Codable, Hashable, Sendable {
  public var asset: Asset.ID
  public var before: AdjustmentData?
  public var after: AdjustmentData?

  public init(asset: Asset.ID, before: AdjustmentData?, after: AdjustmentData?) {
    (self.asset, self.before, self.after) = (asset, before, after)
  }

  /// Whether two edits are the same: the same bytes, or recipes with the same values.
  static func isSame(_ first: AdjustmentData?, _ second: AdjustmentData?) -> Bool {
    if first == second { return true }
    guard let first, let second, let one = recipe(first), let other = recipe(second) else { return false }
    return one == other
  }

  /// `nil` for edits of other programs, which are compared by their bytes.
  private static func recipe(_ data: AdjustmentData) -> AdjustmentRecipe? {
    try? AdjustmentRecipe(data)
  }
}

/// Gives pictures an earlier edit again.
public protocol EditRestoring: Sendable {
  /// Renders an earlier edit anew from the untouched original.
  ///
  /// - Parameters:
  ///   - adjustment: `nil` brings back the original.
  ///   - progress: The completed fraction, 0…1; called on any thread.
  /// - Throws: `UnrestorableEdit` when this version can't render it, or the error of rendering and saving; the asset is
  ///   unchanged then.
  func restore(
    _ adjustment: AdjustmentData?, of asset: Asset, progress: @escaping @Sendable (Double) -> Void
  ) async throws
}

/// An edit that can't be rendered here.
public struct UnrestorableEdit: Error, Hashable, Sendable {
  /// As a clause: “the program that made it isn’t installed”.
  public var reason: String

  public init(reason: String) { self.reason = reason }
}
