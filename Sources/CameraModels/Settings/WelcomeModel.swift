// The first-run page: shown once, at the first start.

import Foundation
import Observation

/// Says where pictures go and what Live records, before the first photo. The camera starts meanwhile.
@MainActor @Observable
public final class WelcomeModel {
  /// Whether the page is shown.
  public private(set) var isShown: Bool

  /// Whether PhotoMe is to start again, with the folder that was chosen.
  public private(set) var restarts = false

  /// The library's folder, also one that was just chosen.
  public var folderText: String { folder.changesAtRestart ? folder.next.path : folder.current.path }

  /// Why the folder that was just chosen isn't taken; `nil` when it is.
  public private(set) var folderProblem: String?

  /// Whether another folder can be chosen: not when the command line names one.
  public var offersFolder: Bool { !folder.isNamed }

  @ObservationIgnored private let settings: SettingsModel
  @ObservationIgnored private let folder: LibraryFolderModel

  /// - Parameter isFree: Whether this start has nothing else to show: the page waits for one that hasn't.
  public init(settings: SettingsModel, folder: LibraryFolderModel, isFree: Bool = true) {
    (self.settings, self.folder) = (settings, folder)
    isShown = isFree && !settings.values.isWelcomed
  }

  /// Takes another folder, which is used when the page is closed.
  public func choose(folder chosen: URL) async {
    switch await folder.remember(chosen) {
    case .superseded: break
    case .remembered:
      folderProblem = nil
      // The page was closed before the disk had answered: nobody is to be interrupted by a restart anymore.
      if !isShown { folder.sayRemembered(chosen) }
    case .refused(let reason):
      if isShown { folderProblem = reason } else { folder.sayRefused(reason) }
    }
  }

  /// The page was closed, and isn't shown again.
  public func finish() {
    guard isShown else { return }
    restarts = folder.changesAtRestart
    isShown = false
    settings.update { $0.isWelcomed = true }
  }
}
