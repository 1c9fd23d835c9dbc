// Names of a place in keywords and texts, and in the blocks that have fields for them.

import Foundation
import Testing

@testable import MediaFormats

@Suite struct PlaceNamesTests {
  private func names(_ words: String..., codes: [String] = []) -> PlaceNames {
    var names = PlaceNames()
    for word in words { names.insert(word) }
    for code in codes { names.insert(code, isCode: true) }
    return names
  }

  @Test func keywordsAreComparedAsPeopleWriteThem() {
    let names = names("Île-de-France", "Zürich", "Rom", codes: ["IT"])
    for keyword in [
      "zurich", "ZÜRICH", "ile-de-france", "IT", "geo:lat=1", "Geotagged", "Places|Somewhere", "World/Europe/Zürich",
      "Rom", "rom", "ROM", "zürich!", "Ile de France",
    ] {
      #expect(names.isKeyword(keyword), "\(keyword)")
    }
    for keyword in ["it", "Zürichsee", "Romance", "People/Anna", "Anna", "", "|", "World/Europe"] {
      #expect(!names.isKeyword(keyword), "\(keyword)")
    }
    var related = names
    related.noteHierarchy("World/Europe/Zürich")
    #expect(related.isKeyword("Europe") && related.isKeyword("world") && !related.isKeyword("Anna"))
  }

  @Test func textsAreComparedByWords() {
    let names = names("Nice", "New York", "東京", "Ulm", codes: ["FR"])
    for text in ["In Nice.", "nice", "(NEW YORK)", "夏の東京駅", "Ulm, 1999", "a nice, day", "ULM", "ulm"] {
      #expect(names.isNamed(in: text), "\(text)")
    }
    for text in ["Nicely", "York", "new yorker", "Ulme", "FR", "fr", "京都"] {
      #expect(!names.isNamed(in: text), "\(text)")
    }
    #expect(!PlaceNames().isNamed(in: "Nice") && PlaceNames().isEmpty)
  }

  /// Elements of a color profile may lie on each other, but not thousands of them: each is searched for itself.
  @Test(arguments: [1, 3, 1000]) func elementsOfProfilesLieOnEachOther(count: Int) {
    let text = Array("desc".utf8) + BigEndian.words(0, 8) + Array("In Ulm, 1999".utf8)
    let start = 132 + 12 * count
    let table = (0..<count).flatMap { Array("desc".utf8) + BigEndian.words(UInt64(start), UInt64(text.count + $0)) }
    let profile = BigEndian.zeros(128) + BigEndian.words(UInt64(count)) + table + text + BigEndian.zeros(count)
    let cleaned = names("Ulm").cleaned(colorProfile: profile)
    if count > 3 {
      #expect(cleaned == nil)
    } else {
      #expect(cleaned?.count == profile.count && cleaned.map { !names("Ulm").isTold(inBytes: $0) } == true)
    }
    #expect(names("Rom").cleaned(colorProfile: profile) == profile)
  }

  @Test func iptcRecordsHaveNames() {
    func record(_ field: UInt8, _ text: [UInt8]) -> [UInt8] {
      [0x1c, 2, field] + BigEndian.halves(UInt64(text.count)) + text
    }
    let records =
      record(90, Array("Zürich".utf8)) + record(101, [0x5a, 0xfc, 0x72, 0x69]) + record(25, Array("Keyword".utf8))
      + record(100, Array("CHE".utf8))
    let block =
      Array("Photoshop 3.0\0".utf8) + Array("8BIM".utf8) + BigEndian.halves(0x0404) + [3] + Array("abc".utf8)
      + BigEndian.words(UInt64(records.count)) + records
    let names = PlaceNames(photoshop: block)
    #expect(
      names.isKeyword("zurich") && names.isKeyword("CHE") && names.isNamed(in: "in Züri"))
    #expect(names.isKeyword("che"))
    #expect(!names.isKeyword("Keyword"))
    for count in 0..<block.count { _ = PlaceNames(photoshop: Array(block[..<count])) }
    #expect(PlaceNames(photoshop: Array("Adobe".utf8)).isEmpty)
  }

  @Test func aPacketLosesItsPlaceAndNothingElse() throws {
    let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    let text = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="\(rdf)"><rdf:Description rdf:about="" \
      xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" \
      xmlns:lr="http://ns.adobe.com/lightroom/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" photoshop:City="Paris" \
      xmp:Rating="3" photoshop:Headline="Paris at night"><dc:subject><rdf:Bag><rdf:li>Paris</rdf:li>\
      <rdf:li>Anna</rdf:li><rdf:li>Trips</rdf:li></rdf:Bag></dc:subject><lr:hierarchicalSubject><rdf:Bag>\
      <rdf:li>Trips|Paris</rdf:li><rdf:li>People|Anna</rdf:li></rdf:Bag></lr:hierarchicalSubject><dc:title><rdf:Alt>\
      <rdf:li xml:lang="x-default">Anna</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>
      """
    var packet = try XMPPacket(Array(text.utf8))
    #expect(try packet.removeLocation())
    let left = String(decoding: packet.bytes, as: UTF8.self)
    #expect(!left.contains("Paris") && !left.contains("Trips") && left.contains("People|Anna"))
    #expect(packet.standardMetadata == StandardMetadata(rating: 3, subjects: ["Anna"]) && left.contains("x-default"))
    // Without a place, nothing happens.
    let before = packet.bytes
    #expect(try !packet.removeLocation() && packet.bytes == before)
  }

  /// A movie is described where there was none, in the form that readers look for.
  @Test func aMovieIsDescribed() throws {
    for text in [
      String(decoding: XMPPacket.empty, as: UTF8.self),
      String(decoding: XMPPacket.empty, as: UTF8.self)
        .replacing("rdf:about=\"\"/>", with: "rdf:about=\"\" xmlns:a=\"b\" a:c=\"d\"><a:e>f</a:e></rdf:Description>"),
    ] {
      var packet = try XMPPacket(Array(text.utf8))
      try packet.setMovie(length: 1234, presentationTime: 500_000)
      let found = try #require(MotionPhotoDescription(xmp: Data(packet.bytes)))
      #expect(found.isMotionPhoto && found.movieLength == 1234 && found.presentationTime == 500_000)
      #expect(found.items.map(\.semantic) == ["Primary", "MotionPhoto"])
      try packet.setMovieLength(77)
      #expect(MotionPhotoDescription(xmp: Data(packet.bytes))?.movieLength == 77)
      try packet.setMovie(length: 5, presentationTime: nil)
      #expect(MotionPhotoDescription(xmp: Data(packet.bytes))?.items.count == 2)
      try packet.removeMovie()
      #expect(MotionPhotoDescription(xmp: Data(packet.bytes)) == nil)
      #expect(String(decoding: packet.bytes, as: UTF8.self).contains("a:c") == text.contains("a:c"))
    }
  }

  /// The item of a gain map stays as long as the gain map does.
  @Test func otherItemsStayDescribed() throws {
    let text = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:G="\(XMPNamespace.camera)" xmlns:C="\(XMPNamespace.container)" \
      xmlns:I="\(XMPNamespace.item)" G:MotionPhoto="1"><C:Directory><rdf:Seq><rdf:li rdf:parseType="Resource">\
      <C:Item I:Semantic="Primary"/></rdf:li><rdf:li rdf:parseType="Resource"><C:Item I:Semantic="GainMap" \
      I:Length="9"/></rdf:li><rdf:li rdf:parseType="Resource"><C:Item I:Semantic="MotionPhoto" I:Length="7"/></rdf:li>\
      </rdf:Seq></C:Directory></rdf:Description></rdf:RDF></x:xmpmeta>
      """
    var packet = try XMPPacket(Array(text.utf8))
    try packet.removeMovie(keepsPictures: true)
    let left = String(decoding: packet.bytes, as: UTF8.self)
    #expect(left.contains("GainMap") && !left.contains("MotionPhoto"))
    try packet.removeMovie()
    #expect(!String(decoding: packet.bytes, as: UTF8.self).contains("GainMap"))
  }
}
