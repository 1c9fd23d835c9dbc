// The metadata of pictures after edits: nothing is lost that is still true.

import CameraCore
import Foundation
import MediaFormats
import PhotoEffects
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct EditedMetadataTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func edit(
    _ asset: Asset, in library: PhotoLibrary, shade: UInt8 = 10, photo: Data? = nil, movie: URL? = nil
  ) async throws {
    var request = AssetChangeRequest(for: asset.id)
    let size = asset.size
    request.contentEditingOutput = ContentEditingOutput(
      photo: try photo ?? Samples.jpeg(width: size.width, height: size.height, shade: shade), pairedVideo: movie,
      photoDisplayTime: 1,
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data([shade])))
    let change = request
    try await library.performChanges { $0.change(change) }
  }

  /// Everything that an edit must keep.
  private func check(_ url: URL, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let found = try ReadMetadata(url)
    #expect(found.profile == TaggedPicture.displayP3, "the profile", sourceLocation: sourceLocation)
    #expect(
      found.packet.contains(TaggedPicture.description) && found.packet.contains("Places/Bern"), "description and tags",
      sourceLocation: sourceLocation)
    #expect(
      found.packet.contains("<mwg-rs:Area") && found.packet.contains("MPReg:Rectangle"), "regions",
      sourceLocation: sourceLocation)
    #expect(found.holds(TaggedPicture.caption), "IPTC", sourceLocation: sourceLocation)
    #expect(found.comment == "A comment", sourceLocation: sourceLocation)
    #expect(found.makerNote == TaggedPicture.makerNote, sourceLocation: sourceLocation)
    #expect(found.description == "Described in EXIF", sourceLocation: sourceLocation)
  }

  @Test func profileTagsRegionsAndDescriptionSurviveEveryEdit() async throws {
    let library = try await scratch.library()
    let original = try TaggedPicture(rating: 3).data()
    try scratch.put(original, "a.jpg")
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    try await edit(asset, in: library)
    try check(asset.url)
    // What shows the old pixels is gone.
    #expect(try !ReadMetadata(asset.url).holds(TaggedPicture.oldPixels))
    try await edit(asset, in: library, shade: 20)
    try check(asset.url)
    try await library.performChanges { $0.change(.revert(asset.id)) }
    #expect(try Data(contentsOf: asset.url) == original)
    try await edit(asset, in: library, shade: 30)
    try check(asset.url)
    let standard = try MetadataRewriter.standardMetadata(of: ReadableFile(asset.url.path, disk: Disk()))
    #expect(standard == StandardMetadata(rating: 3, subjects: ["sea", "Bern"]))
    let now = try #require(try await library.asset(id: asset.id))
    #expect(now.isEdited && now.created == asset.created)
  }

  @Test(.enabled(if: Command.areInstalled("exiftool"), "exiftool is not installed"), arguments: [false, true])
  func otherProgramsFindTheMetadataOfEditsSound(isLive: Bool) async throws {
    let library = try await scratch.library()
    // Of the note of an unknown maker it warns.
    let asset = try await tagged(in: library, isLive: isLive, hasMakerNote: false)
    let movie = isLive ? try await Samples.movie(in: library, name: "edit.mp4", seconds: 2) : nil
    try await edit(asset, in: library, movie: movie)
    #expect(try Command.report(of: "exiftool", "-validate", "-warning", "-a", "-s3", asset.url.path) == "OK\n")
    let tags = try Command.report(
      of: "exiftool", "-s3", "-sep", ",", "-ICC_Profile:ProfileDescription", "-XMP-dc:Description", "-XMP-dc:Subject",
      "-XMP-digiKam:TagsList", "-XMP-mwg-rs:RegionName", "-IPTC:Caption-Abstract", "-IPTC:Keywords", "-IFD0:Artist",
      "-MotionPhoto", asset.url.path)
    #expect(
      tags == """
        Display P3
        Described by digiKam
        sea,Bern
        Places/Bern
        Ada
        Grüezi from IPTC
        sea,Bern
        Ada
        \(isLive ? "1\n" : "")
        """)
  }

  /// A tagged picture in the library, perhaps with a movie behind it.
  private func tagged(
    in library: PhotoLibrary, isLive: Bool, hasMakerNote: Bool = true
  ) async throws -> Asset {
    var bytes = try TaggedPicture(hasMakerNote: hasMakerNote).data()
    if isLive {
      // The movie's description joins theirs, as when another program has tagged a live photo.
      let movie = Samples.mp4()
      let marks = """
         xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" GCamera:MicroVideo="1" \
        GCamera:MicroVideoOffset="\(movie.count)" digiKam:ColorLabel="2"
        """
      let segments = try JPEGSegments(parsing: bytes)
      let packet = try #require(segments.payload(of: .xmp))
      let text = String(decoding: packet, as: UTF8.self).replacing(#"digiKam:ColorLabel="2""#, with: marks)
      let front = try segments.segments.map { segment in
        segment.kind == .xmp
          ? try JPEGSegments.segment(marker: segment.marker, payload: Data(text.utf8)) : bytes[segment.range]
      }
      bytes = segments.removing { _ in true }.assemble(front: front) + movie
    }
    try scratch.put(bytes, isLive ? "MVIMG_a.jpg" : "a.jpg")
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    #expect(asset.isLive == isLive)
    return asset
  }

  @Test func aLivePhotoKeepsItsTagsWithANewMovie() async throws {
    let library = try await scratch.library()
    let asset = try await tagged(in: library, isLive: true)
    for photo in [nil, try Samples.jpeg(shade: 3)] {
      let movie = try await Samples.movie(in: library, name: "edit.mp4", seconds: 2)
      var request = AssetChangeRequest(for: asset.id)
      request.contentEditingOutput = ContentEditingOutput(
        photo: photo, pairedVideo: movie, photoDisplayTime: 1,
        adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
      let change = request
      try await library.performChanges { $0.change(change) }
      try check(asset.url)
      let now = try #require(try await library.asset(id: asset.id))
      #expect(now.isLive && now.duration == 2 && now.photoDisplayTime == 1)
      let packet = try ReadMetadata(now.url).packet
      #expect(packet.matches(of: /<rdf:Description/).count == 1)
      // The forms that Android's parser looks for, once; and nothing of the predecessor.
      #expect(packet.matches(of: /GCamera:MotionPhoto="1"/).count == 1)
      #expect(packet.contains(#"Item:Semantic="MotionPhoto""#) && !packet.contains("MicroVideo"))
    }
  }

  @Test func tagsThatWereAddedToAnEditedPictureOutlastTheNextEdit() async throws {
    let library = try await scratch.library()
    let asset = try await tagged(in: library, isLive: false)
    try await edit(asset, in: library)
    let change = StandardMetadataChange(rating: .unchanged, addedSubjects: ["theirs"])
    let file = try ReadableFile(asset.url.path, disk: Disk())
    guard case .possible(_, _, let bytes?) = try MetadataRewriter.rewrite(file, change) else {
      Issue.record("The change is impossible.")
      return
    }
    let old = try Data(contentsOf: asset.url)
    try bytes.joined(with: old).write(to: asset.url)
    try await library.refresh()
    try await edit(asset, in: library, shade: 99)
    #expect(
      try MetadataRewriter.standardMetadata(of: ReadableFile(asset.url.path, disk: Disk())).subjects
        == ["sea", "Bern", "theirs"])
  }

  // MARK: Regions

  private func edit(
    _ asset: Asset, in library: PhotoLibrary, _ origin: ContentEditingOutput.PhotoOrigin, size: PixelSize
  ) async throws {
    var request = AssetChangeRequest(for: asset.id)
    request.contentEditingOutput = ContentEditingOutput(
      photo: try Samples.jpeg(width: size.width, height: size.height), photoOrigin: origin,
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    let change = request
    try await library.performChanges { $0.change(change) }
  }

  /// Middle and size by the Metadata Working Group, and the rectangle of Microsoft's; empty without regions.
  private func regions(_ url: URL) throws -> [[Double]] {
    let packet = try ReadMetadata(url).packet
    guard packet.contains("<mwg-rs:Area") else {
      #expect(!packet.contains("MPReg:Rectangle") && !packet.contains("<mwg-rs:Regions"))
      return []
    }
    let area = try ["x", "y", "w", "h"].map { field in
      let match = try #require(packet.firstMatch(of: try Regex<(Substring, Substring)>("stArea:\(field)=\"([^\"]+)")))
      return try #require(Double(match.output.1))
    }
    let rectangle = try #require(packet.firstMatch(of: /MPReg:Rectangle="([^"]+)"/)).output.1
    return [area, rectangle.split(separator: ", ").compactMap { Double($0) }]
  }

  private func near(_ found: [[Double]], _ expected: [Double]) -> Bool {
    guard found.count == 2 else { return false }
    let corner = [expected[0] - expected[2] / 2, expected[1] - expected[3] / 2, expected[2], expected[3]]
    return zip(found[0] + found[1], expected + corner).allSatisfy { abs($0 - $1) < 0.000_01 }
  }

  @Test func regionsFollowTheirFaces() async throws {
    let library = try await scratch.library()
    let asset = try await tagged(in: library, isLive: false)
    var geometry = Geometry()
    geometry.crop = .init(x: 0, y: 0, width: 0.5, height: 0.5)
    try await edit(asset, in: library, .picture(geometry), size: PixelSize(width: 160, height: 90))
    #expect(near(try regions(asset.url), [0.5, 0.6, 0.4, 0.2]))
    #expect(try ReadMetadata(asset.url).packet.contains(#"stDim:w="160" stDim:h="90""#))
    // Out of the picture and in again, from the original each time.
    geometry.crop = .init(x: 0.5, y: 0.5, width: 0.5, height: 0.5)
    try await edit(asset, in: library, .picture(geometry), size: PixelSize(width: 160, height: 90))
    #expect(try regions(asset.url) == [])
    geometry.crop = .full
    geometry.turn = .right
    for _ in 1...2 {
      try await edit(asset, in: library, .picture(geometry), size: PixelSize(width: 180, height: 320))
      #expect(near(try regions(asset.url), [0.7, 0.25, 0.1, 0.2]))
    }
    // Another moment, in which nobody knows who was where.
    try await edit(asset, in: library, .movie, size: PixelSize(width: 320, height: 180))
    #expect(try regions(asset.url) == [])
    #expect(try ReadMetadata(asset.url).profile == nil)
    // A program that doesn't say what it did, but kept the size.
    try await edit(asset, in: library, .changedPicture, size: PixelSize(width: 320, height: 180))
    #expect(near(try regions(asset.url), [0.25, 0.3, 0.2, 0.1]))
    #expect(try ReadMetadata(asset.url).profile == TaggedPicture.displayP3)
    try await edit(asset, in: library, .changedPicture, size: PixelSize(width: 300, height: 180))
    #expect(try regions(asset.url) == [])
  }

  /// Regions are relative to the stored pixels, which an edit turns upright.
  @Test func regionsOfTurnedPicturesFollow() async throws {
    let library = try await scratch.library()
    try scratch.put(TaggedPicture(orientation: 6).data(), "a.jpg")
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    #expect(asset.size == PixelSize(width: 180, height: 320))
    try await edit(asset, in: library, .picture(Geometry()), size: asset.size)
    #expect(near(try regions(asset.url), [0.7, 0.25, 0.1, 0.2]))
    #expect(try ReadMetadata(asset.url).orientation == "1")
    // The picture as it was, with another movie or none: nothing has moved, and it is still to be turned.
    var request = AssetChangeRequest(for: asset.id)
    request.contentEditingOutput = ContentEditingOutput(
      photo: nil, adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    let change = request
    try await library.performChanges { $0.change(change) }
    #expect(near(try regions(asset.url), [0.25, 0.3, 0.2, 0.1]))
    #expect(try ReadMetadata(asset.url).orientation == "6")
    #expect(try await library.asset(id: asset.id)?.size == asset.size)
  }

  @Test func regionsThatOthersDrewOnAnEditedPictureFollowToo() async throws {
    let library = try await scratch.library()
    let asset = try await tagged(in: library, isLive: false)
    var geometry = Geometry()
    geometry.crop = .init(x: 0, y: 0, width: 0.5, height: 0.5)
    try await edit(asset, in: library, .picture(geometry), size: PixelSize(width: 160, height: 90))
    // Of the same length each: nothing else in the file changes.
    var bytes = try Data(contentsOf: asset.url)
    for (old, new) in [(#"stArea:x="0.5""#, #"stArea:x="0.4""#), ("0.3, 0.5, 0.4, 0.2", "0.2, 0.5, 0.4, 0.2")] {
      let range = try #require(bytes.range(of: Data(old.utf8)))
      bytes.replaceSubrange(range, with: Data(new.utf8))
    }
    try bytes.write(to: asset.url)
    try await library.refresh()
    try await edit(asset, in: library, .picture(Geometry()), size: asset.size)
    #expect(near(try regions(asset.url), [0.2, 0.3, 0.2, 0.1]))
  }

  /// A block that is too long for one segment loses its preview, then the maker note, and nothing else.
  @Test(arguments: [(60_000, true), (65_000, false)]) func aFullBlockKeepsItsDate(note: Int, staysThere: Bool) throws {
    let id = String(repeating: "a", count: 32)
    let exif = try MetadataToolkit.locked { () throws(PhotoLibraryError) in
      let editor = try MetadataEditor()
      try editor.set("Exif.Photo.DateTimeOriginal", "2020:05:06 07:08:09")
      try editor.set("Exif.Image.Artist", String(repeating: "Ada ", count: 100))
      try editor.set("Exif.Photo.MakerNote", [UInt8](repeating: 7, count: note).map(String.init).joined(separator: " "))
      return try editor.exifData()
    }
    let changes = MetadataToolkit.EditChanges(
      size: PixelSize(width: 3, height: 2), thumbnail: try Samples.jpeg() + Data(count: 8000), colors: exif)
    let block = try MetadataToolkit.exif(edited: exif, id: id, changes)
    let facts = try #require(MetadataToolkit.facts(exif: block, wantsThumbnail: true))
    #expect(facts.time?.exifDate == "2020:05:06 07:08:09" && facts.uniqueID == id)
    if staysThere { #expect(facts.thumbnail == nil) }
    let found = try MetadataToolkit.locked { () throws(PhotoLibraryError) in
      try MetadataEditor(exif: block).string("Exif.Photo.MakerNote")
    }
    #expect((found?.split(separator: " ").count == note) == staysThere)
  }
}
