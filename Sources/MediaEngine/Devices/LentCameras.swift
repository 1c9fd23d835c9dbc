// Cameras that the desktop lends: permission for them, and the connections to the PipeWire that shows them.

import CameraCore
import EngineInterface
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A socket that is closed with the last reference to it.
final class OwnedSocket: Sendable {
  let descriptor: Int32

  /// - Parameter descriptor: Adopted.
  init(adopting descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }
}

/// The cameras behind a `CameraAccess`. Each opening asks for permission first, which costs some milliseconds where the desktop
/// remembers the answer.
///
/// The provider and each pipeline get a connection of their own: GStreamer's PipeWire elements share one where they have the
/// same socket, also when it has ended.
final class LentCameras: Sendable {
  private struct State {
    var provider: DeviceProvider?
    /// The connection of the next provider.
    var socket: OwnedSocket?
  }

  private let access: any CameraAccess
  private let state = Mutex(State())

  init(_ access: any CameraAccess) { self.access = access }

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

  /// Returns when there is a window over which a question could be seen.
  func waitUntilReady() async throws(CameraError) { try await access.waitUntilReady() }

  /// Asks for permission, and makes sure that `source()` has a connection.
  func admit() async throws(CameraError) {
    try await access.request()
    let isConnected = withState { $0.provider?.isConnected == true || $0.socket != nil }
    guard !isConnected else { return }
    let socket = try await connect()
    withState { $0.socket = socket }
  }

  /// A connection for one pipeline.
  func connect() async throws(CameraError) -> OwnedSocket { OwnedSocket(adopting: try await access.connect()) }

  /// The reason why cameras aren't lent now; `nil` when they are. Asks nobody.
  func refusal() async -> CameraError? {
    do throws(CameraError) { _ = try await connect() } catch { return error }
    return nil
  }

  /// The list of the cameras; `nil` before they are permitted. Connects if there is no connection, which may block.
  func source() -> DeviceProvider? {
    let (provider, socket) = withState { state in
      defer { state.socket = nil }
      return (state.provider, state.socket)
    }
    guard let socket else { return provider }
    let made = DeviceProvider(pipeWire: socket)
    withState { $0.provider = made }
    return made
  }
}
