// The desktop's permission to use cameras, as the engine sees it.

import CameraCore

/// Cameras that the desktop lends to a program: by permission, and through a PipeWire that shows nothing else. In a sandbox
/// there are no other cameras.
public protocol CameraAccess: Sendable {
  /// Returns when a question could be seen: a program asks for nothing before its window is on the screen.
  ///
  /// - Throws: `CameraError.notRunning` when the task is canceled.
  func waitUntilReady() async throws(CameraError)

  /// Asks to use cameras, and waits for the answer: for as long as a person takes, or not at all where the desktop remembers
  /// one. The caller's cancellation takes the question back.
  ///
  /// - Throws: `CameraError.accessDenied`, `CameraError.portal` when nobody can be asked, `CameraError.notRunning` when the
  ///   task is canceled.
  func request() async throws(CameraError)

  /// Opens a connection to PipeWire with the cameras that are permitted. Asks nobody.
  ///
  /// - Returns: A socket of its own, which the caller closes.
  /// - Throws: `CameraError.accessDenied` when the permission isn't given or was withdrawn, `CameraError.portal`.
  func connect() async throws(CameraError) -> Int32
}
