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
    var reversal = Reversal()
    for batch in change.batches(batchCount) {
      var changes = ChangeSet()
      changes.reverse(batch)
      let outcome: Outcome
      do throws(PhotoLibraryError) { outcome = try await perform(changes) } catch {
        // What is done is done; the rest stays as it is.
        guard !reversal.change.isEmpty else { throw error }
        reversal.overridden += batch.assets.count
        continue
      }
      reversal.change.formUnion(outcome.reversible)
      reversal.missing += outcome.reversal.missing
      reversal.overridden += outcome.reversal.overridden
    }
    return reversal
  }
}
