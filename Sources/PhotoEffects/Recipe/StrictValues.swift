// Strict decoding: JSON objects without unknown keys.

import Foundation

/// Any key, so that unknown ones are seen.
struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(_ key: some RawRepresentable<String>) { stringValue = key.rawValue }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

/// The values of an object without keys other than those of `Key`.
struct StrictValues<Key: RawRepresentable<String> & CaseIterable> {
  private let values: KeyedDecodingContainer<AnyKey>

  /// - Throws: `RecipeError.unknownKeys`.
  init(_ decoder: any Decoder) throws { try self.init(decoder.container(keyedBy: AnyKey.self)) }

  init(_ values: KeyedDecodingContainer<AnyKey>) throws {
    self.values = values
    let path = values.codingPath.map { $0.stringValue + "." }.joined()
    try Self.refuse(values.allKeys, known: Key.allCases.map(\.rawValue), path: path)
  }

  /// - Throws: `RecipeError.unknownKeys`, each with its path.
  static func refuse(_ keys: [AnyKey], known: [String], path: String) throws {
    let unknown = keys.map(\.stringValue).filter { !known.contains($0) }
    guard unknown.isEmpty else { throw RecipeError.unknownKeys(unknown.sorted().map { path + $0 }) }
  }

  func value<Value: Decodable>(_ key: Key) throws -> Value? {
    // An explicit `null` has no defined meaning: it is refused as a value of the wrong type.
    values.contains(AnyKey(key)) ? try values.decode(Value.self, forKey: AnyKey(key)) : nil
  }

  func required<Value: Decodable>(_ key: Key, _ type: Value.Type) throws -> Value {
    try values.decode(type, forKey: AnyKey(key))
  }

  func container(_ key: Key) throws -> KeyedDecodingContainer<AnyKey>? {
    values.contains(AnyKey(key)) ? try values.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(key)) : nil
  }

  /// The results of a list of objects; empty without one.
  ///
  /// - Parameter element: Makes one of the values of an object.
  func list<Inner: RawRepresentable<String> & CaseIterable, Element>(
    _ key: Key, _ type: Inner.Type, _ element: (StrictValues<Inner>) throws -> Element
  ) throws -> [Element] {
    guard values.contains(AnyKey(key)) else { return [] }
    var objects = try values.nestedUnkeyedContainer(forKey: AnyKey(key))
    var elements: [Element] = []
    while !objects.isAtEnd {
      elements.append(try element(StrictValues<Inner>(objects.nestedContainer(keyedBy: AnyKey.self))))
    }
    return elements
  }

  func nested<Inner: RawRepresentable<String> & CaseIterable>(
    _ key: Key, _ type: Inner.Type
  ) throws -> StrictValues<Inner>? {
    try container(key).map { try StrictValues<Inner>($0) }
  }
}
