// The description of the movie behind a picture in a packet that says other things as well.

import CameraCore
import Foundation
import Localization

extension XMPPacket {
  /// Describes a movie behind the picture, as Motion Photo 1.0, in the literal form that Android's parser expects:
  /// exactly one `rdf:Description` in the packet, the marks as its attributes, the prefixes `GCamera`, `Container` and
  /// `Item`.
  ///
  /// Source: https://developer.android.com/media/platform/motion-photo-format; media3's
  /// `XmpMotionPhotoDescriptionParser` takes a picture for a plain one when any `rdf:Description` has no mark.
  ///
  /// - Parameters:
  ///   - movieLength: Of the MP4 that follows the picture, in bytes.
  ///   - presentationTime: Of the still's frame, in microseconds from the movie's start; `nil` is written as -1, unset.
  ///   - format: Of the picture. A HEIF file has the head of a box before the movie, which is stated as padding.
  /// - Throws: `FormatError.refused` when the packet has a form that can't be changed safely.
  public mutating func setMovie(
    length movieLength: UInt64, presentationTime: Int64?, behind format: PhotoFormat = .jpeg
  ) throws(FormatError) {
    try removeMovie()
    try mergeDescriptions()
    try flattenDescriptions()
    let element = try firstDescription()
    var declarations = ""
    for (prefix, namespace) in [
      ("GCamera", XMPNamespace.camera), ("Container", XMPNamespace.container), ("Item", XMPNamespace.item),
    ] {
      switch element.namespaces[prefix] {
      case namespace: break
      case nil: declarations += " xmlns:\(prefix)=\"\(namespace)\""
      default: throw .refused(reason: localized("the metadata (XMP) uses the name “\(prefix)” for something else"))
      }
    }
    guard let rdf = element.namespaces.first(where: { $0.value == Self.rdf && !$0.key.isEmpty })?.key else {
      throw Self.unsafeForm
    }
    func item(_ mime: String, _ semantic: String, _ length: UInt64, _ more: String = "") -> String {
      "<\(rdf):li \(rdf):parseType=\"Resource\"><Container:Item Item:Mime=\"\(mime)\" Item:Semantic=\"\(semantic)\" "
        + "Item:Length=\"\(length)\"\(more)/></\(rdf):li>"
    }
    let padding = format.isHEIF ? " Item:Padding=\"\(MotionPhotoDescription.paddingOfHEIF)\"" : ""
    let items = item(format.mimeType, "Primary", 0, padding) + item("video/mp4", "MotionPhoto", movieLength)
    try insert(
      "<Container:Directory><\(rdf):Seq>\(items)</\(rdf):Seq></Container:Directory>", into: element,
      attributes: declarations + " GCamera:MotionPhoto=\"1\" GCamera:MotionPhotoVersion=\"1\" "
        + "GCamera:MotionPhotoPresentationTimestampUs=\"\(presentationTime ?? -1)\"")
    guard let new = MotionPhotoDescription(xmp: Data(bytes)), new.isMotionPhoto, new.movieLength == movieLength else {
      throw Self.unsafeForm
    }
  }

  /// Moves the properties of all descriptions into the first one.
  private mutating func mergeDescriptions() throws(FormatError) {
    while descriptions.count > 1, let next = descriptions.last {
      let children = next.children.map { standalone(elements[$0]) }
      let properties = next.attributes.filter { !Self.isSyntax($0) }.map { standalone($0, of: next) }
      try remove(next)
      try insert((properties + children).joined(), into: firstDescription())
    }
  }

  /// Gives structures that are written as descriptions the short form: `<a><rdf:Description b="c"/></a>` becomes
  /// `<a rdf:parseType="Resource"><b>c</b></a>` (RDF 1.1 XML Syntax, 2.11).
  private mutating func flattenDescriptions() throws(FormatError) {
    var rounds = 0
    while let (parent, inner) = nestedDescription {
      rounds += 1
      guard rounds < 10_000, parent.children.count == 1, let content = parent.content,
        parent.attributes.allSatisfy({ $0.qualified.hasPrefix("xmlns") }),
        inner.attributes.allSatisfy({ !Self.isSyntax($0) || $0.qualified.hasPrefix("xmlns:") }),
        let rdf = inner.namespaces.first(where: { $0.value == Self.rdf && !$0.key.isEmpty })?.key
      else { throw Self.unsafeForm }
      let properties = inner.attributes.filter { !Self.isSyntax($0) }.map { standalone($0, of: inner) }.joined()
      let children = inner.children.map { standalone(elements[$0]) }.joined()
      // From behind the parent's tag to its end.
      try replace(
        content.lowerBound - 1..<content.upperBound, with: " \(rdf):parseType=\"Resource\">\(properties)\(children)")
    }
  }

  private var nestedDescription: (parent: Element, inner: Element)? {
    for parent in elements where parent.name != Self.rdf("RDF") {
      for child in parent.children where elements[child].name == Self.rdf("Description") {
        return (parent, elements[child])
      }
    }
    return nil
  }

  /// Whether an attribute belongs to the syntax and isn't a property.
  private static func isSyntax(_ attribute: Attribute) -> Bool {
    attribute.qualified.hasPrefix("xmlns") || attribute.qualified.hasPrefix("xml:")
      || attribute.name.namespace == rdf
  }

  // MARK: Texts that can stand elsewhere

  /// An element with the declarations of all prefixes that it uses.
  func standalone(_ element: Element) -> String {
    var used: Set<String> = []
    func note(_ element: Element) {
      for name in [element.qualified] + element.attributes.map(\.qualified) {
        let parts = name.split(separator: ":")
        if parts.count == 2 { used.insert(String(parts[0])) }
      }
      for child in element.children { note(elements[child]) }
    }
    note(element)
    let own = Set(element.attributes.map(\.qualified))
    var declarations = ""
    for prefix in used.sorted() where prefix != "xmlns" && prefix != "xml" && !own.contains("xmlns:\(prefix)") {
      if let namespace = element.namespaces[prefix] {
        declarations += " xmlns:\(prefix)=\"\(Self.escaped(namespace))\""
      }
    }
    let text = source(element.range)
    let name = text.index(text.startIndex, offsetBy: 1 + element.qualified.count)
    return text[..<name] + declarations + text[name...]
  }

  /// An attribute as an element with the declaration of its prefix.
  private func standalone(_ attribute: Attribute, of element: Element) -> String {
    let prefix = attribute.qualified.prefix { $0 != ":" }
    let namespace = element.namespaces[String(prefix)].map { " xmlns:\(prefix)=\"\(Self.escaped($0))\"" } ?? ""
    return "<\(attribute.qualified)\(namespace)>\(source(attribute.value))</\(attribute.qualified)>"
  }
}
