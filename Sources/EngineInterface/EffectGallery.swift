// The seam between the page of effects and the engine: a camera's picture, small, with each effect at once.

import CameraCore
import PhotoEffects

/// Small moving pictures of a camera with several effects, all of the same frame.
///
/// Without a scene nothing is decoded, rendered or kept, and no thread waits for anything. With one, each frame is decoded
/// once, at the size of a picture, at a lower rate than the camera's; a frame that comes while the pictures of the last one
/// are being rendered is replaced by one that is newer still.
public protocol EffectGallery: AnyObject, Sendable {
  /// What is rendered from now on; `nil` ends all work and gives the memory back. Any thread.
  func setScene(_ scene: EffectGalleryScene?)

  /// `handler` is called on an engine thread each time that new pictures wait and the ones before have been taken. It must
  /// not block. `nil` ends the calls; none is under way when this returns.
  func setPictureHandler(_ handler: (@Sendable () -> Void)?)

  /// Takes the newest picture of each effect that has one since the last call, by the effects' identifiers; an empty one is
  /// the picture without an effect.
  func takePictures() -> [String: any PreviewFrame]
}

/// What a gallery shows.
public struct EffectGalleryScene: Sendable, Hashable {
  /// What one picture is to fit into, in device pixels.
  public var size: PixelSize
  /// Whether the pictures are mirrored, after the effect.
  public var isMirrored: Bool
  /// What is in sight, in order; `nil` is the picture without an effect.
  public var settings: [AdjustmentRecipe.EffectSetting?]

  public init(size: PixelSize, isMirrored: Bool, settings: [AdjustmentRecipe.EffectSetting?]) {
    self.size = size
    self.isMirrored = isMirrored
    self.settings = settings
  }

  /// The name of the picture without an effect.
  public static let plain = ""

  /// Under which name a setting's picture is taken.
  public static func name(of setting: AdjustmentRecipe.EffectSetting?) -> String {
    setting?.effect.identifier ?? plain
  }
}
