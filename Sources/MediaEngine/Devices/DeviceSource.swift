// Servers that know of devices, as the watcher sees them.

/// A connection to a server that lists devices.
protocol DeviceSource: AnyObject, Sendable {
  /// Whether the server is still at the other end. One that isn't has a list that never changes again.
  var isConnected: Bool { get }

  /// The present devices.
  func devices() -> [DeviceProvider.Device]

  /// Calls `onChange` on a thread of the server's whenever devices come, go or change.
  ///
  /// - Returns: The argument of `forget`.
  func listen(_ onChange: @escaping @Sendable () -> Void) -> Int

  /// Ends the calls; one may still be under way.
  func forget(_ listener: Int)
}

/// The servers that are asked for devices, beside the kernel.
enum DeviceServer: CaseIterable {
  /// Knows cameras.
  case pipeWire
  /// PulseAudio, or PipeWire in its place: knows microphones.
  case pulse
}
