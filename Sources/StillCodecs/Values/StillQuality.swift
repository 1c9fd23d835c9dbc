// The quality of encoded pictures.

/// How much of a picture is kept by formats with loss.
public enum StillQuality: Sendable, Hashable {
  /// Of a shot: no difference is seen.
  case photo
  /// Of an edit, which may be edited again.
  case edit
}
