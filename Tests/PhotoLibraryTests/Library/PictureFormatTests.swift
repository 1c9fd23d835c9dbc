// Every format of pictures as assets: saved, marked, edited, reverted, exported, imported and verified as JPEGs are.

import CameraCore
import Foundation
import MediaFormats
import PhotoEffects
import StillCodecs
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite("Picture formats", .timeLimit(.minutes(30))) struct PictureFormatTests {
  /// Of shots.
  static let formats: [PhotoFormat] = [.heic, .avif, .png]
  /// Those whose edits are saved in the same format.
  static let allFormats = formats + [.webp, .tiff, .jxl]
  private static let size = PixelSize(width: 64, height: 48)

  /// A picture of one shade with a red corner at the top left.
  private static func image(shade: UInt8 = 128, size: PixelSize = PictureFormatTests.size) -> DecodedImage {
    let block = FrameBlock(count: size.area * 4) { target in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let at = (y * size.width + x) * 4
          let isCorner = x < size.width / 4 && y < size.height / 4
          (target[at], target[at + 1], target[at + 2], target[at + 3]) =
            isCorner ? (0, 0, 255, 0) : (shade, shade, shade, 0)
        }
      }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }

  private static func picture(_ format: PhotoFormat, shade: UInt8 = 128) throws -> Data {
    try StillCodecs.encode(image(shade: shade), as: format)
  }

  private static func create(
    _ format: PhotoFormat, in library: PhotoLibrary, movie: URL? = nil
  ) async throws -> Asset {
    try await library.createAsset(
      AssetCreationRequest(
        photo: try picture(format), metadata: Samples.metadata(size: size, displayTime: movie.map { _ in 1.5 }),
        pairedVideo: movie))
  }

  private static func head(_ url: URL) throws -> PictureHead {
    try #require(try PictureHead(ReadableFile(url.path, disk: Disk())))
  }

  /// The coded bytes of a picture: those of the first tile, or of the pixels' first chunk.
  private static func coded(_ url: URL) throws -> Data {
    let range = try #require(try head(url).imageRange)
    return try ReadableFile(url.path, disk: Disk()).data(at: range.lowerBound, count: range.count)
  }

  /// The shade in the middle of an image.
  private static func shade(_ image: DecodedImage) -> Int {
    image.block.withUnsafeBytes {
      Int($0[image.size.height / 2 * image.stride + image.size.width / 2 * 4 + 1])
    }
  }

  @Test(arguments: allFormats) func aPhotoIsAnAssetAndStaysOneInANewIndex(_ format: PhotoFormat) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await Self.create(format, in: library)
    #expect(asset.url.pathExtension == format.fileExtension)
    #expect(asset.size == Self.size && asset.mediaType == .photo && !asset.isLive)
    #expect(asset.cameraName == "Logitech HD Webcam C920")
    #expect(abs(asset.created.timeIntervalSince(Samples.date)) < 0.002)
    let facts = try #require(try FileFacts(ReadableFile(asset.url.path, disk: Disk())))
    #expect(facts.hasOwnID && facts.isOwn && facts.contentID == asset.id)
    #expect(try IntegrityCheck.damage(of: ReadableFile(asset.url.path, disk: Disk()), facts: facts) == nil)
    await library.close()
    try scratch.removeIndex()
    let again = try await scratch.library()
    try await again.refresh()
    let found = try #require(try await again.asset(id: asset.id))
    #expect(found.url == asset.url && found.size == asset.size)
    #expect(try await again.verify().isClean)
  }

  @Test(arguments: allFormats) func marksAreInItsPacketAndTakingThemBackGivesTheOldBytes(_ format: PhotoFormat)
    async throws
  {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await Self.create(format, in: library)
    let (before, coded) = (try Data(contentsOf: asset.url), try Self.coded(asset.url))
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    let xmp = try #require(try Self.head(asset.url).xmp)
    #expect(try XMPPacket([UInt8](xmp)).standardMetadata.rating == 5)
    #expect(try Self.coded(asset.url) == coded)
    #expect(try await library.verify().isClean)
    let marked = try await library.asset(id: asset.id)
    #expect(marked?.isFavorite == true)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: false)) }
    #expect(try Data(contentsOf: asset.url) == before)
  }

  @Test(arguments: allFormats) func imagesOfEverySize(_ format: PhotoFormat) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await Self.create(format, in: library)
    let images = ImageManager(thumbnailFolder: scratch.thumbnails)
    for side in [16, 64] {
      let target = PixelSize(width: side, height: side)
      let image = try #require(try await images.image(for: asset, targetSize: target))
      // The EXIF thumbnail of the samples has another shape, and is not used.
      #expect(abs(Self.shade(image) - 128) < 6)
      #expect(image.size.width >= min(side, 64))
    }
  }

  @Test(arguments: allFormats) func anEditIsInTheSameFormatAndRevertedByteForByte(_ format: PhotoFormat) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await Self.create(format, in: library)
    let original = try Data(contentsOf: asset.url)
    let input = try await library.contentEditingInput(for: asset.id) { _ in true }
    #expect(input.format == format && input.orientation == 1 && input.photoRange == 0..<UInt64(original.count))
    let start = try await library.editingImage(
      for: input, targetSize: Self.size, movieFrames: ScriptedFrames(times: [0, 1], size: Self.size))
    #expect(abs(Self.shade(start.image) - 128) < 6)
    // In the format of the original, and as extensions render.
    for (photo, shade) in [(try Self.picture(format, shade: 200), 200), (try Samples.jpeg(shade: 60), 60)] {
      var request = AssetChangeRequest(for: asset.id)
      request.contentEditingOutput = ContentEditingOutput(
        photo: photo, adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
      let change = request
      try await library.performChanges { $0.change(change) }
      let edited = try #require(try await library.asset(id: asset.id))
      #expect(edited.url == asset.url)
      let head = try Self.head(edited.url)
      #expect(head.format == format && head.exif != nil)
      let image = try PictureDecoder.still(Data(contentsOf: edited.url), as: format, path: "edit").image
      #expect(abs(Self.shade(image) - shade) < 8)
      #expect(try await library.verify().isClean)
    }
    // A picture of yet another format is no edit of this one.
    let other: PhotoFormat = format == .png ? .heic : .png
    var wrong = AssetChangeRequest(for: asset.id)
    wrong.contentEditingOutput = ContentEditingOutput(
      photo: try Self.picture(other),
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    let refused = wrong
    await #expect(throws: PhotoLibraryError.self) { try await library.performChanges { $0.change(refused) } }
    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(try Data(contentsOf: asset.url) == original)
  }

  @Test(arguments: [PhotoFormat.heic, .avif]) func aLivePhotoHasItsMovieInABox(_ format: PhotoFormat) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let url = try await Samples.movie(in: library)
    let movie = try Data(contentsOf: url)
    let asset = try await Self.create(format, in: library, movie: url)
    #expect(asset.isLive && asset.url.lastPathComponent.hasSuffix(".MP.\(format.rawValue)"))
    #expect(asset.photoDisplayTime == 1.5 && asset.duration == 3)
    let data = try Data(contentsOf: asset.url)
    #expect(data.suffix(movie.count) == movie)
    #expect(asset.movieRange == UInt64(data.count - movie.count)..<UInt64(data.count))
    let packet = try #require(try Self.head(asset.url).xmp)
    let description = try #require(MotionPhotoDescription(xmp: packet))
    #expect(description.movieLength == UInt64(movie.count))
    #expect(description.items.first?.mime == format.mimeType)
    #expect(String(decoding: packet, as: UTF8.self).contains("Padding=\"8\""))
    #expect(try await library.verify().isClean)
    // A mark moves the movie and leaves it whole; taking it back gives the old bytes.
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    let marked = try Data(contentsOf: asset.url)
    #expect(marked != data && marked.suffix(movie.count) == movie)
    #expect(try await library.asset(id: asset.id)?.movieRange?.count == movie.count)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: false)) }
    #expect(try Data(contentsOf: asset.url) == data)
    // Its forms.
    let folder = scratch.url.appendingPathComponent("out")
    let now = try #require(try await library.asset(id: asset.id))
    let still = try #require(try await library.export([now], as: .still, into: folder).exported.first)
    #expect(try Self.head(still.url).movie == nil && still.url.pathExtension == format.rawValue)
    #expect(try Self.head(still.url).xmp.flatMap { MotionPhotoDescription(xmp: $0) } == nil)
    let alone = try #require(try await library.export([now], as: .movie, into: folder).exported.first)
    #expect(try Data(contentsOf: alone.url) == movie)
    let current = try #require(try await library.export([now], as: .current, into: folder).exported.first)
    #expect(try Data(contentsOf: current.url) == data)
    // Cut short, it is found out.
    let cut = try scratch.put(data.dropLast(200), "cut.MP.\(format.rawValue)")
    let facts = try FileFacts(ReadableFile(cut.path, disk: Disk()))
    if let facts { #expect(try IntegrityCheck.damage(of: ReadableFile(cut.path, disk: Disk()), facts: facts) != nil) }
  }

  @Test func anEditOfALivePhotoToAStillAndBack() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await Self.create(.heic, in: library, movie: try await Samples.movie(in: library))
    let original = try Data(contentsOf: asset.url)
    var request = AssetChangeRequest(for: asset.id)
    request.contentEditingOutput = ContentEditingOutput(
      photo: nil, adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    let change = request
    try await library.performChanges { $0.change(change) }
    let still = try #require(try await library.asset(id: asset.id))
    #expect(!still.isLive && still.url.lastPathComponent.hasSuffix(".heic"))
    #expect(!still.url.lastPathComponent.contains(".MP."))
    #expect(try Self.coded(still.url) == original[try Self.range(of: original)])
    try await library.performChanges { $0.change(.revert(asset.id)) }
    let back = try #require(try await library.asset(id: asset.id))
    #expect(back.url == asset.url && back.isLive)
    #expect(try Data(contentsOf: back.url) == original)
  }

  private static func range(of data: Data) throws -> Range<Int> {
    let range = try #require(try HEIFHead(DataSource(data, name: "picture"))).imageData
    return Int(range.lowerBound)..<Int(range.upperBound)
  }

  @Test func anEditOfAGIFIsAJPEGAndTheGIFComesBack() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let card = scratch.url.appendingPathComponent("card")
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    let gif = HandMadeGIF(width: 64, height: 48, frames: [20, 40].map { .init(width: 64, height: 48, color: $0) }).data
    try gif.write(to: card.appendingPathComponent("dance.v2.GIF"))
    let asset = try #require(try await library.importAssets(from: [card]).imported.first).asset
    #expect(asset.size == Self.size && asset.url.lastPathComponent == "dance.v2.GIF")
    let images = ImageManager()
    #expect(Self.shade(try #require(try await images.image(for: asset, targetSize: Self.size))) == 40)
    // Its marks are in its packet.
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    #expect(try Self.head(asset.url).xmp != nil)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: false)) }
    #expect(try Data(contentsOf: asset.url) == gif)
    #expect(try await library.verify().isClean)
    var request = AssetChangeRequest(for: asset.id)
    request.contentEditingOutput = ContentEditingOutput(
      photo: try Samples.jpeg(shade: 60),
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    let change = request
    for _ in 0..<2 {
      try await library.performChanges { $0.change(change) }
      let edited = try #require(try await library.asset(id: asset.id))
      #expect(edited.url.lastPathComponent == "dance.v2.jpg")
      #expect(try Self.head(edited.url).format == .jpeg)
      #expect(!FileManager.default.fileExists(atPath: asset.url.path))
      let input = try await library.contentEditingInput(for: asset.id) { _ in true }
      #expect(input.format == .gif)
      #expect(try await library.verify().isClean)
    }
    try await library.performChanges { $0.change(.revert(asset.id)) }
    let back = try #require(try await library.asset(id: asset.id))
    #expect(back.url == asset.url)
    #expect(try Data(contentsOf: back.url) == gif)
    #expect(try await library.count() == 1)
    #expect(try await library.verify().isClean)
    // Exports keep the animation, or are stills.
    let folder = scratch.url.appendingPathComponent("out")
    let own = try #require(try await library.export([back], as: .still, into: folder).exported.first)
    #expect(try Data(contentsOf: own.url) == gif)
    let small = try #require(
      try await library.export([back], as: .still, ExportOptions(longestSide: 32), into: folder).exported.first)
    #expect(small.url.pathExtension == "jpg")
    #expect(try Self.head(small.url).size == PixelSize(width: 32, height: 24))
  }

  @Test func aPNGIsNoLivePhoto() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let movie = try await Samples.movie(in: library)
    await #expect(throws: PhotoLibraryError.self) { try await Self.create(.png, in: library, movie: movie) }
  }

  @Test(arguments: allFormats) func stillsAreExportedInTheirOwnFormatOrAnother(_ format: PhotoFormat) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await Self.create(format, in: library)
    let folder = scratch.url.appendingPathComponent("out")
    func exported(_ options: ExportOptions) async throws -> URL {
      try #require(try await library.export([asset], as: .still, options, into: folder).exported.first).url
    }
    let own = try await exported(ExportOptions())
    #expect(try Data(contentsOf: own) == Data(contentsOf: asset.url))
    let jpeg = try await exported(ExportOptions(stillFormat: .jpeg))
    #expect(jpeg.pathExtension == "jpg")
    let head = try Self.head(jpeg)
    #expect(head.format == .jpeg && head.size == Self.size && head.exif != nil)
    #expect(abs(Self.shade(try ScaledJPEG.decode(Data(contentsOf: jpeg), needed: Self.size, path: "a")) - 128) < 6)
    let small = try await exported(ExportOptions(longestSide: 32))
    #expect(try Self.head(small).size == PixelSize(width: 32, height: 24))
    #expect(try Self.head(small).format == format)
    if format != .png { #expect(try Self.head(await exported(ExportOptions(stillFormat: .png))).format == .png) }
  }

  @Test(arguments: allFormats) func aCopyWithoutThePlaceHasNone(_ format: PhotoFormat) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    var metadata = try Samples.metadata(size: Self.size)
    metadata.location = GeoLocation(latitude: 47.37, longitude: 8.54)
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: try Self.picture(format), metadata: metadata))
    #expect(asset.location != nil)
    let folder = scratch.url.appendingPathComponent("out")
    for form in [ExportForm.still, .current] {
      let options = ExportOptions(dropsLocation: true)
      let url = try #require(try await library.export([asset], as: form, options, into: folder).exported.first).url
      let facts = try #require(try FileFacts(ReadableFile(url.path, disk: Disk())))
      #expect(facts.location == nil && facts.contentID == asset.id)
      #expect(try Self.coded(url) == Self.coded(asset.url))
      #expect(try IntegrityCheck.damage(of: ReadableFile(url.path, disk: Disk()), facts: facts) == nil)
    }
  }

  @Test(arguments: allFormats) func filesOfOtherProgramsAreImportedOnce(_ format: PhotoFormat) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let card = scratch.url.appendingPathComponent("card")
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    let data = try Self.picture(format)
    try data.write(to: card.appendingPathComponent("a.\(format.fileExtension.uppercased())"))
    try data.write(to: card.appendingPathComponent("b.jpg"))
    // A stream of JPEG XL doesn't tell its length.
    let part = format != .jxl ? data.prefix(data.count / 4) : Data("nothing".utf8)
    try part.write(to: card.appendingPathComponent("c.\(format.fileExtension)"))
    let report = try await library.importAssets(from: [card])
    let one = try #require(report.imported.first)
    #expect(report.imported.count == 1 && one.asset.size == Self.size)
    #expect(try Data(contentsOf: one.asset.url) == data)
    #expect(report.refused.count == 2 && report.refused.contains { $0.description.contains("wrong file extension") })
    // Also after it was marked.
    try await library.performChanges { $0.change(AssetChangeRequest(for: one.asset.id, isFavorite: true)) }
    let again = try await library.importAssets(from: [card])
    #expect(again.imported.isEmpty && again.duplicates.map(\.assetID) == [one.asset.id])
  }

  @Test(arguments: formats) func theIDOfItsGroupStaysInAnotherFormat(_ format: PhotoFormat) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    var metadata = try Samples.metadata(size: Self.size)
    metadata.burstID = "group"
    let staged = try await library.stage(Samples.jpeg(), metadata: metadata)
    let better = try await library.restage(staged, with: Self.picture(format))
    let asset = try await library.createAsset(AssetCreationRequest(staged: better))
    #expect(asset.url.pathExtension == format.fileExtension && asset.burstID == "group")
    let facts = try #require(try FileFacts(ReadableFile(asset.url.path, disk: Disk())))
    #expect(facts.burstID == "group")
    await library.close()
  }

  @Test(arguments: formats) func aStagedJPEGIsReplacedInAnotherFormat(_ format: PhotoFormat) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let first = try await library.stage(
      Samples.jpeg(), metadata: Samples.metadata(), rawFrame: Samples.rawFrame())
    let second = try await library.restage(first, with: Self.picture(format))
    #expect(second.path.hasSuffix(".\(format.fileExtension)") && second.id == first.id)
    #expect(!FileManager.default.fileExists(atPath: first.path))
    let asset = try await library.createAsset(AssetCreationRequest(staged: second))
    #expect(asset.id == first.id && asset.url.pathExtension == format.fileExtension)
    #expect(await library.rawFile(of: asset) != nil)
    // A kill between the two: the one in the format that was asked for is recovered, once.
    let third = try await library.stage(
      Samples.jpeg(), metadata: Samples.metadata(date: Samples.date.addingTimeInterval(5)),
      rawFrame: Samples.rawFrame())
    let fourth = try await library.restage(third, with: Self.picture(format))
    #expect(FileManager.default.fileExists(atPath: fourth.path))
    let both = try PhotoAssembly.photo(
      Samples.jpeg(), metadata: Samples.metadata(date: Samples.date.addingTimeInterval(5)), id: third.id)
    try both.write(to: URL(fileURLWithPath: third.path))
    let incoming = scratch.pictures.appendingPathComponent(".photome/incoming")
    try FileManager.default.moveItem(
      at: library.movieFolder, to: incoming.appendingPathComponent(LibraryFolder.makeToken()))
    await library.close()
    let next = try await scratch.library()
    try await next.refresh()
    let recovered = try #require(try await next.asset(id: third.id))
    #expect(recovered.url.pathExtension == format.fileExtension)
    #expect(await next.rawFile(of: recovered) != nil)
    #expect(try await next.count() == 2)
    let notes = next.recovery.filter { if case .recoveredPhoto = $0 { true } else { false } }
    #expect(notes.count == 1, "\(next.recovery)")
    await next.close()
  }

  @Test(arguments: formats) func aStagedStillIsSavedAtTheNextStart(_ format: PhotoFormat) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let staged = try await library.stage(try Self.picture(format), metadata: Samples.metadata(size: Self.size))
    #expect(staged.path.hasSuffix(".\(format.fileExtension)"))
    let left = try Data(contentsOf: URL(fileURLWithPath: staged.path))
    await library.close()
    try scratch.put(left, ".photome/incoming/0123456789abcdef/\(Disk.name(of: staged.path))")
    let again = try await scratch.library()
    try await again.refresh()
    let found = try #require(try await again.asset(id: staged.id))
    #expect(found.url.pathExtension == format.fileExtension)
    #expect(try Data(contentsOf: found.url) == left)
  }

  @Test func damageIsFoundOut() throws {
    let scratch = try Scratch()
    for format in Self.formats {
      let data = try PhotoAssembly.photo(
        Self.picture(format), metadata: Samples.metadata(size: Self.size), id: Asset.makeID())
      let url = try scratch.put(data.dropLast(3), "IMG_1.\(format.fileExtension)")
      let file = try ReadableFile(url.path, disk: Disk())
      guard let facts = try FileFacts(file) else { continue }
      #expect(try IntegrityCheck.damage(of: file, facts: facts) != nil, "\(format)")
    }
  }
}
