// The choice of the library's folder, and what is said when the chosen one is gone.

import Foundation
import PhotoLibrary
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct LibraryFolderTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("photome-folder-\(UUID().uuidString)")

  private func make(_ name: String) throws -> URL {
    let url = folder.appendingPathComponent(name, isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }

  @Test func theCommandLineComesFirstThenThePreferencesThenTheUsualFolder() {
    let named = URL(fileURLWithPath: "/named", isDirectory: true)
    var settings = AppSettings()
    #expect(LibraryFolderChoice(named: nil, store: TransientSettingsStore(settings)).origin == .usual)
    #expect(LibraryFolderChoice(named: nil, remembered: nil).folder == PhotoLibrary.defaultFolder)
    settings.libraryFolder = "/remembered"
    let store = TransientSettingsStore(settings)
    let chosen = LibraryFolderChoice(named: nil, store: store)
    #expect(chosen.folder.path == "/remembered" && chosen.origin == .preferences)
    let first = LibraryFolderChoice(named: named, store: store)
    #expect(first.folder == named && first.origin == .commandLine)
  }

  @Test func aChosenFolderThatIsGoneIsSaidAndNotMadeAnew() async throws {
    let gone = folder.appendingPathComponent("gone", isDirectory: true)
    let choice = LibraryFolderChoice(named: nil, remembered: gone.path)
    await #expect(throws: MissingLibraryFolder(path: gone.path)) { try await choice.open() }
    #expect(MissingLibraryFolder(path: gone.path).localizedDescription.contains("“\(gone.path)”"))
    #expect(!FileManager.default.fileExists(atPath: gone.path))
  }

  @Test(arguments: ["{", #"{"libraryFolder": 7}"#])
  func theUsualFolderInPlaceOfOneThatCanNotBeReadIsSaid(text: String) throws {
    let file = try make("config").appendingPathComponent("settings.json")
    try Data(text.utf8).write(to: file)
    let store = FileSettingsStore(url: file)
    let choice = LibraryFolderChoice(named: nil, store: store)
    #expect(choice.folder == PhotoLibrary.defaultFolder && choice.origin == .usual)
    let warning = try #require(choice.warning)
    #expect(warning.contains("“\(PhotoLibrary.defaultFolder.path)”") && choice.obstacle?.isEmpty == false)
    let named = LibraryFolderChoice(named: folder, store: store)
    #expect(named.warning == nil, "the choice of the settings isn't needed")
    try Data("{}".utf8).write(to: file)
    #expect(LibraryFolderChoice(named: nil, store: store).warning == nil)
    try FileManager.default.removeItem(at: folder)
  }

  @Test func anotherFolderIsUsedFromTheNextStartOn() async throws {
    let (present, other, usual) = (try make("present"), try make("other"), try make("usual"))
    let messages = MessageModel()
    let settings = SettingsModel(store: TransientSettingsStore(), messages: messages)
    let model = LibraryFolderModel(
      current: present, origin: .commandLine, usual: usual, settings: settings, messages: messages)
    #expect(model.text == present.path, "the usual one is no news")
    await model.choose(other)
    #expect(settings.values.libraryFolder == other.path && model.next.path == other.path)
    #expect(model.text == "\(present.path)\nAfter a restart: \(other.path)")
    #expect(messages.takeNext()?.text.hasPrefix("PhotoMe will use “\(other.path)” after a restart.") == true)
    await model.choose(present)
    #expect(messages.takeNext()?.text == "PhotoMe will keep using “\(present.path)”." && model.text == present.path)
    await model.choose(usual)
    #expect(settings.values.libraryFolder == nil, "it is the usual one wherever that is")
    _ = messages.takeNext()
    await model.choose(folder.appendingPathComponent("nowhere"))
    #expect(settings.values.libraryFolder == nil)
    #expect(messages.takeNext()?.text.hasPrefix("Nothing can be saved in “") == true)
    try FileManager.default.removeItem(at: folder)
  }
}
