// The first-run page: once, and only at a start that has nothing else to show.

import Foundation
import PhotoLibrary
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct WelcomeTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("photome-welcome-\(UUID().uuidString)")
  private var store: FileSettingsStore { FileSettingsStore(url: folder.appendingPathComponent("settings.json")) }

  /// The settings and the page of a start.
  private func start(
    isFree: Bool = true, origin: LibraryFolderChoice.Origin = .usual
  ) -> (SettingsModel, WelcomeModel) {
    let messages = MessageModel()
    let settings = SettingsModel(store: store, messages: messages)
    let library = LibraryFolderModel(
      current: folder, origin: origin, usual: folder, settings: settings, messages: messages)
    return (settings, WelcomeModel(settings: settings, folder: library, isFree: isFree))
  }

  @Test func itIsShownUntilItIsClosed() async throws {
    #expect(!start(isFree: false).1.isShown, "it waits for a start without files to open")
    #expect(!start(origin: .commandLine).1.offersFolder)
    let (settings, welcome) = start()
    #expect(welcome.isShown && welcome.folderText == folder.path)
    // Other settings are saved before, and the program is killed.
    settings.update { $0.isLiveOn = true }
    await settings.saved()
    let (again, second) = start()
    #expect(second.isShown)
    second.finish()
    await again.saved()
    #expect(!second.isShown && !second.restarts && !start().1.isShown)
    try FileManager.default.removeItem(at: folder)
  }

  @Test func anotherFolderIsUsedAtOnce() async throws {
    let other = folder.appendingPathComponent("other", isDirectory: true)
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    let (settings, welcome) = start()
    #expect(welcome.offersFolder)
    await welcome.choose(folder: folder.appendingPathComponent("gone"))
    #expect(welcome.folderProblem?.hasPrefix("Nothing can be saved in") == true && welcome.folderText == folder.path)
    await welcome.choose(folder: other)
    #expect(welcome.folderProblem == nil && welcome.folderText == other.path && !welcome.restarts && welcome.isShown)
    welcome.finish()
    #expect(welcome.restarts)
    await settings.saved()
    #expect(try store.load().libraryFolder == other.path)
    let second = start().1
    second.finish()
    #expect(!second.restarts, "only the first-run page restarts")
    try FileManager.default.removeItem(at: folder)
  }

  @Test func whoHasSettingsOfAnEarlierVersionIsNotWelcomed() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(#"{"isLiveOn": true}"#.utf8).write(to: store.url)
    #expect(!start().1.isShown)
    try FileManager.default.removeItem(at: folder)
  }
}
