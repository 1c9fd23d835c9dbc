// Copies without the place: nothing in them names it, by the reading of another program.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30)), .enabled(if: Command.areInstalled("exiftool"), "exiftool is not installed"))
struct PlaceTests {
  /// Every text that names the place, as exiftool would print it.
  private static let traces = [
    "Paris", "paris", "PARIS", "France", "FRA", "Europe", "Île-de-France", "Ile-de-France", "Montmartre", "Places",
    "48.85", "48 deg", "48,51", "2.29", "GPS", "geotagged",
  ]

  /// How a program of a maker or for photos writes the place, as arguments of exiftool.
  private static let makers: [(make: String, arguments: [String])] = [
    // A phone: coordinates, and nothing in words but a caption.
    (
      "Apple",
      [
        "-GPSLatitude=48.8583", "-GPSLatitudeRef=N", "-GPSLongitude=2.2945", "-GPSLongitudeRef=E",
        "-IPTC:City=Paris", "-EXIF:ImageDescription=Anna in Paris, at night", "-EXIF:UserComment=Anna",
      ]
    ),
    // digiKam: hierarchies in four spellings, flat keywords, XMP and IPTC.
    (
      "Canon",
      [
        "-XMP-photoshop:City=Paris", "-XMP-photoshop:Country=France", "-XMP-photoshop:State=Île-de-France",
        "-XMP-iptcCore:Location=Montmartre", "-XMP-iptcCore:CountryCode=FRA",
        "-XMP-digiKam:TagsList=Places/France/Paris",
        "-XMP-digiKam:TagsList=People/Anna", "-XMP-lr:HierarchicalSubject=Places|France|Paris",
        "-XMP-lr:HierarchicalSubject=People|Anna", "-XMP-microsoft:LastKeywordXMP=Places/France/Paris",
        "-XMP-microsoft:LastKeywordXMP=People/Anna", "-XMP-mediapro:CatalogSets=Places|France|Paris",
        "-XMP-dc:Subject=Paris", "-XMP-dc:Subject=France", "-XMP-dc:Subject=Places", "-XMP-dc:Subject=Anna",
        "-IPTC:Keywords=Paris", "-IPTC:City=Paris", "-XMP-acdsee:Keywords=Paris", "-XMP-acdsee:Keywords=Anna",
      ]
    ),
    // Lightroom: the extended location, and titles in several languages.
    (
      "NIKON CORPORATION",
      [
        "-XMP-iptcExt:LocationShownCity=Paris", "-XMP-iptcExt:LocationShownCountryName=France",
        "-XMP-iptcExt:LocationCreatedSublocation=Montmartre", "-XMP-iptcExt:LocationCreatedWorldRegion=Europe",
        "-XMP-lr:HierarchicalSubject=World|Europe|France|Paris", "-XMP-dc:Subject=Europe", "-XMP-dc:Subject=World",
        "-XMP-dc:Subject=Anna", "-XMP-dc:Title=Montmartre", "-XMP-dc:Title-de=Anna in Paris",
        "-XMP-dc:Description=Anna on the stairs of Montmartre", "-XMP-photoshop:Headline=PARIS by night",
      ]
    ),
    // Windows and Flickr: EXIF texts in UTF-16, and keywords for machines.
    (
      "SONY",
      [
        "-XMP-photoshop:City=Paris", "-XPKeywords=Paris;Anna", "-XPTitle=Ile-de-France", "-XPComment=near paris",
        "-XPSubject=Anna", "-XMP-dc:Subject=geotagged", "-XMP-dc:Subject=geo:lat=48.8583",
        "-XMP-dc:Subject=geo:lon=2.2945", "-XMP-dc:Subject=paris", "-XMP-dc:Subject=Anna",
        "-XMP-photoshop:State=Île-de-France", "-XMP-exif:GPSLatitude=48.8583", "-XMP-exif:GPSLongitude=2.2945",
      ]
    ),
    // A phone that writes the address in its own words, and areas for the map.
    (
      "samsung",
      [
        "-GPSLatitude=48.8583", "-GPSLatitudeRef=N", "-GPSAreaInformation=Montmartre", "-IPTC:Sub-location=Montmartre",
        "-IPTC:Country-PrimaryLocationName=France", "-IPTC:Caption-Abstract=Montmartre", "-Comment=Montmartre",
        "-XMP-dc:Subject=Montmartre", "-XMP-dc:Subject=Anna", "-XMP-dc:Description=A walk in France with Anna",
        "-EXIF:DocumentName=Montmartre", "-XMP-xmpDM:ShotLocation=Montmartre",
      ]
    ),
  ]

  private func placed(_ maker: Int, _ scratch: Scratch) throws -> URL {
    let (make, arguments) = Self.makers[maker]
    let plain = try PhotoAssembly.photo(jpeg: try Samples.jpeg(), metadata: Samples.metadata(), id: Asset.makeID())
    let url = scratch.url.appendingPathComponent("IMG_1.jpg")
    try plain.write(to: url)
    let result = try Command.run(
      "exiftool",
      ["-charset", "UTF8", "-charset", "iptc=UTF8", "-overwrite_original", "-n", "-Make=\(make)", "-XMP-xmp:Rating=4"]
        + arguments + [url.path], at: scratch.url)
    try #require(result.status == 0, "\(result.output)\(result.errors)")
    return url
  }

  @Test(arguments: 0..<5, [ExportForm.current, .still])
  func nothingNamesThePlace(maker: Int, form: ExportForm) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let url = try placed(maker, scratch)
    let before = try #require(try Command.report(of: "exiftool", "-a", "-u", "-g1", "-ee", url.path))
    #expect(before.contains("Paris") || before.contains("Montmartre"))
    let asset = try await library.createAsset(AssetCreationRequest(file: url))
    let folder = scratch.url.appendingPathComponent("out")
    let options = [ExportOptions(dropsLocation: true), ExportOptions(longestSide: 160, dropsLocation: true)]
    for option in options where option.longestSide == nil || form == .still {
      let report = try await library.export([asset], as: form, option, into: folder)
      let one = try #require(report.exported.first, "\(report.refused)")
      let after = try #require(
        try Command.report(of: "exiftool", "-charset", "UTF8", "-a", "-u", "-g1", "-ee", "--File:all", one.url.path))
      let lines = after.split(separator: "\n").filter { !$0.contains(scratch.path) && !$0.contains("Directory  ") }
      for trace in Self.traces {
        let found = lines.filter { $0.contains(trace) }
        #expect(found.isEmpty, "\(Self.makers[maker].make): \(found)")
      }
      let bytes = try Data(contentsOf: one.url)
      for trace in ["Paris", "Montmartre", "France"] {
        #expect(bytes.range(of: Data(trace.utf8)) == nil, "\(trace)")
        #expect(bytes.range(of: try #require(trace.data(using: .utf16LittleEndian))) == nil, "\(trace) in UTF-16")
      }
      // What names no place stays.
      #expect(lines.contains { $0.contains("Rating") && $0.contains("4") })
      #expect(lines.contains { $0.contains("Anna") } == (maker != 0 || after.contains("User Comment")))
      #expect(try Data(contentsOf: asset.url) == Data(contentsOf: url))
    }
  }

  /// Words that only look like the place stay.
  @Test func otherWordsStay() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let plain = try PhotoAssembly.photo(jpeg: try Samples.jpeg(), metadata: Samples.metadata(), id: Asset.makeID())
    let url = scratch.url.appendingPathComponent("IMG_1.jpg")
    try plain.write(to: url)
    let result = try Command.run(
      "exiftool",
      [
        "-overwrite_original", "-XMP-photoshop:City=Nice", "-XMP-iptcCore:CountryCode=IT",
        "-XMP-dc:Subject=Nicely done",
        "-XMP-dc:Subject=Anna", "-XMP-dc:Subject=Venice", "-XMP-dc:Description=It was a day with Anna", url.path,
      ], at: scratch.url)
    try #require(result.status == 0, "\(result.errors)")
    let asset = try await library.createAsset(AssetCreationRequest(file: url))
    let folder = scratch.url.appendingPathComponent("out")
    let report = try await library.export([asset], as: .current, ExportOptions(dropsLocation: true), into: folder)
    let copy = try #require(report.exported.first).url
    let read = try #require(try Command.report(of: "exiftool", "-s3", "-XMP-dc:all", copy.path))
    for word in ["Nicely done", "Anna", "Venice", "It was a day with Anna"] { #expect(read.contains(word), "\(read)") }
  }

  /// A movie's title and names can't be compared with its coordinates, and go.
  @Test func aMoviesNamesGo() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    var movie = HandMadeMovie.placed()
    movie.facts += [
      MP4Box("name", Array("Montmartre".utf8)), MP4Box("titl", [0, 0, 0, 0] + Array("Montmartre".utf8)),
      MP4Box("©nam", [0, 10, 0x15, 0xc7] + Array("Montmartre".utf8)),
    ]
    let url = scratch.url.appendingPathComponent("a.mp4")
    try movie.data.write(to: url)
    let asset = try await library.createAsset(AssetCreationRequest(file: url))
    let folder = scratch.url.appendingPathComponent("out")
    let report = try await library.export([asset], as: .movie, ExportOptions(dropsLocation: true), into: folder)
    let data = try Data(contentsOf: try #require(report.exported.first, "\(report.refused)").url)
    #expect(data.range(of: Data("Montmartre".utf8)) == nil)
    #expect(data.range(of: Data("A camera".utf8)) != nil)
    #expect(try HandMadeMovie.samples(of: 0, in: data) == (0..<12).map(HandMadeMovie.frame))
  }
}
