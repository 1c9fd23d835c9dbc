// Reads settings value by value, so that one that isn't understood costs none of the others.

import Synchronization

/// The values of one object in the settings' JSON.
struct SettingsReader<Key: CodingKey> {
  private let values: KeyedDecodingContainer<Key>
  private let unreadable: UnreadableSettings?
  /// Those of this object.
  private let own = UnreadableSettings()

  /// - Throws: `DecodingError` when it isn't an object.
  init(_ decoder: any Decoder, keyedBy type: Key.Type) throws {
    values = try decoder.container(keyedBy: type)
    unreadable = UnreadableSettings.key.flatMap { decoder.userInfo[$0] as? UnreadableSettings }
  }

  /// The keys of the values so far that could not be read.
  var unreadableKeys: [String] { own.paths }

  /// Whether there is a value, of whatever type.
  func holds(_ key: Key) -> Bool { values.contains(key) }

  /// The value; `nil` where there is none, or one of another type.
  func read<Value: Decodable>(_ key: Key) -> Value? {
    do { return try values.decodeIfPresent(Value.self, forKey: key) } catch {
      unreadable?.add(values.codingPath + [key])
      own.add([key])
      return nil
    }
  }

  /// The same for one of some names or numbers. One that this version doesn't know counts as none.
  func choice<Value: RawRepresentable>(_ key: Key) -> Value? where Value.RawValue: Decodable {
    let raw: Value.RawValue? = read(key)
    return raw.flatMap(Value.init)
  }

  /// The values of an object whose keys aren't known, without those of another type.
  func dictionary<Value: Decodable>(_ key: Key) -> [String: Value] {
    guard holds(key) else { return [:] }
    do {
      let nested = try SettingsReader<AnyName>(values.superDecoder(forKey: key), keyedBy: AnyName.self)
      var all: [String: Value] = [:]
      for name in nested.values.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
        all[name.stringValue] = nested.read(name)
      }
      return all
    } catch {
      unreadable?.add(values.codingPath + [key])
      return [:]
    }
  }
}

/// The key of an object with any keys.
private struct AnyName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// Collects what a `SettingsReader` could not read.
final class UnreadableSettings: Sendable {
  /// Where decoders carry it.
  static let key = CodingUserInfoKey(rawValue: "io.github.photome.unreadable-settings")

  private let found = Mutex<[String]>([])

  /// The paths of the values, as `capture.delay`, in the order of reading.
  var paths: [String] { found.withLock { $0 } }

  func add(_ path: [any CodingKey]) {
    let text = path.map(\.stringValue).joined(separator: ".")
    found.withLock { $0.append(text) }
  }
}
