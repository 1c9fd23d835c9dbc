// XMP packets that an edit can't change as it should, and those of movies: nothing is lost in silence.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct EditedPacketTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func edit(
    _ asset: Asset, in library: PhotoLibrary, photo: Data? = nil, movie: URL? = nil
  ) async throws -> Asset {
    var request = AssetChangeRequest(for: asset.id)
    request.contentEditingOutput = ContentEditingOutput(
      photo: photo, pairedVideo: movie, photoDisplayTime: 1,
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    let change = request
    try await library.performChanges { $0.change(change) }
    return try #require(try await library.asset(id: asset.id))
  }

  private func packet(_ attributes: String, _ elements: String = "") -> String {
    """
    <?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">\
    <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" \
    xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:xmpDM="http://ns.adobe.com/xmp/1.0/DynamicMedia/" \
    \(attributes)>\(elements)</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
    """
  }

  private func picture(_ packet: Data) async throws -> (library: PhotoLibrary, asset: Asset) {
    let library = try await scratch.library()
    let bytes = try JPEGSegments(parsing: Samples.jpeg()).assemble(front: [
      JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data("http://ns.adobe.com/xap/1.0/\0".utf8) + packet)
    ])
    try scratch.put(bytes, "a.jpg")
    try await library.refresh()
    return (library, try #require(try await library.fetchAssets().first))
  }

  private func warnings(_ library: PhotoLibrary) async -> [String] {
    await library.close()
    var texts: [String] = []
    for await warning in library.warnings() { texts.append(warning.description) }
    return texts
  }

  @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian], [true, false])
  func aPacketInUTF16IsConverted(encoding: String.Encoding, hasMark: Bool) async throws {
    let text = (hasMark ? "\u{feff}" : "") + packet("xmp:Rating='4' xmp:Label='Grüezi' tiff:Orientation='1'")
    let (library, asset) = try await picture(try #require(text.data(using: encoding)))
    let after = try await edit(asset, in: library, photo: try Samples.jpeg(shade: 9))
    let xmp = try #require(try JPEGHead(ReadableFile(after.url.path, disk: Disk()))?.xmp, "no packet")
    let left = String(decoding: xmp, as: UTF8.self)
    #expect(left.contains("Grüezi") && left.contains("Rating") && !left.contains("Orientation"), "\(left)")
    #expect(try XMPPacket([UInt8](xmp)).standardMetadata.rating == 4)
    #expect(await warnings(library).isEmpty)
  }

  /// It can't be parsed, but says nothing that an edit could make untrue.
  @Test func aDamagedPacketStaysAsItIs() async throws {
    let damaged = Data(packet("xmp:Label='Grüezi").utf8)
    let (library, asset) = try await picture(damaged)
    let after = try await edit(asset, in: library, photo: try Samples.jpeg(shade: 9))
    #expect(try JPEGHead(ReadableFile(after.url.path, disk: Disk()))?.xmp == damaged)
    #expect(await warnings(library).isEmpty)
  }

  /// It can't be parsed, and has regions, or the description of a movie: the person is told.
  @Test(arguments: ["mwg-rs:Regions='1'", "tiff:Orientation='6'", "GCamera:MotionPhoto='1'"])
  func aLostPacketIsSaid(attribute: String) async throws {
    let (library, asset) = try await picture(Data(packet("\(attribute) xmp:Label='Grüezi").utf8))
    let after = try await edit(asset, in: library, photo: try Samples.jpeg(shade: 9))
    #expect(try JPEGHead(ReadableFile(after.url.path, disk: Disk()))?.xmp == nil)
    let told = await warnings(library)
    #expect(
      told.count == 1 && told[0].contains("“a.jpg”") && told[0].contains("the metadata (XMP) is damaged"), "\(told)")
    #expect(told.first?.contains("original") == true)
  }

  /// A movie's description has to be added, which replaces a packet that nothing can be added to.
  @Test func aPacketThatTakesNoMovieIsSaid() async throws {
    let (library, asset) = try await picture(Data(packet("xmp:Label='Grüezi").utf8))
    let movie = try await Samples.movie(in: library, name: "edit.mp4", seconds: 2)
    let after = try await edit(asset, in: library, photo: try Samples.jpeg(shade: 9), movie: movie)
    #expect(after.isLive)
    let told = await warnings(library)
    #expect(told.count == 1 && told[0].contains("“a.jpg”"), "\(told)")
  }

  @Test func aGainMapThatIsLeftOutIsSaidOnce() async throws {
    let space = "xmlns:hdrgm='http://ns.adobe.com/hdr-gain-map/1.0/' hdrgm:Version='1.0'"
    let (library, asset) = try await picture(Data(packet("\(space) xmp:Label='Grüezi'").utf8))
    let file = try ReadableFile(asset.url.path, disk: Disk())
    let head = try #require(try PictureHead(file))
    #expect(try head.hasGainMap(in: file as any ByteSource))
    for shade in [9, 19] as [UInt8] {
      let after = try await edit(asset, in: library, photo: try Samples.jpeg(shade: shade))
      let edited = try ReadableFile(after.url.path, disk: Disk())
      let head = try #require(try PictureHead(edited))
      #expect(try !head.hasGainMap(in: edited as any ByteSource))
    }
    let told = await warnings(library)
    #expect(told.count == 1 && told[0].contains("“a.jpg”") && told[0].contains("HDR"), "\(told)")
  }

  // MARK: Movies

  private static let userType: [UInt8] = [
    0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac,
  ]

  private func movie(_ library: PhotoLibrary, top: [MP4Box] = [], facts: [MP4Box] = []) async throws -> Asset {
    try scratch.put(HandMadeMovie(facts: facts, top: top).data, "a.mp4")
    try await library.refresh()
    return try #require(try await library.fetchAssets().first)
  }

  /// A rendering has the user data of the movie that it was rendered from.
  private func rendering(_ library: PhotoLibrary, facts: [MP4Box] = []) async throws -> URL {
    let url = library.movieFolder.appendingPathComponent("edit.mp4")
    try await library.prepareForCapture()
    try HandMadeMovie(frames: 8, sounds: 0, facts: facts).data.write(to: url)
    return url
  }

  private func packets(_ url: URL) throws -> [String] {
    try MP4Box.boxes(in: [UInt8](Data(contentsOf: url))[...]).filter {
      $0.type == "uuid" && $0.bytes.starts(with: Self.userType)
    }.map { String(decoding: $0.bytes.dropFirst(16), as: UTF8.self) }
  }

  private var placed: String {
    packet(
      "xmp:Rating='4' xmp:Label='Grüezi' tiff:Orientation='6' xmpDM:videoFrameRate='30'",
      "<xmpDM:duration rdf:parseType='Resource'><xmpDM:value>3</xmpDM:value></xmpDM:duration>"
        + "<xmpDM:scene>Evening</xmpDM:scene>")
  }

  private func check(_ packets: [String], _ sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(packets.count == 1, "the packets", sourceLocation: sourceLocation)
    for packet in packets {
      for text in ["Grüezi", "Rating", "Evening"] {
        #expect(packet.contains(text), "\(packet)", sourceLocation: sourceLocation)
      }
      for text in ["Orientation", "duration", "videoFrameRate"] {
        #expect(!packet.contains(text), "\(packet)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test func anEditedMovieKeepsItsPacket() async throws {
    let library = try await scratch.library()
    let asset = try await movie(library, top: [MP4Box("uuid", Self.userType + Array(placed.utf8))])
    let original = try Data(contentsOf: asset.url)
    var after = try await edit(asset, in: library, movie: try await rendering(library))
    check(try packets(after.url))
    #expect(after.id == asset.id && after.isEdited)
    // Of the file that it replaces, which others may have tagged since.
    let tagged = try Data(contentsOf: after.url).replacing("Grüezi".utf8, with: "Gruezi!".utf8)
    #expect(tagged.count == (try Data(contentsOf: after.url)).count)
    try tagged.write(to: after.url)
    try await library.refresh()
    after = try await edit(after, in: library, movie: try await rendering(library))
    #expect(try packets(after.url).count == 1 && packets(after.url)[0].contains("Gruezi!"))
    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(try Data(contentsOf: asset.url) == original)
    #expect(await warnings(library).filter { !$0.contains("Another program") }.isEmpty)
  }

  /// QuickTime's form of it, in the user data, which the rendering takes over unchanged.
  @Test func thePacketInTheUserDataIsAdapted() async throws {
    let library = try await scratch.library()
    let box = MP4Box("XMP_", Array(placed.utf8))
    let asset = try await movie(library, facts: [MP4Box("©mod", Array("A camera".utf8)), box])
    let after = try await edit(asset, in: library, movie: try await rendering(library, facts: [box]))
    check(try packets(after.url))
    let bytes = try Data(contentsOf: after.url)
    #expect(bytes.range(of: Data("XMP_".utf8)) == nil && bytes.range(of: Data("duration".utf8)) == nil)
    #expect(try HandMadeMovie.samples(of: 0, in: bytes) == (0..<8).map(HandMadeMovie.frame))
    let again = try await edit(after, in: library, movie: try await rendering(library, facts: [box]))
    check(try packets(again.url))
  }

  /// A packet that can't be parsed stays as it is: what it may say of the picture harms nobody.
  @Test func aMoviesDamagedPacketStaysAsItIs() async throws {
    let library = try await scratch.library()
    let damaged = packet("xmp:Label='Grüezi")
    let asset = try await movie(library, top: [MP4Box("uuid", Self.userType + Array(damaged.utf8))])
    let after = try await edit(asset, in: library, movie: try await rendering(library))
    #expect(try packets(after.url) == [damaged])
  }

  @Test(.enabled(if: Command.areInstalled("exiftool"), "exiftool is not installed"))
  func otherProgramsFindThePacketOfAnEditedMovie() async throws {
    let library = try await scratch.library()
    let url = try scratch.put(HandMadeMovie.selfContained().data, "a.mp4")
    let result = try Command.run(
      "exiftool",
      ["-overwrite_original", "-XMP-dc:Description=Abend", "-XMP-dc:Subject=Ada", "-XMP-xmp:Rating=4", url.path],
      at: scratch.url)
    try #require(result.status == 0, "\(result.errors)")
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    let after = try await edit(asset, in: library, movie: try await rendering(library))
    let read = try Command.report(
      of: "exiftool", "-s3", "-XMP-dc:Description", "-XMP-dc:Subject", "-XMP-xmp:Rating", "-warning", after.url.path)
    #expect(read == "Abend\nAda\n4\n")
  }
}
