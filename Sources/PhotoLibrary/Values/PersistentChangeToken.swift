// A position in the history of a library that outlives the process, and the changes since then.

import Foundation

/// A position in the history of a library. It can be stored, and used by a later process or another one.
///
///     let token = try await library.currentChangeToken()
///     let shown = try await library.fetch()
///     // Later, also after a restart:
///     do {
///       let changes = try await library.changes(since: token)
///       remove(changes.assets.deleted)
///     } catch .changesUnknown { … fetch everything again … }
///
/// As a string, and encoded, it is a short word that means nothing elsewhere.
public struct PersistentChangeToken: Sendable, Hashable, Codable, LosslessStringConvertible {
  /// The random name of the history; a new index of the same library has another one.
  let history: String
  /// The last row of the history that it covers.
  let sequence: Int64
  /// The random mark of that row, 0 without one; `nil` in a token of an earlier version, whose rows had none.
  let mark: Int64?

  init(history: String, sequence: Int64, mark: Int64?) {
    (self.history, self.sequence, self.mark) = (history, sequence, mark)
  }

  /// - Returns: `nil` when the text isn't a token.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count >= 3, AssetIdentity.isID(String(parts[1])), let sequence = Int64(parts[2]), sequence >= 0,
      String(sequence) == parts[2]
    else { return nil }
    var mark: Int64?
    switch (parts[0], parts.count) {
    case (Self.versionWithoutMark, 3): break
    case (Self.version, 4):
      guard let bits = UInt64(parts[3], radix: 16), Self.text(of: bits) == parts[3] else { return nil }
      mark = Int64(bitPattern: bits)
    default: return nil
    }
    self.init(history: String(parts[1]), sequence: sequence, mark: mark)
  }

  public var description: String {
    guard let mark else { return "\(Self.versionWithoutMark).\(history).\(sequence)" }
    return "\(Self.version).\(history).\(sequence).\(Self.text(of: UInt64(bitPattern: mark)))"
  }

  private static let version = "2"
  private static let versionWithoutMark = "1"

  /// 16 hexadecimal digits.
  private static func text(of bits: UInt64) -> String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let token = Self(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a token of changes")
    }
    self = token
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// The net changes of a library since a token: what came and went in between is not in them.
public struct PersistentChanges: Sendable, Hashable {
  /// The ids of things of one kind; each is in one of the sets at most.
  public struct Details: Sendable, Hashable {
    /// Those that were not there, and are now.
    public var inserted: Set<String> = []
    /// Those that were there, are still, and may be different.
    public var updated: Set<String> = []
    /// Those that were there and no longer are.
    public var deleted: Set<String> = []

    public init() {}

    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
  }

  /// Assets, also hidden ones. One is updated when its file, its properties or its albums are.
  public var assets = Details()
  /// Albums and folders of albums. An album is updated with its title, its order, or the pictures in it.
  public var collections = Details()
  /// The position up to which these changes go.
  public var token: PersistentChangeToken

  init(token: PersistentChangeToken) { self.token = token }
}

/// Why the changes since a token can't be told.
public enum ChangeTokenFault: Sendable, Hashable {
  /// So much has changed since that the history no longer goes back that far.
  case expired
  /// It is of another library, or of an index that was made anew or put back from a backup since.
  case otherHistory
  /// An earlier version made it, whose tokens don't tell an index that was put back from a backup.
  case earlierVersion
}
