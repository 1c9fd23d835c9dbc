// Whether the library's disk is there, for the window.

import Observation
import PhotoLibrary

/// Follows `PhotoLibrary.availability()`.
@MainActor @Observable
public final class LibraryAvailabilityModel {
  /// Says why the library can't be used, and what can be done; `nil` while it is available.
  public private(set) var text: String?
  /// How often the library has come back. What couldn't be read before can be now.
  public private(set) var returnCount = 0

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private var listening: Task<Void, Never>?

  public init(library: PhotoLibrary) { self.library = library }

  deinit { listening?.cancel() }

  /// Follows the library from now on.
  public func start() {
    guard listening == nil else { return }
    let states = library.availability()
    listening = Task { [weak self] in
      for await state in states { self?.received(state) }
    }
  }

  private func received(_ state: LibraryAvailability) {
    if state == .available, text != nil { returnCount += 1 }
    text = state.reason?.description
  }

  /// Looks for the library at once. It is also looked for without being asked.
  public func tryAgain() { library.lookAgain() }
}
