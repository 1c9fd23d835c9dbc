// Raw files of cameras as assets: shown, marked, edited, reverted, exported, imported and verified.

import CameraCore
import Foundation
import MediaFormats
import StillCodecs
import Testing

@testable import PhotoLibrary

@Suite("Raw files as assets", .timeLimit(.minutes(30))) struct RawPictureTests {
  private static let size = PixelSize(width: 64, height: 48)

  private static func image(shade: UInt8, _ size: PixelSize = size) -> DecodedImage {
    DecodedImage(
      size: size, stride: size.width * 4,
      block: FrameBlock(count: size.area * 4) { $0.copyBytes(from: [UInt8](repeating: shade, count: size.area * 4)) })
  }

  /// A camera's DNG: the samples are bright, and the camera's own picture is dark.
  static func file(software: String = "Camera 1.0", hasPreview: Bool = true) throws -> Data {
    let layout = BayerLayout(pattern: .rggb, bits: 8)
    let block = FrameBlock(count: size.area) { memory in
      for index in memory.indices { memory[index] = index % 64 == 0 ? 30 : 200 }
    }
    let frame = try #require(
      BayerFrame(layout: layout, size: size, stride: size.width, transfer: .linear, block: block))
    let preview = try #require(ScaledJPEG.encode(image(shade: 40), quality: 90, hasFullColors: false))
    return try DNGFile(
      frame,
      DNGFile.Description(
        id: "0123456789abcdef0123456789abcdef", cameraMake: "Maker", cameraName: "Camera", software: software,
        date: "2026:05:21 07:31:06", subseconds: "", utcOffset: "+00:00", orientation: 6,
        preview: hasPreview ? preview : nil)
    ).data
  }

  private static func shade(_ image: DecodedImage) -> Int {
    image.block.withUnsafeBytes { Int($0[image.size.height / 2 * image.stride + image.size.width / 2 * 4 + 1]) }
  }

  private static func imported(
    _ data: Data, as name: String = "DSC_1.dng", into library: PhotoLibrary, _ scratch: Scratch
  ) async throws -> Asset {
    let card = scratch.url.appendingPathComponent("card")
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    try data.write(to: card.appendingPathComponent(name))
    return try #require(try await library.importAssets(from: [card]).imported.first).asset
  }

  @Test func aRawFileIsAnAssetThatShowsTheCamerasPicture() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await Self.imported(Self.file(), into: library, scratch)
    #expect(asset.url.path.hasSuffix("/2026-05/DSC_1.dng"))
    // Turned by EXIF's orientation.
    #expect(asset.size == PixelSize(width: 48, height: 64) && asset.cameraName == "Maker Camera")
    let images = ImageManager()
    let whole = try #require(try await images.image(for: asset, targetSize: asset.size))
    #expect(whole.size == asset.size && abs(Self.shade(whole) - 40) < 4)
    #expect(try await library.verify().isClean)
    // Marks are in PhotoMe's record alone.
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    #expect(try Data(contentsOf: asset.url) == Self.file())
    #expect(try await library.asset(id: asset.id)?.isFavorite == true)
    await library.close()
    try scratch.removeIndex()
    let again = try await scratch.library()
    try await again.refresh()
    #expect(try await again.asset(id: asset.id)?.isFavorite == true)
  }

  @Test func withoutACamerasPictureItIsDeveloped() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await Self.imported(Self.file(hasPreview: false), into: library, scratch)
    let image = try #require(try await ImageManager().image(for: asset, targetSize: asset.size))
    #expect(image.size == asset.size && Self.shade(image) > 120)
  }

  @Test func anEditIsADevelopedJPEGAndTheRawFileComesBack() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let file = try Self.file()
    let asset = try await Self.imported(file, into: library, scratch)
    // Developed from the samples, for the editor.
    let developed = try await library.still(of: asset.id, targetSize: asset.size)
    #expect(developed.size == asset.size && Self.shade(developed) > 120)
    var request = AssetChangeRequest(for: asset.id)
    request.contentEditingOutput = ContentEditingOutput(
      photo: try Samples.jpeg(shade: 60),
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    let change = request
    try await library.performChanges { $0.change(change) }
    let edited = try #require(try await library.asset(id: asset.id))
    #expect(edited.url.lastPathComponent == "DSC_1.jpg")
    #expect(try await library.contentEditingInput(for: asset.id) { _ in true }.format == .raw)
    #expect(try await library.verify().isClean)
    try await library.performChanges { $0.change(.revert(asset.id)) }
    let back = try #require(try await library.asset(id: asset.id))
    #expect(back.url == asset.url)
    #expect(try Data(contentsOf: back.url) == file)
    #expect(try await library.verify().isClean)
  }

  @Test func stillsAreJPEGsAndTheFileIsNeverChanged() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let file = try Self.file()
    let asset = try await Self.imported(file, into: library, scratch)
    let folder = scratch.url.appendingPathComponent("out")
    let whole = try #require(try await library.export([asset], as: .current, into: folder).exported.first)
    #expect(try Data(contentsOf: whole.url) == file)
    let still = try #require(try await library.export([asset], as: .still, into: folder).exported.first)
    #expect(still.url.lastPathComponent == "DSC_1.jpg")
    let head = try #require(try PictureHead(ReadableFile(still.url.path, disk: Disk())))
    #expect(head.size == asset.size && head.orientation == 1)
    // Without the place only what isn't the file itself.
    let options = ExportOptions(dropsLocation: true)
    let copy = try #require(try await library.export([asset], as: .current, options, into: folder).exported.first)
    #expect(copy.url.pathExtension == "jpg" && copy.note?.contains("DSC_1.dng") == true)
    #expect(try await library.export([asset], as: .still, options, into: folder).exported.count == 1)
  }

  @Test func theRawPartOfAShotIsNoAsset() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let own = try Self.file(software: "PhotoMe 1.0")
    let card = scratch.url.appendingPathComponent("card")
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    try own.write(to: card.appendingPathComponent("IMG_1.dng"))
    let report = try await library.importAssets(from: [card])
    #expect(report.imported.isEmpty && report.refused.count == 1)
    // Beside no picture in the library it stays what it is, and nothing is wrong with it.
    try own.write(to: scratch.pictures.appendingPathComponent("IMG_1.dng"))
    try Self.file().write(to: scratch.pictures.appendingPathComponent("IMG_2.dng"))
    try await library.refresh()
    #expect(try await library.count() == 1)
    #expect(try await library.verify().isClean)
  }
}
