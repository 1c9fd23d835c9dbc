// Big-endian numbers in memory.

/// Reads and appends numbers with the highest byte first, as JPEG, MP4 and Apple's maker note have them.
public enum BigEndian {
  /// The number at an index of the bytes, which must be there.
  static func number<Bytes: RandomAccessCollection>(_ bytes: Bytes, at index: Int, count: Int) -> UInt64
  where Bytes.Element == UInt8, Bytes.Index == Int {
    var number: UInt64 = 0
    for index in index..<index + count { number = number << 8 | UInt64(bytes[index]) }
    return number
  }

  /// Adds a number of `count` bytes.
  public static func append(_ number: UInt64, _ count: Int, to bytes: inout [UInt8]) {
    for index in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
  }

  /// Numbers of four bytes each, one after another.
  public static func words(_ numbers: UInt64...) -> [UInt8] {
    var bytes: [UInt8] = []
    for number in numbers { append(number, 4, to: &bytes) }
    return bytes
  }

  /// Numbers of two bytes each, one after another.
  static func halves(_ numbers: UInt64...) -> [UInt8] {
    var bytes: [UInt8] = []
    for number in numbers { append(number, 2, to: &bytes) }
    return bytes
  }

  static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}

/// Random access to big-endian numbers, in memory or in a file.
public protocol BigEndianReader {
  associatedtype Failure: Error

  /// The number at an offset; `nil` past the end.
  ///
  /// - Throws: When the bytes can't be read.
  mutating func number(at offset: UInt64, bytes count: Int) throws(Failure) -> UInt64?
}

extension ByteWindow: BigEndianReader {}

/// Numbers in memory. Offsets are indices of the slice.
struct MemoryReader: BigEndianReader {
  typealias Failure = Never

  let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  func number(at offset: UInt64, bytes count: Int) -> UInt64? {
    let index = Int(clamping: offset)
    guard index >= bytes.startIndex, index <= bytes.endIndex, count <= bytes.endIndex - index else { return nil }
    return BigEndian.number(bytes, at: index, count: count)
  }
}

extension UnsafeRawBufferPointer {
  /// The big-endian number of 16 bits at an offset; `nil` past the end.
  func bigEndian16(at offset: Int) -> Int? {
    guard offset >= 0, offset + 1 < count else { return nil }
    return Int(BigEndian.number(self, at: offset, count: 2))
  }
}
