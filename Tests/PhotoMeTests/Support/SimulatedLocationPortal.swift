// The desktop's portal for locations, simulated on a test's own bus.

import Foundation
import Synchronization

/// Asks the person, who answers at once, and tells one place to each session that was permitted.
final class SimulatedLocationPortal: Sendable {
  private let service: SimulatedService
  /// The sessions that are opened, asked about and closed: `CreateSession`, `Start`, `Close`.
  let calls: AsyncStream<String>
  private let log: CallLog

  /// Counts the questions to the person; on GDBus's thread.
  private final class CallLog: Sendable {
    private let questions = Mutex(0)
    private let sink: AsyncStream<String>.Continuation

    init(_ sink: AsyncStream<String>.Continuation) { self.sink = sink }

    var questionCount: Int { questions.withLock { $0 } }

    func add(_ member: String) {
      if member == "Start" { questions.withLock { $0 += 1 } }
      sink.yield(member)
    }
  }

  /// - Parameters:
  ///   - address: Of the bus, which PhotoMe has as its session bus.
  ///   - isAllowed: The person's answer.
  init(address: String, isAllowed: Bool) throws {
    let (calls, sink) = AsyncStream.makeStream(of: String.self)
    let log = CallLog(sink)
    (self.calls, self.log) = (calls, log)
    let path = "/org/freedesktop/portal/desktop"
    service = try SimulatedService(address: address, names: ["org.freedesktop.portal.Desktop"]) { call in
      // “:1.23” is “1_23” in the paths of its sessions.
      let caller = call.sender.dropFirst().replacingOccurrences(of: ".", with: "_")
      let session = "\(path)/session/\(caller)/photome_location"
      let request = call.requestPath
      let response = SimulatedService.Signal(
        path: request, interface: "org.freedesktop.portal.Request", name: "Response",
        parameters: "(@u \(isAllowed ? 0 : 1), @a{sv} {})")
      // The portal's service has other callers as well, GTK among them.
      guard ["CreateSession", "Start", "Close"].contains(call.member) else { return .unknown }
      log.add(call.member)
      switch call.member {
      case "CreateSession": return .reply("(objectpath '\(session)',)")
      case "Start":
        // Also of a session that isn't PhotoMe's, which must not be believed.
        let places = [("/other", 1.0), (session, 46.948)].map { session, latitude in
          SimulatedService.Signal(
            path: path, interface: "org.freedesktop.portal.Location", name: "LocationUpdated",
            parameters:
              "(objectpath '\(session)', {'Latitude': <\(latitude)>, 'Longitude': <7.4474>, 'Accuracy': <25.0>})")
        }
        return .reply("(objectpath '\(request)',)", then: [response] + (isAllowed ? places : []))
      default: return .reply(nil)
      }
    }
  }

  /// How often the person was asked.
  var questionCount: Int { log.questionCount }
}
