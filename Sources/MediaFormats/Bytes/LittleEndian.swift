// Little-endian numbers.

/// Numbers with the lowest byte first, as TIFF and RIFF files have them.
enum LittleEndian {
  /// A number of `count` bytes.
  static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }
}
