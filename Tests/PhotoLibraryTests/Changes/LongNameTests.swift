// Names as long as file systems allow: 255 bytes.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct LongNameTests {
  /// Of so many bytes, in letters of one, two or four.
  private func name(_ count: Int, letter: Character, ending: String) -> String {
    let room = count - ending.utf8.count
    let width = String(letter).utf8.count
    return String(repeating: letter, count: room / width) + String(repeating: "x", count: room % width) + ending
  }

  private static let output = AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data())

  /// Everything that can be done with a picture, and the picture is as before in the end.
  @Test(
    arguments: [224, 231, 232, 244, 245, 246, 254, 255],
    [("x", ".jpg"), ("ü", ".MP.jpg"), ("📷", ".a rather long ending with.dots.JPEG")] as [(Character, String)])
  func theWholeNameStays(count: Int, form: (letter: Character, ending: String)) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let name = name(count, letter: form.letter, ending: form.ending)
    #expect(name.utf8.count == count)
    let source = scratch.url.appendingPathComponent(name)
    try Samples.jpeg().write(to: source)
    let report = try await library.importAssets(from: [source])
    let asset = try #require(report.imported.first, "\(report.refused) \(report.end)").asset
    #expect(asset.url.lastPathComponent == name)
    let id = asset.id
    try await library.performChanges { $0.change(AssetChangeRequest(for: id, isFavorite: true)) }
    // The original of an edit is the favorite.
    let bytes = try Data(contentsOf: asset.url)
    let jpeg = try Samples.jpeg(shade: 200)
    try await library.performChanges {
      $0.change(
        AssetChangeRequest(
          for: id, contentEditingOutput: ContentEditingOutput(photo: jpeg, adjustmentData: Self.output)))
    }
    let trashed = try await library.trash([id])
    #expect(trashed.allSatisfy { $0.trashedURL.lastPathComponent.utf8.count <= 255 })
    #expect(trashed.allSatisfy { $0.info.lastPathComponent.utf8.count <= 255 })
    // As after a restart.
    let again = try await library.trashedAssets()
    #expect(again.map(\.url.lastPathComponent) == [name])
    try await library.restore(again)
    let restored = try #require(try await library.asset(id: id))
    #expect(restored.url.lastPathComponent == name && restored.isFavorite && restored.isEdited)
    try await library.performChanges { $0.change(.revert(id)) }
    #expect(try Data(contentsOf: restored.url) == bytes)
    #expect(try await library.verify().isClean)
  }

  /// A second one of the same name gets a number, for which the name gives way.
  @Test(arguments: [250, 253, 255], [".jpg", ".MP.jpg"])
  func aNumberFindsRoom(count: Int, ending: String) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let name = name(count, letter: "é", ending: ending)
    var names: Set<String> = []
    for number in 0..<3 {
      let source = scratch.url.appendingPathComponent("card \(number)/\(name)")
      try FileManager.default.createDirectory(
        at: source.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Samples.jpeg(width: 64 + 16 * number, height: 48).write(to: source)
      // The same month.
      try FileManager.default.setAttributes([.modificationDate: Samples.date], ofItemAtPath: source.path)
      let report = try await library.importAssets(from: [source])
      let asset = try #require(report.imported.first, "\(report.refused) \(report.end)").asset
      #expect(asset.url.lastPathComponent.hasSuffix(ending) && asset.url.lastPathComponent.utf8.count <= 255)
      names.insert(asset.url.lastPathComponent)
    }
    #expect(names.count == 3 && names.contains(name))
  }

  /// Programs of Windows put one there; URLs leave it out.
  @Test func aByteOrderMarkAtTheBeginningStays() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let source = scratch.path + "/\u{feff}a.MP.jpg"
    try Samples.jpeg().write(to: URL(fileURLWithPath: source))
    let report = try await library.importAssets(from: [URL(fileURLWithPath: source)])
    let asset = try #require(report.imported.first).asset
    func name() -> String? {
      scratch.files().first { $0.hasPrefix("20") }.map { String($0.drop { $0 != "/" }.dropFirst()) }
    }
    #expect(name().map { Array($0.utf8) } == Array("\u{feff}a.MP.jpg".utf8))
    try await library.restore(library.trash([asset.id]))
    #expect(name().map { Array($0.utf8) } == Array("\u{feff}a.MP.jpg".utf8))
    #expect(try await library.asset(id: asset.id) != nil)
    await library.close()
  }

  /// An export's ending may be longer than the file's own.
  @Test func exportsFindRoomToo() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(), pairedVideo: Samples.movie(in: library)))
    let long = asset.url.deletingLastPathComponent().appendingPathComponent(name(255, letter: "ü", ending: ".jpg"))
    try FileManager.default.moveItem(at: asset.url, to: long)
    try await library.refresh()
    let renamed = try #require(try await library.asset(id: asset.id))
    let folder = scratch.url.appendingPathComponent("out")
    for form in [ExportForm.original, .original, .original, .still] {
      let report = try await library.export([renamed], as: form, into: folder)
      #expect(report.refused.isEmpty && report.exported.count == 1, "\(report.refused)")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count == 4 && names.allSatisfy { $0.utf8.count <= 255 && $0.hasSuffix(".jpg") })
  }

  /// One file that can't come in is a line in the report, and the others come.
  @Test(arguments: [EIO, ENAMETOOLONG, EINVAL])
  func oneFileNeverEndsAnImport(code: Int32) async throws {
    let scratch = try Scratch()
    let disk = Disk { step, path in step == .create && path.contains("b.jpg") ? code : nil }
    let library = try await scratch.library(disk: disk)
    let card = scratch.url.appendingPathComponent("card")
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    for (number, name) in ["a.jpg", "b.jpg", "c.jpg"].enumerated() {
      try Samples.jpeg(width: 64 + 16 * number, height: 48).write(to: card.appendingPathComponent(name))
    }
    let report = try await library.importAssets(from: [card])
    #expect(report.end == .complete)
    #expect(report.imported.map(\.source.lastPathComponent) == ["a.jpg", "c.jpg"])
    #expect(report.refused.map(\.path) == [card.appendingPathComponent("b.jpg").path])
    #expect(report.refused.first?.description.contains(String(cString: strerror(code))) == true)
  }

  /// A trash info file may name a path that fits nowhere: the picture comes back with the end of its stem cut.
  @Test func aNameInTheTrashThatFitsNowhereIsCut() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    var trashed: [TrashedAsset] = []
    for shade in [UInt8(10), 20] {
      let asset = try await library.createAsset(
        AssetCreationRequest(photo: Samples.jpeg(shade: shade), metadata: Samples.metadata()))
      trashed += try await library.trash([asset.id])
    }
    let info = try String(contentsOf: trashed[0].info, encoding: .utf8)
    let name = trashed[0].url.lastPathComponent
    let long = String(repeating: "z", count: 300) + ".jpg"
    try Data(info.replacingOccurrences(of: name, with: long).utf8).write(to: trashed[0].info)
    try await library.restore(try await library.trashedAssets())
    let names = try await library.fetchAssets().map(\.url.lastPathComponent).sorted()
    #expect(names.count == 2 && names.last == String(repeating: "z", count: 251) + ".jpg", "\(names)")
    await library.close()
  }
}
