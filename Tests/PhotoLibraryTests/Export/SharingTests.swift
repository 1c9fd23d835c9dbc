// Export options: removing location and sound, reducing the size, and keeping the rest.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct SharingTests {
  private static let latitude = Data("48,51.5".utf8)

  /// A live photo with its location in every form, turned by a quarter.
  private func placed(in library: PhotoLibrary, scratch: Scratch, isLive: Bool = true) async throws -> Asset {
    let movie = HandMadeMovie.placed().data
    let plain = try PhotoAssembly.photo(jpeg: try Samples.jpeg(), metadata: Samples.metadata(), id: Asset.makeID())
    let exif = try MetadataToolkit.withPlace(
      try #require(try JPEGSegments(parsing: plain).payload(of: .exif)).dropFirst(6))
    let xmp = Data(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description \
      rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" \
      xmlns:xmp="http://ns.adobe.com/xap/1.0/" exif:GPSLatitude="48,51.5N" photoshop:City="48,51.5" xmp:Rating="5"\
      \(isLive ? Self.motion(movie.count) : "/>")</rdf:RDF></x:xmpmeta>
      """.utf8)
    let segments = try JPEGSegments(parsing: plain)
    let photoshop = Data("Photoshop 3.0\0".utf8) + Self.latitude
    let picture = try segments.removing([.jfif, .exif]).assemble(front: [
      JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data("Exif\0\0".utf8) + exif),
      JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp),
      JPEGSegments.segment(marker: 0xed, payload: photoshop),
      JPEGSegments.segment(marker: 0xfe, payload: Self.latitude),
    ])
    let url = scratch.url.appendingPathComponent(isLive ? "IMG_1.MP.jpg" : "IMG_2.jpg")
    try (picture + (isLive ? movie : Data())).write(to: url)
    let asset = try await library.createAsset(AssetCreationRequest(file: url))
    #expect(asset.isLive == isLive && asset.location != nil)
    return asset
  }

  private static func motion(_ length: Int) -> String {
    """
     xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" xmlns:Container="http://ns.google.com/photos/1.0/container/" \
    xmlns:Item="http://ns.google.com/photos/1.0/container/item/" GCamera:MotionPhoto="1" GCamera:MicroVideo="1" \
    GCamera:MicroVideoOffset="\(length)" GCamera:MotionPhotoPresentationTimestampUs="200000"><Container:Directory><rdf:Seq>\
    <rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="image/jpeg" Item:Semantic="Primary" Item:Length="0"/></rdf:li>\
    <rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="video/mp4" Item:Semantic="MotionPhoto" \
    Item:Length="\(length)"/></rdf:li></rdf:Seq></Container:Directory></rdf:Description>
    """
  }

  private func check(noPlaceIn data: Data) {
    for trace in ["48,51.5", "48.85", "GPS", "Location", "location", "©xyz", "loci"] {
      #expect(data.range(of: Data(trace.utf8)) == nil, "\(trace)")
    }
    #expect(data.range(of: Data([0x9]) + Data("xyz".utf8)) == nil)
  }

  private func facts(_ url: URL) throws -> (exif: ExifFacts, head: JPEGHead) {
    let head = try #require(try JPEGHead(ReadableFile(url.path, disk: Disk())))
    return (try #require(head.exif.flatMap { MetadataToolkit.facts(exif: $0, wantsThumbnail: true) }), head)
  }

  @Test(arguments: [ExportForm.current, .original, .still, .movie, .appleLivePhoto])
  func noPlaceIsLeft(form: ExportForm) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await placed(in: library, scratch: scratch)
    let before = try Data(contentsOf: asset.url)
    let folder = scratch.url.appendingPathComponent("out")
    let options = ExportOptions(dropsLocation: true)
    let report = try await library.export([asset], as: form, options, into: folder)
    let one = try #require(report.exported.first)
    for url in [one.url, one.companions.first].compactMap(\.self) { check(noPlaceIn: try Data(contentsOf: url)) }
    #expect(try Data(contentsOf: asset.url) == before)
    guard form != .movie else { return }
    let (exif, head) = try facts(one.url)
    #expect(exif.location == nil && exif.cameraName == asset.cameraName && exif.thumbnail != nil)
    // Everything but the location stays.
    #expect(try MetadataRewriter.standardMetadata(of: ReadableFile(one.url.path, disk: Disk())).rating == 5)
    let own = try JPEGSegments(parsing: before)
    let copy = try JPEGSegments(parsing: Data(contentsOf: one.url))
    #expect(copy.data[copy.scan] == before[own.scan])
    guard form == .current || form == .original else { return }
    let motion = try #require(try MotionPhoto(ReadableFile(one.url.path, disk: Disk()), head: head))
    #expect(Int(motion.movieRange.lowerBound) == copy.end && motion.presentationTime == 0.2)
    let description = try #require(head.xmp.flatMap { MotionPhotoDescription(xmp: $0) })
    #expect(description.microVideoOffset == description.movieLength)
    let frames = try HandMadeMovie.samples(of: 0, in: Data(contentsOf: one.url).suffix(from: copy.end))
    #expect(frames == (0..<12).map(HandMadeMovie.frame))
  }

  @Test func aPhotoLosesItsPlaceToo() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await placed(in: library, scratch: scratch, isLive: false)
    let folder = scratch.url.appendingPathComponent("out")
    for (form, options) in [
      (ExportForm.current, ExportOptions(dropsLocation: true)),
      (.still, ExportOptions(longestSide: 100, dropsLocation: true)),
      (.still, ExportOptions(dropsLocation: true, stillFormat: .png)),
    ] {
      let report = try await library.export([asset], as: form, options, into: folder)
      check(noPlaceIn: try Data(contentsOf: try #require(report.exported.first?.url)))
    }
    // And nobody else does.
    let report = try await library.export([asset], as: .still, ExportOptions(longestSide: 100), into: folder)
    #expect(try facts(try #require(report.exported.first?.url)).exif.location == asset.location)
  }

  @Test(arguments: [ExportForm.current, .movie, .appleLivePhoto]) func theSoundIsGone(form: ExportForm) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await placed(in: library, scratch: scratch)
    let folder = scratch.url.appendingPathComponent("out")
    let report = try await library.export([asset], as: form, ExportOptions(dropsSound: true), into: folder)
    let one = try #require(report.exported.first)
    let data = try Data(contentsOf: one.companions.first ?? one.url)
    for sound in 0..<24 { #expect(data.range(of: Data(HandMadeMovie.sound(sound))) == nil) }
    guard form == .current else { return }
    let file = try ReadableFile(one.url.path, disk: Disk())
    let head = try #require(try JPEGHead(file))
    let motion = try #require(try MotionPhoto(file, head: head))
    let movie = data.suffix(from: Int(motion.movieRange.lowerBound))
    #expect(try HandMadeMovie.samples(of: 0, in: Data(movie)) == (0..<12).map(HandMadeMovie.frame))
  }

  /// Exiv2 reads the notes of makers, and writes them again in its own way.
  @Test(arguments: ["Canon", "SONY DSC ", "Panasonic", "NIKON CORPORATION", "Apple"])
  func aMakersNoteGivesWayToThePairs(maker: String) throws {
    let own = try MetadataToolkit.exif(for: Samples.metadata(), id: Asset.makeID())
    // A directory of two short numbers, as most notes are.
    let entries: [UInt8] = [2, 0, 1, 0, 3, 0, 1, 0, 0, 0, 7, 0, 0, 0, 2, 0, 3, 0, 1, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]
    let head: [UInt8] = maker == "Panasonic" ? Array("Panasonic\0\0\0".utf8) : []
    let note =
      maker == "Apple" ? AppleContentIdentifier.makerNote(AppleContentIdentifier.make()) : head + entries
    let exif = try MetadataToolkit.with(note, of: maker, own)
    let mark = AppleContentIdentifier.make()
    var changes = MetadataToolkit.CopyChanges(contentIdentifier: mark)
    let copy = try MetadataToolkit.exif(copying: exif, changes)
    #expect(AppleContentIdentifier.photo(exif: copy) == mark)
    let facts = try #require(MetadataToolkit.facts(exif: copy, wantsThumbnail: true))
    #expect(facts.uniqueID != nil && facts.thumbnail != nil && facts.location != nil)
    changes.dropsLocation = true
    let clean = try MetadataToolkit.exif(copying: exif, changes)
    #expect(AppleContentIdentifier.photo(exif: clean) == mark)
    #expect(MetadataToolkit.facts(exif: clean)?.location == nil)
    // Exiv2's output is readable by Exiv2 and others.
    #expect(MetadataToolkit.facts(exif: clean)?.cameraName?.contains("C920") == true)
  }

  @Test func aSmallerStillKeepsWhatItSays() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await placed(in: library, scratch: scratch)
    let target = scratch.url.appendingPathComponent("small.jpg")
    _ = try await library.export(asset, as: .still, ExportOptions(longestSide: 160), to: target)
    let (exif, head) = try facts(target)
    #expect(head.size == PixelSize(width: 160, height: 90))
    #expect(exif.uniqueID == asset.id && exif.cameraName == asset.cameraName && exif.orientation == 1)
    #expect(exif.location == asset.location && exif.thumbnail != nil)
    #expect(head.xmp.flatMap { MotionPhotoDescription(xmp: $0) } == nil)
    #expect(try MetadataRewriter.standardMetadata(of: ReadableFile(target.path, disk: Disk())).rating == 5)
    // A picture that is small enough is not encoded again.
    let same = scratch.url.appendingPathComponent("same.jpg")
    _ = try await library.export(asset, as: .still, ExportOptions(longestSide: 4000), to: same)
    let (own, copy) = (
      try JPEGSegments(parsing: Data(contentsOf: asset.url)), try JPEGSegments(parsing: Data(contentsOf: same))
    )
    #expect(copy.data[copy.scan] == own.data[own.scan])
  }

  @Test func aPNGHasThePixelsOfTheStill() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await placed(in: library, scratch: scratch)
    let folder = scratch.url.appendingPathComponent("out")
    let report = try await library.export([asset], as: .still, ExportOptions(stillFormat: .png), into: folder)
    let url = try #require(report.exported.first?.url)
    #expect(url.lastPathComponent == "IMG_1.png")
    let png = try #require(ThumbnailPNG.Reader(try Data(contentsOf: url))?.decode())
    let jpeg = try ScaledJPEG.decode(Data(contentsOf: asset.url), needed: asset.size, path: "")
    #expect(png.size == jpeg.size)
    let pairs = zip(png.block.bytes, jpeg.block.bytes).enumerated().filter { $0.offset % 4 < 3 }
    #expect(pairs.allSatisfy { $0.element.0 == $0.element.1 })
  }

  @Test(.enabled(if: Command.areInstalled("exiftool"), "exiftool is not installed"))
  func otherProgramsReadTheMetadataOfRenderedStills() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await placed(in: library, scratch: scratch)
    let (small, png) = (scratch.url.appendingPathComponent("small.jpg"), scratch.url.appendingPathComponent("a.png"))
    _ = try await library.export(asset, as: .still, ExportOptions(longestSide: 160), to: small)
    let sizes = try #require(
      try Command.report(of: "exiftool", "-s3", "-ExifImageWidth", "-ExifImageHeight", small.path))
    #expect(sizes.split(separator: "\n").map(String.init) == ["160", "90"])
    _ = try await library.export(asset, as: .still, ExportOptions(stillFormat: .png), to: png)
    #expect(try #require(try Command.report(of: "exiftool", "-s3", "-Model", png.path)).contains("HD Webcam"))
  }

  @Test func withoutARendererMoviesKeepTheirSize() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await placed(in: library, scratch: scratch)
    let folder = scratch.url.appendingPathComponent("out")
    for form in [ExportForm.current, .original, .movie, .appleLivePhoto] {
      let report = try await library.export([asset], as: form, ExportOptions(longestSide: 100), into: folder)
      #expect(report.refused.first?.error.description.contains("can’t reduce the size of videos") == true)
    }
    for side in [-1, 0, 15, 20_000] {
      await #expect(throws: PhotoLibraryError.self) {
        try await library.export([asset], as: .still, ExportOptions(longestSide: side), into: folder)
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }
}

extension MetadataToolkit {
  /// An EXIF block with a maker's note and a place.
  fileprivate static func with(_ note: [UInt8], of maker: String, _ exif: Data) throws -> Data {
    try locked { () throws(PhotoLibraryError) in
      let editor = try MetadataEditor(exif: try placing(exif))
      try editor.set("Exif.Image.Make", maker)
      try editor.set("Exif.Photo.MakerNote", note.map(String.init).joined(separator: " "))
      return try editor.exifData()
    }
  }

  /// An EXIF block that names a place as well, as phones write it.
  static func withPlace(_ exif: Data) throws -> Data {
    try locked { () throws(PhotoLibraryError) in try placing(exif) }
  }

  private static func placing(_ exif: Data) throws(PhotoLibraryError) -> Data {
    let editor = try MetadataEditor(exif: Data(exif))
    try editor.set("Exif.GPSInfo.GPSLatitude", "48/1 51/1 30/1")
    try editor.set("Exif.GPSInfo.GPSLatitudeRef", "N")
    try editor.set("Exif.GPSInfo.GPSLongitude", "2/1 17/1 40/1")
    try editor.set("Exif.GPSInfo.GPSLongitudeRef", "E")
    return try editor.exifData()
  }
}
