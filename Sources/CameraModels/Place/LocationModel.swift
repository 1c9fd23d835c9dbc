// The location that new pictures get.

import Localization
import Observation
import PhotoLibrary

/// Asks where the computer is, while the person wants it and the camera is in use.
///
/// Off until it is switched on. The desktop asks for permission the first time; a refusal switches it off again, so that
/// nobody is asked twice.
///
/// The search ends whenever the camera does, for example while another page is in front, and takes seconds when it begins
/// again. Pictures get the last location meanwhile, for `memory`.
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

  /// The time for which a location still holds after the search has ended. Nobody gets far in that time between two pictures.
  public nonisolated static let memory = Duration.seconds(300)

  /// The location for a picture that is taken now; `nil` where there is none.
  public var location: GeoLocation? { if case .found(let location, _) = known { location } else { nil } }

  /// The state with the last location in the place of a search for the next one.
  private var known: State {
    guard state == .searching, let last, now() - last.ended < Self.memory else { return state }
    return last.state
  }

  /// One sentence on what becomes of pictures that are taken now.
  public var explanation: String {
    switch known {
    case .off: localized("Photos and videos are saved without a location")
    case .searching: localized("Finding your location…")
    case .found(_, let accuracy?) where accuracy >= 1000:
      localized("Location is added to photos and videos, to within \(Int((accuracy / 1000).rounded())) km")
    case .found(_, let accuracy?):
      localized("Location is added to photos and videos, to within \(max(1, Int(accuracy.rounded()))) m")
    case .found: localized("Location is added to photos and videos")
    case .unavailable: localized("Your location isn’t available, so photos and videos are saved without it")
    }
  }

  @ObservationIgnored private let settings: SettingsModel
  @ObservationIgnored private let source: any LocationSource
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private var isInUse = false
  /// What the last search had found, and when it ended; `nil` where it found nothing.
  @ObservationIgnored private var last: (state: State, ended: ContinuousClock.Instant)?
  @ObservationIgnored private let now: () -> ContinuousClock.Instant

  /// - Parameter now: A clock that goes on while the machine sleeps: it may wake somewhere else.
  public init(
    settings: SettingsModel, source: any LocationSource, messages: MessageModel,
    now: @escaping () -> ContinuousClock.Instant = { .now }
  ) {
    (self.settings, self.source, self.messages, self.now) = (settings, source, messages, now)
  }

  /// Switches the location of new pictures on or off.
  public func setOn(_ wanted: Bool) {
    guard wanted != isOn else { return }
    // Nobody knows yet whether it will be found.
    settings.update(
      saying: wanted
        ? localized("Location will be added to new photos and videos once it’s found.")
        : localized("Location won’t be added to new photos and videos.")
    ) { $0.addsLocation = wanted }
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
      if case .found = state { last = (state, now()) }
      state = .off
    }
    // Whoever switches it off wants it forgotten.
    if !isOn { last = nil }
  }

  private func received(_ notice: LocationNotice) {
    switch notice {
    case .found(let location, let accuracy): state = .found(location, accuracy: accuracy)
    case .unavailable:
      guard state != .unavailable else { return }
      state = .unavailable
      last = nil
      messages.post(
        localized("Your location isn’t available, because this computer’s location service doesn’t respond."))
    case .refused:
      settings.update { $0.addsLocation = false }
      follow()
      messages.post(
        localized("PhotoMe isn’t allowed to use your location. You can allow it in the system’s privacy settings."))
    }
  }
}
