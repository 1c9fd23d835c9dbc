// Files that lie, are cut or are no files: a clear error or a picture, bounded memory, and no hang.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(1))) struct HostilePictureTests {
  private let scratch: Scratch
  private let manager = ImageManager()
  init() throws { scratch = try Scratch() }

  private let small = PixelSize(width: 256, height: 256)

  @Test func aBombOfFourHundredMillionPixels() async throws {
    let asset = try await scratch.asset(Samples.greyJPEG(side: 20_000))
    #expect(asset.size == PixelSize(width: 20_000, height: 20_000) && asset.fileSize < 5 << 20)
    // Decoded at an eighth, which is 25 MB.
    let image = try #require(try await manager.image(for: asset, targetSize: PixelSize(width: 2000, height: 2000)))
    #expect(image.size == PixelSize(width: 2500, height: 2500) && image.block.count == 25_000_000)
    #expect(abs(Int(image.pixel(2400, 2400).green) - 128) < 3)
    // The whole of it would be 1.6 GB.
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await manager.image(for: asset, targetSize: asset.size)
    }
    #expect(error == .unusableFile(path: asset.url.path, reason: "its 20000 × 20000 pixels are too many"))
    #expect(manager.cachedByteCount == image.block.count)
  }

  @Test func aProgressiveBombIsNotBegun() async throws {
    var asset = try await scratch.asset(Samples.jpeg())
    // Nothing but the frame header is needed to know.
    try Samples.greyJPEG(side: 20_000, frameMarker: 0xc2).write(to: asset.url)
    asset.size = PixelSize(width: 20_000, height: 20_000)
    await #expect(
      throws: PhotoLibraryError.unusableFile(path: asset.url.path, reason: "it is too large to be shown")
    ) { try await manager.image(for: asset, targetSize: small) }
  }

  @Test func aFileThatIsTooLongIsNotRead() async throws {
    let asset = try await scratch.asset(Samples.jpeg())
    // A sparse file: nothing of it lies on the disk.
    try FileHandle(forWritingTo: asset.url).truncate(atOffset: 1 << 40)
    await #expect(
      throws: PhotoLibraryError.unusableFile(path: asset.url.path, reason: "it is too large to be shown")
    ) { try await manager.image(for: asset, targetSize: small) }
  }

  /// Cut at many places: a picture as far as it goes, or a clear error.
  @Test func aTruncatedFileGivesWhatItHas() async throws {
    let whole = try Samples.jpeg(width: 640, height: 360)
    let asset = try await scratch.asset(whole)
    let scan = try JPEGSegments(parsing: whole).scan.lowerBound
    for length in [scan + 200, (scan + whole.count) / 2, whole.count - 2] {
      try whole.prefix(length).write(to: asset.url)
      let image = try await ImageManager().image(for: asset, targetSize: small)
      #expect(image?.size == PixelSize(width: 320, height: 180))
    }
    for length in [0, 1, 2, 20, 300] {
      try whole.prefix(length).write(to: asset.url)
      await #expect(
        throws: PhotoLibraryError.unusableFile(path: asset.url.path, reason: "it is no picture")
      ) { try await ImageManager().image(for: asset, targetSize: small) }
    }
  }

  @Test func whatIsNoFileIsSaid() async throws {
    let asset = try await scratch.asset(Samples.jpeg())
    let expected = PhotoLibraryError.unusableFile(path: asset.url.path, reason: "it is not an ordinary file")
    try FileManager.default.removeItem(at: asset.url)
    #expect(mkfifo(asset.url.path, 0o600) == 0)
    await #expect(throws: expected) { try await manager.image(for: asset, targetSize: small) }
    await #expect(throws: expected) { try await manager.requestData(for: asset, resource: .file) }
    unlink(asset.url.path)
    #expect(mkdir(asset.url.path, 0o700) == 0)
    await #expect(throws: expected) { try await manager.image(for: asset, targetSize: small) }
  }

  @Test func aLengthThatLiesIsFoundOut() async throws {
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(), pairedVideo: Samples.movie(in: library)))
    await library.close()
    let range = try #require(asset.movieRange)
    let reader = ScriptedFrameReader()
    let manager = ImageManager(movieFrames: reader)
    for lie in [
      range.lowerBound - 7..<range.upperBound, range.lowerBound..<range.upperBound + 1,
      range.lowerBound..<UInt64.max, range.upperBound..<range.upperBound, 0..<range.upperBound,
      UInt64.max - 1..<UInt64.max,
    ] {
      var liar = asset
      liar.movieRange = lie
      await #expect(throws: PhotoLibraryError.self) { try await manager.requestMovie(for: liar) }
      await #expect(throws: PhotoLibraryError.self) { try await manager.requestLivePhoto(for: liar, targetSize: small) }
      await #expect(throws: PhotoLibraryError.self) { try await manager.requestData(for: liar, resource: .movie) }
      await #expect(throws: PhotoLibraryError.self) { try await manager.movieFrame(of: liar, at: 0, targetSize: small) }
    }
    #expect(reader.requests.isEmpty)
    // The picture itself is not in doubt.
    #expect(try await manager.image(for: asset, targetSize: small) != nil)

    // The file lies, rather than what was fetched: then it is a plain photo.
    var bytes = try Data(contentsOf: asset.url)
    bytes.removeLast(10)
    let plain = try await scratch.asset(bytes, "lying.MP.jpg")
    #expect(!plain.isLive && plain.movieRange == nil)
    #expect(try await manager.requestMovie(for: plain) == nil)
    #expect(try await manager.image(for: plain, targetSize: small) != nil)
  }

  @Test func aThumbnailThatLiesIsNotTaken() async throws {
    // An EXIF thumbnail of another shape, and one that is a bomb.
    for thumbnail in [try Samples.jpeg(width: 120, height: 120), try Samples.greyJPEG(side: 30_000).prefix(40_000)] {
      var metadata = try Samples.metadata(size: PixelSize(width: 640, height: 360))
      metadata.thumbnail = thumbnail
      let photo = try PhotoAssembly.photo(
        jpeg: Samples.jpeg(width: 640, height: 360), metadata: metadata, id: AssetIdentity.makeID())
      let asset = try await scratch.asset(photo)
      let image = try await ImageManager().image(for: asset, targetSize: PixelSize(width: 100, height: 100))
      #expect(image?.isRed(right: false, bottom: false) == true)
    }
  }
}

extension Samples {
  /// A valid grey JPEG of any size, of which every block is the same three quarters of a byte.
  ///
  /// - Parameter side: A multiple of 16.
  static func greyJPEG(side: Int, frameMarker: UInt8 = 0xc0) throws -> Data {
    func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
      [0xff, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 0xff)] + payload
    }
    let (high, low) = (UInt8(side >> 8), UInt8(side & 0xff))
    var data = Data([0xff, 0xd8])
    data += segment(0xdb, [0] + [UInt8](repeating: 16, count: 64))
    data += segment(frameMarker, [8, high, low, high, low, 1, 1, 0x11, 0])
    // One code each, of two bits: 00 is “no difference” for the mean, and “no more” for the rest.
    let codes: [UInt8] = [0, 1] + [UInt8](repeating: 0, count: 14) + [0]
    data += segment(0xc4, [0x00] + codes) + segment(0xc4, [0x10] + codes)
    data += segment(0xda, [1, 1, 0, 0, 63, 0])
    // 4 bits a block.
    let blocks = (side + 7) / 8 * ((side + 7) / 8)
    data += Data(count: blocks / 2) + [0xff, 0xd9]
    return data
  }

  /// A JPEG whose head is right, and that no decoder takes: its samples have 12 bits.
  static func undecodableJPEG() throws -> Data {
    var data = try greyJPEG(side: 160, frameMarker: 0xc1)
    let frame = try #require(data.range(of: Data([0xff, 0xc1, 0, 11])))
    data[frame.upperBound] = 12
    return data
  }
}
