// Gain maps of edited pictures: moved like the picture, described where readers look, or left out with a word.

import CameraCore
import Foundation
import MediaFormats
import PhotoEffects
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct GainMapTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// An Ultra HDR picture, byte by byte: 320 × 180 pixels, with a map of 80 × 44.
  struct UltraHDR {
    var orientation = 1
    var hasXMP = true
    var isISO = false
    var isGray = true
    var movie: Data?
    /// Whether the packet has as much text as one segment holds.
    var isFull = false

    static let parameters = "hdrgm:GainMapMax=\"2.5\" hdrgm:HDRCapacityMax=\"2.5\""

    /// Dark on the left, bright on the right; in colors, red on the right.
    func map() throws -> Data {
      let size = PixelSize(width: 80, height: 44)
      let block = FrameBlock(count: 4 * size.area) { pixels in
        for index in 0..<size.area {
          let isRight = index % size.width >= size.width / 2
          for channel in 0..<4 {
            pixels[4 * index + channel] = isRight && (isGray || channel == 2) ? 200 : 20
          }
        }
      }
      let image = DecodedImage(size: size, stride: 4 * size.width, block: block)
      let coded = try #require(ScaledJPEG.encode(image, quality: 95, hasFullColors: true, isGray: isGray))
      var front: [Data] = []
      if hasXMP {
        front.append(
          try GainMapTests.xmp(
            "xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\" hdrgm:Version=\"1.0\" \(Self.parameters)"))
      }
      if isISO { front.append(try Self.segment(JPEGGainMap.isoIdentifier + Data([0, 0, 0, 0, 0x40, 1, 2, 3]))) }
      return try JPEGSegments(parsing: coded).assemble(front: front)
    }

    static func segment(_ payload: Data) throws -> Data {
      try JPEGSegments.segment(marker: JPEGMarker.app2, payload: payload)
    }

    func data() throws -> Data {
      let map = try map()
      var front: [Data] = []
      if orientation != 1 {
        let tiff: [UInt8] =
          [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0]
        front.append(
          try JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data("Exif\0\0".utf8) + Data(tiff)))
      }
      if hasXMP {
        let item = { (mime: String, semantic: String, length: Int) in
          """
          <rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="\(mime)" Item:Semantic="\(semantic)" \
          Item:Length="\(length)"/></rdf:li>
          """
        }
        let video = movie.map { item("video/mp4", "MotionPhoto", $0.count) } ?? ""
        let motion = movie == nil ? "" : "xmlns:GCamera=\"\(XMPNamespace.camera)\" GCamera:MotionPhoto=\"1\""
        let described = { (text: String) in
          try GainMapTests.xmp(
            """
            xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0" \(motion) \
            xmlns:Container="\(XMPNamespace.container)" xmlns:Item="\(XMPNamespace.item)" \(text)
            """,
            """
            <Container:Directory><rdf:Seq>\(item("image/jpeg", "Primary", 0))\
            \(item("image/jpeg", "GainMap", map.count))\(video)</rdf:Seq></Container:Directory>
            """)
        }
        let text = { "xmlns:t=\"http://example.org/\" t:text=\"\(String(repeating: "a", count: $0))\"" }
        front.append(try described(isFull ? text(0xffff + 2 - described(text(0)).count) : ""))
      }
      if isISO { front.append(try Self.segment(JPEGGainMap.isoIdentifier + Data([0, 0, 0, 0]))) }
      // As phones write it: little-endian.
      func list(_ size: Int, _ distance: Int) -> Data {
        let little = { (number: Int, count: Int) in HandMadeTrailer.little(UInt64(number), count) }
        let fields: [Data] = [
          Data("MPF\0II*\0".utf8), little(8, 4), little(3, 2), little(0xb000, 2), little(7, 2), little(4, 4),
          Data("0100".utf8), little(0xb001, 2), little(4, 2), little(1, 4), little(2, 4), little(0xb002, 2),
          little(7, 2), little(32, 4), little(50, 4), little(0, 4), little(0x3_0000, 4), little(size, 4), little(0, 8),
          little(0, 4), little(map.count, 4), little(distance, 4), little(0, 4),
        ]
        return fields.reduce(Data(), +)
      }
      let source = try JPEGSegments(parsing: Samples.jpeg())
      let length = try source.assemble(front: front + [Self.segment(list(0, 0))]).count
      let before = front.reduce(2) { $0 + $1.count } + 4 + 4
      let picture = try source.assemble(front: front + [Self.segment(list(length, length - before))])
      return picture + map + (movie ?? Data())
    }
  }

  private static func xmp(_ attributes: String, _ elements: String = "") throws -> Data {
    let packet = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" \(attributes)>\(elements)</rdf:Description></rdf:RDF></x:xmpmeta>
      """
    return try JPEGSegments.segment(
      marker: JPEGMarker.app1, payload: Data("http://ns.adobe.com/xap/1.0/\0\(packet)".utf8))
  }

  private func library(_ picture: UltraHDR) async throws -> (library: PhotoLibrary, asset: Asset) {
    let library = try await scratch.library()
    try scratch.put(picture.data(), "a.jpg")
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    let file = try ReadableFile(asset.url.path, disk: Disk())
    let map = try #require(try JPEGGainMap(file, upTo: file.size - UInt64(picture.movie?.count ?? 0)))
    #expect(map.isUltraHDR == picture.hasXMP && (map.isoMark != nil) == picture.isISO)
    return (library, asset)
  }

  private func edit(
    _ asset: Asset, in library: PhotoLibrary, _ geometry: Geometry = Geometry(), isRendered: Bool = true,
    use: ContentEditingOutput.GainMapUse = .kept, movie: URL? = nil
  ) async throws {
    let size = geometry.outputSize(for: asset.size)
    var output = ContentEditingOutput(
      photo: isRendered ? try Samples.jpeg(width: size.width, height: size.height, shade: 70) : nil,
      photoOrigin: .picture(geometry), pairedVideo: movie, photoDisplayTime: 1,
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    output.gainMap = use
    var request = AssetChangeRequest(for: asset.id)
    request.contentEditingOutput = output
    let change = request
    try await library.performChanges { $0.change(change) }
  }

  /// The map of an edited file; checks that everything that tells of it says the same.
  private func map(in url: URL, movieLength: Int = 0, isUltraHDR: Bool = true) throws -> Data {
    let bytes = try Data(contentsOf: url)
    let file = try ReadableFile(url.path, disk: Disk())
    let limit = file.size - UInt64(movieLength)
    let map = try #require(try JPEGGainMap(file, upTo: limit))
    // It begins where the picture ends, and the movie where it ends.
    let extent = try #require(try JPEGExtent(file, upTo: limit))
    #expect(map.range == extent.end..<limit)
    #expect(map.isUltraHDR == isUltraHDR)
    let packet = try JPEGHead(file)?.xmp.map { String(decoding: $0, as: UTF8.self) } ?? ""
    let semantics = packet.components(separatedBy: "Item:Semantic=\"").dropFirst().map { $0.prefix { $0 != "\"" } }
    #expect(semantics == (isUltraHDR ? ["Primary", "GainMap"] : []) + (movieLength > 0 ? ["MotionPhoto"] : []))
    #expect(packet.contains("hdrgm:Version=\"1.0\"") == isUltraHDR)
    #expect(packet.contains("Item:Length=\"\(map.range.count)\"") == isUltraHDR)
    return bytes[Int(map.range.lowerBound)..<Int(map.range.upperBound)]
  }

  /// The brightness of the map's left, right, upper and lower part.
  private func light(_ map: Data) throws -> (left: Int, right: Int, top: Int, bottom: Int) {
    let size = try JPEGSegments(parsing: map).size
    let image = try ScaledJPEG.decode(map, needed: size, isWhole: true, path: "map")
    func at(_ x: Int, _ y: Int) -> Int {
      image.block.withUnsafeBytes { Int($0[y * image.stride + 4 * x + 2]) }
    }
    let (x, y) = (size.width - 4, size.height - 4)
    return (at(3, size.height / 2), at(x, size.height / 2), at(size.width / 2, 3), at(size.width / 2, y))
  }

  private func warnings(_ library: PhotoLibrary) async -> [String] {
    await library.close()
    var texts: [String] = []
    for await warning in library.warnings() { texts.append(warning.description) }
    return texts
  }

  @Test func itMovesLikeThePicture() async throws {
    let (library, asset) = try await library(UltraHDR())
    let original = try Data(contentsOf: asset.url)
    try await edit(asset, in: library)
    var found = try light(map(in: asset.url))
    #expect(found.left < 40 && found.right > 180)
    var flipped = Geometry()
    flipped.isFlipped = true
    try await edit(asset, in: library, flipped)
    found = try light(map(in: asset.url))
    #expect(found.left > 180 && found.right < 40)
    var turned = Geometry()
    turned.turn = .right
    try await edit(asset, in: library, turned)
    found = try light(map(in: asset.url))
    #expect(found.top < 40 && found.bottom > 180)
    var cropped = Geometry()
    cropped.crop = Geometry.Crop(x: 0.6, y: 0, width: 0.4, height: 1)
    try await edit(asset, in: library, cropped)
    let part = try map(in: asset.url)
    #expect(try JPEGSegments(parsing: part).size == PixelSize(width: 32, height: 44))
    found = try light(part)
    #expect(found.left > 180 && found.right > 180)
    // What its samples mean is still said.
    #expect(part.range(of: Data(UltraHDR.parameters.utf8)) != nil)
    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(try Data(contentsOf: asset.url) == original)
    #expect(await warnings(library).isEmpty)
  }

  @Test func itIsTurnedUprightWithThePicture() async throws {
    let (library, asset) = try await library(UltraHDR(orientation: 6))
    try await edit(asset, in: library)
    let found = try light(map(in: asset.url))
    #expect(found.top < 40 && found.bottom > 180)
  }

  @Test func aMapThatISODescribesKeepsItsMarks() async throws {
    let (library, asset) = try await library(UltraHDR(hasXMP: false, isISO: true))
    for isRendered in [true, false] {
      try await edit(asset, in: library, isRendered: isRendered)
      let part = try map(in: asset.url, isUltraHDR: false)
      #expect(part.range(of: JPEGGainMap.isoIdentifier + Data([0, 0, 0, 0, 0x40, 1, 2, 3])) != nil)
      let marks = try JPEGSegments(parsing: Data(contentsOf: asset.url)).segments.filter { $0.marker == 0xe2 }
      // ISO's, and the index.
      #expect(marks.count == 2)
    }
  }

  @Test func aMapInColorsIsLeftOutWhereAnEffectChangesColors() async throws {
    let (library, asset) = try await library(UltraHDR(isGray: false))
    try await edit(asset, in: library)
    #expect(try JPEGSegments(parsing: map(in: asset.url)).hasOneComponent == false)
    try await edit(asset, in: library, use: .keptIfGray)
    let file = try ReadableFile(asset.url.path, disk: Disk())
    #expect(try JPEGGainMap(file, upTo: file.size) == nil)
    let told = await warnings(library)
    #expect(told.count == 1 && told[0].contains("HDR"), "\(told)")
  }

  @Test func withoutRoomForItsDescriptionItIsLeftOut() async throws {
    let (library, asset) = try await library(UltraHDR(isFull: true))
    try await edit(asset, in: library)
    let file = try ReadableFile(asset.url.path, disk: Disk())
    #expect(try JPEGGainMap(file, upTo: file.size) == nil)
    let told = await warnings(library)
    #expect(told.contains { $0.contains("HDR") }, "\(told)")
    #expect(try await library.verify().problems.isEmpty)
  }

  @Test func itStaysBeforeTheMovieOfALivePhoto() async throws {
    let movie = Samples.mp4(seconds: 2)
    let (library, asset) = try await library(UltraHDR(movie: movie))
    #expect(asset.isLive)
    let before = try Data(contentsOf: asset.url)
    // The sound is removed, or the like: the picture stays bit for bit, and the map with it.
    for isRendered in [false, true] {
      let rendered = try await Samples.movie(in: library, name: "edit.mp4", seconds: 2)
      let length = try Data(contentsOf: rendered).count
      try await edit(asset, in: library, isRendered: isRendered, use: .keptIfGray, movie: rendered)
      let after = try #require(try await library.asset(id: asset.id))
      #expect(after.isLive)
      let part = try map(in: after.url, movieLength: length)
      if !isRendered { #expect(before.range(of: part) != nil) }
      #expect(try await library.verify().problems == [])
    }
    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(try Data(contentsOf: asset.url) == before)
  }
}
