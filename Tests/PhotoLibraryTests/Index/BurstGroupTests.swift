// Bursts as one thing: one picture of each in a list, the key photo, and the numbers, whatever happens to the others.

import CameraCore
import Foundation
import GRDB
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct BurstGroupTests {
  private static let burst = "8bafacec-2d9c-415a-8cea-91a9c041186f"
  private static var grouped: FetchOptions {
    var options = FetchOptions()
    options.groupsBursts = true
    return options
  }

  /// Adds a picture, so many seconds after the others.
  private func shot(
    _ library: PhotoLibrary, at seconds: Double, burst: String? = burst
  ) async throws -> Asset {
    var metadata = try Samples.metadata(date: Samples.date.addingTimeInterval(seconds))
    metadata.burstID = burst
    return try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(shade: UInt8(Int(seconds) % 200)), metadata: metadata))
  }

  private func listed(_ library: PhotoLibrary, in collection: AssetCollection? = nil) async throws -> [Asset] {
    try await library.fetch(Self.grouped, in: collection).allAssets()
  }

  /// The numbers of pictures that the pictures of a list stand for.
  private func counts(_ library: PhotoLibrary, in collection: AssetCollection? = nil) async throws -> [Int] {
    try await listed(library, in: collection).map(\.groupCount)
  }

  @Test func aBurstIsOnePictureOfTheList() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    var frames: [Asset] = []
    for number in 0..<4 { frames.append(try await shot(library, at: Double(number))) }
    let single = try await shot(library, at: 9, burst: nil)
    let result = try await library.fetch(Self.grouped)
    let list = try result.allAssets()
    #expect(list.map(\.id) == [single.id, frames[0].id] && list.map(\.groupCount) == [1, 4])
    #expect(!list[0].representsBurst && list[1].representsBurst)
    // Every picture of it is found where it is listed.
    for frame in frames { #expect(try result.firstIndex(of: frame.id) == 1) }
    #expect(try await library.ungrouped(list).map(\.id) == [single.id] + frames.map(\.id))
    #expect(try await library.fetch().count == 5)
    await library.close()
  }

  @Test func theKeyPhotoStandsForItOnEveryComputer() async throws {
    let scratch = try Scratch()
    var library = try await scratch.library()
    var frames: [Asset] = []
    for number in 0..<3 { frames.append(try await shot(library, at: Double(number))) }
    let bytes = try frames.map { try Data(contentsOf: $0.url) }
    try await library.performChanges { [frames] in $0.setKeyPhoto(frames[1].id, of: frames) }
    frames = try await library.burst(Self.burst)
    #expect(frames.map(\.isKeyPhoto) == [false, true, false])
    #expect(try await listed(library).map(\.id) == [frames[1].id])
    let file = try ReadableFile(frames[1].url.path, disk: Disk())
    #expect(try MetadataRewriter.standardMetadata(of: file).burstPrimary == "1")
    // Another one in its place.
    try await library.performChanges { [frames] in $0.setKeyPhoto(frames[2].id, of: frames) }
    frames = try await library.burst(Self.burst)
    #expect(frames.map(\.isKeyPhoto) == [false, false, true])
    #expect(try Data(contentsOf: frames[1].url) == bytes[1], "the mark leaves no trace")
    // By the records and the files, and by the files alone.
    for goes in [[], [".photome"]] {
      await library.close()
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: scratch.index.path + suffix) }
      for name in goes { try FileManager.default.removeItem(at: scratch.pictures.appendingPathComponent(name)) }
      library = try await scratch.library()
      try await library.refresh()
      #expect(try await listed(library).map(\.id) == [frames[2].id], "\(goes)")
    }
    await library.close()
  }

  @Test func aPickIsTakenBack() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    var frames: [Asset] = []
    for number in 0..<3 { frames.append(try await shot(library, at: Double(number))) }
    let bytes = try frames.map { try Data(contentsOf: $0.url) }
    try await library.performChanges { [frames] in $0.setKeyPhoto(frames[0].id, of: frames) }
    frames = try await library.burst(Self.burst)
    let change = try await library.performReversibly { [frames] in $0.setKeyPhoto(frames[2].id, of: frames) }.change
    let reversal = try await library.reverse(change)
    frames = try await library.burst(Self.burst)
    #expect(frames.map(\.isPicked) == [true, false, false])
    #expect(try Data(contentsOf: frames[2].url) == bytes[2])
    _ = try await library.reverse(reversal.change)
    #expect(try await library.burst(Self.burst).map(\.isPicked) == [false, false, true])
    await library.close()
  }

  @Test func theNumbersFollowWhatHappensToThePictures() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    var frames: [Asset] = []
    // Over the end of a month.
    for day in 0..<5 { frames.append(try await shot(library, at: Double(day) * 5 * 86_400)) }
    #expect(try await counts(library) == [5])
    let moments = try await library.fetchMoments(Self.grouped)
    #expect(moments.map(\.count) == [1])
    #expect(try await counts(library, in: AssetCollection(moments[0])) == [5])

    let album = try await library.performChanges { [frames] changes in
      let album = changes.createAlbum(title: "Ada")
      changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: [frames[2].id, frames[3].id]))
      return album.id
    }
    let collection = try #require(try await library.fetchAlbums().first)
    #expect(try await listed(library, in: collection).map(\.id) == [frames[2].id])
    #expect(try await counts(library, in: collection) == [2])
    #expect(try await library.fetchAlbumCounts(groupsBursts: true) == [album: 1])
    #expect(try await library.fetchAlbumCounts() == [album: 2])
    let members = try await library.ungrouped(try await listed(library, in: collection), Self.grouped, in: collection)
    #expect(members.map(\.id) == [frames[2].id, frames[3].id])

    // Hidden ones are a group of their own.
    try await library.performChanges { [frames] changes in
      for frame in frames[..<2] { changes.change(AssetChangeRequest(for: frame.id, isHidden: true)) }
    }
    #expect(try await counts(library) == [3])
    #expect(try await listed(library).map(\.id) == [frames[2].id])
    #expect(try await counts(library, in: AssetCollection(.hidden)) == [2])
    #expect(try await counts(library, in: AssetCollection(.bursts)) == [3])
    let trashed = try await library.trash([frames[2].id])
    #expect(try await counts(library) == [2])
    // Deleted by another program.
    try FileManager.default.removeItem(at: frames[3].url)
    try await library.refresh()
    #expect(try await counts(library) == [1])
    #expect(try await listed(library, in: AssetCollection(.bursts)).isEmpty, "one alone is no burst")
    try await library.restore(trashed)
    try await library.refresh()
    #expect(try await counts(library) == [2])
    #expect(try await counts(library, in: AssetCollection(.bursts)) == [2])
    #expect(try await counts(library, in: AssetCollection(.favorites)) == [])
    try await library.performChanges { [frames] in $0.change(AssetChangeRequest(for: frames[4].id, isFavorite: true)) }
    #expect(try await listed(library, in: AssetCollection(.favorites)).map(\.id) == [frames[4].id])
    await library.close()
  }

  @Test func aPictureOfAnotherProgramKeepsItsMark() throws {
    let xmp = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:G="\(XMPNamespace.camera)" G:BurstID="b" G:BurstPrimary="0"/></rdf:RDF></x:xmpmeta>
      """
    var packet = try XMPPacket(Array(xmp.utf8))
    #expect(!packet.isBurstPrimary && packet.burstPrimary == "0")
    try packet.setBurstPrimary("1")
    #expect(XMPPacket.isBurstPrimary(in: Data(packet.bytes)) && packet.burstID == "b")
    try packet.setBurstPrimary("0")
    #expect(String(decoding: packet.bytes, as: UTF8.self) == xmp)
    #expect(["1", "True", " true "].allSatisfy { XMPPacket.isBurstPrimary($0) })
    #expect(!["0", "False", "", "2"].contains { XMPPacket.isBurstPrimary($0) } && !XMPPacket.isBurstPrimary(nil))
  }

  @Test func whatARecordSaysOfAMarkIsChecked() {
    var added = AddedMetadata()
    added.note(StandardMetadataChange(burstPrimary: .set), madeTo: StandardMetadata(burstPrimary: "False"))
    #expect(added.burstPrimary && added.burstPrimaryBefore == "False")
    #expect(AddedMetadata(added.values) == added)
    #expect(AddedMetadata(["burstPrimaryBefore": .text("\"/><x")]).burstPrimaryBefore == nil)
    // Another program's mark isn't taken back.
    added = AddedMetadata()
    added.note(StandardMetadataChange(burstPrimary: .set), madeTo: StandardMetadata(burstPrimary: "1"))
    #expect(!added.burstPrimary)
  }

  @Test(.enabled(if: Command.areInstalled("exiftool"), "needs exiftool")) func otherProgramsReadTheMark() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let frames = [try await shot(library, at: 0), try await shot(library, at: 1)]
    try await library.performChanges { $0.setKeyPhoto(frames[1].id, of: frames) }
    let arguments = ["-s3", "-n", "-XMP-GCamera:BurstPrimary", frames[1].url.path]
    let output = try Command.run("exiftool", arguments, at: scratch.url).output
    #expect(output.trimmingCharacters(in: .whitespacesAndNewlines) == "1")
    await library.close()
  }

  @Test func groupsComeFromAnIndexOfTheirOwn() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let query = AssetQuery(Self.grouped, in: nil)
    let plan = try library.index.readingNow { db in
      try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(query.numbersStatement)", arguments: query.arguments)
        .map { $0["detail"] as String }
    }
    #expect(plan.first == "SEARCH asset USING COVERING INDEX assetNewest (isHidden=?)", "\(plan)")
    #expect(plan.contains { $0.contains("INDEX assetBurstKey") }, "\(plan)")
    let count = try #require(query.groupCountStatement)
    let countPlan = try library.index.readingNow { db in
      try Row.fetchAll(
        db, sql: "EXPLAIN QUERY PLAN \(count)",
        arguments: query.arguments &+ ["group": Self.burst, "groupIsHidden": false]
      ).map { $0["detail"] as String }
    }
    #expect(
      countPlan.allSatisfy { $0.contains("COVERING INDEX assetBurst") && $0.contains("burst=?") }, "\(countPlan)")
    await library.close()
  }
}
