// Bursts in the library: the id in the file, the index that is made anew, edits, and the smart album.

import CameraCore
import Foundation
import GRDB
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct BurstMetadataTests {
  private static let burst = "8bafacec-2d9c-415a-8cea-91a9c041186f"

  private func shot(_ library: PhotoLibrary, _ number: Int, burst: String?) async throws -> Asset {
    var metadata = try Samples.metadata(date: Samples.date.addingTimeInterval(Double(number)))
    metadata.burstID = burst
    return try await library.createAsset(AssetCreationRequest(photo: Samples.jpeg(), metadata: metadata))
  }

  @Test func aBurstIsKnownFromItsFilesAlone() async throws {
    let scratch = try Scratch()
    var library = try await scratch.library()
    for number in 0..<4 { _ = try await shot(library, number, burst: number == 3 ? nil : Self.burst) }
    for isAnew in [false, true] {
      if isAnew {
        await library.close()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: scratch.index.path + suffix) }
        library = try await scratch.library()
        try await library.refresh()
      }
      var options = FetchOptions()
      options.burstID = Self.burst
      let frames = try await library.fetch(options).allAssets()
      #expect(frames.count == 3 && frames.allSatisfy { $0.burstID == Self.burst })
      #expect(try await library.fetch(in: AssetCollection(.bursts)).allAssets() == frames)
      #expect(try await library.count() == 4)
    }
    await library.close()
  }

  @Test func aSheetIsKnownFromItsFileAlone() async throws {
    let scratch = try Scratch()
    var library = try await scratch.library()
    var photos: [Asset] = []
    for number in 0..<4 { photos.append(try await shot(library, number, burst: Self.burst)) }
    let sheet = try await library.createSheet(.strip, of: photos, software: "PhotoMe 0.1")
    #expect(sheet.isSheet && sheet.isKeyPhoto)
    // An edit keeps what it is; another key photo doesn't change it.
    let adjustment = AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data("{}".utf8))
    let output = ContentEditingOutput(photo: try Samples.jpeg(shade: 9), adjustmentData: adjustment)
    let all = photos + [sheet]
    let first = photos[0].id
    try await library.performChanges { $0.change(AssetChangeRequest(for: sheet.id, contentEditingOutput: output)) }
    try await library.performChanges { $0.setKeyPhoto(first, of: all) }
    for isAnew in [false, true] {
      if isAnew {
        await library.close()
        try scratch.removeIndex()
        library = try await scratch.library()
        try await library.refresh()
      }
      let frames = try await library.burst(Self.burst)
      #expect(frames.map(\.isSheet) == [false, false, false, false, true])
      #expect(frames.last?.isEdited == true && frames.map(\.isKeyPhoto) == [true, false, false, false, false])
    }
    let problems = try await library.verify().problems
    #expect(problems.isEmpty, "\(problems)")
    await library.close()
  }

  /// Phones blend pictures of a burst, and say so in the same way.
  @Test(arguments: [(software: "PhotoMe 0.1", isSheet: true), ("HDR+ 1.0", false)])
  func aBlendedPictureOfAPhoneIsNoSheet(software: String, isSheet: Bool) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    var metadata = try Samples.metadata()
    (metadata.burstID, metadata.isSheet, metadata.software) = (Self.burst, true, software)
    let asset = try await library.createAsset(AssetCreationRequest(photo: Samples.jpeg(), metadata: metadata))
    #expect(asset.isSheet == isSheet && asset.burstID == Self.burst)
    await library.close()
  }

  @Test func anEditStaysInItsBurst() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library, 0, burst: Self.burst)
    let adjustment = AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data("{}".utf8))
    let output = ContentEditingOutput(photo: try Samples.jpeg(shade: 9), adjustmentData: adjustment)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, contentEditingOutput: output)) }
    let edited = try #require(try await library.asset(id: asset.id))
    #expect(edited.isEdited && edited.burstID == Self.burst)
    let still = try await library.still(of: asset.id, targetSize: PixelSize(width: 64, height: 64))
    #expect(still.size.width >= 64 && still.size.width < 128)
    await library.close()
  }

  @Test func aLivePhotoOfAnotherProgramLosesItsMovieAndNotItsBurst() throws {
    let xmp = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:C="\(XMPNamespace.camera)" C:MotionPhoto="1" C:BurstPrimary="1">
      <C:BurstID>\(Self.burst)</C:BurstID></rdf:Description></rdf:RDF></x:xmpmeta>
      """
    var packet = try XMPPacket([UInt8](xmp.utf8))
    try packet.removeMovie()
    let left = String(decoding: packet.bytes, as: UTF8.self)
    #expect(XMPPacket.burstID(in: Data(left.utf8)) == Self.burst)
    #expect(left.contains("BurstPrimary") && !left.contains("MotionPhoto"))
  }

  @Test(arguments: ["", "a b", "naïve", String(repeating: "x", count: 65)])
  func anIDThatNoPhoneWritesIsNone(id: String) {
    let xmp = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:GCamera="\(XMPNamespace.camera)" GCamera:BurstID="\(id)"/></rdf:RDF></x:xmpmeta>
      """
    #expect(XMPPacket.burstID(in: Data(xmp.utf8)) == nil)
  }

  @Test(.enabled(if: Command.areInstalled("exiftool"), "needs exiftool")) func otherProgramsReadTheID() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await shot(library, 0, burst: Self.burst)
    #expect(
      try Command.run("exiftool", ["-s3", "-XMP-GCamera:BurstID", asset.url.path], at: scratch.url).output
        .trimmingCharacters(in: .whitespacesAndNewlines) == Self.burst)
    await library.close()
  }

  @Test func burstsComeFromIndexesOfTheirOwn() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    var members = FetchOptions()
    members.burstID = Self.burst
    for (query, index) in [
      (AssetQuery(FetchOptions(), in: AssetCollection(.bursts)), "assetBurst "),
      (AssetQuery(members, in: nil), "assetBurstID "),
    ] {
      let plan = try library.index.readingNow { db in
        try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(query.numbersStatement)", arguments: query.arguments)
          .map { $0["detail"] as String }
      }
      #expect(plan.contains { $0.contains("INDEX \(index)") }, "\(plan)")
    }
    await library.close()
  }
}
