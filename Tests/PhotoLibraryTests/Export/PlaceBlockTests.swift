// Copies without the place of pictures with blocks that nobody reads, and with numbers that look like a name.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct PlaceBlockTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Maker notes of DNG, of printers, and profiles, whether the place is known or not.
  @Test(arguments: [true, false], [nil, 160])
  func blocksOfBytesAreNotKept(isKnown: Bool, longestSide: Int?) async throws {
    let trace: [UInt8] = Array("MakN\0\u{1}46.7003 10.0981 Zernez\0".utf8) + [0xff, 0xfe, 0]
    typealias Tag = (tag: UInt64, type: UInt64, value: [UInt8])
    let title: [UInt8] = Array("Ada\0".utf8).flatMap { [$0, 0] }
    // In the order of their numbers, as TIFF wants them.
    let tags: [Tag] = [
      (0x010f, 2, Array("Acme\0".utf8)), (0x8773, 7, trace), (0x9c9b, 1, title), (0xc4a5, 7, trace), (0xc634, 1, trace),
    ]
    let tagged = try JPEGSegments(parsing: Samples.jpeg()).assemble(front: [
      TaggedPicture.exif(tags), TaggedPicture.xmp(isKnown ? "p:City='Zernez'" : "p:Credit='Eve'"),
    ])
    let url = scratch.url.appendingPathComponent("IMG_1.jpg")
    try tagged.write(to: url)
    let data = try await Data(contentsOf: scratch.exportedWithoutPlace(url, as: .still, longestSide: longestSide).url)
    for trace in ["Zernez", "46.7003", "MakN"] { #expect(data.range(of: Data(trace.utf8)) == nil, "\(trace) is left") }
    #expect(data.range(of: Data("Acme".utf8)) != nil)
    #expect(data.range(of: Data("Ada".utf8.flatMap { [$0, 0] })) != nil, "the title is gone")
  }

  /// The size of the picture is the same bytes as a short name.
  @Test func numbersAreNoNames() throws {
    let editor = try MetadataEditor()
    try editor.set("Exif.Photo.PixelXDimension", String(0x6764))
    try editor.set("Exif.Photo.FNumber", "\(0x6d6c55)/1")
    var places = PlaceNames()
    for name in ["gd", "dg", "Ulm"] { places.insert(name) }
    let copy = try MetadataToolkit.exif(
      copying: editor.exifData(), MetadataToolkit.CopyChanges(dropsLocation: true, places: places))
    #expect(try MetadataEditor(exif: copy).string("Exif.Photo.PixelXDimension") == "26468")
    #expect(try MetadataEditor(exif: copy).string("Exif.Photo.FNumber") != nil)
  }

  @Test func aThumbnailsDecoderGetsNoMoreThanItNeeds() throws {
    let trace = Data("Adobe".utf8) + Data(count: 7) + Data("Zernez".utf8)
    let picture = try JPEGSegments(parsing: Samples.jpeg(width: 160, height: 90))
    let thumbnail = try picture.assemble(front: [JPEGSegments.segment(marker: JPEGMarker.app14, payload: trace)])
    let editor = try MetadataEditor()
    try editor.setThumbnail(thumbnail)
    let copy = try MetadataToolkit.exif(
      copying: editor.exifData(), MetadataToolkit.CopyChanges(dropsLocation: true))
    let left = try #require(MetadataToolkit.facts(exif: copy, wantsThumbnail: true)?.thumbnail)
    #expect(left.range(of: Data("Zernez".utf8)) == nil)
    #expect(try JPEGSegments(parsing: left).payload(of: .adobe) == trace.prefix(12))
  }

  /// Version and flags may be a text; the color transform behind them is needed.
  @Test(
    arguments: [
      ("Zernez4", [0, 0, 0, 0, 0, 0, 0x34]), ("\0dZern\u{1}", [0, 0, 0, 0, 0, 0, 1]),
      ("\0d\0\0\0\0\u{1}Zernez", [0, 100, 0, 0, 0, 0, 1]), ("\0e@\0\0\0\u{2}", [0, 101, 0x40, 0, 0, 0, 2]),
      ("Zernez", nil), ("", nil),
    ] as [(String, [UInt8]?)])
  func decodersSettingsAreNoText(written: String, left: [UInt8]?) throws {
    let adobe = try JPEGSegments.segment(marker: JPEGMarker.app14, payload: Data("Adobe\(written)".utf8))
    let picture = try JPEGSegments(parsing: JPEGSegments(parsing: Samples.jpeg()).assemble(front: [adobe]))
    let expected = try left.map {
      [try JPEGSegments.segment(marker: JPEGMarker.app14, payload: Data("Adobe".utf8) + $0)]
    }
    #expect(try PictureCopy.decoderSettings(picture) == expected ?? [])
  }

  // MARK: Profiles

  /// A profile with the name of its place, in two segments; the colors are the same without it.
  @Test(arguments: [nil, 160]) func profilesNameNothing(longestSide: Int?) async throws {
    let (name, other) = (Data("Display P3".utf8), Data("P3, Zernez".utf8))
    var profile = TaggedPicture.displayP3
    let range = try #require(profile.range(of: name))
    profile.replaceSubrange(range, with: other)
    let cut = range.lowerBound + 6
    let identifier = Data("ICC_PROFILE\0".utf8)
    let url = scratch.url.appendingPathComponent("IMG_1.jpg")
    try JPEGSegments(parsing: Samples.jpeg()).assemble(front: [
      TaggedPicture.xmp("p:City='Zernez'"),
      JPEGSegments.segment(marker: JPEGMarker.app2, payload: identifier + [1, 2] + profile.prefix(cut)),
      JPEGSegments.segment(marker: JPEGMarker.app2, payload: identifier + [2, 2] + profile.dropFirst(cut)),
    ]).write(to: url)
    let copy = try await scratch.exportedWithoutPlace(url, as: .still, longestSide: longestSide).url
    let pieces = try JPEGSegments(parsing: Data(contentsOf: copy)).segments.filter { $0.kind == .colorProfile }
    let bytes = try Data(contentsOf: copy)
    let left = pieces.reduce(Data()) { $0 + bytes[$1.payload].dropFirst(14) }
    #expect(left.range(of: Data("Zernez".utf8)) == nil, "the place is left")
    #expect(left.count == profile.count && left.suffix(200) == profile.suffix(200), "other colors")
    #expect(left.range(of: Data("None".utf8)) != nil, "the copyright is gone")
    #expect(left.prefix(128 + 4 + 9 * 12) == profile.prefix(128 + 4 + 9 * 12), "another table")
  }

  @Test func otherProfilesStay() async throws {
    let url = scratch.url.appendingPathComponent("IMG_1.jpg")
    try JPEGSegments(parsing: Samples.jpeg()).assemble(front: [
      TaggedPicture.xmp("p:City='Zernez'"),
      JPEGSegments.segment(
        marker: JPEGMarker.app2, payload: Data("ICC_PROFILE\0".utf8) + [1, 1] + TaggedPicture.displayP3),
    ]).write(to: url)
    let copy = try await scratch.exportedWithoutPlace(url, as: .still).url
    #expect(try ReadMetadata(copy).profile == TaggedPicture.displayP3)
  }
}
