// The scene of the editor's preview: the edit, or the original while it is compared; the still, or the movie.

import CameraCore
import Foundation
import PhotoEffects

extension EditModel {
  /// The current scene.
  var scene: EditPreview.Scene {
    var scene = EditPreview.Scene()
    scene.recipe = isShowingOriginal ? AdjustmentRecipe() : recipe.withoutMovieChanges
    // The crop is drawn over the picture, so the picture is shown whole.
    if tab == .crop { scene.recipe.geometry.crop = .full }
    if !isShowingOriginal { scene.stillTime = recipe.keyPhotoTime }
    scene.showsMatte = tab == .matte && showsMatte && !isShowingOriginal
    let isStill = recipe.playbackStyle == .longExposure
    scene.range = movieRange
    scene.bounces = recipe.playbackStyle == .bounce && !isShowingOriginal
    scene.isAveraged = isStill && !isShowingOriginal
    if scene.isAveraged { scene.stillTime = nil }
    // A still is easier to crop, and only the still's matte can be corrected; while saving, the processor has better things to do.
    scene.isMoving = hasMovie && tab != .crop && tab != .matte && !isStill && state == .editing
    // Only on the page that is about sound: nobody wants to hear it over and over everywhere else.
    scene.hasSound = tab == .live && recipe.playbackStyle == .live && !recipe.isMuted
    return scene
  }

  /// The range of the movie that is kept, in seconds.
  var movieRange: ClosedRange<Double>? {
    guard let movieDuration else { return nil }
    guard let trim = recipe.trim else { return 0...movieDuration }
    let start = min(max(0, trim.start), movieDuration)
    return start...max(start, min(trim.end, movieDuration))
  }

  /// Updates preview and thumbnails after a change.
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
