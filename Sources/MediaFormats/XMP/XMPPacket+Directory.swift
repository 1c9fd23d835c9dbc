// The container's directory in a packet: the pictures and the movie that follow a picture in its file.

import Foundation
import Localization

extension XMPPacket {
  static let containerItem = Name(namespace: XMPNamespace.container, local: "Item")

  /// An entry of the directory, and the list that it is in.
  typealias DirectoryEntry = (entry: Element, list: Element)

  /// The list entry of the first item with a semantic; `nil` without one.
  ///
  /// - Throws: `FormatError.refused` when the item isn't in a list.
  func directoryEntry(_ semantic: String) throws(FormatError) -> DirectoryEntry? {
    let item = elements.indices.first {
      elements[$0].name == Self.containerItem && self.semantic(of: elements[$0]) == semantic
    }
    guard let item else { return nil }
    let parents = parents
    guard let entry = parents[item], elements[entry].name == Self.rdf("li"), let list = parents[entry] else {
      throw Self.unsafeForm
    }
    return (elements[entry], elements[list])
  }

  /// The list entry of a JPEG, as Ultra HDR 1.1 writes it.
  ///
  /// - Parameters:
  ///   - length: In bytes; 0 for the picture itself.
  ///   - place: The element in which it is to stand. Prefixes that are declared at other entries don't hold there.
  func directoryEntry(
    _ semantic: String, length: Int, at place: Element
  ) throws(FormatError) -> String {
    let rdf = try rdfPrefix(at: place)
    let container = try prefix(XMPNamespace.container, in: place, preferred: "Container")
    let item = try prefix(XMPNamespace.item, in: place, preferred: "Item")
    return
      "<\(rdf):li \(rdf):parseType=\"Resource\"\(container.declaration)\(item.declaration)>"
      + "<\(container.prefix):Item \(item.prefix):Mime=\"image/jpeg\" \(item.prefix):Semantic=\"\(semantic)\" "
      + "\(item.prefix):Length=\"\(length)\"/></\(rdf):li>"
  }

  /// A prefix of RDF's own names.
  func rdfPrefix(at element: Element) throws(FormatError) -> String {
    guard let rdf = element.namespaces.first(where: { $0.value == Self.rdf && !$0.key.isEmpty })?.key else {
      throw Self.unsafeForm
    }
    return rdf
  }
}
