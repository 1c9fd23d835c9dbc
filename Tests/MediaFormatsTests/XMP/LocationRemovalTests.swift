// Packets without their place: every property, keyword and text that has it, in one pass.

import Foundation
import Testing

@testable import MediaFormats

@Suite struct LocationRemovalTests {
  private func packet(_ attributes: String = "", _ elements: String) throws -> XMPPacket {
    try .described(attributes, elements)
  }

  private func bag(_ name: String, _ items: [String]) -> String { XMPPacket.bag(name, items) }

  private func left(_ packet: XMPPacket) throws -> String {
    var packet = packet
    try packet.removeLocation()
    #expect(packet.standardMetadata.rating == 3, "the rating")
    return String(decoding: packet.bytes, as: UTF8.self)
  }

  @Test func aHierarchyOfPlacesNamesThePlaceEverywhere() throws {
    let categories = """
      &lt;Categories&gt;&lt;Category Assigned="0"&gt;Places&lt;Category Assigned="1"&gt;Zernez&lt;/Category&gt;\
      &lt;/Category&gt;&lt;/Categories&gt;
      """
    let text = try left(
      packet(
        "acdsee:caption='Abend in Zernez'",
        bag("digiKam:TagsList", ["Places/Schweiz/Zernez", "People/Ada"])
          + bag("dc:subject", ["Zernez", "Schweiz", "Ada"])
          + "<acdsee:categories>\(categories)</acdsee:categories>"
          + "<dc:description><rdf:Alt><rdf:li xml:lang='x-default'>Ada in ZERNEZ</rdf:li></rdf:Alt></dc:description>"))
    #expect(!text.lowercased().contains("zernez") && !text.contains("Schweiz") && !text.contains("Places"), "\(text)")
    #expect(text.contains("People/Ada") && text.contains("<rdf:li>Ada</rdf:li>"))
  }

  /// Only ACDSee's own tree of categories says it.
  @Test func acdseesCategoriesNameThePlace() throws {
    let categories = """
      &lt;Categories&gt;&lt;Category Assigned="0"&gt;Places&lt;Category Assigned="1"&gt;Zernez&lt;/Category&gt;\
      &lt;/Category&gt;&lt;Category Assigned="1"&gt;Fun&lt;/Category&gt;&lt;/Categories&gt;
      """
    let text = try left(
      packet("acdsee:notes='Abend in Zernez'", "<acdsee:categories>\(categories)</acdsee:categories>"))
    #expect(!text.contains("Zernez") && !text.contains("Places"), "\(text)")
  }

  @Test(arguments: [
    ("Zernez GR", "Zernez im Schnee"), ("7530 Zernez", "zernez"), ("Röven 1, 7530 Zernez, Schweiz", "In der Schweiz"),
    ("Zernez (Engadin)", "Engadin 2024"), ("Ulm", "ULM 2024"), ("Ulm", "ulm bei Nacht"), ("Łódź", "Lodz at night"),
    ("Gießen", "GIESSEN"), ("Île-de-France", "Ile de France"),
  ]) func compositeFieldsAndOtherSpellings(field: String, caption: String) throws {
    let text = try left(packet("photoshop:City='\(field)' photoshop:Headline='\(caption)' dc:rights='Ada'", ""))
    #expect(!text.contains(caption) && text.contains("dc:rights='Ada'"), "\(text)")
  }

  @Test(arguments: [
    "geo:lat='46.7'", "geo:long='10.1'", "geo:alt='1474'", "dc:coverage='Zernez'", "dcterms:spatial='Zernez'",
    "dji:AbsoluteAltitude='+1474.5'", "dji:RelativeAltitude='+20'", "dji:GpsLongtitude='10.1'",
    "dji:LRFTargetLat='49.7'",
    "dji:LRFTargetAbsAlt='409.1'", "own:home_lat='46.7'",
    "own:latitude='46.7'", "own:Longitude='10.1'", "own:lon='10.1'", "own:Coordinates='46 10'",
    "dwc:decimalLatitude='46.7'", "dwc:locality='Röven'", "dwc:footprintWKT='POINT (10.1 46.7)'",
    "dwc:minimumElevationInMeters='1474'",
  ]) func propertiesOfOtherNamespaces(attribute: String) throws {
    let value = try #require(attribute.split(separator: "'").last)
    let name = try #require(attribute.split(separator: "=").first)
    let text = try left(packet(attribute, "<\(name)>\(value)</\(name)>"))
    #expect(!text.contains(name) && !text.contains(value), "\(text)")
  }

  /// They lie in structures as well, of which everything else stays.
  @Test func nestedPropertiesGoAlone() throws {
    let text = try left(
      packet(
        "photoshop:City='Zernez'",
        """
        <own:Shots><rdf:Bag><rdf:li rdf:parseType="Resource"><own:Latitude>46.7</own:Latitude><own:By>Ada</own:By>\
        </rdf:li><rdf:li own:Longitude="10.1" own:By="Eve" own:Of="Zernez"/></rdf:Bag></own:Shots>
        """))
    #expect(!text.contains("46.7") && !text.contains("10.1") && !text.contains("Zernez"), "\(text)")
    #expect(text.contains("Ada") && text.contains("Eve"), "\(text)")
  }

  @Test(arguments: [
    "At 46.7000, 10.1000", "46.7000N 10.1000E", "N 46.7000 E 10.1000", "46.700000 10.100000 Plaz", "-33.8568,151.2153",
    "48°51'29.9\"N 2°17'40.2\"E", "48° 51.498' N", "48 deg 51' 29.88\" N", "48º51′30″", "Lat 46.7 Long 10.1",
    "geo:46.7,10.1", "https://maps.example/@46.7001,10.1002,17z", "+46.7000+010.1000/", "46,70012; 10,10012",
    "latitude=46.7",
  ]) func coordinatesInTexts(text: String) throws {
    var packet = try packet("", "<dc:description>\(XMPPacket.escaped(text))</dc:description>")
    #expect(try packet.removeLocation(), "it isn't said")
    #expect(!String(decoding: packet.bytes, as: UTF8.self).contains("dc:description"), "\(text)")
  }

  @Test(arguments: [
    "Version 1.234.567", "3.50, 4.20", "0.123456, 0.654321", "12.345, 67.891, 100.25, 200.75", "20° in the shade",
    "f/2.8, 1/250 s", "1,234 5,678", "12:34:56.789", "2026-11-21 07.31.06", "Room 12.3456", "192.168.100.200",
    "300.1234, 400.5678", "It was late, 5 long years ago", "3° 4 people", "Ratio 1.7778",
  ]) func otherNumbersStay(text: String) throws {
    var packet = try packet("", "<dc:description>\(XMPPacket.escaped(text))</dc:description>")
    let before = packet.bytes
    #expect(try !packet.removeLocation() && packet.bytes == before, "\(text)")
  }

  /// Regions and curves are numbers that are no positions.
  @Test func numbersOfTheFormatStay() throws {
    let text = """
      <MP:Rectangle xmlns:MP="http://ns.microsoft.com/photo/1.2/t/Region#">0.1234, 0.2345, 0.3456, 0.4567</MP:Rectangle>\
      <crs:Curve xmlns:crs="http://ns.adobe.com/camera-raw-settings/1.0/">12.3456, 45.6789</crs:Curve>
      """
    let packet = try packet("", text)
    var new = packet
    #expect(try !new.removeLocation() && new.bytes == packet.bytes)
  }

  /// What is no element or attribute may name it too; then nothing of the packet is kept.
  @Test func commentsAndStrayTextDoNotNameThePlace() throws {
    for stray in ["<!-- Zernez -->", "<own:a>Zernez<own:b>1</own:b></own:a>", "<?note Zernez?>"] {
      var packet = try packet("photoshop:City='Zernez'", stray)
      try packet.removeLocation()
      #expect(!String(decoding: packet.bytes, as: UTF8.self).contains("Zernez"), "\(stray)")
    }
  }

  @Test func manyKeywordsAreRemovedInOnePass() throws {
    let names = (0..<2900).map { "Zernez \($0)" }
    var packet = try packet("photoshop:City='Zernez'", bag("dc:subject", names + ["Ada"]))
    try packet.removeLocation()
    #expect(packet.parseCount < 20, "parsed \(packet.parseCount) times")
    #expect(packet.standardMetadata.subjects == ["Ada"])
    packet = try self.packet(
      (0..<900).map { "own:gps\($0)='1'" }.joined(separator: " "),
      (0..<900).map { "<own:GPS\($0)>1</own:GPS\($0)>" }.joined())
    try packet.removeLocation()
    #expect(packet.parseCount < 20, "parsed \(packet.parseCount) times")
    #expect(!String(decoding: packet.bytes, as: UTF8.self).lowercased().contains("gps"))
  }
}
