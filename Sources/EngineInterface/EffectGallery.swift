// Small live pictures of the camera with several effects at once.

import CameraCore
import PhotoEffects

/// Renders the camera's picture small with several effects, all from the same frame.
///
/// Without a scene nothing is decoded, rendered or kept, and no thread waits. With one, each frame is decoded once, at the
/// size of a picture and at a lower rate than the camera's; a frame that arrives while the pictures of the last one are
/// being rendered is replaced by a newer one.
public protocol EffectGallery: AnyObject, Sendable {
  /// Sets what is rendered from now on; `nil` ends all work and frees the memory. Any thread.
  func setScene(_ scene: EffectGalleryScene?)

  /// Sets the callback for new pictures, called on an engine thread when they wait and the ones before have been taken. It
  /// must not block. `nil` ends the calls; none is in progress when this returns.
  func setPictureHandler(_ handler: (@Sendable () -> Void)?)

  /// Takes the newest picture of each effect that has one since the last call, by `EffectGalleryScene.name(of:)`.
  func takePictures() -> [String: any PreviewFrame]
}

/// The contents of a gallery.
public struct EffectGalleryScene: Sendable, Hashable {
  /// The box that one picture fits into, in device pixels.
  public var size: PixelSize
  /// Whether the pictures are mirrored, after the effect.
  public var isMirrored: Bool
  /// The effects in view, in order; `nil` is the picture without an effect.
  public var settings: [AdjustmentRecipe.EffectSetting?]

  public init(size: PixelSize, isMirrored: Bool, settings: [AdjustmentRecipe.EffectSetting?]) {
    self.size = size
    self.isMirrored = isMirrored
    self.settings = settings
  }

  /// The name of the picture without an effect.
  public static let plain = ""

  /// The name of a setting's picture: its effect's identifier.
  public static func name(of setting: AdjustmentRecipe.EffectSetting?) -> String {
    setting?.effect.identifier ?? plain
  }
}
