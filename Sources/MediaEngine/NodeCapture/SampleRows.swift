// Rows of samples of more than 8 bits: unpacked, reduced, widened.

import CameraCore

/// The conversions of a row of samples. Samples of two bytes have the lower byte first.
enum SampleRows {
  /// The upper 8 bits of samples in the lower bits of two bytes; whatever is above white is white.
  static func reduce(_ source: UnsafeRawPointer, _ bits: Int, count: Int, into target: UnsafeMutableRawPointer) {
    let shift = UInt16(bits - 8)
    for index in 0..<count {
      let value = UInt16(littleEndian: source.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)) &>> shift
      target.storeBytes(of: UInt8(truncatingIfNeeded: min(value, 255)), toByteOffset: index, as: UInt8.self)
    }
  }

  /// The same of packed samples.
  ///
  /// - Parameter count: A multiple of the pixels in a group.
  static func reduce(packed source: UnsafeRawPointer, _ bits: Int, count: Int, into target: UnsafeMutableRawPointer) {
    let pixels = bits == 12 ? 2 : 4
    let bytes = pixels * bits / 8
    for group in 0..<count / pixels {
      for pixel in 0..<pixels {
        target.storeBytes(
          of: source.load(fromByteOffset: group * bytes + pixel, as: UInt8.self),
          toByteOffset: group * pixels + pixel, as: UInt8.self)
      }
    }
  }

  /// Packed samples in the lower bits of two bytes each.
  ///
  /// - Parameters:
  ///   - count: A multiple of the pixels in a group.
  ///   - left: The bits by which they are moved up.
  static func unpack(
    _ source: UnsafeRawPointer, _ bits: Int, count: Int, shiftedLeft left: Int = 0, into target: UnsafeMutableRawPointer
  ) {
    let pixels = bits == 12 ? 2 : 4
    let (bytes, lower) = (pixels * bits / 8, UInt32(bits - 8))
    let mask = (1 as UInt32) << lower - 1
    for group in 0..<count / pixels {
      let start = group * bytes
      var rest: UInt32 = 0
      for byte in pixels..<bytes {
        rest |= UInt32(source.load(fromByteOffset: start + byte, as: UInt8.self)) &<< UInt32(8 * (byte - pixels))
      }
      for pixel in 0..<pixels {
        let upper = UInt32(source.load(fromByteOffset: start + pixel, as: UInt8.self))
        let value = (upper &<< lower | rest & mask) &<< UInt32(left)
        rest &>>= lower
        target.storeBytes(
          of: UInt16(truncatingIfNeeded: value).littleEndian, toByteOffset: 2 * (group * pixels + pixel),
          as: UInt16.self)
      }
    }
  }

  /// Samples in the upper bits of two bytes, as GStreamer has gray pictures of 16 bits; whatever is above white is white.
  static func widen(_ source: UnsafeRawPointer, _ bits: Int, count: Int, into target: UnsafeMutableRawPointer) {
    let (shift, white) = (UInt16(16 - bits), UInt16((1 << bits) - 1))
    for index in 0..<count {
      let value = UInt16(littleEndian: source.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))
      target.storeBytes(of: (min(value, white) &<< shift).littleEndian, toByteOffset: 2 * index, as: UInt16.self)
    }
  }
}
