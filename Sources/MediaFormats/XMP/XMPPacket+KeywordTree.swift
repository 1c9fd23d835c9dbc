// The trees of keywords of the Metadata Working Group, and the branches in them that name a place.

import Foundation

extension XMPPacket {
  private static let keyword = Name(
    namespace: "http://www.metadataworkinggroup.com/schemas/keywords/", local: "Keyword")

  /// A keyword in a tree.
  struct KeywordNode {
    /// The index of its structure.
    var element: Int
    /// Without spaces around it.
    var word: String
    /// The number of the node around it in the list of all; `nil` at the top.
    var parent: Int?
  }

  /// All keywords of trees, each behind those around it.
  ///
  /// Source: Metadata Working Group, Guidelines for Handling Image Metadata 2.0, “Hierarchical Keywords”.
  var keywordTree: [KeywordNode] {
    var nodes: [KeywordNode] = []
    let parents = parents
    // The numbers of nodes by the index of their structure.
    var numbers: [Int: Int] = [:]
    for (index, element) in elements.enumerated() {
      let attribute = element.attributes.first { $0.name == Self.keyword }.map { text($0.value) }
      let child = element.children.first { elements[$0].name == Self.keyword }.flatMap { text(of: elements[$0]) }
      guard let word = attribute ?? child else { continue }
      var outer = parents[index]
      while let around = outer, numbers[around] == nil { outer = parents[around] }
      let parent = outer.flatMap { numbers[$0] }
      numbers[index] = nodes.count
      nodes.append(
        KeywordNode(element: index, word: word.trimmingCharacters(in: .whitespacesAndNewlines), parent: parent))
    }
    return nodes
  }

  /// The elements of the branches that name a place. A keyword above them stays as long as it has others.
  func keywordTreeRemoval(_ names: PlaceNames) -> [Int] {
    let nodes = keywordTree
    guard !nodes.isEmpty else { return [] }
    let parents = parents
    // Flat keywords repeat words of all trees, so only at the top a word is compared with those.
    let isPlace = { (node: KeywordNode) in
      node.parent == nil ? names.isKeyword(node.word) : names.isTold(in: node.word)
    }
    // A branch is told by each of its keywords, so every keyword is looked at once.
    var removed: [Bool] = []
    for node in nodes { removed.append(node.parent.map { removed[$0] } ?? false || names.isPlace([node.word])) }
    var (children, kept) = ([Int](repeating: 0, count: nodes.count), [Int](repeating: 0, count: nodes.count))
    for (number, node) in nodes.enumerated().reversed() {
      if kept[number] == 0, children[number] > 0 || isPlace(node) { removed[number] = true }
      guard let parent = node.parent else { continue }
      children[parent] += 1
      if !removed[number] { kept[parent] += 1 }
    }
    return nodes.indices.filter { removed[$0] }.map { number in
      let element = nodes[number].element
      // In a list, a description stands for its item.
      guard let item = parents[element], elements[item].name == Self.rdf("li"), elements[item].children.count == 1
      else {
        return element
      }
      return item
    }
  }
}
