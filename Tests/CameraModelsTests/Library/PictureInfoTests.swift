// The details of a picture, in words, numbers and units.

import CameraCore
import Foundation
import PhotoLibrary
import Testing

@testable import CameraModels

struct PictureInfoTests {
  private func asset(id: Asset.ID = Asset.makeID(), _ change: (inout Asset) -> Void = { _ in }) -> Asset {
    var asset = Asset(
      id: id, url: URL(fileURLWithPath: "/nonexistent/a.jpg"), mediaType: .photo, isLive: true,
      created: Date(timeIntervalSince1970: 1_795_262_400), utcOffset: 7200, size: PixelSize(width: 4000, height: 3000),
      duration: 2.96, photoDisplayTime: nil, movieRange: nil, fileSize: 1_200_000,
      modified: Date(timeIntervalSince1970: 0), cameraName: nil)
    change(&asset)
    return asset
  }

  private func details(_ asset: Asset) -> [String: String] {
    Dictionary(uniqueKeysWithValues: PictureInfo.lines(of: asset, albums: []).map { ($0.title, $0.value) })
  }

  @Test func numbersAndDatesAreThoseOfTheLocale() {
    // Without a language that was chosen, the locale is American: Foundation alone would write “21 November 2026”.
    let lines = details(asset())
    #expect(lines["Date"]?.hasSuffix("November 21, 2026") == true, "\(lines)")
    #expect(lines["Time"]?.hasPrefix("2:00:00") == true, "\(lines)")
    #expect(lines["Dimensions"] == "4000 × 3000, 12.0 megapixels")
    #expect(lines["Duration"] == "3.0 s" && lines["Size"] == "1.2 MB")
    // One can be added, unless the picture is outside of the library.
    #expect(lines["Location"]?.isEmpty == true && lines["Albums"] == nil)
    #expect(details(asset(id: "/nonexistent/a.jpg"))["Location"] == nil)
  }

  @Test(arguments: [
    (48.137, 11.575, "48.1370° N, 11.5750° E"), (40.5, -73.25, "40.5000° N, 73.2500° W"),
    (-33.875, 151.2, "33.8750° S, 151.2000° E"), (-22.5, -43.125, "22.5000° S, 43.1250° W"),
  ])
  func placesAreNamedByTheirQuarter(latitude: Double, longitude: Double, text: String) {
    let place = asset { $0.location = GeoLocation(latitude: latitude, longitude: longitude) }
    #expect(details(place)["Location"] == text)
  }

  @Test func theKindListsWhatIsSpecial() {
    #expect(details(asset())["Kind"] == "Live photo")
    #expect(details(asset { $0.isFavorite = true })["Kind"] == "Live photo, favorite")
    let special = asset {
      ($0.isLive, $0.burstID, $0.isEdited, $0.isFavorite) = (false, "a", true, true)
    }
    #expect(details(special)["Kind"] == "Photo, from a burst, edited, favorite")
  }
}
