// The quality of photos, as AVFoundation's `PhotoQualityPrioritization` has it.

/// What matters most in a photo.
public enum PhotoQuality: String, Codable, Sendable, CaseIterable {
  /// The camera's own JPEG; a raw camera's frames are compressed fast, to small files.
  case speed
  /// The camera's own JPEG; a raw camera's frames are compressed with almost no loss.
  case balanced
  /// As `balanced`. In a dim room, where the picture is noisy, several frames around the press are averaged.
  case quality
}
