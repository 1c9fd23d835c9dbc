// Transparent parts of pictures in the library: kept by edits and copies, or left out with a word.

import CameraCore
import Foundation
import MediaFormats
import PhotoEffects
import StillCodecs
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct TransparencyTests {
  private let scratch: Scratch
  private static let formats: [PhotoFormat] = [.png, .webp, .tiff, .jxl, .avif, .heic]
  private static let size = PixelSize(width: 96, height: 64)

  init() throws { scratch = try Scratch() }

  /// One color; transparent on the right, half transparent in the lower left.
  private func picture(
    _ format: PhotoFormat, shade: UInt8 = 60, isOpaque: Bool = false, isDeep: Bool = false
  ) throws -> Data {
    let size = Self.size
    let alpha = AlphaPlane(
      size: size,
      block: FrameBlock(count: size.area) { target in
        for index in 0..<size.area {
          let (x, y) = (index % size.width, index / size.width)
          target[index] = isOpaque ? 255 : x >= size.width / 2 ? 0 : y >= size.height / 2 ? 128 : 255
        }
      })
    let block = FrameBlock(count: size.area * 4) { target in
      for index in target.indices { target[index] = index % 4 == 3 ? 0 : shade }
    }
    let image = DecodedImage(size: size, stride: 4 * size.width, block: block)
    guard isDeep else { return try StillCodecs.encode(image, alpha: alpha, as: format) }
    return try #require(try StillCodecs.encode(DeepPixels(widening: image), alpha: alpha, as: format))
  }

  private func asset(_ data: Data, _ name: String) async throws -> (library: PhotoLibrary, asset: Asset) {
    let library = try await scratch.library()
    try scratch.put(data, name)
    try await library.refresh()
    return (library, try #require(try await library.fetchAssets().first))
  }

  private func edit(
    _ asset: Asset, in library: PhotoLibrary, _ photo: Data, _ origin: ContentEditingOutput.PhotoOrigin,
    losesTransparency: Bool = false
  ) async throws {
    var output = ContentEditingOutput(
      photo: photo, photoOrigin: origin,
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    output.losesTransparency = losesTransparency
    var request = AssetChangeRequest(for: asset.id)
    request.contentEditingOutput = output
    let change = request
    try await library.performChanges { $0.change(change) }
  }

  private func warnings(_ library: PhotoLibrary) async -> [String] {
    await library.close()
    var texts: [String] = []
    for await warning in library.warnings() { texts.append(warning.description) }
    return texts
  }

  /// The opacity of a file's upper left, lower left and right.
  private func parts(_ url: URL, _ format: PhotoFormat) throws -> [Int] {
    let still = try StillCodecs.decode(Data(contentsOf: url), as: format)
    guard let alpha = still.alpha else { return [] }
    let (width, height) = (alpha.size.width, alpha.size.height)
    return [(width / 4, height / 4), (width / 4, 3 * height / 4), (3 * width / 4, height / 2)].map { x, y in
      alpha.block.withUnsafeBytes { Int($0[y * width + x]) }
    }
  }

  private func isRight(_ parts: [Int]) -> Bool {
    parts.count == 3 && zip(parts, [255, 128, 0]).allSatisfy { abs($0 - $1) <= 2 }
  }

  @Test(arguments: formats) func anEditKeepsThemWithItsMetadata(_ format: PhotoFormat) async throws {
    let original = try picture(format)
    let (library, asset) = try await asset(original, "a.\(format.fileExtension)")
    for isDeep in [true, false] where !isDeep || [.png, .tiff].contains(format) {
      try await edit(
        asset, in: library, try picture(format, shade: 90, isDeep: isDeep), .picture(Geometry()))
      let edited = try #require(try await library.asset(id: asset.id))
      let found = try parts(edited.url, format)
      #expect(isRight(found), "\(found)")
      #expect(try PictureHead(ReadableFile(edited.url.path, disk: Disk()))?.exif != nil)
      // A favorite is in the packet.
      try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
      #expect(isRight(try parts(edited.url, format)))
      try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: false)) }
    }
    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(try Data(contentsOf: asset.url) == original)
    #expect(try await library.verify().isClean)
    #expect(await warnings(library) == [])
  }

  @Test func whatTheRendererLeavesOutIsSaidOnce() async throws {
    let (library, asset) = try await asset(
      HandMadeGIF(width: 64, height: 48, frames: [.init(width: 64, height: 48, color: 20)]).data, "a.gif")
    for _ in 0..<2 {
      try await edit(asset, in: library, try Samples.jpeg(), .picture(Geometry()), losesTransparency: true)
    }
    let texts = await warnings(library)
    #expect(texts.count == 1 && texts[0].contains("“a.gif”") && texts[0].contains("transparent"), "\(texts)")
  }

  /// Other programs get a JPEG, and give one back.
  @Test(arguments: [true, false]) func whatAnotherProgramsJPEGLeavesOutIsSaid(isOpaque: Bool) async throws {
    let (library, asset) = try await asset(try picture(.webp, isOpaque: isOpaque), "a.webp")
    try await edit(asset, in: library, try Samples.jpeg(width: 96, height: 64), .changedPicture)
    #expect(try parts(asset.url, .webp) == [])
    let texts = await warnings(library)
    #expect(isOpaque ? texts.isEmpty : texts.count == 1 && texts[0].contains("transparent"), "\(texts)")
  }

  @Test(arguments: formats) func copiesKeepThemWhereTheirFormatCan(_ format: PhotoFormat) async throws {
    let (library, asset) = try await asset(try picture(format), "a.\(format.fileExtension)")
    let folder = scratch.url.appendingPathComponent("out")
    func exported(_ options: ExportOptions) async throws -> ExportReport.Exported {
      try #require(try await library.export([asset], as: .still, options, into: folder).exported.first)
    }
    let small = try await exported(ExportOptions(longestSide: 48))
    var found = try parts(small.url, format)
    #expect(isRight(found), "\(found)")
    #expect(small.note == nil)
    if format != .png {
      let png = try await exported(ExportOptions(stillFormat: .png))
      found = try parts(png.url, .png)
      #expect(isRight(found), "\(found)")
      #expect(png.note == nil)
    }
    for side in [nil, 48] {
      let jpeg = try await exported(ExportOptions(longestSide: side, stillFormat: .jpeg))
      #expect(jpeg.note?.contains("transparent") == true, "\(jpeg.note ?? "no note")")
      let size = PixelSize(width: side ?? 96, height: side == nil ? 64 : 32)
      let image = try ScaledJPEG.decode(Data(contentsOf: jpeg.url), needed: size, path: "copy")
      let pixels = image.block.bytes
      func shade(_ x: Int, _ y: Int) -> Int { Int(pixels[y * image.stride + 4 * x + 1]) }
      #expect(abs(shade(size.width / 4, size.height / 4) - 60) < 8 && shade(3 * size.width / 4, size.height / 2) > 247)
      #expect(abs(shade(size.width / 4, 3 * size.height / 4) - 157) < 8)
    }
  }

  /// One thing that is left out doesn't hide another one.
  @Test func aCopyThatLosesATextAsWellSaysBoth() async throws {
    let packet = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" photoshop:City="Zernez" \
      photoshop:Headline="Zernez"/></rdf:RDF></x:xmpmeta>
      """
    var file = try picture(.png)
    // Behind IHDR.
    file.insert(contentsOf: HandMadePNG.xmp(Array(packet.utf8)), at: HandMadePNG.signature.count + 25)
    let (library, asset) = try await asset(file, "a.png")
    let options = ExportOptions(dropsLocation: true, stillFormat: .jpeg)
    let copy = try await library.export([asset], as: .still, options, into: scratch.url.appendingPathComponent("out"))
    let note = try #require(copy.exported.first?.note)
    #expect(note.contains("transparent") && note.contains("names the place"), "\(note)")
  }

  @Test(arguments: formats) func theEditorKnowsThem(_ format: PhotoFormat) async throws {
    let (library, asset) = try await asset(try picture(format), "a.\(format.fileExtension)")
    let input = try await library.contentEditingInput(for: asset.id) { _ in true }
    let start = try await library.editingImage(
      for: input, targetSize: PixelSize(width: 24, height: 16),
      movieFrames: ScriptedFrames(times: [0, 1], size: Self.size))
    let alpha = try #require(start.alpha)
    #expect(alpha.size == start.image.size && start.image.size.width < Self.size.width)
  }

  @Test func aCopyOfAnOpaquePictureSaysNothing() async throws {
    let (library, asset) = try await asset(try picture(.png, isOpaque: true), "a.png")
    let folder = scratch.url.appendingPathComponent("out")
    let jpeg = try #require(
      try await library.export([asset], as: .still, ExportOptions(stillFormat: .jpeg), into: folder).exported.first)
    #expect(jpeg.note == nil)
  }
}
