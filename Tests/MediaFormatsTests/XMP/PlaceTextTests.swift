// Texts that tell a place and texts that only look like it: coordinates, addresses of maps, and names run together.

import Foundation
import Testing

@testable import MediaFormats

@Suite struct PlaceTextTests {
  @Test(arguments: [
    "https://maps.google.com/@46.7,10.09,15z", "https://www.google.com/maps/place/x/@46.7,10.09", "@46.7,10.09",
    "https://www.google.com/maps/place/x/data=!3m1!4b1!3d46.7!4d10.09", "!3d46.7!4d10.09", "x!1d10.09!2d10.1!3d-46.7",
    "https://www.openstreetmap.org/#map=15/46.7/10.09", "https://map.example.org/#15/46.70/10.09",
    "https://maps.google.com/?q=46.7,10.09", "?q=46.7,10.09", "https://maps.apple.com/?ll=46.7,10.09&z=9",
    "https://maps.google.com/maps?daddr=46.7%2C10.09", "https://maps.google.com/?q=loc:46.7,10.09",
    "https://www.bing.com/maps?cp=46.7~10.09", "https://www.google.com/maps/search/46.7,+10.09",
    "https://www.openstreetmap.org/?mlat=46.7&mlon=10.09", "geo:46.7,10.09", "geo:46,10", "geo:0,0?q=46.7,10.09(x)",
    "46°42.123'N", "46°42.123′ N 10°5.886′ E", "N 46° 42.018 E 010° 05.886", "N 46° 42.018", "46° 42.018 N",
    "46 42 01 N 10 05 53 E", "46°42'1\" N", "$GPRMC,101010,A,4642.0180,N,01005.8860,E", "464201N0100553E",
    "4642.018,N,01005.886,E", "At 46°42,018′N", "N46.7003 E10.0981", "46.700°, 10.098°", "+46.700+010.098/",
    "8FVC9G8F+6X", "At 8fvc9g8f+6xq.", "https://plus.codes/8FVC9G8F%2B6X", "Lat. 46.7", "lng=10.1", "Long. 10.0981",
    "Breite 46,7003", "Länge: 10.0981", "Breite 46.700, Länge 10.098", "Breite 46,7°", "46 deg 42', 10 deg 6'",
    "46 deg 42' 1.2\"", "46 deg 42' N", "https://maps.google.com/?q=46.7,10.1", "google.com/maps/@46.7,10.1",
    "?q=loc:46.7,10.1", "100% https://example.org/?x=46%2E7003%2C10%2E0981", "４６．７００３，１０．０９８１",
    "٤٦٫٧٠٠٣، ١٠٫٠٩٨١",
  ]) func coordinatesAreFound(text: String) { #expect(CoordinateText.isFound(in: text), "\(text)") }

  @Test(arguments: [
    "f/2.8, 1/250 s, ISO 100", "24mm@2.8", "50 mm, f/1.4, 1/125", "1920x1080@29.97", "1920x1080@29.97, 4.5 Mbit/s",
    "Version 2.3, 4.5", "v1.2.3@4.5.6", "Size 10.5 x 15.2 cm", "3.5,4.5", "12.30 - 14.45", "Chapter 3.2, 4.1",
    "https://example.org/v1.2,3.4/x", "me@example.org", "@ada, at 18.30", "Meet at 18:30", "20° 15.50 CHF",
    "20° 15 min",
    "!3d printing", "Ratio=1.5,2.5", "text/html;q=0.9,image/webp;q=0.8", "Geo 101", "#15/46", "#1/2/3", "#map of 1/2",
    "https://maps.example.org/tiles/15/17012/11567.png", "5 N 10 E", "10 s 20 w", "a 12.34 N force", "100% sure",
    "123456 n 1234567 e 3", "30 s 1.5 W LED", "36 exp. 24x36 mm", "2024:07:31 12:34:56", "Nikon Z 24-70mm f/4 S 1.0",
    "1.0.0, 2.0.0", "ISO 100, 200.5, 400.25", "EV -0.333, +0.667", "Zoom 2.50, crop 1.50", "tel:+41 81 856 13 00",
    "12.345, 23.456 Euro", "1.234, 5.678", "12.345; 23.456", "12.345 / 23.456", "10.125 20.250", "+1.667 -1.333",
    "10.125, 20.250, 30.375 mm", "12345678+90", "C++20, R2+D2", "9G8F+6X", "XX8FVC9G8F+6X",
    "Breite 2.5 m, Länge 4.2 m", "Breite 2,5 m", "A board, long 3.5 m", "The walk was long. 3.5 hours",
    "At this latitude. 3.5 hours", "q=1.5,2.5 map: 3.5,4.5", "@1.5,2.5", "5'10\" tall, 30 deg 5' away",
    "180° 20 min, 160° 10 min", "long 1.234 m", "100%, 50%4", "½ + ⅓, 二〇",
    "Nr. 12345678901234567890", String(repeating: "9", count: 400), "98765432109876543210 N, 5 E",
  ]) func otherTextsAreNot(text: String) { #expect(!CoordinateText.isFound(in: text), "\(text)") }

  // MARK: A known position

  private var position: PlaceNames {
    var names = PlaceNames()
    // As the blocks of a file have it: in more than one spelling.
    for number in [47.376806, 8.540028, 47.3768, 8.54003] { names.insert(coordinate: number) }
    return names
  }

  @Test(arguments: [
    "47 22 36.5, 8 32 24.1", "47:22:36.5 8:32:24.1", "47-22-36.5/8-32-24.1", "47d22m36s 8d32m24s", "47,377 8,540",
    "Zürich (47,377; 8,540)", "47 22.608, 8 32.402", "+472236.5+0083224.1/", "+4722.608+00832.402/", "47.377, 8.540",
    "9GGR+P2 Zürich", "8FVC9GGR+P2", "vc9ggr+p2", "47:22:36.5,8:32:24.1", "47:22:36,08:32:24", "47 22 36,8 32 24",
    "47%2022%2036,8%2032%2024", "https://www.google.com/maps/place/9GGR%2BP2+Z", "100% 9GGR%2BP2",
    "Breite 47,377 m, Länge 8,540 m", "４７，３７７ ８，５４０",
  ]) func theKnownPositionIsFound(text: String) {
    #expect(position.isTold(in: text) && position.isKeyword(text), "\(text)")
  }

  /// A number alone is the place's by chance, and so are those of another place.
  @Test(arguments: [
    "47,377 people", "47,377 in 2023, 47,376 in 2024", "47 22 36.5", "At 8 32 24, room 47", "10,377 8,540",
    "46 22 36.5, 8 32 24.1", "9GGR+P", "GGR+P2", "9GGR+28", "2GGR+P2", "R+P2", "47.38 and 8.54", "1 2 3 4 5 6 7 8 9",
  ]) func otherNumbersAreNot(text: String) { #expect(!position.isTold(in: text), "\(text)") }

  private func names(_ words: String...) -> PlaceNames {
    var names = PlaceNames()
    for word in words { names.insert(word) }
    return names
  }

  @Test(arguments: [
    "ZernezGR", "#zernez", "zernez2024", "#Zernez2024", "ZernezTrip", "IMG_Zernez_1", "2024zernez", "NewYorkTrip",
    "#newyork", "#newyork2024", "MyNewYork", "UlmTrip", "TripToUlm", "in #StMoritz", "#stmoritz", "Zer\u{ad}nez",
    "At Zer\u{200b}nez", "\u{200e}U\u{2060}lm", "N\u{ad}ew York",
  ]) func namesRunTogetherAreNames(text: String) {
    let names = names("Zernez", "New York", "Ulm", "St. Moritz")
    #expect(names.isNamed(in: text) && names.isTold(in: text) && names.isKeyword(text), "\(text)")
  }

  @Test(arguments: [
    "Nicely", "#nicely", "VeniceTrip", "Zernezke", "ulme", "Ulmer", "McDonald", "iPhone15Pro", "DSC_0001", "NewYear",
    "Yorkshire2024", "A nicer day", "yorkNew",
  ]) func otherWordsAreNot(text: String) {
    let names = names("Nice", "Zernez", "Ulm", "New York")
    #expect(!names.isTold(in: text) && !names.isKeyword(text), "\(text)")
  }

  // MARK: Packets

  private func left(_ packet: XMPPacket) throws -> String {
    var packet = packet
    try packet.removeLocation()
    #expect(packet.standardMetadata.rating == 3, "the rating")
    return String(decoding: packet.bytes, as: UTF8.self)
  }

  private enum Form: CaseIterable {
    case elements
    case attributes
    case descriptions
  }

  /// A branch of the Metadata Working Group's tree of keywords, in the forms of RDF that programs write.
  private func branch(_ form: Form, _ words: [String]) -> String {
    guard let word = words.first else { return "" }
    let rest = Array(words.dropFirst())
    let children = rest.isEmpty ? "" : "<kw:Children><rdf:Bag>\(branch(form, rest))</rdf:Bag></kw:Children>"
    return switch form {
    case .elements:
      "<rdf:li rdf:parseType='Resource'>\(children)<kw:Keyword>\(word)</kw:Keyword></rdf:li>"
    case .attributes: "<rdf:li kw:Keyword='\(word)' kw:Applied='True'>\(children)</rdf:li>"
    case .descriptions: "<rdf:li><rdf:Description kw:Keyword='\(word)'>\(children)</rdf:Description></rdf:li>"
    }
  }

  private func tree(_ form: Form, _ branches: [[String]]) -> String {
    "<kw:Keywords rdf:parseType='Resource'><kw:Hierarchy><rdf:Bag>"
      + branches.map { branch(form, $0) }.joined() + "</rdf:Bag></kw:Hierarchy></kw:Keywords>"
  }

  /// Only the tree says that a keyword is a place.
  @Test(arguments: Form.allCases) private func aTreeOfKeywordsNamesThePlace(form: Form) throws {
    let text = try left(
      .described(
        "",
        tree(form, [["Places", "Schweiz", "Zernez"], ["People", "Ada"]])
          + XMPPacket.bag("dc:subject", ["Zernez", "Schweiz", "Ada"])
          + "<dc:description><rdf:Alt><rdf:li xml:lang='x-default'>Abend in Zernez</rdf:li></rdf:Alt></dc:description>")
    )
    for word in ["Zernez", "Schweiz", "Places"] { #expect(!text.contains(word), "\(text)") }
    #expect(text.contains("People") && text.contains("<rdf:li>Ada</rdf:li>"), "\(text)")
    #expect(text.components(separatedBy: "Ada").count == 3, "\(text)")
  }

  /// Another branch of the same tree stays.
  @Test(arguments: Form.allCases) private func onlyTheBranchOfThePlaceGoes(form: Form) throws {
    let trips = branch(form, ["Trips", "Zernez"]).replacing("</rdf:Bag>", with: branch(form, ["Sea"]) + "</rdf:Bag>")
    let text = try left(
      .described(
        "photoshop:City='Zernez'",
        "<kw:Keywords rdf:parseType='Resource'><kw:Hierarchy><rdf:Bag>\(trips)\(branch(form, ["Fun", "Ada"]))"
          + "</rdf:Bag></kw:Hierarchy></kw:Keywords>"))
    #expect(
      !text.contains("Zernez") && text.contains("Trips") && text.contains("Sea") && text.contains("Ada"), "\(text)")
  }

  /// Thousands of keywords below one of thousands of letters, which is looked at once: the square would take minutes.
  @Test(arguments: ["Places", "People", "Zernez"]) func treesMayBeWideAndWordsLong(root: String) {
    let long = String(repeating: "Straße ", count: 1300) + "7"
    let children = (0..<24_000).map { (word: "Ort\($0)", parent: Int?(1)) }
    var names = names("Zernez")
    names.noteTree([(root, nil), (long, 0), ("Schuls", 0)] + children)
    #expect(names.isNamed(in: "Schuls") == (root == "Places"))
    #expect(names.isKeyword(long) == (root != "People") && names.isKeyword("Ort7") == (root != "People"))
    #expect(names.isKeyword("Zernez") && !names.isKeyword("Ada"))
  }

  @Test(arguments: ["Wo|Schweiz|Zernez", "WHERE|Schweiz|Zernez", "Geografie|Schweiz|Zernez", "Geo/Schweiz/Zernez"])
  func otherRootsOfHierarchiesArePlaces(keyword: String) throws {
    let text = try left(
      .described(
        "",
        XMPPacket.bag("lr:hierarchicalSubject", [keyword, "People|Ada"])
          + XMPPacket.bag("dc:subject", [keyword, "Zernez", "Ada"])))
    #expect(!text.contains("Zernez") && !text.contains("Schweiz"), "\(text)")
    #expect(text.contains("People|Ada") && text.contains("<rdf:li>Ada</rdf:li>"))
  }

  @Test(arguments: [
    "own:where='Plaz'", "own:Wo='Plaz'", "own:homeLat='46.7'", "geo:anything='46.7'", "georss:point='46.7 10.1'",
    "own:Y='46.7003'", "own:PosX='10.0981'", "own:positionText='46.7003/10.0981'", "own:raw='x10.09812'",
  ]) func coordinatesInOtherFieldsGo(attribute: String) throws {
    let value = try #require(attribute.split(separator: "'").last)
    let name = try #require(attribute.split(separator: "=").first)
    let position = "exif:GPSLatitude='46,42.018N' exif:GPSLongitude='10,5,53.16E' "
    let text = try left(.described(position + attribute, "<\(name)>\(value)</\(name)>"))
    #expect(!text.contains(name) && !text.contains(value) && !text.contains("GPS"), "\(text)")
  }

  /// Numbers that aren't those of the place.
  @Test func otherFieldsStay() throws {
    let attributes =
      "exif:FNumber='28/10' exif:ExposureTime='1/250' own:Y='46.75' own:X='10.0' own:Width='4032' own:v='1.234' "
      + "exif:FocalLength='4.673' own:Temperature='46.9' own:Position='12.345' own:whereabouts='x' own:Workflow='y'"
    let text = try left(.described(attributes + " exif:GPSLatitude='46,42.018N' exif:GPSLongitude='10,5,53.16E'"))
    #expect(text.contains(attributes), "\(text)")
  }
}
