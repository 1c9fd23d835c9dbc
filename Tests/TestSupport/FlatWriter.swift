// FlatBuffers for tests.

/// A field of a table; lengths and places are the writer's.
public indirect enum FlatValue {
  case byte(Int)
  case number(Int)
  case table([Int: FlatValue])
  case tables([[Int: FlatValue]])
  case numbers([Int])
  case bytes([UInt8])
}

/// Writes tables and vectors behind the places that point to them.
public struct FlatWriter {
  private var bytes: [UInt8] = []

  /// A file with a table at its root.
  public static func file(_ root: [Int: FlatValue], identifier: String = "TFL3") -> [UInt8] {
    var writer = FlatWriter()
    writer.put(0, 4)
    writer.bytes += Array(identifier.utf8)
    let place = writer.table(root)
    writer.set(place, at: 0)
    return writer.bytes
  }

  private mutating func put(_ number: Int, _ count: Int) {
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
  }

  private mutating func set(_ target: Int, at place: Int) {
    for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: (target - place) >> (8 * index)) }
  }

  private mutating func table(_ fields: [Int: FlatValue]) -> Int {
    let head = bytes.count
    let count = (fields.keys.max() ?? -1) + 1
    // Each field takes four bytes behind the table's own four.
    put(4 + 2 * count, 2)
    put(4 + 4 * count, 2)
    for index in 0..<count { put(fields[index] == nil ? 0 : 4 + 4 * index, 2) }
    let start = bytes.count
    put(start - head, 4)
    bytes += [UInt8](repeating: 0, count: 4 * count)
    for (index, value) in fields.sorted(by: { $0.key < $1.key }) {
      let place = start + 4 + 4 * index
      switch value {
      case .byte(let number): bytes[place] = UInt8(truncatingIfNeeded: number)
      case .number(let number):
        for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte)) }
      case .table(let fields): set(table(fields), at: place)
      case .tables(let tables):
        set(bytes.count, at: place)
        put(tables.count, 4)
        let entries = bytes.count
        bytes += [UInt8](repeating: 0, count: 4 * tables.count)
        for (number, fields) in tables.enumerated() { set(table(fields), at: entries + 4 * number) }
      case .numbers(let numbers):
        set(bytes.count, at: place)
        put(numbers.count, 4)
        for number in numbers { put(number, 4) }
      case .bytes(let data):
        set(bytes.count, at: place)
        put(data.count, 4)
        bytes += data
      }
    }
    return start
  }
}
