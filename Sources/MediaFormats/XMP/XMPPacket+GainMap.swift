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
    let rdf = try rdfPrefix(at: element)
    let version = try prefix(XMPNamespace.gainMap, in: element, preferred: "hdrgm")
    let mark = "\(version.declaration) \(version.prefix):Version=\"1.0\""
    if let primary = try directoryEntry("Primary") {
      let text = try directoryEntry("GainMap", length: length, at: primary.list)
      guard let tagEnd = element.content?.lowerBound else { throw Self.unsafeForm }
      try replaceAll([
        (tagEnd - 1..<tagEnd - 1, mark), (primary.entry.range.upperBound..<primary.entry.range.upperBound, text),
      ])
      return
    }
    let container = try prefix(XMPNamespace.container, in: element, preferred: "Container")
    let entries =
      try directoryEntry("Primary", length: 0, at: element) + directoryEntry("GainMap", length: length, at: element)
    try insert(
      "<\(container.prefix):Directory\(container.declaration)><\(rdf):Seq>\(entries)</\(rdf):Seq>"
        + "</\(container.prefix):Directory>", into: element, attributes: mark)
  }
}
