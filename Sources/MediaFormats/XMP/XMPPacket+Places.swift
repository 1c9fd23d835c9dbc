// The place in an XMP packet: the fields that name it, and the keywords and texts that repeat it.

import Foundation

extension XMPPacket {
  /// IPTC's and Photoshop's names of location properties, by namespace.
  private static let locations: [String: Set<String>] = [
    "http://ns.adobe.com/photoshop/1.0/": ["City", "State", "Country"],
    "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/": ["Location", "CountryCode"],
  ]
  /// The fields of IPTC's extended locations.
  private static let parts: Set<String> = [
    "City", "Sublocation", "ProvinceState", "CountryName", "WorldRegion", "LocationName",
  ]
  private static let extendedLocation = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
  /// The properties that hold keywords, flat or in hierarchies: Dublin Core's, Lightroom's, digiKam's, Microsoft's,
  /// Media Pro's and ACDSee's.
  private static let keywords: Set<Name> = [
    subject, Name(namespace: "http://ns.adobe.com/lightroom/1.0/", local: "hierarchicalSubject"),
    Name(namespace: "http://ns.adobe.com/lightroom/1.0/", local: "weightedFlatSubject"),
    Name(namespace: "http://www.digikam.org/ns/1.0/", local: "TagsList"),
    Name(namespace: "http://ns.microsoft.com/photo/1.0/", local: "LastKeywordXMP"),
    Name(namespace: "http://ns.microsoft.com/photo/1.0", local: "LastKeywordXMP"),
    Name(namespace: "http://ns.microsoft.com/photo/1.0", local: "LastKeywordIPTC"),
    Name(namespace: "http://ns.iview-multimedia.com/mediapro/1.0/", local: "CatalogSets"),
    Name(namespace: "http://ns.acdsee.com/iptc/1.0/", local: "keywords"),
    Name(namespace: "http://ns.acdsee.com/iptc/1.0/", local: "categories"),
  ]

  /// The names of the place in the fields that are made for it.
  public var placeNames: PlaceNames {
    var names = PlaceNames()
    func note(_ name: Name, _ value: String) {
      if Self.locations[name.namespace]?.contains(name.local) == true {
        names.insert(value, isCode: name.local == "CountryCode")
      } else if name.namespace == Self.extendedLocation {
        if Self.parts.contains(name.local) { names.insert(value) }
        if name.local == "CountryCode" { names.insert(value, isCode: true) }
      } else if Self.isLocation(name), !value.contains(where: \.isNumber) {
        names.insert(value)
      }
    }
    for element in elements {
      for attribute in element.attributes { note(attribute.name, text(attribute.value)) }
      guard let value = text(of: element) else { continue }
      note(element.name, value)
      // In a language alternative, or a list, the field is two levels up.
      if element.name == Self.rdf("li"), let field = field(above: element) { note(field, value) }
    }
    return names
  }

  /// The name of the property whose array an item is in.
  private func field(above item: Element) -> Name? {
    let array = elements.first { outer in
      outer.children.contains { elements[$0].range == item.range } && outer.name.namespace == Self.rdf
    }
    return array.flatMap { array in
      elements.first { outer in outer.children.contains { elements[$0].range == array.range } }?.name
    }
  }

  /// Removes all properties that name a location, all keywords that are one, and all texts with one of its names in them.
  /// When one is nested deeper, the whole packet becomes empty.
  ///
  /// - Parameter names: Of the place, from all of the file's fields.
  /// - Returns: Whether a text that someone wrote, a title or a caption, named the place and was removed.
  /// - Throws: `FormatError.refused` when they can't be removed safely.
  @discardableResult
  public mutating func removeLocation(naming names: PlaceNames = PlaceNames()) throws(FormatError) -> Bool {
    var names = names
    names.formUnion(placeNames)
    for keyword in keywordItems { if let text = text(of: keyword) { names.noteHierarchy(text) } }
    try removeProperties { Self.isLocation($0) || $0 == Self.extended }
    while let keyword = keywordItems.first(where: { text(of: $0).map(names.isKeyword) ?? false }) {
      try remove(keyword)
    }
    let hadTexts = try removeTexts(naming: names)
    while let property = emptyLists.first { try remove(property) }
    let left = elements.flatMap { [$0.name] + $0.attributes.map(\.name) }
    guard left.contains(where: Self.isLocation) || isNamed(names) else { return hadTexts }
    guard MotionPhotoDescription(xmp: Data(bytes)) == nil else { throw Self.unsafeForm }
    self = try XMPPacket(Self.empty)
    return hadTexts
  }

  /// The properties of the picture that are lists without items.
  private var emptyLists: [Element] {
    descriptions.flatMap(\.children).map { elements[$0] }.filter { property in
      guard property.children.count == 1 else { return false }
      let list = elements[property.children[0]]
      return list.name.namespace == Self.rdf && ["Bag", "Seq", "Alt"].contains(list.name.local) && list.children.isEmpty
    }
  }

  /// The items of all lists of keywords, and keywords without a list.
  private var keywordItems: [Element] {
    elements.filter { Self.keywords.contains($0.name) }.flatMap { property -> [Element] in
      let items = property.children.flatMap { elements[$0].children }.map { elements[$0] }
      return items.isEmpty && property.children.isEmpty ? [property] : items.filter { $0.children.isEmpty }
    }
  }

  /// Removes the properties of the picture that have a name of the place anywhere in their texts; of a list, the items.
  private mutating func removeTexts(naming names: PlaceNames) throws(FormatError) -> Bool {
    var isRemoved = false
    while let element = elements.first(where: { element in
      element.children.isEmpty && text(of: element).map(names.isNamed) == true
    }) {
      try remove(element)
      isRemoved = true
    }
    while let element = descriptions.first(where: { $0.attributes.contains { isNamed(names, $0) } }),
      let attribute = element.attributes.last(where: { isNamed(names, $0) })
    {
      try remove(attribute, of: element)
      isRemoved = true
    }
    return isRemoved
  }

  private func isNamed(_ names: PlaceNames, _ attribute: Attribute) -> Bool {
    !attribute.qualified.hasPrefix("xmlns") && names.isNamed(in: text(attribute.value))
  }

  /// Whether a name of the place is left anywhere.
  private func isNamed(_ names: PlaceNames) -> Bool {
    elements.contains { element in
      element.attributes.contains { isNamed(names, $0) } || text(of: element).map(names.isNamed) == true
    }
  }

  private static func isLocation(_ name: Name) -> Bool {
    if locations[name.namespace]?.contains(name.local) == true { return true }
    if name.namespace == extendedLocation, parts.contains(name.local) || name.local == "CountryCode" { return true }
    let local = name.local.lowercased()
    return ["gps", "location", "latitude", "longitude"].contains { local.contains($0) }
  }
}
