// Recognition of QR codes in the camera's picture.

/// Looks for QR codes in the frames that the viewfinder shows.
public protocol CodeScanning: Sendable {
  /// The text of the code that is in view, whenever that changes; `nil` when it has left. Untrusted: whoever made the code
  /// chose every character. Each call starts a stream of its own, which holds the newest only. Without a stream, while nothing
  /// is shown, and while the computer can't keep up at all, nothing is looked for; a computer that hardly keeps up looks once
  /// a second.
  func codes() -> AsyncStream<String?>
}
