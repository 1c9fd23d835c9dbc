// Arithmetic on 32-bit pixels.

/// Operations that all kernels share.
///
/// Kernels that compute a pixel write 255 into the unused byte, so that a reader who takes it for opacity sees an opaque
/// picture. Kernels that only move pixels move them whole. An operation without effect writes nothing.
enum Pixel {
  /// The unused byte of computed pixels.
  static let unused: UInt32 = 0xff00_0000

  /// Blends pixels into others, channel by channel, rounded to nearest; the unused byte becomes 255.
  ///
  /// - Parameter weight: Of the new pixels, 0 to 256.
  static func mix(
    _ new: UnsafePointer<UInt32>, into old: UnsafeMutablePointer<UInt32>, count: Int, weight: UInt16
  ) {
    let rest = 256 &- weight
    new.withMemoryRebound(to: UInt8.self, capacity: 4 * count) { new in
      old.withMemoryRebound(to: UInt8.self, capacity: 4 * count) { old in
        for at in 0..<4 * count {
          // At most 255 · 256 + 128.
          let sum = UInt16(old[at]) &* rest &+ UInt16(new[at]) &* weight &+ 128
          old[at] = UInt8(truncatingIfNeeded: sum &>> 8)
        }
      }
    }
    for at in 0..<count { old[at] |= unused }
  }

  /// A pixel blended into another one, channel by channel, rounded to nearest; the unused byte is the other one's.
  ///
  /// - Parameter weight: Of the new pixel, 0 to 256.
  @inline(__always)
  static func mixed(_ new: UInt32, into old: UInt32, weight: UInt32) -> UInt32 {
    let rest = 256 &- weight
    // Two channels at a time, each with 8 bits of room: at most 255 · 256 + 128.
    let outer = ((new & 0xff_00ff) &* weight &+ (old & 0xff_00ff) &* rest &+ 0x80_0080) >> 8 & 0xff_00ff
    let inner = ((new >> 8 & 0xff) &* weight &+ (old >> 8 & 0xff) &* rest &+ 0x80) & 0xff00
    return old & unused | outer | inner
  }

  /// Blue, green, red and the unused byte, 0…255.
  @inline(__always)
  static func color(_ pixel: UInt32) -> SIMD4<Float> {
    let bytes = unsafeBitCast(pixel, to: SIMD4<UInt8>.self)
    // 2²³ with the byte in its lowest bits.
    let bits = SIMD4<UInt32>(truncatingIfNeeded: bytes) | 0x4b00_0000
    return unsafeBitCast(bits, to: SIMD4<Float>.self) - 8_388_608
  }

  /// The nearest whole numbers, without the checks that Swift makes for numbers out of range.
  ///
  /// - Parameter x: 0 to below 2²³. Adding 2²³ moves the whole part into the lowest of the number's 23 bits.
  @inline(__always)
  static func nearest(_ x: SIMD8<Float>) -> SIMD8<UInt32> {
    unsafeBitCast(x + 8_388_608, to: SIMD8<UInt32>.self) & 0x7f_ffff
  }

  /// Numbers clamped to 0…`last`. (SIMD's own `clamped` is a call for each of the two bounds, not two instructions.)
  @inline(__always)
  static func held(_ x: SIMD8<Float>, to last: Float) -> SIMD8<Float> {
    let low = x.replacing(with: 0, where: x .< 0)
    return low.replacing(with: last, where: low .> last)
  }

  /// The same for one number.
  @inline(__always)
  static func nearest(_ x: Float) -> Int { Int(truncatingIfNeeded: (x + 8_388_608).bitPattern & 0x7f_ffff) }

  /// A pixel of blue, green and red in 8-bit steps, clamped to 0…255 and rounded; the fourth number is ignored.
  @inline(__always)
  static func packed(_ color: SIMD4<Float>) -> UInt32 {
    let low = color.replacing(with: 0, where: color .< 0)
    let held = low.replacing(with: 255, where: low .> 255)
    let bits = unsafeBitCast(held + 8_388_608, to: SIMD4<UInt32>.self)
    return unsafeBitCast(SIMD4<UInt8>(truncatingIfNeeded: bits), to: UInt32.self) & 0xff_ffff
  }
}
