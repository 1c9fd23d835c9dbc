// The names of exported live photos: their endings are those of the formats that are in them.

import CameraCore
import EngineInterface
import Foundation
import MediaFormats
import StillCodecs
import Testing

@testable import PhotoLibrary

@Suite("Names of exported live photos", .timeLimit(.minutes(30))) struct MotionPhotoNameTests {
  private static func picture(_ format: PhotoFormat, shade: UInt8 = 100) throws -> Data {
    let size = PixelSize(width: 64, height: 48)
    let block = FrameBlock(count: size.area * 4) {
      $0.copyBytes(from: [UInt8](repeating: shade, count: size.area * 4))
    }
    return try StillCodecs.encode(DecodedImage(size: size, stride: size.width * 4, block: block), as: format)
  }

  private static func format(_ file: URL) throws -> PhotoFormat? {
    try PictureHead(ReadableFile(file.path, disk: Disk()))?.format
  }

  /// A pair whose photo has the ending of HEIC, whatever is in it, as phones and programs name them.
  @Test(arguments: [PhotoFormat.heic, .avif], [false, true])
  func theEndingIsThatOfTheFormat(format: PhotoFormat, isEdited: Bool) async throws {
    let scratch = try Scratch()
    try scratch.put(Self.picture(format), "2026-11/IMG_1.HEIC")
    try scratch.put(Samples.mp4(brand: "qt  "), "2026-11/IMG_1.MOV")
    let library = try await scratch.library()
    try await library.refresh()
    var asset = try #require(try await library.fetchAssets().first)
    #expect(asset.isLive && asset.pairedVideo != nil)
    if isEdited {
      let movie = try await Samples.movie(in: library)
      let edit = ContentEditingOutput(
        photo: try Self.picture(format, shade: 9), pairedVideo: movie, photoDisplayTime: 1,
        adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data("{}".utf8)))
      try await library.performChanges { [asset] in
        $0.change(AssetChangeRequest(for: asset.id, contentEditingOutput: edit))
      }
      asset = try #require(try await library.asset(id: asset.id))
      #expect(asset.isLive && asset.pairedVideo == nil && asset.url.lastPathComponent == "IMG_1.HEIC")
    }
    let out = scratch.url.appendingPathComponent("out")
    let options = ExportOptions(dropsSound: !isEdited)
    let report = try await library.export([asset], as: .motionPhoto, options, into: out, renderer: SilentRenderer())
    let file = try #require(report.exported.first, "\(report.refused)").url
    #expect(file.lastPathComponent == "IMG_1.MP.\(format.fileExtension)")
    #expect(try Self.format(file) == format)
    #expect(try FileFacts(ReadableFile(file.path, disk: Disk()))?.isLive == true)
    // A copy that is changed is named as what it is; one that isn't keeps its name.
    let still = try await library.export([asset], as: .still, into: out)
    let picture = try #require(still.exported.first, "\(still.refused)").url
    #expect(picture.lastPathComponent == (format == .heic ? "IMG_1.HEIC" : "IMG_1.avif"))
    #expect(try Self.format(picture) == format)
    let plain = try await library.export([asset], as: .current, into: out)
    #expect(plain.exported.first?.url.lastPathComponent.hasSuffix(".HEIC") == true)
  }

  @Test(arguments: ["IMG_2.MP.jpg", "IMG_2.jpg", "IMG_2_MP.jpg"])
  func aMotionPhotoIsNamedAsOne(name: String) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let shot = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(), pairedVideo: Samples.movie(in: library),
        photoDisplayTime: 1))
    try FileManager.default.moveItem(
      at: shot.url, to: shot.url.deletingLastPathComponent().appendingPathComponent(name))
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    let out = scratch.url.appendingPathComponent("out")
    let report = try await library.export([asset], as: .motionPhoto, into: out)
    #expect(report.exported.first?.url.lastPathComponent == "IMG_2.MP.jpg")
  }
}
