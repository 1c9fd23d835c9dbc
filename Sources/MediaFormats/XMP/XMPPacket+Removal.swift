// Removal of many properties at once.

import Foundation

extension XMPPacket {
  /// The elements and attributes that are to be removed.
  struct Removal {
    /// By the index of the element.
    var elements: [Bool]
    /// The indices of its attributes, by that of the element.
    var attributes: [Int: Set<Int>] = [:]

    var isEmpty: Bool { attributes.isEmpty && !elements.contains(true) }
  }

  /// A removal of nothing.
  var noRemoval: Removal { Removal(elements: [Bool](repeating: false, count: elements.count)) }

  /// Removes every property of the picture with an unwanted name.
  mutating func removeProperties(where isUnwanted: (Name) -> Bool) throws(FormatError) {
    var removal = noRemoval
    for index in descriptionIndices {
      for child in elements[index].children where isUnwanted(elements[child].name) { removal.elements[child] = true }
      for (number, attribute) in elements[index].attributes.enumerated() where isUnwanted(attribute.name) {
        removal.attributes[index, default: []].insert(number)
      }
    }
    try remove(removal)
  }

  /// The indices of the descriptions of the picture itself.
  private var descriptionIndices: [Int] {
    guard let root = elements.first(where: { $0.name == Self.rdf("RDF") }) else { return [] }
    return root.children.filter { elements[$0].name == Self.rdf("Description") }
  }

  /// The index of the element around each element.
  var parents: [Int?] {
    var parents = [Int?](repeating: nil, count: elements.count)
    for (index, element) in elements.enumerated() {
      for child in element.children { parents[child] = index }
    }
    return parents
  }

  func isList(_ index: Int) -> Bool {
    let name = elements[index].name
    return name.namespace == Self.rdf && ["Bag", "Seq", "Alt"].contains(name.local)
  }

  /// Adds the lists of which nothing would be left, and the properties that would be empty without them.
  func withEmptiedLists(_ removal: Removal) -> Removal {
    var removal = removal
    // The elements in a list have higher indices than it.
    for index in elements.indices.reversed() where !removal.elements[index] {
      let children = elements[index].children
      guard !children.isEmpty, children.allSatisfy({ removal.elements[$0] }) else { continue }
      let isProperty = children.count == 1 && isList(children[0]) && elements[index].name.namespace != Self.rdf
      if isList(index) || isProperty { removal.elements[index] = true }
    }
    return removal
  }

  /// Removes elements with the white space before them, and attributes with the declarations directly before them that
  /// nothing else needs. A description without content becomes one tag, so that adding and removing leaves no trace.
  mutating func remove(_ removal: Removal) throws(FormatError) {
    if removal.isEmpty { return }
    let needed = neededPrefixes(without: removal)
    var changes: [(range: Range<Int>, text: String)] = []
    let descriptions = Set(descriptionIndices)
    var end = 0
    for (index, element) in elements.enumerated() where element.range.lowerBound >= end {
      if removal.elements[index] {
        end = element.range.upperBound
        changes.append((withSpaceBefore(element.range), ""))
        continue
      }
      for number in removal.attributes[index] ?? [] {
        let attribute = element.attributes[number]
        var range = attribute.range
        let prefix = String(attribute.qualified.prefix { $0 != ":" })
        if number > 0, !needed.contains(prefix), element.attributes[number - 1].qualified == "xmlns:" + prefix {
          range = element.attributes[number - 1].range.lowerBound..<range.upperBound
        }
        changes.append((range, ""))
      }
      if descriptions.contains(index), let content = element.content, !element.children.isEmpty,
        element.children.allSatisfy({ removal.elements[$0] }), isOnlyChildren(element)
      {
        end = element.range.upperBound
        changes.append((content.lowerBound - 1..<end, "/>"))
      }
    }
    try replaceAll(changes)
  }

  /// Whether nothing but white space is between an element's children, and nothing behind the last.
  private func isOnlyChildren(_ element: Element) -> Bool {
    guard let content = element.content, let last = element.children.last,
      elements[last].range.upperBound == content.upperBound
    else { return false }
    return directText(of: element).allSatisfy(\.isWhitespace)
  }

  /// The text of an element without that of its children.
  func directText(of element: Element) -> String {
    guard let content = element.content else { return "" }
    var direct = ""
    var at = content.lowerBound
    for child in element.children {
      direct += text(at..<elements[child].range.lowerBound)
      at = elements[child].range.upperBound
    }
    return direct + text(at..<content.upperBound)
  }

  /// The prefixes of the names that are left.
  private func neededPrefixes(without removal: Removal) -> Set<String> {
    var needed: Set<String> = []
    var end = 0
    for (index, element) in elements.enumerated() where element.range.lowerBound >= end {
      if removal.elements[index] {
        end = element.range.upperBound
        continue
      }
      needed.insert(String(element.qualified.prefix { $0 != ":" }))
      for (number, attribute) in element.attributes.enumerated()
      where removal.attributes[index]?.contains(number) != true {
        needed.insert(String(attribute.qualified.prefix { $0 != ":" }))
      }
    }
    return needed
  }
}
