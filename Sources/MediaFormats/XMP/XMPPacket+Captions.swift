// What people have written about a picture in its XMP packet.

import Foundation

extension XMPPacket {
  /// In any namespace, in lower case: Dublin Core's, Photoshop's, EXIF's, TIFF's and ACDSee's.
  private static let captionNames: Set<String> = [
    "title", "description", "headline", "instructions", "usercomment", "imagedescription", "caption", "notes",
  ]

  /// The texts of titles, captions and comments, without white space around them.
  public var captions: Set<String> {
    var found: Set<String> = []
    let parents = parents
    func note(_ name: Name, _ text: String) {
      let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
      if name.namespace != Self.rdf, !text.isEmpty, Self.captionNames.contains(name.local.lowercased()) {
        found.insert(text)
      }
    }
    for (index, element) in elements.enumerated() {
      for attribute in element.attributes { note(attribute.name, text(attribute.value)) }
      guard let text = text(of: element) else { continue }
      note(element.name, text)
      if element.name == Self.rdf("li"), let list = parents[index], let field = parents[list] {
        note(elements[field].name, text)
      }
    }
    return found
  }
}
