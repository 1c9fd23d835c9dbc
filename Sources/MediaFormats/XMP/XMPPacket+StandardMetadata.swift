// The rating and the keywords of a picture in its XMP packet, in every form that programs write.

import Foundation
import Localization

/// The metadata that programs for photos share.
public struct StandardMetadata: Sendable, Hashable {
  /// `xmp:Rating`: 1 to 5 stars, 0 for none, -1 for rejected; `nil` when the picture has no rating.
  public var rating: Double?
  /// `dc:subject`: keywords, in order.
  public var subjects: [String]
  /// `GCamera:BurstPrimary` as it is written; `nil` without one.
  public var burstPrimary: String?

  public init(rating: Double? = nil, subjects: [String] = [], burstPrimary: String? = nil) {
    (self.rating, self.subjects, self.burstPrimary) = (rating, subjects, burstPrimary)
  }
}

extension XMPPacket {
  static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  private static let rating = Name(namespace: "http://ns.adobe.com/xap/1.0/", local: "Rating")
  static let subject = Name(namespace: "http://purl.org/dc/elements/1.1/", local: "subject")
  /// Only in packets that continue in further segments.
  static let extended = Name(namespace: "http://ns.adobe.com/xmp/note/", local: "HasExtendedXMP")
  static func rdf(_ local: String) -> Name { Name(namespace: rdf, local: local) }

  /// A packet without properties.
  public static let empty = Array(
    """
    <?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?>
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="\(rdf)"><rdf:Description rdf:about=""/></rdf:RDF></x:xmpmeta>
    <?xpacket end="w"?>
    """.utf8)

  // MARK: Reading

  /// The descriptions of the picture itself, not of a part of it.
  var descriptions: [Element] {
    guard let root = elements.first(where: { $0.name == Self.rdf("RDF") }) else { return [] }
    return root.children.map { elements[$0] }.filter { $0.name == Self.rdf("Description") }
  }

  private func attribute(_ name: Name) -> (element: Element, attribute: Attribute)? {
    for element in descriptions {
      if let attribute = element.attributes.first(where: { $0.name == name }) { return (element, attribute) }
    }
    return nil
  }

  private func property(_ name: Name) -> (parent: Element, element: Element)? {
    for parent in descriptions {
      if let index = parent.children.first(where: { elements[$0].name == name }) { return (parent, elements[index]) }
    }
    return nil
  }

  /// Whether the packet continues in further segments.
  public var hasExtension: Bool { attribute(Self.extended) != nil || property(Self.extended) != nil }

  /// The rating, the keywords and the mark of the picture that stands for its burst.
  public var standardMetadata: StandardMetadata {
    StandardMetadata(rating: rating, subjects: subjects, burstPrimary: burstPrimary)
  }

  /// The value of a property that is a text, as attribute or element.
  func simpleValue(_ name: Name) -> String? {
    if let found = attribute(name) { return text(found.attribute.value) }
    return property(name).flatMap { text(of: $0.element) }
  }

  private var rating: Double? {
    guard let written = simpleValue(Self.rating)?.trimmingCharacters(in: .whitespacesAndNewlines) else { return nil }
    return Double(written).flatMap { $0.isFinite ? $0 : nil }
  }

  private var subjects: [String] {
    if let array = subjectArray { return items(of: array).compactMap { text(of: $0) } }
    // A text without an array is invalid, but clear.
    return simpleValue(Self.subject).map { $0.isEmpty ? [] : [$0] } ?? []
  }

  private var subjectArray: Element? {
    property(Self.subject)?.element.children.map { elements[$0] }.first {
      $0.name.namespace == Self.rdf && ["Bag", "Seq", "Alt"].contains($0.name.local)
    }
  }

  private func items(of array: Element) -> [Element] {
    array.children.map { elements[$0] }.filter { $0.name == Self.rdf("li") }
  }

  // MARK: Changing

  /// Sets or, with `nil`, removes the rating. Does nothing when it is the same.
  ///
  /// - Throws: `FormatError.refused` when the packet describes no picture, or has a form that can't be changed safely.
  public mutating func setRating(_ rating: Double?) throws(FormatError) {
    guard rating != self.rating else { return }
    let text = rating.map { $0 == $0.rounded() && abs($0) < 1000 ? String(Int($0)) : String($0) }
    try set(Self.rating, preferred: "xmp", to: text)
    try check(self.rating == rating)
  }

  /// Sets or, with `nil`, removes a property that is a text without characters that XML escapes. What is added is removed
  /// without a trace.
  ///
  /// - Parameter preferred: The prefix of the namespace where the packet has none.
  /// - Throws: `FormatError.refused` as `setRating`.
  mutating func set(_ name: Name, preferred: String, to text: String?) throws(FormatError) {
    if let found = attribute(name) {
      if let text {
        try replace(found.attribute.value, with: text)
      } else {
        try remove(found.attribute, of: found.element)
      }
    } else if let found = property(name)?.element {
      guard let text else { return try remove(found) }
      let written = "<\(found.qualified)>\(text)</\(found.qualified)>"
      if let content = found.content {
        try replace(content, with: text)
      } else {
        try replace(found.range, with: written)
      }
    } else if let text {
      let element = try firstDescription()
      let (prefix, declaration) = try prefix(name.namespace, in: element, preferred: preferred)
      let end = element.attributes.last?.range.upperBound ?? element.range.lowerBound + 1 + element.qualified.utf8.count
      try replace(end..<end, with: "\(declaration) \(prefix):\(name.local)=\"\(text)\"")
    }
  }

  /// A packet with invalid XML names may take a change and not hold it afterwards.
  private func check(_ isDone: Bool) throws(FormatError) {
    guard isDone else { throw Self.unsafeForm }
  }

  /// Adds a keyword behind the others. Does nothing when it is there.
  ///
  /// - Throws: `FormatError.refused` as `setRating`.
  public mutating func addSubject(_ subject: String) throws(FormatError) {
    guard !subjects.contains(subject) else { return }
    if let array = subjectArray {
      try insert(item(subject, in: array), into: array)
    } else {
      guard attribute(Self.subject) == nil, property(Self.subject) == nil else {
        throw .refused(reason: localized("no keywords can be added to those it has"))
      }
      let element = try firstDescription()
      let (prefix, declaration) = try prefix(Self.subject.namespace, in: element, preferred: "dc")
      let array = try self.prefix(Self.rdf, in: element, preferred: "rdf").prefix + ":Bag"
      let name = "\(prefix):subject"
      try insert("<\(name)\(declaration)><\(array)>\(item(subject, in: element))</\(array)></\(name)>", into: element)
    }
    try check(subjects.contains(subject))
  }

  /// Removes all occurrences of a keyword.
  ///
  /// - Throws: `FormatError.refused` as `setRating`.
  public mutating func removeSubject(_ subject: String) throws(FormatError) {
    while let array = subjectArray, let item = items(of: array).first(where: { text(of: $0) == subject }) {
      if array.children.count == 1, let property = property(Self.subject)?.element {
        try remove(property)
      } else {
        try remove(item)
      }
    }
  }

  func firstDescription() throws(FormatError) -> Element {
    guard let first = descriptions.first else {
      throw .refused(reason: localized("the metadata (XMP) doesn’t describe a picture"))
    }
    return first
  }

  private func item(_ text: String, in element: Element) throws(FormatError) -> String {
    let name = try prefix(Self.rdf, in: element, preferred: "rdf").prefix + ":li"
    return "<\(name)>\(Self.escaped(text))</\(name)>"
  }

  /// The prefix of a namespace at an element, and a declaration if it has none there.
  func prefix(
    _ namespace: String, in element: Element, preferred: String
  ) throws(FormatError) -> (prefix: String, declaration: String) {
    let known = element.namespaces.filter { $0.value == namespace && !$0.key.isEmpty }.keys.sorted()
    if let prefix = known.contains(preferred) ? preferred : known.first { return (prefix, "") }
    guard element.namespaces[preferred] == nil else {
      throw .refused(reason: localized("the metadata (XMP) uses the name “\(preferred)” for something else"))
    }
    return (preferred, " xmlns:\(preferred)=\"\(namespace)\"")
  }

  /// Inserts an element behind the children of another.
  ///
  /// - Parameter attributes: Attributes for the other element, each after a space.
  mutating func insert(_ text: String, into element: Element, attributes: String = "") throws(FormatError) {
    guard let content = element.content else {
      return try replace(
        element.range.upperBound - 2..<element.range.upperBound, with: "\(attributes)>\(text)</\(element.qualified)>")
    }
    let end = element.children.last.map { elements[$0].range.upperBound } ?? content.lowerBound
    let tagEnd = content.lowerBound - 1
    try replaceAll([(end..<end, text), (tagEnd..<tagEnd, attributes)])
  }

  /// A range with the white space before it.
  func withSpaceBefore(_ range: Range<Int>) -> Range<Int> {
    var range = range
    while range.lowerBound > 0, Self.isSpace(bytes[range.lowerBound - 1]) {
      range = range.lowerBound - 1..<range.upperBound
    }
    return range
  }

  /// Removes an element with the white space before it, and leaves a description without content as one tag, so that
  /// adding and removing leaves no trace.
  mutating func remove(_ element: Element) throws(FormatError) {
    let range = withSpaceBefore(element.range)
    if let parent = descriptions.first(where: { $0.content == range }) {
      try replace(range.lowerBound - 1..<parent.range.upperBound, with: "/>")
    } else {
      try replace(range, with: "")
    }
  }

  /// Removes an attribute, and the declaration of its prefix when that precedes it directly and nothing else needs it.
  mutating func remove(_ attribute: Attribute, of element: Element) throws(FormatError) {
    var range = attribute.range
    let prefix = attribute.qualified.prefix { $0 != ":" } + ":"
    let uses = elements.reduce(0) { count, element in
      count + (element.qualified.hasPrefix(prefix) ? 1 : 0)
        + element.attributes.count { $0.qualified.hasPrefix(prefix) }
    }
    if uses == 1, let declaration = element.attributes.first(where: { $0.range.upperBound == range.lowerBound }),
      declaration.qualified + ":" == "xmlns:" + prefix
    {
      range = declaration.range.lowerBound..<range.upperBound
    }
    try replace(range, with: "")
  }
}
