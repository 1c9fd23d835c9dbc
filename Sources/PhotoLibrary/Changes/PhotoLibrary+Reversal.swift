// Changes that can be taken back.

import CameraCore
import Foundation

extension PhotoLibrary {
  /// The same as `performChanges`, with what was changed in marks, albums and folders.
  ///
  /// - Returns: What `body` returned, and the change, from which `reverse` restores the former values.
  /// - Throws: As `performChanges`.
  public func performReversibly<R: Sendable>(
    _ body: @Sendable (inout ChangeSet) throws -> R
  ) async throws(PhotoLibraryError) -> (result: R, change: ReversibleChange) {
    var changes = ChangeSet()
    let result: R
    do { result = try body(&changes) } catch let error as PhotoLibraryError {
      throw error
    } catch {
      throw .changesFailed(reason: error.localizedDescription)
    }
    return (result, try await perform(changes).reversible)
  }

  /// Takes a change back atomically.
  ///
  /// Each value is compared with what the change made of it, under the lock that all changes take: what another program
  /// or a later change has made of it since stays.
  ///
  /// - Throws: As `performChanges`. Pictures and albums that are gone are no error: they are counted.
  public func reverse(_ change: ReversibleChange) async throws(PhotoLibraryError) -> Reversal {
    var changes = ChangeSet()
    changes.reverse(change)
    let outcome = try await perform(changes)
    var reversal = outcome.reversal
    reversal.change = outcome.reversible
    return reversal
  }
}
