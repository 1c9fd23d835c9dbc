// A wish that PhotoMe is started with: Live, a countdown, a photo as soon as there is a picture.

import CameraCore
import Foundation

/// What the command line asks of the camera, also of one that runs already.
///
/// It travels to the running PhotoMe as text, `live countdown=3 photo`.
public struct StartRequest: Equatable, Sendable {
  /// Live is turned on.
  public var turnsLiveOn = false
  /// The countdown is set to this; `nil` leaves it as it is.
  public var delay: ShutterDelay?
  /// A photo is taken as soon as the camera runs, after the countdown.
  public var takesPhoto = false

  public init() {}

  /// Reads a request as `text` writes it. Words of other versions are left out.
  public init(text: String) {
    for word in text.split(separator: " ") {
      switch word {
      case "live": turnsLiveOn = true
      case "photo": takesPhoto = true
      default:
        let parts = word.split(separator: "=")
        if parts.count == 2, parts[0] == "countdown" { delay = Int(parts[1]).flatMap(ShutterDelay.init) }
      }
    }
  }

  public var text: String {
    let words = [turnsLiveOn ? "live" : nil, delay.map { "countdown=\($0.seconds)" }, takesPhoto ? "photo" : nil]
    return words.compactMap(\.self).joined(separator: " ")
  }

  /// Asks for what `other` does as well; the newer countdown counts.
  public mutating func add(_ other: StartRequest) {
    turnsLiveOn = turnsLiveOn || other.turnsLiveOn
    takesPhoto = takesPhoto || other.takesPhoto
    delay = other.delay ?? delay
  }

  /// Whether nothing is asked for.
  public var isEmpty: Bool { self == StartRequest() }
}

extension CameraModel {
  /// Does what PhotoMe was started for, once the camera runs or it is known why it doesn't: then the shutter says so.
  public func perform(_ request: StartRequest) async {
    if let delay = request.delay { setDelay(delay) }
    if request.turnsLiveOn || request.takesPhoto { await waitWhileStarting() }
    if request.turnsLiveOn { await live.setOn(true) }
    if request.takesPhoto { pressPhoto() }
  }

  private func waitWhileStarting() async {
    let (states, sink) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    let observation = ModelObservation(of: { [weak self] in self?.isStarting ?? false }) { sink.yield($0) }
    defer { withExtendedLifetime(observation) {} }
    for await isStarting in states where !isStarting { return }
  }

  private var isStarting: Bool {
    switch status {
    case .starting: true
    // Its page has just come to the front.
    case .interrupted(.suspended): concealments.isEmpty
    default: false
    }
  }
}
