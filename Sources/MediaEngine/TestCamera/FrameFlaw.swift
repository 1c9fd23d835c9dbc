// Damaged frames of the test camera, for tests: what cables and cheap cameras make of good ones.

import CameraCore

/// A flaw of single frames or of their timestamps. Those of the picture are for Motion JPEG.
enum FrameFlaw: Sendable, Equatable {
  /// The first half of the bytes.
  case cut
  /// The first half of the bytes, and EOI.
  case cutWithEnd
  /// Without EOI.
  case noEnd
  /// Zeros in the place of EOI.
  case zerosForEnd
  /// Other bytes before SOI.
  case lead
  /// A second frame header in the middle of the scan.
  case markerInScan
  /// A frame header that claims another size.
  case size(PixelSize)
  /// The second half of the picture has its markers and no data, which only a decoder finds out.
  case hollow
  /// A timestamp that is so many nanoseconds off.
  case stamp(Int64)
  /// The timestamp 0.
  case noStamp

  /// The flawed frame, and its timestamp in nanoseconds.
  func applied(to block: FrameBlock, time: Int64) -> (block: FrameBlock, time: Int64) {
    switch self {
    case .stamp(let offset): return (block, time + offset)
    case .noStamp: return (block, 0)
    case .cut, .cutWithEnd, .noEnd, .zerosForEnd, .lead, .markerInScan, .size, .hollow:
      let bytes = flawed(block.bytes)
      return (bytes.withUnsafeBytes { FrameBlock(copying: $0) }, time)
    }
  }

  private func flawed(_ bytes: [UInt8]) -> [UInt8] {
    let end: [UInt8] = [0xff, 0xd9]
    let half = Array(bytes[..<(bytes.count / 2)])
    // The test camera's frames end with EOI.
    let body = Array(bytes.dropLast(2))
    switch self {
    case .cut: return half
    case .cutWithEnd: return half + end
    case .noEnd: return body
    case .zerosForEnd: return body + [UInt8](repeating: 0, count: 1000)
    case .lead: return [UInt8](repeating: 0x41, count: 200) + bytes
    case .markerInScan:
      let middle = bytes.count * 3 / 4
      return Array(bytes[..<middle]) + [0xff, 0xc0] + Array(bytes[middle...])
    case .size(let size):
      guard let header = Self.segment(0xc0, in: bytes) else { return bytes }
      var changed = bytes
      changed.replaceSubrange(
        header + 5..<header + 9,
        with: [UInt8(size.height >> 8), UInt8(size.height & 255), UInt8(size.width >> 8), UInt8(size.width & 255)])
      return changed
    case .hollow:
      var kept = half
      for index in half.count..<bytes.count - 1 where bytes[index] == 0xff && (0xd0...0xd9).contains(bytes[index + 1]) {
        kept += bytes[index...index + 1]
      }
      return kept
    case .stamp, .noStamp: return bytes
    }
  }

  /// The offset of the first segment with a code.
  private static func segment(_ code: UInt8, in bytes: [UInt8]) -> Int? {
    var offset = 2
    while offset + 9 < bytes.count, bytes[offset] == 0xff {
      if bytes[offset + 1] == code { return offset }
      offset += 2 + (Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3]))
    }
    return nil
  }
}
