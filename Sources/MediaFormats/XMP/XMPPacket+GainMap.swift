// The description of the gain map behind a picture in a packet that says other things as well.

import Foundation
import Localization

extension XMPPacket {
  /// Describes a gain map that follows the picture, as Ultra HDR 1.1, before the movie of a packet that describes one.
  ///
  /// Source: https://developer.android.com/media/platform/hdr-image-format
  ///
  /// - Parameter length: Of the map's JPEG, in bytes.
  /// - Throws: `FormatError.refused` when the packet has a form that can't be changed safely.
  public mutating func setGainMap(length: Int) throws(FormatError) {
    try removeProperties { $0.namespace == XMPNamespace.gainMap }
    let element = try firstDescription()
    guard let rdf = element.namespaces.first(where: { $0.value == Self.rdf && !$0.key.isEmpty })?.key else {
      throw Self.unsafeForm
    }
    let version = try prefix(XMPNamespace.gainMap, in: element, preferred: "hdrgm")
    let mark = "\(version.declaration) \(version.prefix):Version=\"1.0\""
    /// - Parameter place: Where it is to stand.
    func item(
      _ semantic: String, _ length: Int, at place: Element
    ) throws(FormatError) -> String {
      let container = try prefix(XMPNamespace.container, in: place, preferred: "Container")
      let item = try prefix(XMPNamespace.item, in: place, preferred: "Item")
      return
        "<\(rdf):li \(rdf):parseType=\"Resource\"\(container.declaration)\(item.declaration)>"
        + "<\(container.prefix):Item \(item.prefix):Mime=\"image/jpeg\" \(item.prefix):Semantic=\"\(semantic)\" "
        + "\(item.prefix):Length=\"\(length)\"/></\(rdf):li>"
    }
    let primary = elements.indices.first {
      elements[$0].name == Self.containerItem && semantic(of: elements[$0]) == "Primary"
    }
    if let primary {
      guard let entry = elements.first(where: { $0.name == Self.rdf("li") && $0.children.contains(primary) }) else {
        throw Self.unsafeForm
      }
      let text = try item("GainMap", length, at: entry)
      guard let tagEnd = element.content?.lowerBound else { throw Self.unsafeForm }
      try replaceAll([(tagEnd - 1..<tagEnd - 1, mark), (entry.range.upperBound..<entry.range.upperBound, text)])
      return
    }
    let container = try prefix(XMPNamespace.container, in: element, preferred: "Container")
    let items = try item("Primary", 0, at: element) + item("GainMap", length, at: element)
    try insert(
      "<\(container.prefix):Directory\(container.declaration)><\(rdf):Seq>\(items)</\(rdf):Seq>"
        + "</\(container.prefix):Directory>", into: element, attributes: mark)
  }
}
