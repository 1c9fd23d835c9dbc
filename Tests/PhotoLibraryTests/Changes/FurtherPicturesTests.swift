// Mattes of edited pictures: behind a JPEG's gain map and before its movie, in a HEIC, and kept by later changes.

import CameraCore
import Foundation
import MediaFormats
import PhotoEffects
import StillCodecs
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite("Mattes of edited pictures", .timeLimit(.minutes(30))) struct FurtherPicturesTests {
  private static let size = PixelSize(width: 160, height: 90)
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Of one color.
  private static let image = DecodedImage(
    size: size, stride: 4 * size.width,
    block: FrameBlock(count: 4 * size.area) { $0.initializeMemory(as: UInt8.self, repeating: 90) })

  /// A person at the left, with a soft edge.
  private static func matte(presence: Double = 1) -> Matte {
    let block = FrameBlock(count: size.area) { target in
      for index in 0..<size.area {
        target[index] = UInt8(max(0, min(255, 510 - 1020 * (index % size.width) / size.width)))
      }
    }
    return Matte(size: size, block: block, presence: presence)
  }

  private func edit(
    _ asset: Asset, in library: PhotoLibrary, _ matte: Matte?, photo: Data?, movie: URL? = nil,
    origin: ContentEditingOutput.PhotoOrigin = .picture(Geometry())
  ) async throws {
    var output = ContentEditingOutput(
      photo: photo, photoOrigin: origin, pairedVideo: movie, photoDisplayTime: 1,
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    output.gainMap = .kept
    output.mattes = matte.map { StillMattes(found: $0, rendered: $0) }
    var request = AssetChangeRequest(for: asset.id)
    request.contentEditingOutput = output
    let change = request
    try await library.performChanges { $0.change(change) }
  }

  private func jpeg(in library: PhotoLibrary, _ picture: Data) async throws -> Asset {
    try scratch.put(picture, "a.jpg")
    try await library.refresh()
    return try #require(try await library.fetchAssets().first)
  }

  /// The matte of a JPEG; `nil` without one.
  private func matte(in url: URL, movieLength: Int = 0) throws -> Data? {
    let file = try ReadableFile(url.path, disk: Disk())
    guard let found = try JPEGPortraitMatte(file, upTo: file.size - UInt64(movieLength)) else { return nil }
    return try file.data(at: found.range.lowerBound, count: found.range.count)
  }

  private func check(_ jpeg: Data, _ matte: Matte) throws {
    let segments = try JPEGSegments(parsing: jpeg)
    #expect(segments.size == matte.size && segments.hasOneComponent)
    let image = try ScaledJPEG.decode(jpeg, needed: segments.size, isWhole: true, path: "matte")
    let (found, wanted) = (image.block.bytes, matte.block.bytes)
    let differences = (0..<matte.size.area).map { index in
      let at = index / matte.size.width * image.stride + 4 * (index % matte.size.width)
      return abs(Int(found[at]) - Int(wanted[index]))
    }
    #expect(differences.max() ?? 255 <= 10)
  }

  /// The items of the directory in a JPEG's packet, with their lengths.
  private func directory(of url: URL) throws -> [String] {
    let packet =
      try JPEGHead(ReadableFile(url.path, disk: Disk()))?.xmp.map { String(decoding: $0, as: UTF8.self) } ?? ""
    return packet.components(separatedBy: "Item:Semantic=\"").dropFirst().map { part in
      let length = part.components(separatedBy: "Item:Length=\"").dropFirst().first?.prefix { $0 != "\"" } ?? ""
      return "\(part.prefix { $0 != "\"" }) \(length)"
    }
  }

  @Test("A JPEG has it behind the picture, with and without a rendering, and keeps it when it is marked")
  func jpeg() async throws {
    let library = try await scratch.library()
    let original = try Samples.jpeg()
    let asset = try await jpeg(in: library, original)
    for photo in [try Samples.jpeg(shade: 70), nil] {
      try await edit(asset, in: library, Self.matte(), photo: photo)
      let part = try #require(try matte(in: asset.url))
      try check(part, Self.matte())
      // The index is enough.
      #expect(try directory(of: asset.url).isEmpty)
      #expect(try Data(contentsOf: asset.url).suffix(part.count) == part)
      var request = AssetChangeRequest(for: asset.id)
      (request.isFavorite, request.creationDate) = (true, Samples.date.addingTimeInterval(60))
      let change = request
      try await library.performChanges { $0.change(change) }
      #expect(try matte(in: asset.url) == part)
      #expect(try await library.verify().problems.isEmpty)
    }
    // An edit without one has none.
    try await edit(asset, in: library, nil, photo: Samples.jpeg(shade: 70))
    #expect(try matte(in: asset.url) == nil)
    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(
      try JPEGSegments(parsing: Data(contentsOf: asset.url)).scan.count == JPEGSegments(parsing: original).scan.count)
  }

  @Test("The file of another frame has its matte, which isn’t kept for the next edit")
  func otherFrame() async throws {
    let library = try await scratch.library()
    let asset = try await jpeg(in: library, try Samples.jpeg())
    let kept = scratch.pictures.path + "/.photome/mattes/\(asset.id).png"
    for (origin, isKept) in [(ContentEditingOutput.PhotoOrigin.picture(Geometry()), true), (.movie, false)] {
      try await edit(asset, in: library, Self.matte(), photo: Samples.jpeg(shade: 70), origin: origin)
      try check(try #require(try matte(in: asset.url)), Self.matte())
      #expect(FileManager.default.fileExists(atPath: kept) == isKept)
    }
  }

  @Test("A smaller copy of a JPEG has it as well, turned as the picture, and one in another format hasn’t")
  func copies() async throws {
    let library = try await scratch.library()
    let asset = try await jpeg(in: library, try Samples.jpeg())
    // The picture of an edit is upright: one that isn't comes from another program.
    try await edit(asset, in: library, Self.matte(), photo: Samples.jpeg(shade: 70))
    let size = try JPEGSegments(parsing: try Data(contentsOf: asset.url)).size
    let folder = URL(fileURLWithPath: scratch.path).appendingPathComponent("copies")
    for side in [max(size.width, size.height) - 8, 32] {
      let url = try await copy(asset, ExportOptions(longestSide: side), in: library, folder)
      let part = try #require(try matte(in: url))
      let (found, picture) = (try JPEGSegments(parsing: part), try JPEGSegments(parsing: Data(contentsOf: url)).size)
      #expect(max(picture.width, picture.height) == side)
      #expect(found.hasOneComponent && found.size.width == min(Self.size.width, picture.width))
      let image = try ScaledJPEG.decode(part, needed: found.size, isWhole: true, path: "matte")
      let last = image.block.bytes[4 * (found.size.width - 1)]
      #expect(image.block.bytes[0] > 240 && last < 15)
      if found.size == Self.size { try check(part, Self.matte()) }
    }
    let png = try await copy(asset, ExportOptions(stillFormat: .png), in: library, folder)
    #expect(try JPEGHead(ReadableFile(png.path, disk: Disk())) == nil)
  }

  private func copy(
    _ asset: Asset, _ options: ExportOptions, in library: PhotoLibrary, _ folder: URL
  ) async throws -> URL {
    let report = try await library.export([asset], as: .still, options, into: folder)
    return try #require(report.exported.first).url
  }

  @Test("Between a gain map and a movie, the directory's lengths add up", arguments: [true, false])
  func directory(isUltraHDR: Bool) async throws {
    let library = try await scratch.library()
    let picture = GainMapTests.UltraHDR(
      hasXMP: isUltraHDR, isISO: true, movie: isUltraHDR ? Samples.mp4(seconds: 2) : nil)
    let asset = try await jpeg(in: library, picture.data())
    for movie in isUltraHDR ? [true, false] : [false] {
      let rendered = movie ? try await Samples.movie(in: library, name: "edit.mp4", seconds: 2) : nil
      let movieLength = try rendered.map { try Data(contentsOf: $0).count } ?? 0
      try await edit(asset, in: library, Self.matte(), photo: Samples.jpeg(shade: 70), movie: rendered)
      let after = try #require(try await library.asset(id: asset.id))
      #expect(after.isLive == movie)
      let part = try #require(try matte(in: after.url, movieLength: movieLength))
      try check(part, Self.matte())
      let file = try ReadableFile(after.url.path, disk: Disk())
      let limit = file.size - UInt64(movieLength)
      let map = try #require(try JPEGGainMap(file, upTo: limit))
      #expect(map.isUltraHDR == isUltraHDR && map.isoMark != nil)
      #expect(map.range.upperBound + UInt64(part.count) == limit)
      #expect(try JPEGExtent(file, upTo: limit)?.end == map.range.lowerBound)
      #expect(
        try directory(of: after.url)
          == (isUltraHDR ? ["Primary 0", "GainMap \(map.range.count)", "PortraitEffectsMatte \(part.count)"] : [])
          + (movie ? ["MotionPhoto \(movieLength)"] : []))
      #expect(try await library.verify().problems == [])
    }
  }

  @Test("A HEIC has it as an auxiliary picture, and the same picture", arguments: [true, false])
  func heic(isLive: Bool) async throws {
    let library = try await scratch.library()
    let picture = try StillCodecs.encode(Self.image, as: .heic)
    let asset = try await library.createAsset(
      AssetCreationRequest(
        photo: picture, metadata: Samples.metadata(size: Self.size, displayTime: isLive ? 1 : nil),
        pairedVideo: isLive ? try await Samples.movie(in: library) : nil))
    let movie = isLive ? try await Samples.movie(in: library, name: "edit.mp4", seconds: 2) : nil
    try await edit(asset, in: library, Self.matte(), photo: picture, movie: movie)
    let after = try #require(try await library.asset(id: asset.id))
    #expect(after.isLive == isLive && after.size == Self.size)
    let file = try ReadableFile(after.url.path, disk: Disk())
    let found = try #require(try HEIFPortraitMatte(file))
    #expect(found.size == Self.size)
    let head = try #require(try HEIFHead(file))
    #expect(
      try file.data(at: head.imageData.lowerBound, count: head.imageData.count).count > 0
        && (head.movie != nil) == isLive)
    #expect(try HEIFHead.damage(of: file) == nil)
    #expect(try await library.verify().problems == [])
    var request = AssetChangeRequest(for: asset.id)
    (request.isFavorite, request.creationDate) = (true, Samples.date.addingTimeInterval(60))
    let change = request
    try await library.performChanges { $0.change(change) }
    let marked = try #require(try await library.asset(id: asset.id))
    #expect(try HEIFPortraitMatte(ReadableFile(marked.url.path, disk: Disk()))?.size == Self.size)
  }

  @Test("Without anybody, without room, and in other formats the picture has none") func none() throws {
    let jpeg = try Samples.jpeg()
    let png = try StillCodecs.encode(Self.image, as: .png)
    for picture in [jpeg, png] {
      #expect(try FurtherPictures(matte: Self.matte(presence: 0)).attached(to: picture).picture == picture)
      #expect(try FurtherPictures().attached(to: picture).picture == picture)
    }
    #expect(try FurtherPictures(matte: Self.matte()).attached(to: png).picture == png)
    // A directory, and as much text as one segment holds.
    func packet(_ text: Int) throws -> XMPPacket {
      let mark = "rdf:about=\"\" xmlns:t=\"http://example.org/\" t:text=\"\(String(repeating: "a", count: text))\""
      let empty = String(decoding: XMPPacket.empty, as: UTF8.self).replacingOccurrences(
        of: "rdf:about=\"\"", with: mark)
      var packet = try XMPPacket(Array(empty.utf8))
      try packet.setMovie(length: 9, presentationTime: nil)
      return packet
    }
    let packet = try packet(MetadataRewriter.largestPacket - packet(0).bytes.count - 20)
    let full = try PhotoAssembly.assemble(jpeg, exif: nil, xmp: Data(packet.bytes))
    #expect(try FurtherPictures(matte: Self.matte()).attached(to: full).picture == full)
    // A packet of any form, when it has no directory.
    let strange = try PhotoAssembly.assemble(jpeg, exif: nil, xmp: Data("<no packet".utf8))
    let with = try FurtherPictures(matte: Self.matte()).attached(to: strange).picture
    #expect(try JPEGPortraitMatte(DataSource(with, name: "a"), upTo: UInt64(with.count)) != nil)
    #expect(throws: PhotoLibraryError.self) { try FurtherPictures(matte: Self.matte()).attached(to: jpeg.dropLast(2)) }
  }
}
