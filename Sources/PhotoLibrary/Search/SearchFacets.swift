// What there is to search for in a library, with counts: the material of suggestions.

/// The albums, places, cameras, kinds and months of the pictures that aren't hidden.
public struct SearchFacets: Sendable, Hashable {
  /// A name and the number of its pictures.
  public struct Entry<Value: Sendable & Hashable>: Sendable, Hashable {
    public var value: Value
    public var count: Int

    public init(_ value: Value, count: Int) { (self.value, self.count) = (value, count) }
  }

  /// Titles; albums of the same title are one.
  public var albums: [Entry<String>] = []
  /// Countries with their cities.
  public var places: [PhotoPlace] = []
  /// Names, as the files tell them.
  public var cameras: [Entry<String>] = []
  public var kinds: [Entry<SearchKind>] = []
  /// The latest first.
  public var months: [Entry<Month>] = []

  public init() {}
}
