// Red eyes in the editor: a switch that is on while pupils are corrected.

import CameraCore
import Foundation
import Localization
import PhotoEffects
import PhotoLibrary

extension EditModel {
  /// Whether red eyes can be removed: from stills, where faces can be looked for.
  public var canRemoveRedEyes: Bool { state == .editing && !isVideo && detector != nil }

  /// Whether red eyes are removed.
  public var removesRedEyes: Bool { !recipe.redEye.isEmpty }

  /// Looks for red eyes in the present key photo and removes them, as one step; or takes that back. When there are none,
  /// `problem` says so.
  public func toggleRedEyes() async {
    guard canRemoveRedEyes, let detector, let start, !isLookingForRedEyes else { return }
    endStep()
    guard !removesRedEyes else { return change { $0.redEye = [] } }
    isLookingForRedEyes = true
    defer { isLookingForRedEyes = false }
    let (mine, time) = (session, recipe.keyPhotoTime)
    do {
      let found: EditedFaces
      if let faces {
        found = faces
      } else {
        found = try await EditedFaces.find(
          in: start.input, at: time, by: detector, library: library, reader: reader)
      }
      let spots = try await found.redEyes(in: start.input, library: library, reader: reader)
      guard mine == session, state == .editing, recipe.keyPhotoTime == time else { return }
      foundFaces = found
      if spots.isEmpty {
        problem = found.faces.isEmpty ? localized("No faces were found.") : localized("No red eyes were found.")
      }
      change { $0.redEye = spots }
    } catch is CancellationError {
      // The picture is gone.
    } catch {
      if mine == session { problem = error.localizedDescription }
    }
  }
}
