// The place of a new picture, from its metadata to the file and back.

import Foundation
import MediaFormats
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct LocationTests {
  @Test(
    "Every hemisphere comes back to a few centimeters",
    arguments: [
      (46.948, 7.4474), (-33.856785, 151.215297), (37.8199286, -122.4782551), (-54.8019121, -68.3029511),
      (90, 180), (-90, -180), (59.9999999, 10.9999999),
    ])
  func place(latitude: Double, longitude: Double) throws {
    let scratch = try Scratch()
    var metadata = try Samples.metadata()
    metadata.location = GeoLocation(latitude: latitude, longitude: longitude)
    let photo = try PhotoAssembly.photo(jpeg: Samples.jpeg(), metadata: metadata, id: Asset.makeID())
    let facts = try #require(try FileFacts(ReadableFile(scratch.put(photo, "a.jpg").path, disk: Disk())))
    let found = try #require(facts.location)
    #expect(abs(found.latitude - latitude) < 3e-7 && abs(found.longitude - longitude) < 3e-7)
  }

  @Test func aPictureWithoutAPlaceHasNoTagsOfOne() throws {
    let exif = try MetadataToolkit.exif(for: Samples.metadata(), id: Asset.makeID())
    let editor = try MetadataEditor(exif: exif)
    #expect(editor.string("Exif.GPSInfo.GPSVersionID") == nil && editor.string("Exif.Image.GPSTag") == nil)
  }
}
