// The library's folder in the preferences: the present one, and the one of the next start.

import CameraCore
import Foundation
import Localization
import Observation
import PhotoLibrary

/// Lets another folder be chosen for the library. A running program stays with the one that it has.
@MainActor @Observable
public final class LibraryFolderModel {
  /// The folder that is in use.
  public let current: URL

  @ObservationIgnored private let origin: LibraryFolderChoice.Origin
  @ObservationIgnored private let usual: URL
  /// The path that was remembered at the start.
  @ObservationIgnored private let remembered: String?
  @ObservationIgnored private let settings: SettingsModel
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private var choiceCount = 0

  /// - Parameters:
  ///   - current: The library's folder.
  ///   - origin: Why it was taken.
  ///   - usual: The folder where none was chosen.
  public init(
    current: URL, origin: LibraryFolderChoice.Origin, usual: URL = PhotoLibrary.defaultFolder,
    settings: SettingsModel, messages: MessageModel
  ) {
    (self.current, self.origin, self.usual) = (current, origin, usual)
    (self.settings, self.messages) = (settings, messages)
    remembered = settings.values.libraryFolder
  }

  /// The folder of a start whose command line names none.
  public var next: URL { settings.values.libraryFolder.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? usual }

  /// The present folder, and the next one where it is another. Where the command line named the present one, that is news only
  /// after it was chosen.
  public var text: String {
    let isNews = !isNamed || settings.values.libraryFolder != remembered
    guard isNews, !Self.isSame(next, current) else { return current.path }
    return localized("\(current.path)\nAfter a restart: \(next.path)", comment: "The paths of the library’s folder")
  }

  /// Whether the command line named the folder, so that a choice is one for later starts.
  public var isNamed: Bool { origin == .commandLine }

  /// Whether a restart would use another folder.
  public var changesAtRestart: Bool { !isNamed && !Self.isSame(next, current) }

  /// Remembers a folder for the next start. A message says so, or that nothing can be saved in it.
  public func choose(_ folder: URL) async {
    switch await remember(folder) {
    case .remembered: sayRemembered(folder)
    case .refused(let reason): messages.post(reason)
    case .superseded: break
    }
  }

  /// Says which folder is used after a restart.
  func sayRemembered(_ folder: URL) {
    let folder = folder.standardizedFileURL
    messages.post(
      Self.isSame(folder, current)
        ? localized("PhotoMe will keep using “\(folder.path)”.")
        : localized(
          "PhotoMe will use “\(folder.path)” after a restart. Your current photos and videos stay where they are."))
  }

  /// The outcome of a choice.
  enum Choice: Equatable {
    case remembered
    /// - reason: Says that nothing can be saved in the folder; the choice stays as it was.
    case refused(reason: String)
    /// Another was chosen meanwhile, whose disk is faster.
    case superseded
  }

  /// Remembers a folder for the next start.
  func remember(_ folder: URL) async -> Choice {
    let folder = folder.standardizedFileURL
    choiceCount += 1
    let mine = choiceCount
    let isUsable = await Blocking.run { Self.isUsable(folder) }
    guard mine == choiceCount else { return .superseded }
    guard isUsable else {
      return .refused(
        reason: localized(
          "Nothing can be saved in “\(folder.path)”. Choose a folder that you have permission to write to."))
    }
    settings.update { $0.libraryFolder = Self.isSame(folder, usual) ? nil : folder.path }
    return .remembered
  }

  /// Says why a folder isn't taken.
  func sayRefused(_ reason: String) { messages.post(reason) }

  private nonisolated static func isUsable(_ folder: URL) -> Bool {
    folder.isFolder && FileManager.default.isWritableFile(atPath: folder.path)
  }

  private static func isSame(_ one: URL, _ other: URL) -> Bool {
    one.resolvingSymlinksInPath().path == other.resolvingSymlinksInPath().path
  }
}
