// Positions as text, in the forms that movies have them.

import Testing

@testable import PhotoLibrary

@Suite struct GeoLocationTests {
  @Test(arguments: [
    ("+46.948000+007.447400/", 46.948, 7.4474), ("-33.8688+151.2093/", -33.8688, 151.2093),
    ("+47.3770+008.5420+408.000/", 47.377, 8.542), ("+4842.5-00230.25/", 48.7083333, -2.5041667),
    ("+484230.6-0023015/", 48.7085, -2.5041667), ("+00-000/", 0, 0),
    ("+27.5916+086.5640+8850CRSWGS_84/", 27.5916, 86.564),
  ]) func everyFormIsRead(text: String, latitude: Double, longitude: Double) throws {
    let found = try #require(GeoLocation(iso6709: text))
    #expect(abs(found.latitude - latitude) < 1e-6 && abs(found.longitude - longitude) < 1e-6)
    let again = try #require(GeoLocation(iso6709: found.iso6709))
    #expect(abs(again.latitude - latitude) < 2e-6 && abs(again.longitude - longitude) < 2e-6)
  }

  @Test(arguments: ["", "/", "46.9+7.4/", "+91+000/", "+10+181/", "+461+0071/", "+46.948", "+46.948+7/", "+1e2+003/"])
  func anythingElseIsNone(text: String) { #expect(GeoLocation(iso6709: text) == nil) }
}
