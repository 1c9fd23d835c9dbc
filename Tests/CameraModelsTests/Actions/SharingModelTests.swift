// Sent copies, emails and the desktop's background, with a scripted desktop.

import CameraCore
import Foundation
import Testing

@testable import CameraModels
@testable import PhotoLibrary

/// A desktop that answers as a test says.
@MainActor final class ScriptedDesktop: DesktopSharing {
  var outcome = PortalOutcome.done
  var hasSettings = false
  private(set) var sent: [[URL]] = []
  private(set) var attached: [[URL]] = []
  private(set) var backgrounds: [URL] = []
  private(set) var settings: [URL] = []

  func send(_ files: [URL]) async -> PortalOutcome {
    sent.append(files)
    return outcome
  }

  func composeEmail(attaching files: [URL]) async -> PortalOutcome {
    attached.append(files)
    return outcome
  }

  func setBackground(_ file: URL) async -> PortalOutcome {
    backgrounds.append(file)
    return outcome
  }

  func setBackgroundInSettings(_ file: URL) -> Bool {
    if hasSettings { settings.append(file) }
    return hasSettings
  }
}

@MainActor @Suite(.timeLimit(.minutes(30))) struct SharingModelTests {
  private func bench(count: Int) async throws -> (LibraryBench, SharingModel, ScriptedDesktop) {
    let bench = try await LibraryBench(count: count)
    let desktop = ScriptedDesktop()
    let model = SharingModel(
      library: bench.library, navigation: bench.navigation, messages: bench.messages,
      folder: bench.folder.appendingPathComponent("data"), cache: bench.folder.appendingPathComponent("cache"))
    model.desktop = desktop
    await bench.grid.open()
    return (bench, model, desktop)
  }

  /// A copy as the export makes one, in the folder that it is given.
  private func copy(in folder: URL) -> [URL] {
    let file = folder.appendingPathComponent("IMG.jpg")
    return FileManager.default.createFile(atPath: file.path, contents: Data("jpeg".utf8)) ? [file] : []
  }

  private func mode(of path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func copiesOfTheDayBeforeAreRemoved() async throws {
    let (bench, model, desktop) = try await bench(count: 1)
    await model.send { copy(in: $0) }
    await model.send { copy(in: $0) }
    let folders = desktop.sent.flatMap(\.self).map { $0.deletingLastPathComponent() }
    #expect(folders.count == 2 && folders[0] != folders[1])
    for _ in 1...2 {
      await model.removeOldCopies()
      #expect(folders.map { FileManager.default.fileExists(atPath: $0.path) } == [true, true])
    }
    for folder in folders {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -25 * 3600)], ofItemAtPath: folder.path)
      // At the next start, and at the next sending.
      if folder == folders[0] { await model.removeOldCopies() } else { await model.send { _ in [] } }
      #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
    try await bench.end()
  }

  @Test func onlyTheUserCanReadCopies() async throws {
    let (bench, model, desktop) = try await bench(count: 0)
    let copies = bench.folder.appendingPathComponent("cache/sent")
    try FileManager.default.createDirectory(
      at: copies, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    await model.send { copy(in: $0) }
    let folder = try #require(desktop.sent.first?.first).deletingLastPathComponent()
    #expect(try mode(of: copies.path) == 0o700 && mode(of: folder.path) == 0o700)
    try await bench.end()
  }

  @Test func copiesThatNoProgramTakesAreRemovedAtOnce() async throws {
    let (bench, model, desktop) = try await bench(count: 0)
    let copies = bench.folder.appendingPathComponent("cache/sent")
    for (outcome, words) in [
      (PortalOutcome.unavailable, "one file at a time"), (.closed, "couldn’t open"),
      (.failed(reason: "it failed"), "sent: it failed"), (.dismissed, nil),
    ] {
      desktop.outcome = outcome
      await model.send { copy(in: $0) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: copies.path).isEmpty)
      let said = bench.nextMessage()
      #expect(words.map { said?.contains($0) == true } ?? (said == nil), "\(said ?? "")")
    }
    #expect(desktop.sent.count == 4)
    // Canceled before: some are there already.
    await model.send { folder in
      _ = copy(in: folder)
      return []
    }
    model.desktop = nil
    await model.send { copy(in: $0) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: copies.path).isEmpty && desktop.sent.count == 4)
    #expect(bench.nextMessage() == nil)
    try await bench.end()
  }

  @Test func tooManyAttachmentsAreRefusedBeforeAnyIsOpened() async throws {
    let (bench, model, desktop) = try await bench(count: SharingModel.mostAttachments + 1)
    bench.grid.selectAll()
    await model.sendByEmail()
    #expect(desktop.attached.isEmpty)
    #expect(bench.nextMessage()?.contains("Up to 16 items") == true)
    bench.grid.toggleSelection(at: 0)
    await model.sendByEmail()
    #expect(desktop.attached.first?.count == 16)
    try await bench.end()
  }

  @Test func theTargetsAreAttachedAsTheyAre() async throws {
    let (bench, model, desktop) = try await bench(count: 2)
    await model.sendByEmail()
    #expect(desktop.attached.isEmpty, "nothing is selected")
    bench.grid.selectAll()
    await model.sendByEmail()
    #expect(desktop.attached.map(Set.init) == [Set(bench.assets.map(\.url))])
    desktop.outcome = .dismissed
    await model.sendByEmail()
    #expect(bench.nextMessage() == nil)
    for (outcome, text) in [
      (PortalOutcome.closed, "Check that an email app is installed"), (.unavailable, "Copy the items"),
      (.failed(reason: "No such file"), "couldn’t be started: no such file."),
    ] {
      desktop.outcome = outcome
      await model.sendByEmail()
      #expect(bench.nextMessage()?.lowercased().contains(text.lowercased()) == true)
    }
    try await bench.end()
  }

  @Test func aPhotoBecomesTheBackgroundAsItIs() async throws {
    let (bench, model, desktop) = try await bench(count: 2)
    bench.grid.selectAll()
    #expect(!bench.navigation.isTargetPhoto)
    await model.setAsBackground()
    #expect(desktop.backgrounds.isEmpty, "two can’t be one")
    bench.navigation.open(bench.assets[0])
    #expect(bench.navigation.isTargetPhoto)
    await model.setAsBackground()
    let (url, name) = (bench.assets[0].url, bench.assets[0].url.lastPathComponent)
    #expect(desktop.backgrounds == [url] && desktop.settings.isEmpty)
    #expect(bench.nextMessage() == "“\(name)” set as the background")
    desktop.outcome = .dismissed
    await model.setAsBackground()
    #expect(bench.nextMessage() == nil)
    // Without a portal by the settings, without those not at all.
    desktop.outcome = .unavailable
    await model.setAsBackground()
    #expect(bench.nextMessage()?.contains("doesn’t let apps set the background") == true)
    desktop.hasSettings = true
    await model.setAsBackground()
    #expect(bench.nextMessage() == "“\(name)” set as the background")
    // The settings name a copy: the picture may be deleted.
    let copy = try #require(desktop.settings.first)
    #expect(copy.path.hasPrefix(bench.folder.appendingPathComponent("data").path))
    #expect(FileManager.default.fileExists(atPath: copy.path))
    try await bench.end()
  }

  @Test func aPictureInAnotherFormatBecomesAJPEGThatStaysUntilTheNext() async throws {
    let (bench, model, desktop) = try await bench(count: 0)
    let image = try ScaledJPEG.decode(
      SampleMedia.jpeg, needed: PixelSize(width: 64, height: 48), path: "")
    let file = bench.folder.appendingPathComponent("IMG.avif")
    try PictureDecoder.encode(image, as: .avif, colors: .init(), path: file.path).write(to: file)
    let asset = try await bench.library.createAsset(AssetCreationRequest(file: file))
    bench.navigation.open(asset)
    await model.setAsBackground()
    let first = try #require(desktop.backgrounds.first)
    #expect(first.pathExtension == "jpg" && first.path.hasPrefix(bench.folder.appendingPathComponent("data").path))
    #expect(try Data(contentsOf: first).starts(with: [0xff, 0xd8]))
    // One that the person doesn't want goes, and the background stays until there is another.
    desktop.outcome = .dismissed
    await model.setAsBackground()
    let refused = try #require(desktop.backgrounds.last)
    #expect(refused != first && !FileManager.default.fileExists(atPath: refused.path))
    #expect(FileManager.default.fileExists(atPath: first.path))
    desktop.outcome = .done
    await model.setAsBackground()
    let second = try #require(desktop.backgrounds.last)
    #expect(second != first && !FileManager.default.fileExists(atPath: first.path))
    #expect(FileManager.default.fileExists(atPath: second.path))
    try await bench.end()
  }
}
