// The location that new pictures get.

import Observation
import PhotoLibrary

/// Asks where the computer is, while the person wants it and the camera is in use.
///
/// Off until it is switched on. The desktop asks for permission the first time; a refusal switches it off again, so that
/// nobody is asked twice.
@MainActor @Observable
public final class LocationModel {
  /// The state of the search.
  public enum State: Hashable, Sendable {
    case off
    case searching
    /// - accuracy: In meters; `nil` where it isn't known.
    case found(GeoLocation, accuracy: Double?)
    /// It is wanted, but nothing on this computer tells places.
    case unavailable
  }

  public private(set) var state = State.off

  /// Whether new pictures get the location.
  public var isOn: Bool { settings.values.addsLocation }

  /// The location for a picture that is taken now; `nil` where there is none.
  public var location: GeoLocation? { if case .found(let location, _) = state { location } else { nil } }

  /// One sentence on what becomes of pictures that are taken now.
  public var explanation: String {
    switch state {
    case .off: "Pictures don’t say where they were taken"
    case .searching: "Finding out where you are…"
    case .found(_, let accuracy?) where accuracy >= 1000:
      "Pictures say where they were taken, to within \(Int((accuracy / 1000).rounded())) km"
    case .found(_, let accuracy?): "Pictures say where they were taken, to within \(max(1, Int(accuracy.rounded()))) m"
    case .found: "Pictures say where they were taken"
    case .unavailable: "This computer’s location service doesn’t answer. Pictures don’t say where they were taken."
    }
  }

  @ObservationIgnored private let settings: SettingsModel
  @ObservationIgnored private let source: any LocationSource
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private var isInUse = false

  public init(settings: SettingsModel, source: any LocationSource, messages: MessageModel) {
    (self.settings, self.source, self.messages) = (settings, source, messages)
  }

  /// Switches the location of new pictures on or off.
  public func setOn(_ wanted: Bool) {
    guard wanted != isOn else { return }
    settings.update { $0.addsLocation = wanted }
    messages.post(wanted ? "New pictures say where they were taken." : "New pictures don’t say where they were taken.")
    follow()
  }

  /// The camera is in use, or isn't: nobody is located while no picture can be taken.
  public func setInUse(_ isInUse: Bool) {
    guard isInUse != self.isInUse else { return }
    self.isInUse = isInUse
    follow()
  }

  private func follow() {
    if isOn, isInUse {
      guard state == .off else { return }
      state = .searching
      source.start { [weak self] in self?.received($0) }
    } else if state != .off {
      source.stop()
      state = .off
    }
  }

  private func received(_ notice: LocationNotice) {
    switch notice {
    case .found(let location, let accuracy): state = .found(location, accuracy: accuracy)
    case .unavailable:
      guard state != .unavailable else { return }
      state = .unavailable
      messages.post("Where you are can’t be found out: this computer has no location service that answers.")
    case .refused:
      settings.update { $0.addsLocation = false }
      follow()
      messages.post("PhotoMe may not know where you are. You can allow it in the system’s privacy settings.")
    }
  }
}
