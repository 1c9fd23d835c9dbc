// Settings on disk: read back as written, and never fatal.

import CameraCore
import CameraModels
import Foundation
import Testing

@MainActor
@Suite struct SettingsTests {
  @Test func areReadBackAsWritten() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-settings-\(UUID().uuidString)")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let store = FileSettingsStore(url: folder.appendingPathComponent("a/settings.json"))
    let messages = MessageModel()
    let model = SettingsModel(store: store, messages: messages)
    #expect(model.values == AppSettings())
    model.update {
      $0.cameraID = "cam"
      $0.cameras["cam"] = .init(size: PixelSize(width: 1920, height: 1080))
      $0.isLiveOn = true
      $0.microphone = .device("mic")
      $0.viewfinderEffect = .init(identifier: "comic", intensity: 0.5)
    }
    #expect(try store.load() == model.values)
    #expect(messages.messages.isEmpty)
  }

  @Test func ofANewerPhotoMeAreReadAsFarAsTheyAreKnown() throws {
    let json = Data(#"{"isLiveOn": true, "fromTheFuture": [1, 2]}"#.utf8)
    let settings = try JSONDecoder().decode(AppSettings.self, from: json)
    #expect(settings.isLiveOn)
    #expect(settings.isMirrored)
  }

  @Test func thatCanNotBeReadOrSavedAreSaidOnce() throws {
    struct Broken: SettingsStore {
      struct Failure: Error {}
      func load() throws -> AppSettings { throw Failure() }
      func save(_ settings: AppSettings) throws { throw Failure() }
    }
    let messages = MessageModel()
    let model = SettingsModel(store: Broken(), messages: messages)
    #expect(messages.takeNext() != nil)
    model.update { $0.isLiveOn = true }
    #expect(messages.takeNext() != nil)
    model.update { $0.isLiveOn = false }
    #expect(messages.takeNext() == nil)
    #expect(!model.values.isLiveOn)
  }
}
