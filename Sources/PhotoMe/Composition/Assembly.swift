// Dependencies of the application and its window: models, camera preview, and callbacks into the engine.

import CameraModels
import EngineInterface

/// The models, the engine's preview, and the engine's functions that the window calls. Made by
/// `Assembly.make(_:data:opening:)`.
@MainActor struct Assembly {
  var models: Models
  var preview: any PreviewSource
  /// Finishes what was taken when the program ends, and can be called off.
  var closing: ClosingModel
  /// Releases the camera while the screen is locked and before the machine sleeps.
  var session: SessionModel
  /// Called when the window is on its way to the screen: for what can wait until then.
  var windowIsShown: () async -> Void
  /// Called when the window appears on the screen: nobody is asked for anything before.
  var windowIsMapped: () -> Void
  /// Called when the user comes back to the window. Does not block.
  var windowIsActive: () -> Void
  /// Makes ready to sound the shutter soon. Does not block.
  var prepareShutterSound: () -> Void
  /// Sounds the shutter. Does not block.
  var soundShutter: () -> Void
  /// Called when the program ends, after the last shot.
  var close: () async -> Void
}
