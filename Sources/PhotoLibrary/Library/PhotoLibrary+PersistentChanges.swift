// Changes since a token that a client has stored.

import CameraCore
import Foundation

extension PhotoLibrary {
  /// The present position in the library's history, to be stored with what was read of the library: take it first, and
  /// then fetch, so that nothing falls between the two.
  ///
  /// - Throws: `index` when the index can't be used.
  public func currentChangeToken() async throws(PhotoLibraryError) -> PersistentChangeToken {
    try await Blocking.run { () throws(PhotoLibraryError) in try self.index.changeToken() }
  }

  /// The net changes since a token, by any process and in any order. What other programs changed in the folder while PhotoMe
  /// was closed is among them once it is found: call `refresh` before.
  ///
  /// - Throws: `changesUnknown` when the token has expired, is of another library or of an index that was made anew or put
  ///   back from a backup since, or was made by an earlier version: the client reads everything again then. `index` when the
  ///   index can't be used.
  public func changes(since token: PersistentChangeToken) async throws(PhotoLibraryError) -> PersistentChanges {
    try await Blocking.run { () throws(PhotoLibraryError) in try self.index.changes(since: token) }
  }
}
