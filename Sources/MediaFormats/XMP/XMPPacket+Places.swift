// The place in an XMP packet: the fields that name it, and the keywords and texts that repeat it.

import Foundation

extension XMPPacket {
  private static let extendedLocation = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
  /// IPTC's, Photoshop's and Darwin Core's names of location properties that no general rule knows, by namespace.
  private static let locations: [String: Set<String>] = [
    "http://ns.adobe.com/photoshop/1.0/": ["City", "State", "Country"],
    "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/": ["Location", "CountryCode"],
    extendedLocation: ["Sublocation", "ProvinceState", "WorldRegion"],
    "http://rs.tdwg.org/dwc/index.htm": darwinCore, "http://rs.tdwg.org/dwc/terms/": darwinCore,
    "http://www.w3.org/2003/01/geo/wgs84_pos#": ["Point", "SpatialThing"],
  ]
  private static let darwinCore: Set<String> = [
    "higherGeography", "HigherGeography", "island", "Island", "islandGroup", "IslandGroup", "waterBody", "WaterBody",
    "continent", "Continent", "stateProvince", "StateProvince", "municipality", "Municipality", "habitat", "Habitat",
  ]
  /// Whole names of properties in any namespace, in lower case, that name a place.
  private static let named: Set<String> = [
    "city", "country", "countryname", "countrycode", "county", "coverage", "spatial", "place", "placename", "places",
    "where", "wo",
  ]
  /// The same of coordinates and heights.
  private static let measured: Set<String> = ["lat", "lon", "lng", "long", "alt", "latlng", "latlon", "latlong", "geo"]
  /// Parts of names of properties, in lower case, that name a place.
  private static let namedParts = ["location", "locality", "gpsarea"]
  /// The same of coordinates and heights.
  private static let measuredParts = [
    "gps", "latitude", "longitude", "longtitude", "altitude", "elevation", "coordinate", "geohash", "geotag", "geocod",
    "georef", "geodetic", "footprintwkt",
  ]
  /// The same at the end of a name of several words: DJI's `LRFTargetLat` is where the range finder points at.
  private static let measuredEndings = ["Lat", "Lon", "Lng", "Alt", "_lat", "_lon", "_lng", "_alt"]

  /// Parts of the namespaces in which everything is a position: W3C's, GeoRSS's and GML's.
  private static let measuredNamespaces = ["/geo/", "georss.org", "opengis.net/gml"]

  private static let categories = Name(namespace: "http://ns.acdsee.com/iptc/1.0/", local: "categories")
  /// The properties that hold keywords, flat or in hierarchies: Dublin Core's, Lightroom's, digiKam's, Microsoft's,
  /// Media Pro's and ACDSee's.
  private static let keywords: Set<Name> = [
    subject, categories, Name(namespace: "http://ns.adobe.com/lightroom/1.0/", local: "hierarchicalSubject"),
    Name(namespace: "http://ns.adobe.com/lightroom/1.0/", local: "weightedFlatSubject"),
    Name(namespace: "http://www.digikam.org/ns/1.0/", local: "TagsList"),
    Name(namespace: "http://ns.microsoft.com/photo/1.0/", local: "LastKeywordXMP"),
    Name(namespace: "http://ns.microsoft.com/photo/1.0", local: "LastKeywordXMP"),
    Name(namespace: "http://ns.microsoft.com/photo/1.0", local: "LastKeywordIPTC"),
    Name(namespace: "http://ns.iview-multimedia.com/mediapro/1.0/", local: "CatalogSets"),
    Name(namespace: "http://ns.acdsee.com/iptc/1.0/", local: "keywords"),
  ]
  /// Numbers that are no positions: settings of developers and areas of pictures.
  private static let ofNumbers: Set<String> = [
    "http://ns.adobe.com/camera-raw-settings/1.0/", "http://ns.adobe.com/xmp/sType/Area#",
    "http://ns.microsoft.com/photo/1.2/t/Region#", "http://darktable.sf.net/",
  ]

  // MARK: Names

  /// The names of the place in the fields that are made for it, and in hierarchies of places; and its coordinates.
  public var placeNames: PlaceNames {
    var names = PlaceNames()
    let parents = parents
    func note(_ name: Name, _ value: String) {
      guard Self.isNamed(name) else {
        if Self.isLocation(name) { names.insert(position: value) }
        return
      }
      names.insert(value, isCode: name.local.lowercased() == "countrycode")
    }
    for (index, element) in elements.enumerated() {
      for attribute in element.attributes where !attribute.qualified.hasPrefix("xmlns") {
        note(attribute.name, text(attribute.value))
      }
      guard let value = text(of: element) else { continue }
      note(element.name, value)
      // In a language alternative, or a list, the field is two levels up.
      if element.name == Self.rdf("li"), let list = parents[index], let field = parents[list] {
        note(elements[field].name, value)
      }
    }
    for keyword in hierarchies where PlaceNames.isOfPlaces(keyword) { names.noteHierarchy(keyword) }
    return names
  }

  /// Notes the hierarchies in which the place is, whose parts other programs repeat as keywords.
  public func noteHierarchies(in names: inout PlaceNames) {
    for keyword in hierarchies { names.noteHierarchy(keyword) }
    names.noteTree(keywordTree.map { ($0.word, $0.parent) })
  }

  /// The keywords, as written.
  private var hierarchies: [String] {
    var found: [String] = []
    for element in elements {
      for attribute in element.attributes where Self.keywords.contains(attribute.name) {
        found += Self.keywords(in: text(attribute.value), of: attribute.name)
      }
    }
    for (name, item) in keywordItems {
      if let text = text(of: elements[item]) { found += Self.keywords(in: text, of: name) }
    }
    return found
  }

  /// The items of all lists of keywords, and keywords without a list, with the name of their property.
  private var keywordItems: [(name: Name, item: Int)] {
    elements.indices.filter { Self.keywords.contains(elements[$0].name) }.flatMap { property -> [(Name, Int)] in
      let element = elements[property]
      if element.children.isEmpty { return [(element.name, property)] }
      return element.children.flatMap { elements[$0].children }.filter { elements[$0].children.isEmpty }
        .map { (element.name, $0) }
    }
  }

  private static func keywords(in text: String, of name: Name) -> [String] {
    name == categories ? branches(ofCategories: text) : [text]
  }

  /// The branches of ACDSee's tree of categories, `<Category Assigned="0">Places<Category Assigned="1">Bern</Category>…`.
  private static func branches(ofCategories text: String) -> [String] {
    var branches: [String] = []
    var open: [String] = []
    for piece in text.split(separator: "<") {
      let parts = piece.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
      if parts[0].hasPrefix("/") {
        _ = open.popLast()
      } else if parts.count == 2, !parts[0].hasSuffix("/") {
        open.append(parts[1].trimmingCharacters(in: .whitespacesAndNewlines))
        if open.count <= deepestCategory { branches.append(open.filter { !$0.isEmpty }.joined(separator: "|")) }
      }
    }
    return branches
  }

  private static let deepestCategory = 16

  // MARK: Removal

  /// Removes all properties that name a location, all keywords that are one, and all texts with one of its names, or
  /// with coordinates, in them. When something is left that can't be removed, the whole packet becomes empty.
  ///
  /// - Parameter names: Of the place, from all of the file's fields.
  /// - Returns: Whether a text that someone wrote, a title or a caption, told the place and was removed.
  /// - Throws: `FormatError.refused` when they can't be removed safely.
  @discardableResult
  public mutating func removeLocation(naming names: PlaceNames = PlaceNames()) throws(FormatError) -> Bool {
    var names = names
    names.formUnion(placeNames)
    noteHierarchies(in: &names)
    let (removal, hadTexts) = locationRemoval(names)
    try remove(withEmptiedLists(removal))
    guard isTold(names) else { return hadTexts }
    guard MotionPhotoDescription(xmp: Data(bytes)) == nil else { throw Self.unsafeForm }
    self = try XMPPacket(Self.empty)
    return hadTexts
  }

  private func locationRemoval(_ names: PlaceNames) -> (removal: Removal, hadTexts: Bool) {
    var removal = noRemoval
    var hadTexts = false
    for (name, item) in keywordItems {
      guard let text = text(of: elements[item]) else { continue }
      if Self.keywords(in: text, of: name).contains(where: names.isKeyword) { removal.elements[item] = true }
    }
    for element in keywordTreeRemoval(names) { removal.elements[element] = true }
    var end = 0
    for (index, element) in elements.enumerated() where element.range.lowerBound >= end {
      if Self.isLocation(element.name) || element.name == Self.extended { removal.elements[index] = true }
      if !removal.elements[index], element.children.isEmpty, isTold(names, element.name, text(of: element) ?? "") {
        removal.elements[index] = true
        hadTexts = true
      }
      if removal.elements[index] {
        end = element.range.upperBound
        continue
      }
      for (number, attribute) in element.attributes.enumerated() where !attribute.qualified.hasPrefix("xmlns") {
        let value = text(attribute.value)
        let isKeyword =
          Self.keywords.contains(attribute.name)
          && Self.keywords(in: value, of: attribute.name).contains(where: names.isKeyword)
        if Self.isLocation(attribute.name) || attribute.name == Self.extended || isKeyword {
          removal.attributes[index, default: []].insert(number)
        } else if isTold(names, attribute.name, value) {
          removal.attributes[index, default: []].insert(number)
          hadTexts = true
        }
      }
    }
    return (removal, hadTexts)
  }

  private func isTold(_ names: PlaceNames, _ name: Name, _ text: String) -> Bool {
    Self.ofNumbers.contains(name.namespace) ? names.isNamed(in: text) : names.isTold(in: text)
  }

  /// Whether the place is left anywhere: in a name, a value, a stray text, a comment or an instruction.
  private func isTold(_ names: PlaceNames) -> Bool {
    for element in elements {
      if Self.isLocation(element.name) || isTold(names, element.name, directText(of: element)) { return true }
      for attribute in element.attributes where !attribute.qualified.hasPrefix("xmlns") {
        if Self.isLocation(attribute.name) || isTold(names, attribute.name, text(attribute.value)) { return true }
      }
    }
    return sections.contains { names.isTold(in: source($0)) }
  }

  static func isLocation(_ name: Name) -> Bool {
    if name.namespace == rdf { return false }
    if isNamed(name) { return true }
    if measuredNamespaces.contains(where: { name.namespace.lowercased().contains($0) }) { return true }
    let local = name.local.lowercased()
    return measured.contains(local) || (measuredParts + namedParts).contains { local.contains($0) }
      || measuredEndings.contains { name.local.hasSuffix($0) && name.local.count > $0.count }
  }

  /// Whether a property is made for the names of a place.
  private static func isNamed(_ name: Name) -> Bool {
    if name.namespace == rdf { return false }
    if locations[name.namespace]?.contains(name.local) == true { return true }
    let local = name.local.lowercased()
    if local.hasSuffix("id") || measuredParts.contains(where: { $0 != "gps" && local.contains($0) }) { return false }
    return named.contains(local) || namedParts.contains { local.contains($0) }
  }
}
