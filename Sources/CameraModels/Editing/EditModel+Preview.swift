// What the editor's preview shows: the edit, or the original while it is held; the still, or the movie.

import CameraCore
import Foundation
import PhotoEffects

extension EditModel {
  /// What is to be seen now.
  var scene: EditPreview.Scene {
    var scene = EditPreview.Scene()
    scene.recipe = isShowingOriginal ? AdjustmentRecipe() : recipe.withoutMovieChanges
    // The crop is drawn over the picture, which therefore is seen whole.
    if tab == .crop { scene.recipe.geometry.crop = .full }
    if !isShowingOriginal { scene.stillTime = recipe.keyPhotoTime }
    let isStill = recipe.playbackStyle == .longExposure
    scene.range = movieRange
    scene.isAveraged = isStill && !isShowingOriginal
    if scene.isAveraged { scene.stillTime = nil }
    // The crop is easier to set on what stands still; what is being saved has better use for the processor.
    scene.isMoving = hasMovie && tab != .crop && !isStill && state == .editing
    // Only where the sound is decided about: nobody wants to hear it again and again meanwhile.
    scene.hasSound = tab == .live && recipe.playbackStyle == .live && !recipe.isMuted
    return scene
  }

  /// The part of the movie that is kept, in seconds.
  var movieRange: ClosedRange<Double>? {
    guard let movieDuration else { return nil }
    guard let trim = recipe.trim else { return 0...movieDuration }
    let start = min(max(0, trim.start), movieDuration)
    return start...max(start, min(trim.end, movieDuration))
  }

  /// Brings preview and thumbnails in step with what is set.
  func updatePreview() {
    guard start != nil else { return }
    preview.show(scene)
    if !isShowingOriginal { thumbnails.follow(recipe) }
  }

  /// Shows the original for as long as something is held down.
  public func showOriginal(_ isShown: Bool) {
    guard isShown != isShowingOriginal, state == .editing || !isShown else { return }
    isShowingOriginal = isShown
    updatePreview()
  }
}
