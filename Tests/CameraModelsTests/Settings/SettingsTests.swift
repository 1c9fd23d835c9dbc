// Settings on disk: read back as written, and never fatal.

import CameraCore
import CameraModels
import Foundation
import Testing

@MainActor
@Suite(.timeLimit(.minutes(30))) struct SettingsTests {
  @Test func areReadBackAsWritten() async throws {
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
      $0.movieQuality = .high
      $0.movieCodec = .hevc
      $0.stabilizesMovies = true
      $0.recordsMovies = true
      $0.libraryFolder = "/media/disk/Pictures"
      $0.export.folder = "/media/disk/Copies"
      $0.export.longestSide = 1280
      $0.viewfinderEffect = .init(identifier: "comic", intensity: 0.5)
    }
    await model.saved()
    #expect(try store.load() == model.values)
    #expect(messages.messages.isEmpty)
  }

  @Test func ofANewerPhotoMeAreReadAsFarAsTheyAreKnown() throws {
    let json = Data(#"{"isLiveOn": true, "fromTheFuture": [1, 2], "movieQuality": "8K", "movieCodec": "av2"}"#.utf8)
    let settings = try JSONDecoder().decode(AppSettings.self, from: json)
    #expect(settings.isLiveOn)
    #expect(settings.isMirrored)
    #expect(settings.movieQuality == .standard && settings.movieCodec == .automatic)
  }

  @Test func thatCanNotBeReadOrSavedAreSaidOnce() async throws {
    struct Broken: SettingsStore {
      struct Failure: Error {}
      func load() throws -> AppSettings { throw Failure() }
      func save(_ settings: AppSettings, since before: AppSettings) throws { throw Failure() }
    }
    let messages = MessageModel()
    let model = SettingsModel(store: Broken(), messages: messages)
    #expect(messages.takeNext() != nil)
    model.update { $0.isLiveOn = true }
    await model.saved()
    #expect(messages.takeNext() != nil)
    model.update { $0.isLiveOn = false }
    await model.saved()
    #expect(messages.takeNext() == nil)
    #expect(!model.values.isLiveOn)
    #expect(model.values.locksHidden, "nobody knows whether hidden pictures were locked")
  }

  /// A disk that hangs until the test lets it go on.
  private final class SlowStore: SettingsStore, Sendable {
    let (began, beginning) = AsyncStream.makeStream(of: AppSettings.self)
    let gate = DispatchSemaphore(value: 0)

    func load() throws -> AppSettings { AppSettings() }
    func save(_ settings: AppSettings, since before: AppSettings) throws {
      beginning.yield(settings)
      gate.wait()
    }
  }

  @Test func areSavedInOrderWithoutHoldingUpAnyone() async throws {
    let store = SlowStore()
    let model = SettingsModel(store: store, messages: MessageModel())
    var saves = store.began.makeAsyncIterator()
    model.update { $0.cameraID = "a" }
    #expect(model.values.cameraID == "a", "the disk isn't waited for")
    let first = await saves.next()
    #expect(first?.cameraID == "a")
    model.update { $0.cameraID = "b" }
    model.update { $0.cameraID = "c" }
    store.gate.signal()
    let second = await saves.next()
    #expect(second?.cameraID == "c", "what was overtaken isn't written")
    store.gate.signal()
    await model.saved()
    store.beginning.finish()
    let third = await saves.next()
    #expect(third == nil)
  }
}
