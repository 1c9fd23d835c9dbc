// Changes of when and where many pictures were taken.

import CameraCore
import Foundation
import Localization

/// The outcome of a change of many pictures, of which some may be of formats that can't hold it.
public struct CaptureMetadataOutcome: Sendable {
  /// What was changed, to be taken back.
  public var change = ReversibleChange()
  /// The pictures that have what was asked for now.
  public var changed: [Asset.ID] = []
  /// The errors of those that are as they were.
  public var refused: [PhotoLibraryError] = []
}

extension PhotoLibrary {
  /// Changes when and where pictures and videos were taken, in their own metadata.
  ///
  /// Each picture is changed with all of its files, or not at all. Many are changed in steps of up to 64, so that there need
  /// be room for so many only, or for the largest movie.
  ///
  /// - Parameters:
  ///   - requests: With a date, a time zone or a place.
  ///   - progress: The number of pictures that are done; called on any thread.
  /// - Returns: What was done, also when an error of the disk has ended it: then that is the last in `refused`.
  public func changeCaptureMetadata(
    _ requests: [AssetChangeRequest], progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async -> CaptureMetadataOutcome {
    var outcome = CaptureMetadataOutcome()
    var left = requests[...]
    while !left.isEmpty {
      let step = left.prefix(batchCount(of: left.map(\.id)))
      left = left.dropFirst(step.count)
      do throws(PhotoLibraryError) { try await perform(step, &outcome) } catch {
        guard step.count > 1, error.isAboutOne else {
          outcome.refused.append(error)
          if !error.isAboutOne { return outcome }
          continue
        }
        for request in step {
          do throws(PhotoLibraryError) { try await perform([request], &outcome) } catch {
            outcome.refused.append(error)
            if !error.isAboutOne { return outcome }
          }
        }
      }
      progress(requests.count - left.count)
    }
    return outcome
  }

  /// The number of assets at the beginning whose files are written anew at once; at least 1.
  func batchCount(of ids: [Asset.ID]) -> Int {
    var byteCount: UInt64 = 0
    var count = 0
    for id in ids.prefix(ChangeTransaction.batchCount) {
      // An error of the index is that of the change itself.
      byteCount += (try? index.file(id: id))?.fileSize ?? 0
      guard count == 0 || byteCount <= ChangeTransaction.batchBytes else { break }
      count += 1
    }
    return max(1, count)
  }

  private func perform(
    _ requests: ArraySlice<AssetChangeRequest>, _ outcome: inout CaptureMetadataOutcome
  ) async throws(PhotoLibraryError) {
    let change = try await performReversibly { changes in
      for request in requests { changes.change(request) }
    }.change
    outcome.change.formUnion(change)
    outcome.changed += requests.map(\.id)
  }
}

extension PhotoLibraryError {
  /// Whether other pictures may be changed though this one can't.
  fileprivate var isAboutOne: Bool {
    switch self {
    case .unusableFile, .unknownAsset, .changesFailed, .fileMissing, .changedMeanwhile: true
    default: false
    }
  }
}
