// Settings files that this version doesn't understand: nothing in them is lost, and the lock stays closed.

import CameraCore
import Foundation
import Testing

@testable import CameraModels
@testable import PhotoLibrary

@MainActor
@Suite(.timeLimit(.minutes(30))) struct SettingsFileTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("photome-settings-\(UUID().uuidString)")
  private var file: URL { folder.appendingPathComponent("settings.json") }

  /// The settings of a file, after `change` was saved.
  private func settings(
    of text: String, _ change: (SettingsModel) -> Void = { _ in }
  ) async throws -> (SettingsModel, MessageModel) {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    let messages = MessageModel()
    let model = SettingsModel(store: FileSettingsStore(url: file), messages: messages)
    change(model)
    await model.saved()
    return (model, messages)
  }

  /// What the file says now.
  private func content() throws -> [String: JSONValue] {
    try #require(JSONValue(parsing: Data(contentsOf: file))?.object)
  }

  private func end() throws { try FileManager.default.removeItem(at: folder) }

  @Test func oneValueOfAnotherTypeCostsNoneOfTheOthers() async throws {
    let text = """
      {"microphone": 7, "locksHidden": true, "isLiveOn": true, "cameraID": "b",
       "capture": {"delay": "soon", "playsSounds": false},
       "cameras": {"a": "?", "b": {"size": {"width": 640, "height": 480}, "rate": [], "controls": {"led": 1, "x": "y"}}}}
      """
    let (model, messages) = try await settings(of: text) { $0.update { $0.isMirrored = false } }
    #expect(model.values.locksHidden && model.values.isLiveOn && model.values.cameraID == "b")
    #expect(model.values.microphone == .automatic)
    #expect(model.values.capture.delay == .none && !model.values.capture.playsSounds)
    #expect(model.values.cameras["b"]?.size == PixelSize(width: 640, height: 480))
    #expect(model.values.cameras["b"]?.controls == ["led": 1])
    let said = try #require(messages.takeNext()?.text)
    for path in ["microphone", "capture.delay", "cameras.a", "cameras.b.rate", "cameras.b.controls.x"] {
      #expect(said.contains(path), "\(said)")
    }
    #expect(messages.messages.isEmpty)
    let now = try content()
    let before = try #require(JSONValue(parsing: Data(text.utf8))?.object)
    #expect(now["isMirrored"] == .bool(false))
    for key in ["microphone", "locksHidden", "cameras"] { #expect(now[key] == before[key]) }
    #expect(now["capture"]?.object?["delay"] == .text("soon"))
    // The next start finds the same.
    #expect(try FileSettingsStore(url: file).load() == model.values)
    try end()
  }

  @Test func whatANewerVersionWroteIsKeptUntilItIsChanged() async throws {
    let text = """
      {"fromTheFuture": [1, 2.5, null], "movieQuality": "8K", "photoFormat": "jxl", "microphone": {"array": {"count": 4}},
       "viewfinderEffect": {"identifier": "comic", "intensity": 1, "inks": 3},
       "capture": {"interval": 7, "bracketing": {"shots": 3}}, "cameras": {"a": {"controls": {"tilt": {"x": 1}}, "hdr": true}}}
      """
    let before = try #require(JSONValue(parsing: Data(text.utf8))?.object)
    let (model, _) = try await settings(of: text) { model in
      model.update {
        $0.capture.flash = .on
        $0.cameras["a"]?.controls["led"] = 2
      }
    }
    var now = try content()
    for key in ["fromTheFuture", "movieQuality", "photoFormat", "microphone", "viewfinderEffect"] {
      #expect(now[key] == before[key], "\(key)")
    }
    let capture = try #require(now["capture"]?.object)
    #expect(capture["bracketing"] == before["capture"]?.object?["bracketing"] && capture["interval"] == .integer(7))
    #expect(capture["flash"] == .text("on"))
    let camera = try #require(now["cameras"]?.object?["a"]?.object)
    #expect(camera["hdr"] == .bool(true))
    #expect(camera["controls"] == .object(["tilt": .object(["x": .integer(1)]), "led": .integer(2)]))
    // Chosen anew they are this version's, as a whole.
    model.update {
      $0.microphone = .device("mic")
      $0.viewfinderEffect = .init(identifier: "noir")
      $0.movieQuality = .high
      $0.capture.interval = .minute
    }
    await model.saved()
    now = try content()
    #expect(now["viewfinderEffect"]?.object?["inks"] == nil && now["movieQuality"] == .text("high"))
    #expect(try FileSettingsStore(url: file).load().microphone == .device("mic"))
    model.update { $0.viewfinderEffect = nil }
    await model.saved()
    now = try content()
    #expect(now["viewfinderEffect"] == nil && now["fromTheFuture"] == before["fromTheFuture"])
    try end()
  }

  @Test(arguments: [#""yes""#, "1", "null", "[]"]) func aLockThatIsNotUnderstoodIsClosed(value: String) async throws {
    let (model, messages) = try await settings(of: #"{"isLiveOn": true, "locksHidden": \#(value)}"#)
    #expect(model.values.locksHidden && model.values.isLiveOn)
    if value != "null" { #expect(messages.takeNext()?.text.contains("Hidden items are locked.") == true) }
    model.update { $0.locksHidden = false }
    await model.saved()
    #expect(try content()["locksHidden"] == .bool(false), "the password opens it")
    try end()
  }

  @Test func aFileThatIsNoJSONIsSetAsideBeforeTheFirstChange() async throws {
    let damaged = #"{"locksHidden": true, "isLiveOn": true,}"#
    let (model, messages) = try await settings(of: damaged)
    #expect(model.values.locksHidden, "it may have been locked")
    let said = try #require(messages.takeNext()?.text)
    #expect(said.contains("settings.unreadable.json") && said.contains("hidden items are locked"), "\(said)")
    #expect(try String(contentsOf: file, encoding: .utf8) == damaged, "nothing was changed yet")
    model.update { $0.isLiveOn = true }
    await model.saved()
    let aside = folder.appendingPathComponent("settings.unreadable.json")
    #expect(try String(contentsOf: aside, encoding: .utf8) == damaged)
    #expect(try content()["locksHidden"] == .bool(true), "also at the next start")
    // Once more: the first one isn't overwritten.
    try Data("[]".utf8).write(to: file)
    model.update { $0.isLiveOn = false }
    await model.saved()
    #expect(try String(contentsOf: aside, encoding: .utf8) == damaged)
    let second = folder.appendingPathComponent("settings.unreadable-2.json")
    #expect(try String(contentsOf: second, encoding: .utf8) == "[]")
    #expect(messages.takeNext() == nil)
    try end()
  }

  @Test func whatAnotherProgramChangesMeanwhileStays() async throws {
    let text = """
      {"cameras": {"a": {"controls": {"brightness": 1, "gain": 2}}},
       "viewfinderEffect": {"identifier": "comic", "intensity": 1}}
      """
    let (first, _) = try await settings(of: text)
    let second = SettingsModel(store: FileSettingsStore(url: file), messages: MessageModel())
    second.update {
      $0.cameras["a"]?.controls["brightness"] = 20
      $0.cameras["a"]?.controls["gain"] = nil
      $0.cameras["b"] = .init()
      $0.cameras["b"]?.isHDR = true
      $0.cameras["b"]?.controls["contrast"] = 5
      $0.viewfinderEffect = nil
    }
    await second.saved()
    first.update {
      $0.isLiveOn = true
      $0.cameras["a"]?.controls["hue"] = 3
      $0.cameras["b"] = .init()
      $0.cameras["b"]?.controls["hue"] = 4
    }
    await first.saved()
    second.update { $0.capture.flash = .on }
    await second.saved()
    let read = try FileSettingsStore(url: file).load()
    #expect(read.cameras["a"]?.controls == ["brightness": 20, "hue": 3])
    #expect(read.cameras["b"]?.controls == ["contrast": 5, "hue": 4] && read.cameras["b"]?.isHDR == true)
    #expect(read.viewfinderEffect == nil && read.isLiveOn && read.capture.flash == .on)
    // What one program changes to another value and back is a change all the same.
    first.update { $0.cameras["a"]?.controls["brightness"] = 7 }
    await first.saved()
    first.update { $0.cameras["a"]?.controls["brightness"] = 1 }
    await first.saved()
    #expect(try FileSettingsStore(url: file).load().cameras["a"]?.controls["brightness"] == 1)
    try end()
  }

  @Test func changesOfTwoProgramsAtOnceAreBothSaved() async throws {
    let url = file
    let changes = 40
    try await withThrowingTaskGroup(of: Void.self) { group in
      for program in ["window", "command"] {
        group.addTask {
          try await Blocking.run {
            let store = FileSettingsStore(url: url)
            var settings = AppSettings()
            for change in 1...changes {
              let before = settings
              settings.cameras["a", default: .init()].controls["\(program) \(change)"] = change
              try store.save(settings, since: before)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try FileSettingsStore(url: file).load().cameras["a"]?.controls.count == 2 * changes)
    try end()
  }

  @Test func aLinkToNowhereIsNoMissingFile() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let store = FileSettingsStore(url: file)
    #expect(try store.load() == AppSettings())
    try FileManager.default.createSymbolicLink(
      atPath: file.path, withDestinationPath: folder.appendingPathComponent("disk/settings.json").path)
    #expect(SettingsModel(store: store, messages: MessageModel()).values.locksHidden)
    try end()
  }
}
