// The desktop's portal for emails and backgrounds, and its file manager, simulated on a test's own bus.

import Foundation
import Synchronization

/// Answers as the person would who does what the dialogs suggest.
final class SimulatedSharingDesktop: Sendable {
  /// A call that was answered.
  struct Call: Sendable, Equatable {
    var member: String
    /// In GVariant's text form.
    var arguments: String
    /// The contents of the files that came along.
    var files: [Data]
  }

  private let service: SimulatedService
  /// `ComposeEmail`, `SetWallpaperFile`, and the file manager's `ShowItems`, as they come.
  let calls: AsyncStream<Call>

  /// - Parameters:
  ///   - address: Of the bus, which PhotoMe has as its session bus.
  ///   - response: The portal's: 0 for done, 1 for dismissed, 2 for ended in another way.
  ///   - hasPortal: Whether there is a portal beside the file manager.
  init(address: String, response: Int = 0, hasPortal: Bool = true) throws {
    let (calls, sink) = AsyncStream.makeStream(of: Call.self)
    self.calls = calls
    let names = ["org.freedesktop.FileManager1"] + (hasPortal ? ["org.freedesktop.portal.Desktop"] : [])
    service = try SimulatedService(address: address, names: names) { call in
      guard ["ComposeEmail", "SetWallpaperFile", "ShowItems"].contains(call.member) else { return .unknown }
      sink.yield(Call(member: call.member, arguments: call.arguments, files: call.files))
      guard call.member != "ShowItems" else { return .reply(nil) }
      let answer = SimulatedService.Signal(
        path: call.requestPath, interface: "org.freedesktop.portal.Request", name: "Response",
        parameters: "(@u \(response), @a{sv} {})")
      return .reply("(objectpath '\(call.requestPath)',)", then: [answer])
    }
  }
}
