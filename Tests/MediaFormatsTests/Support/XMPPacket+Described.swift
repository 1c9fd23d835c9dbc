// Packets with given properties, for tests of what is removed from them.

@testable import MediaFormats

extension XMPPacket {
  /// A packet with these attributes and elements in its description, and a rating of 3.
  static func described(_ attributes: String = "", _ elements: String = "") throws -> XMPPacket {
    let text = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" \
      xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:digiKam="http://www.digikam.org/ns/1.0/" \
      xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#" xmlns:dcterms="http://purl.org/dc/terms/" \
      xmlns:dji="http://www.dji.com/drone-dji/1.0/" xmlns:acdsee="http://ns.acdsee.com/iptc/1.0/" \
      xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" \
      xmlns:own="http://example.org/own/" xmlns:dwc="http://rs.tdwg.org/dwc/index.htm" \
      xmlns:kw="http://www.metadataworkinggroup.com/schemas/keywords/" xmlns:exif="http://ns.adobe.com/exif/1.0/" \
      xmlns:lr="http://ns.adobe.com/lightroom/1.0/" xmlns:georss="http://www.georss.org/georss/" xmp:Rating="3" \
      \(attributes)>\(elements)</rdf:Description></rdf:RDF></x:xmpmeta>
      """
    return try XMPPacket(Array(text.utf8))
  }

  /// A property with a list of words.
  static func bag(_ name: String, _ items: [String]) -> String {
    "<\(name)><rdf:Bag>" + items.map { "<rdf:li>\($0)</rdf:li>" }.joined() + "</rdf:Bag></\(name)>"
  }
}
