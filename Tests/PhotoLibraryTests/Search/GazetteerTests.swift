// The cities of libgweather's data.

import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct GazetteerTests {
  private let text = """
    <?xml version="1.0"?><gweather><region><_name>Europe</_name>
    <country><!-- DE > Germany --><_name>Germany</_name><iso-code>DE</iso-code>
    <state><_name>Bavaria</_name>
    <location><name>Munich</name><code>EDDM</code><coordinates>48.35 11.78</coordinates></location>
    <city><_name>Munich</_name><coordinates>48.15 11.583333</coordinates>
    <location><name>Munich, Airport</name><coordinates>1 1</coordinates></location></city></state>
    <city><_name msgctxt="City in Germany">A &amp; B</_name><coordinates>48.2 11.6</coordinates></city>
    <city><_name>Nowhere</_name><coordinates>north</coordinates></city>
    <city><coordinates>1 2</coordinates></city>
    </country></region></gweather>
    """

  private func place(_ latitude: Double, _ longitude: Double) throws -> GeoLocation {
    try #require(GeoLocation(latitude: latitude, longitude: longitude))
  }

  @Test func citiesAreReadAndTheNearestIsFound() throws {
    let gazetteer = Gazetteer(Data(text.utf8))
    #expect(gazetteer.cities.map(\.name) == ["Munich", "A & B"])
    #expect(gazetteer.cities.map(\.context) == [nil, "City in Germany"])
    #expect(gazetteer.cities.allSatisfy { $0.country == "DE" })
    #expect(gazetteer.nearest(to: try place(48.14, 11.57))?.name == "Munich")
    #expect(gazetteer.nearest(to: try place(48.3, 11.7))?.name == "A & B")
    #expect(gazetteer.nearest(to: try place(49.5, 11.6)) == nil, "150 km away")
    #expect(gazetteer.nearest(to: try place(-48.14, 11.57)) == nil)
  }

  @Test func damageLosesNoMoreThanItself() {
    let bytes = Array(text.utf8)
    for length in 0..<bytes.count { _ = Gazetteer(Data(bytes.prefix(length))) }
    let endless = Gazetteer(Data(String(repeating: "<!--", count: 100_000).utf8))
    #expect(endless.cities.isEmpty)
    #expect(Gazetteer.find(in: ["/nowhere"]).cities.isEmpty)
  }

  @Test func theInstalledOneKnowsTheWorld() throws {
    let gazetteer = Gazetteer.installed
    try #require(!gazetteer.cities.isEmpty, "libgweather-4-common isn't installed")
    #expect(gazetteer.cities.count > 3000)
    #expect(gazetteer.nearest(to: try place(52.52, 13.40))?.name == "Berlin")
    #expect(gazetteer.nearest(to: try place(35.68, 139.76))?.country == "JP")
    #expect(gazetteer.nearest(to: try place(0, -150)) == nil, "the Pacific")
  }

  @Test func distancesAreThoseOfTheGlobe() throws {
    let berlin = try place(52.52, 13.405)
    #expect(abs(berlin.distance(to: try place(48.137, 11.575)) - 504_000) < 3000)
    #expect(try place(10, 179.9).distance(to: place(10, -179.9)) < 25_000, "across the date line")
  }
}
