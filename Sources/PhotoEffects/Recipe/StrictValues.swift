// An object of JSON in which every key must be known.

import Foundation

/// Any key, so that those which nobody knows are seen.
struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(_ key: some RawRepresentable<String>) { stringValue = key.rawValue }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

/// The values of an object whose keys are those of `Key` and no others.
struct StrictValues<Key: RawRepresentable<String> & CaseIterable> {
  private let values: KeyedDecodingContainer<AnyKey>

  /// - Throws: `RecipeError.unknownKeys`.
  init(_ decoder: any Decoder) throws { try self.init(decoder.container(keyedBy: AnyKey.self)) }

  init(_ values: KeyedDecodingContainer<AnyKey>) throws {
    self.values = values
    let path = values.codingPath.map { $0.stringValue + "." }.joined()
    try Self.refuse(values.allKeys, known: Key.allCases.map(\.rawValue), path: path)
  }

  /// - Throws: `RecipeError.unknownKeys` when there are any, with the path in front of them.
  static func refuse(_ keys: [AnyKey], known: [String], path: String) throws {
    let unknown = keys.map(\.stringValue).filter { !known.contains($0) }
    guard unknown.isEmpty else { throw RecipeError.unknownKeys(unknown.sorted().map { path + $0 }) }
  }

  func value<Value: Decodable>(_ key: Key) throws -> Value? {
    // A key that is there with `null` has a meaning that nobody defined: it is of the wrong kind.
    values.contains(AnyKey(key)) ? try values.decode(Value.self, forKey: AnyKey(key)) : nil
  }

  func required<Value: Decodable>(_ key: Key, _ type: Value.Type) throws -> Value {
    try values.decode(type, forKey: AnyKey(key))
  }

  func container(_ key: Key) throws -> KeyedDecodingContainer<AnyKey>? {
    values.contains(AnyKey(key)) ? try values.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(key)) : nil
  }

  func nested<Inner: RawRepresentable<String> & CaseIterable>(
    _ key: Key, _ type: Inner.Type
  ) throws -> StrictValues<Inner>? {
    try container(key).map { try StrictValues<Inner>($0) }
  }
}
