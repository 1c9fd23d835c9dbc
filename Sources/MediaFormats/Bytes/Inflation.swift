// Decompression of zlib's format, for short blocks of metadata.

/// Decompresses data in zlib's format, up to a limit.
///
/// Untrusted input: every code and distance is checked. It is made for metadata of some kilobytes, and reads bit by bit.
///
/// Source: RFC 1950 (the frame) and RFC 1951 (the blocks).
struct Inflation {
  private static let lengths: [(base: Int, bits: Int)] = [
    (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0), (10, 0), (11, 1), (13, 1), (15, 1), (17, 1), (19, 2),
    (23, 2),
    (27, 2), (31, 2), (35, 3), (43, 3), (51, 3), (59, 3), (67, 4), (83, 4), (99, 4), (115, 4), (131, 5), (163, 5),
    (195, 5), (227, 5), (258, 0),
  ]
  private static let distances: [(base: Int, bits: Int)] = [
    (1, 0), (2, 0), (3, 0), (4, 0), (5, 1), (7, 1), (9, 2), (13, 2), (17, 3), (25, 3), (33, 4), (49, 4), (65, 5),
    (97, 5),
    (129, 6), (193, 6), (257, 7), (385, 7), (513, 8), (769, 8), (1025, 9), (1537, 9), (2049, 10), (3073, 10),
    (4097, 11),
    (6145, 11), (8193, 12), (12_289, 12), (16_385, 13), (24_577, 13),
  ]
  /// The order in which the lengths of the codes for lengths are written.
  private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  /// Codes by their lengths: how many there are of each, and their symbols in order.
  private struct Codes {
    var counts = [Int](repeating: 0, count: 16)
    var symbols: [Int] = []

    /// - Parameter lengths: In bits, by symbol; 0 for one that doesn't occur.
    /// - Returns: `nil` when they contradict each other.
    init?(_ lengths: [Int]) {
      for length in lengths where length > 0 { counts[length] += 1 }
      var left = 1
      for count in counts.dropFirst() {
        left = left * 2 - count
        guard left >= 0 else { return nil }
      }
      symbols = lengths.indices.filter { lengths[$0] > 0 }.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
    }
  }

  private let bytes: ArraySlice<UInt8>
  private let limit: Int
  private var at: Int
  private var bit = 0
  private var result: [UInt8] = []

  private init(_ bytes: ArraySlice<UInt8>, limit: Int) {
    (self.bytes, self.limit, at) = (bytes, limit, bytes.startIndex)
  }

  /// The content of data in zlib's format. The checksum at its end isn't compared: what can be read may tell something.
  ///
  /// - Parameter limit: In bytes.
  /// - Returns: `nil` when it is damaged, or longer than the limit.
  static func content(of bytes: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
    // The method is 8, and no dictionary is agreed upon.
    guard bytes.count > 2, bytes[bytes.startIndex] & 15 == 8, bytes[bytes.startIndex + 1] & 32 == 0 else { return nil }
    var inflation = Self(bytes.dropFirst(2), limit: limit)
    return inflation.readBlocks() ? inflation.result : nil
  }

  private mutating func readBlocks() -> Bool {
    while true {
      guard let isLast = number(1), let kind = number(2) else { return false }
      let isRead =
        switch kind {
        case 0: copyStored()
        case 1: readFixed()
        case 2: readDynamic()
        default: false
        }
      guard isRead else { return false }
      if isLast == 1 { return true }
    }
  }

  /// Bits, the lowest first; `nil` at the end.
  private mutating func number(_ count: Int) -> Int? {
    var value = 0
    for place in 0..<count {
      guard at < bytes.endIndex else { return nil }
      value |= Int(bytes[at] >> UInt8(bit) & 1) << place
      bit += 1
      if bit == 8 { (at, bit) = (at + 1, 0) }
    }
    return value
  }

  private mutating func symbol(_ codes: Codes) -> Int? {
    var (code, first, index) = (0, 0, 0)
    for length in 1...15 {
      guard let next = number(1) else { return nil }
      code |= next
      let count = codes.counts[length]
      if code - count < first { return codes.symbols[index + code - first] }
      (index, first, code) = (index + count, (first + count) * 2, code * 2)
    }
    return nil
  }

  private mutating func copyStored() -> Bool {
    if bit > 0 { (at, bit) = (at + 1, 0) }
    guard at + 4 <= bytes.endIndex else { return false }
    let count = Int(bytes[at]) | Int(bytes[at + 1]) << 8
    guard count ^ 0xffff == Int(bytes[at + 2]) | Int(bytes[at + 3]) << 8, at + 4 + count <= bytes.endIndex,
      result.count + count <= limit
    else { return false }
    result += bytes[at + 4..<at + 4 + count]
    at += 4 + count
    return true
  }

  private mutating func readFixed() -> Bool {
    let lengths = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
    guard let codes = Codes(lengths), let distances = Codes([Int](repeating: 5, count: 30)) else { return false }
    return read(codes, distances)
  }

  private mutating func readDynamic() -> Bool {
    guard let literals = number(5), let distances = number(5), let count = number(4), literals <= 29 else {
      return false
    }
    var first = [Int](repeating: 0, count: 19)
    for place in Self.order.prefix(count + 4) {
      guard let length = number(3) else { return false }
      first[place] = length
    }
    guard let codes = Codes(first) else { return false }
    let total = literals + 257 + distances + 1
    var lengths: [Int] = []
    while lengths.count < total {
      guard let symbol = symbol(codes) else { return false }
      switch symbol {
      case 16:
        guard let last = lengths.last, let times = number(2) else { return false }
        lengths += [Int](repeating: last, count: times + 3)
      case 17, 18:
        guard let times = number(symbol == 17 ? 3 : 7) else { return false }
        lengths += [Int](repeating: 0, count: times + (symbol == 17 ? 3 : 11))
      default: lengths.append(symbol)
      }
    }
    guard lengths.count == total, let literalCodes = Codes(Array(lengths[..<(literals + 257)])),
      let distanceCodes = Codes(Array(lengths[(literals + 257)...]))
    else { return false }
    return read(literalCodes, distanceCodes)
  }

  private mutating func read(_ literals: Codes, _ distances: Codes) -> Bool {
    while let symbol = symbol(literals) {
      if symbol == 256 { return true }
      if symbol < 256 {
        guard result.count < limit else { return false }
        result.append(UInt8(symbol))
        continue
      }
      guard symbol - 257 < Self.lengths.count, let more = number(Self.lengths[symbol - 257].bits),
        let place = self.symbol(distances), place < Self.distances.count,
        let further = number(Self.distances[place].bits)
      else { return false }
      let count = Self.lengths[symbol - 257].base + more
      let distance = Self.distances[place].base + further
      guard distance <= result.count, result.count + count <= limit else { return false }
      for _ in 0..<count { result.append(result[result.count - distance]) }
    }
    return false
  }
}
