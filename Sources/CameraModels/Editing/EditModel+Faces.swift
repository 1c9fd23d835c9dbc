// Faces in the editor: they are looked for when a page needs them, and the crop is suggested by them.

import CameraCore
import Foundation
import Localization
import PhotoEffects

extension EditModel {
  /// The faces of the present key photo; `nil` before they are known.
  var faces: EditedFaces? { foundFaces.flatMap { $0.time == recipe.keyPhotoTime ? $0 : nil } }

  /// Whether there are faces by which a crop can be suggested.
  public var canSuggestCrop: Bool { state == .editing && faces?.faces.isEmpty == false }

  /// Crops the picture by the faces that are in it, in the chosen aspect ratio. When there is nothing to improve, `problem`
  /// says so.
  public func suggestCrop() {
    guard canSuggestCrop, let faces, let fullSize else { return }
    endStep()
    guard let crop = faces.suggestedCrop(in: recipe.geometry, of: fullSize, ratio: cropRatio) else {
      problem = localized("The faces are well placed already. There is nothing to crop.")
      return
    }
    change { $0.geometry.crop = crop }
  }

  /// Looks for the faces of the present key photo, unless that was done already. Nobody has asked for it: where it fails, there
  /// is no suggestion.
  func lookForFaces() async {
    guard let start, let detector, faces == nil else { return }
    let (mine, time) = (session, recipe.keyPhotoTime)
    let found = try? await EditedFaces.find(in: start.input, at: time, by: detector, library: library, reader: reader)
    if let found, mine == session { foundFaces = found }
  }
}
